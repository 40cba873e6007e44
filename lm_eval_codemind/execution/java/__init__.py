"""Java in the sandbox: one resident compiler for all programs, and a virtual machine of its own for each run."""

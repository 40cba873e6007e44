"""Java in the sandbox: one resident compiler for all programs, and a new virtual machine for each program."""

"""What executions have shown, applied to problems when data is built. Nothing here executes a program."""

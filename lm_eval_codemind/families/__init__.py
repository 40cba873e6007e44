"""The families of tasks, one module each."""

"""Python programs as material: traced, with other inputs, and with tests for prompts."""

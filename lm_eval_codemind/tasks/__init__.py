"""The hooks that the YAML files of the task suite point to."""

"""The subcommands of ``codemind``, one module each."""

"""The subcommands of ``codemind`` that make and prove data, or programs of the user."""

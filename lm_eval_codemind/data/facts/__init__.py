"""The packaged results of executions, and functions that apply them to problems. These functions execute no program."""

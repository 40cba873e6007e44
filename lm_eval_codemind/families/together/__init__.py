"""Runtime behaviour with one request a program."""

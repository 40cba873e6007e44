"""What CES asks for at a line of a program."""

VARIABLE, ITERABLE, CONDITION, BRANCH = "variable", "iterable", "condition", "branch"

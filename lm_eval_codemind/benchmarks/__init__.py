"""One module a benchmark: its archives, how it is read, how its labels come about."""

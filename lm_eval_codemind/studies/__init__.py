"""Studies of other groups: their benchmarks, questions and rules, and their recorded responses."""

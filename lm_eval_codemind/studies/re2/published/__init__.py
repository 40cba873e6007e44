"""RE2-Bench's own labels and rules."""

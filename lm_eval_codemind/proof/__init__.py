"""Labels proven by execution, and what was proven."""

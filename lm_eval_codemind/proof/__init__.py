"""What is proven by execution, labels and transformed programs, and what came out of it."""

"""DSR: simplify a transformed program, and keep its behaviour."""

"""S and R scores, pass@k and standard errors, as pure functions of outcomes."""

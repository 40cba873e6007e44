"""The language of lm-evaluation-harness, spoken for all families."""

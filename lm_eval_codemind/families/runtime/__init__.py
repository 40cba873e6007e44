"""Runtime behaviour: coverage, states, paths and outputs, after REval."""

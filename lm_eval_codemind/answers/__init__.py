"""From a response to an output or to code, and the comparison of values."""

"""IER on programs with unrolled loops."""

"""IER on programs of growing state: how far a model follows an execution."""

"""Proofs by execution, for labels and for transformed programs."""

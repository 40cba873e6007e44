"""Semantics-preserving rewritings of a program C into a more tangled C+."""

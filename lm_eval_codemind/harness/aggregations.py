"""Aggregations that the YAML files of several families name."""

from __future__ import annotations

from collections.abc import Sequence


def total(documents: Sequence[float]) -> float:
    """Aggregate what is counted in each document to its number over all of them."""
    return sum(documents)

"""Aggregations that the YAML files of several families name."""

from __future__ import annotations

from collections.abc import Sequence

from lm_eval_codemind.scores import verdicts


def unproven_passes(documents: Sequence[Sequence[tuple[bool, bool]]]) -> int:
    """Aggregate to the number of passes that are not tamper-proof.

    Args:
        documents: For each document its responses: whether each passed, and whether its verdict is tamper-proof.
    """
    return verdicts.unproven_passes((passed, proof) for of_document in documents for passed, proof in of_document)

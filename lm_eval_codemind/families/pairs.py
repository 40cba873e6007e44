"""Two documents a problem, without and with a test: how they are paired, and how a pair is shown."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.questions import Part, Unit
from lm_eval_codemind.questions.family import described_outcome, prompts, responses

logger = logging.getLogger(__name__)

Record = Mapping[str, Any]
"""What a document says of its half of a pair: ``problem_id``, ``passed``, and in one more field which half it is."""


def paired(
    records: Sequence[Record], field: str, halves: tuple[Hashable, Hashable]
) -> tuple[list[tuple[float, float]], list[str]]:
    """Return the pairs in the order of their problems, and the problems that have only one document.

    Args:
        records: One a document.
        field: The field that tells which half of a pair a document is.
        halves: The field's values, without and with the test.
    """
    problems: dict[str, dict[Hashable, float]] = {}
    for record in records:
        problems.setdefault(record["problem_id"], {})[record[field]] = record["passed"]
    without, with_test = halves
    pairs = [(found[without], found[with_test]) for found in problems.values() if len(found) == 2]
    return pairs, [problem for problem, found in problems.items() if len(found) < 2]


def warn_of(alone: Sequence[str], subject: str) -> None:
    """Say which problems have only one of their two documents, if there are any.

    Args:
        alone: Their ids.
        subject: The metrics that leave them out, with their verb.
    """
    if alone:
        logger.warning(
            "%s out %d problem(s) of which only one of the two settings was run (--limit and "
            "--samples count documents, two a problem): %s",
            subject,
            len(alone),
            ", ".join(alone[:5]) + (", ..." if len(alone) > 5 else ""),
        )


def programs_beside(unit: Unit, language: str, what: str = "Code") -> list[Part]:
    """Return the programs of a pair and what became of them, side by side.

    Args:
        unit: The samples without and with the test.
        language: What the programs are written in.
        what: What they are called.
    """
    sides = list(zip(("without test", "with test"), unit, strict=True))
    programs = [
        Part(f"{what} {side}", "code", sample.answer.found or "(none found)", beside=True, language=language)
        for side, sample in sides
    ]
    outcomes = [
        Part(f"Outcome {side}", "text", described_outcome(sample.answer), beside=True) for side, sample in sides
    ]
    return [*programs, *outcomes]


def exchanges(unit: Unit) -> list[Part]:
    """Return the prompts and responses of a pair."""
    without, with_test = unit
    return [
        *prompts(without, " without test"),
        *responses(without, " without test"),
        *prompts(with_test, " with test"),
        *responses(with_test, " with test"),
    ]

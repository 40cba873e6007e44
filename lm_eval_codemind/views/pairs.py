"""What views of pairs share: two samples per problem, answered without and with a test."""

from __future__ import annotations

import difflib

from lm_eval_codemind.views.view import Part, Unit, described_outcome, prompts, responses


def programs_beside(unit: Unit, language: str, what: str = "Code") -> list[Part]:
    """Return the two programs of a pair and the outcomes of executing them, side by side.

    Args:
        unit: The samples without and with the test.
        language: The language of the programs.
        what: The heading of the programs.
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


def difference(unit: Unit) -> str:
    """Return how the program written with the test differs from the one written without, as a unified diff."""
    one, other = (sample.answer.found or "" for sample in unit)
    if one == other:
        return "nothing" if one else ""
    return "\n".join(
        difflib.unified_diff(one.splitlines(), other.splitlines(), "without test", "with test", lineterm="", n=2)
    )

"""The base of views of pairs: two samples per problem, such as without and with a test."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.views.view import Part, Unit, answer_of, exchange, outcome_of

_SIDES = ("without test", "with test")


def pairs_of(samples: Sequence[Sample], metric: str, first: Collection[str]) -> list[Unit]:
    """Return the two samples of each problem; problems that lack one are left out.

    Args:
        samples: Samples with two settings.
        metric: A metric of both samples; a sample without it is left out.
        first: Settings of the first sample in a pair.
    """
    problems: dict[tuple[str, str, str], dict[bool, Sample]] = {}
    for sample in samples:
        if metric in sample.scores:
            key = (sample.key.benchmark, sample.key.problem_id, sample.key.item)
            problems.setdefault(key, {})[sample.key.setting in first] = sample
    return [(halves[True], halves[False]) for halves in problems.values() if len(halves) == 2]


def both_programs(unit: Unit, language: str = "", what: str = "Code") -> list[Part]:
    """Return the two programs of a pair and the outcomes of executing them, side by side.

    Args:
        unit: The samples without and with the test.
        language: The language of the programs, by default that of the documents.
        what: The heading of the programs.
    """
    pairs = list(zip(_SIDES, unit, strict=True))
    return [
        *(answer_of(sample, "code", f"{what} {side}", language) for side, sample in pairs),
        *(outcome_of(sample, f"Outcome {side}", aside=True) for side, sample in pairs),
    ]


def exchanges(unit: Unit) -> list[Part]:
    """Return the prompts and responses of a pair."""
    return [part for side, sample in zip(_SIDES, unit, strict=True) for part in exchange(sample, f" {side}")]


def difference(unit: Unit) -> Part:
    """Return a unified diff from the program written without the test to the program written with it."""
    one, other = (sample.answer.found or "" for sample in unit)
    if one == other:
        return Part("What differs", "diff", "nothing" if one else "")
    lines = difflib.unified_diff(one.splitlines(), other.splitlines(), *_SIDES, lineterm="", n=2)
    return Part("What differs", "diff", "\n".join(lines))

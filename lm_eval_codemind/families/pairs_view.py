"""The view of two documents per problem, such as without and with a test."""

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

from lm_eval_codemind.families.view import Part, Unit, View, answer_of, exchange, outcome_of
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.statistics import Estimate, mean

SUITE = "_suite"
"""The end of the names of metrics that leave the witnesses out."""

_SIDES = ("without test", "with test")


class PairView(View):
    """A unit is two samples of a problem, such as without and with a test.

    Attributes:
        first: Settings of the first sample of a pair.
        paired: The metric whose records say which share of the responses in a sample passes. Where the metric of the
            same name with ``_suite`` is recorded, too, so are those of :attr:`of_pair`.
        pair_outcomes: The outcome of a problem where both samples pass, only the first, only the second, and neither.
        of_pair: Metrics that are the mean of a score of pairs: name -> the score, from the two shares. The first of
            them is the S score.
    """

    first: ClassVar[Collection[str]]
    paired: ClassVar[str]
    pair_outcomes: ClassVar[tuple[str, str, str, str]]
    of_pair: ClassVar[Mapping[str, Callable[[float, float], float]]]

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the two samples of each problem, the first one first; problems that lack one are left out."""
        problems: dict[tuple[str, str, str], dict[bool, Sample]] = {}
        for sample in samples:
            if self.paired in sample.scores:
                key = (sample.key.benchmark, sample.key.problem_id, sample.key.item)
                problems.setdefault(key, {})[sample.key.setting in self.first] = sample
        return [(halves[True], halves[False]) for halves in problems.values() if len(halves) == 2]

    def passed(self, unit: Unit, suite: str = "") -> list[float]:
        """Return the share of the responses that pass, in each of the two samples; with ``_suite`` by T alone."""
        return [float(sample.scores[f"{self.paired}{suite}"]["passed"]) for sample in unit]

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the S score of a pair, then the share that passes in each of the two samples."""
        of_pair = next(iter(self.of_pair.values()))
        return dict(zip(self.scores, (of_pair(*self.passed(unit)), *self.passed(unit)), strict=True))

    def outcome(self, unit: Unit) -> str:
        first, second = (share >= 1 for share in self.passed(unit))
        both_pass, only_first, only_second, neither = self.pair_outcomes
        if first:
            return both_pass if second else only_first
        return only_second if second else neither

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        name, suite, _ = metric.partition(SUITE)
        if name not in self.of_pair:
            return super().estimate(samples, metric)
        return mean([self.of_pair[name](*self.passed(unit, suite)) for unit in self.units(samples)])


def both_programs(unit: Unit, language: str = "", what: str = "Code") -> list[Part]:
    """Return the two programs of a pair and the outcomes of executing them, side by side.

    Their language is by default that of the documents. ``what`` is their heading.
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
    one, other = (sample.answer.text or "" for sample in unit)
    if one == other:
        return Part("What differs", "diff", "nothing" if one else "")
    lines = difflib.unified_diff(one.splitlines(), other.splitlines(), *_SIDES, lineterm="", n=2)
    return Part("What differs", "diff", "\n".join(lines))

"""Specification reasoning: does a test in the specification help a model write correct code?"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from lm_eval_codemind.results.families.base import (
    Family,
    Part,
    Unit,
    code_of,
    described_outcome,
    prompts,
    responses,
)
from lm_eval_codemind.results.runs import Sample, TaskRun
from lm_eval_codemind.results.statistics import Estimate, bootstrap, mean
from lm_eval_codemind.scores.sr import s_sr

NO_TEST, WITH_TEST = "no_test", "with_test"


class SpecificationReasoning(Family):
    """SR: two samples a problem, written without and with a test."""

    name = "SR"
    prefix = "codemind_sr_"
    metric = "r_sr"
    scores = ("S_SR", "pass without test", "pass with test")
    authors_task = "SR"

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        settings: dict[str, dict[str, Sample]] = {}
        for sample in samples:
            if self.metric in sample.scores:
                settings.setdefault(sample.problem_id, {})[str(sample.doc.get("setting"))] = sample
        return [(of[NO_TEST], of[WITH_TEST]) for of in settings.values() if {NO_TEST, WITH_TEST} <= of.keys()]

    def score(self, unit: Unit) -> dict[str, float]:
        without, with_test = (_passed(sample) for sample in unit)
        return {"S_SR": s_sr(without, with_test), "pass without test": without, "pass with test": with_test}

    def solved(self, unit: Unit) -> bool:
        """Tell whether the code that is written with the test, which is all a user could give, passes."""
        return _passed(unit[1]) >= 1

    def outcome(self, unit: Unit) -> str:
        without, with_test = (_passed(sample) >= 1 for sample in unit)
        if without and with_test:
            return "both pass"
        if with_test:
            return "only with test"
        return "only without test" if without else "neither passes"

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        pairs = [[_passed(sample) for sample in unit] for unit in self.units(samples)]
        if metric == "r_sr":
            rows = [(without, s_sr(without, with_test)) for without, with_test in pairs]
            return bootstrap(rows, lambda means: means[..., 0] * np.exp(means[..., 1]))
        if metric == "s_sr":
            return mean([s_sr(without, with_test) for without, with_test in pairs])
        return super().estimate(samples, metric)

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        columns = {"NoTest": "pass@1_no_test", "WithTest": "pass@1_with_test"}
        return {column: metric.value for column, name in columns.items() if (metric := task.metric(name))}

    def parts(self, unit: Unit) -> list[Part]:
        without, with_test = unit
        doc = without.doc
        programs = [code_of(sample) for sample in unit]
        shown = [
            Part("Specification S", "code", str(doc.get("specification", ""))),
            Part("Test t", "code", str(with_test.doc.get("test", ""))),
            Part("Code without test", "code", programs[0] or "(none found)", beside=True),
            Part("Code with test", "code", programs[1] or "(none found)", beside=True),
            Part("Outcome without test", "text", described_outcome(without), beside=True),
            Part("Outcome with test", "text", described_outcome(with_test), beside=True),
            Part("What differs", "diff", _difference(*programs)),
            Part("Reference", "code", str(doc.get("code", ""))),
            Part("Test suite T", "code", str(doc.get("tests", ""))),
            *prompts(without, " without test"),
            *responses(without, " without test"),
            *prompts(with_test, " with test"),
            *responses(with_test, " with test"),
        ]
        return [part for part in shown if part.text]


class MisleadingTest(Family):
    """The setting of earlier versions of the paper: the test contradicts the specification, and is all that counts."""

    name = "SR misleading"
    prefix = "codemind_sr_misleading_"
    metric = "pass@1"
    scores = ("pass on misleading test",)
    in_overlap = False
    authors_task = "SR"

    def score(self, unit: Unit) -> dict[str, float]:
        return {"pass on misleading test": float(unit[0].scores[self.metric])}

    def outcome(self, unit: Unit) -> str:
        return "follows the test" if self.solved(unit) else "does not follow it"

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        metric = task.metric(self.metric)
        return {"MisleadingTest": metric.value} if metric else {}

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        shown = [
            Part("Specification S", "code", str(sample.doc.get("specification", ""))),
            Part("Misleading test", "code", str(sample.doc.get("test", ""))),
            Part("Code", "code", code_of(sample) or "(none found)"),
            Part("Outcome", "text", described_outcome(sample)),
            Part("Reference", "code", str(sample.doc.get("code", ""))),
            *prompts(sample),
            *responses(sample),
        ]
        return [part for part in shown if part.text]


def _passed(sample: Sample) -> float:
    record: Any = sample.scores["r_sr"]
    return float(record["passed"] if isinstance(record, dict) else record) if record is not None else 0.0


def _difference(one: str, other: str) -> str:
    if one == other:
        return "nothing" if one else ""
    return "\n".join(
        difflib.unified_diff(one.splitlines(), other.splitlines(), "without test", "with test", lineterm="", n=2)
    )

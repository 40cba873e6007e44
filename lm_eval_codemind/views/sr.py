"""The view of SR results: the two programs of a problem, written without and with the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lm_eval_codemind.catalogue import Benchmark
from lm_eval_codemind.families.sr import NO_TEST
from lm_eval_codemind.questions.samples import Sample, TaskRun
from lm_eval_codemind.scores import sr as scores
from lm_eval_codemind.scores.statistics import Estimate, bootstrap, mean
from lm_eval_codemind.views.pairs import both_programs, difference, exchanges, pairs_of
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of


class SpecificationView(View):
    """Specification, test, both programs and what differs between them."""

    scores = ("S_SR", "pass without test", "pass with test")
    reported: tuple[str, ...] = ("r_sr", "pass@1_no_test", "pass@1_with_test")

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        return pairs_of(samples, self.metric, (NO_TEST,))

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        without, with_test = (passed(sample) for sample in unit)
        return {
            "S_SR": scores.s_sr(without, with_test),
            "pass without test": without,
            "pass with test": with_test,
        }

    def solved(self, unit: Unit) -> bool:
        """Whether the program written with the test passes, which is the one a user would take."""
        return passed(unit[1]) >= 1

    def outcome(self, unit: Unit) -> str:
        without, with_test = (passed(sample) >= 1 for sample in unit)
        if without and with_test:
            return "both pass"
        if with_test:
            return "only with test"
        return "only without test" if without else "neither passes"

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        pairs = [[passed(sample) for sample in unit] for unit in self.units(samples)]
        if metric == "r_sr":
            rows = [(without, scores.s_sr(without, with_test)) for without, with_test in pairs]
            return bootstrap(rows, lambda means: means[..., 0] * np.exp(means[..., 1]))
        if metric == "s_sr":
            return mean([scores.s_sr(without, with_test) for without, with_test in pairs])
        return super().estimate(samples, metric)

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        columns = {"NoTest": "pass@1_no_test", "WithTest": "pass@1_with_test"}
        return {column: metric.value for column, name in columns.items() if (metric := task.metric(name))}

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        return {**super().leaderboard_row(task, benchmark), "Gtask": "synthesis"}

    def parts(self, unit: Unit) -> list[Part]:
        without, with_test = unit
        return [
            listing(without, "Specification S", "specification"),
            listing(with_test, "Test t", "test"),
            *both_programs(unit),
            difference(unit),
            listing(without, "Reference", "code"),
            listing(without, "Test suite T", "tests"),
            *exchanges(unit),
        ]


class MisleadingView(View):
    """One program per problem, written with a test that contradicts the specification."""

    metric = "pass@1"
    scores = ("pass on misleading test",)

    def outcome(self, unit: Unit) -> str:
        return "follows the test" if self.solved(unit) else "does not follow it"

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        metric = task.metric(self.metric)
        return {"MisleadingTest": metric.value} if metric else {}

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        return {**super().leaderboard_row(task, benchmark), "Gtask": "synthesis"}

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        return [
            listing(sample, "Specification S", "specification"),
            listing(sample, "Misleading test", "test"),
            answer_of(sample, "code", "Code"),
            outcome_of(sample),
            listing(sample, "Reference", "code"),
            *exchange(sample),
        ]


def passed(sample: Sample) -> float:
    """Return the share of the responses in a sample that pass."""
    record: Any = sample.scores["r_sr"]
    return float(record["passed"] if isinstance(record, dict) else record) if record is not None else 0.0

"""The view of bug repair results: a problem's answers without and with the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lm_eval_codemind.families.repair import WITHOUT_TEST
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores.sr import s_sr
from lm_eval_codemind.scores.statistics import Estimate, mean
from lm_eval_codemind.views.pairs import both_programs, exchanges, pairs_of
from lm_eval_codemind.views.view import Part, Unit, View, listing


class RepairView(View):
    """Specification, buggy program, test and both answers."""

    scores = ("repaired", "repaired without test")
    reported = ("pass@1", "pass@1_no_test")
    programs = {"C": ("complexity", "code"), "bug": ("buggy_complexity", "buggy")}

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the two samples of each problem, the one without a test first; problems that lack one are left out."""
        return pairs_of(samples, "repaired_by_test", WITHOUT_TEST)

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        without, with_test = (_passed(sample) for sample in unit)
        return {"repaired": with_test, "repaired without test": without}

    def outcome(self, unit: Unit) -> str:
        without, with_test = (_passed(sample) >= 1 for sample in unit)
        if without and with_test:
            return "repaired"
        if with_test:
            return "only with test"
        return "only without test" if without else "not repaired"

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric == "repaired_by_test":
            pairs = [[_passed(sample) for sample in unit] for unit in self.units(samples)]
            return mean([s_sr(without, with_test) for without, with_test in pairs])
        return super().estimate(samples, metric)

    def parts(self, unit: Unit) -> list[Part]:
        sample = unit[1]
        return [
            listing(sample, "Specification S", "specification"),
            listing(sample, "Buggy program B", "buggy"),
            listing(sample, "Test t that reveals the bug", "test"),
            *both_programs(unit, what="Answer"),
            listing(sample, "Correct program C", "code"),
            listing(sample, "Test suite T", "tests"),
            *exchanges(unit),
        ]


def _passed(sample: Sample) -> float:
    record: Any = sample.scores["repaired_by_test"]
    return float(record["passed"])

"""The views of results of SR."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from lm_eval_codemind.families.pairs_view import SUITE, PairView, both_programs, difference, exchanges
from lm_eval_codemind.families.sr.score import s_sr
from lm_eval_codemind.families.sr.task import NO_TEST
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing, outcome_of
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.statistics import Estimate, bootstrap


class SpecificationView(PairView):
    """SR: specification, test, both programs and what differs between them."""

    scores = ("S_SR", "pass without test", "pass with test")
    reported: tuple[str, ...] = (
        "r_sr",
        "pass@1_no_test",
        "pass@1_no_test_fair",
        "pass@1_with_test",
        "s_sr",
        "s_sr_unstated",
        "pass@1_no_test_suite",
        "pass@1_with_test_suite",
    )
    board = {"NoTest": "pass@1_no_test", "WithTest": "pass@1_with_test"}
    place = {"Gtask": "synthesis"}
    first = (NO_TEST,)
    paired = "r_sr"
    pair_outcomes = ("both pass", "only without test", "only with test", "neither passes")
    of_pair: ClassVar[Mapping[str, Callable[[float, float], float]]] = {"s_sr": s_sr}

    def solved(self, unit: Unit) -> bool:
        """Whether the program written with the test passes, which is the one a user would take."""
        return self.passed(unit)[1] >= 1

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        name, suite, _ = metric.partition(SUITE)
        if name == "r_sr":
            pairs = [self.passed(unit, suite) for unit in self.units(samples)]
            rows = [(without, s_sr(without, with_test)) for without, with_test in pairs]
            return bootstrap(rows, lambda means: means[..., 0] * np.exp(means[..., 1]))
        if metric == "s_sr_unstated":
            return self.estimate([sample for sample in samples if sample.scores.get(metric) is not None], "s_sr")
        return super().estimate(samples, metric)

    def parts(self, unit: Unit) -> list[Part]:
        without, with_test = unit
        return [
            listing(without, "Specification S", "specification"),
            listing(with_test, "Test t", "test"),
            *both_programs(unit),
            difference(unit),
            listing(without, "Reference", "code"),
            listing(without, "Test suite T", "tests"),
            Part("Class of the suite", "text", str(without.doc.get("suite", ""))),
            *exchanges(unit),
        ]


class MisleadingView(View):
    """SR with one program per problem, written with a test that contradicts the specification."""

    metric = "pass@1"
    scores = ("pass on misleading test",)
    board = {"MisleadingTest": "pass@1"}
    place = {"Gtask": "synthesis"}
    outcomes = ("follows the test", "does not follow it", "does not follow it")

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Specification S", "specification"),
            listing(sample, "Misleading test", "test"),
            answer_of(sample, "code", "Code"),
            outcome_of(sample),
            listing(sample, "Reference", "code"),
        ]

"""The view of SR results: the two programs of a problem, written without and with the test."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from lm_eval_codemind.families.sr import NO_TEST
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores.sr import s_sr
from lm_eval_codemind.scores.statistics import Estimate, bootstrap
from lm_eval_codemind.views.pairs import PairView, both_programs, difference, exchanges
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of


class SpecificationView(PairView):
    """Specification, test, both programs and what differs between them."""

    scores = ("S_SR", "pass without test", "pass with test")
    reported: tuple[str, ...] = ("r_sr", "pass@1_no_test", "pass@1_with_test")
    board = {"NoTest": "pass@1_no_test", "WithTest": "pass@1_with_test"}
    place = {"Gtask": "synthesis"}
    first = (NO_TEST,)
    paired = "r_sr"
    outcomes = ("both pass", "only without test", "only with test", "neither passes")
    of_pair: ClassVar[Mapping[str, Callable[[float, float], float]]] = {"s_sr": s_sr}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        return dict(zip(self.scores, (s_sr(*self.passed(unit)), *self.passed(unit)), strict=True))

    def solved(self, unit: Unit) -> bool:
        """Whether the program written with the test passes, which is the one a user would take."""
        return self.passed(unit)[1] >= 1

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric == "r_sr":
            pairs = [self.passed(unit) for unit in self.units(samples)]
            rows = [(without, s_sr(without, with_test)) for without, with_test in pairs]
            return bootstrap(rows, lambda means: means[..., 0] * np.exp(means[..., 1]))
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
            *exchanges(unit),
        ]


class MisleadingView(View):
    """One program per problem, written with a test that contradicts the specification."""

    metric = "pass@1"
    scores = ("pass on misleading test",)
    board = {"MisleadingTest": "pass@1"}
    place = {"Gtask": "synthesis"}

    def outcome(self, unit: Unit) -> str:
        return "follows the test" if self.solved(unit) else "does not follow it"

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

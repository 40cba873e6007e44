"""The view of results of repair."""

from lm_eval_codemind.families.pairs_view import PairView, both_programs, exchanges
from lm_eval_codemind.families.repair.task import WITHOUT_TEST
from lm_eval_codemind.families.sr.score import s_sr
from lm_eval_codemind.families.view import Part, Unit, listing


class RepairView(PairView):
    """Specification, buggy program, test and both answers."""

    scores = ("repaired", "repaired without test")
    reported = ("pass@1", "pass@1_no_test", "pass@1_suite", "pass@1_no_test_suite")
    first = WITHOUT_TEST
    paired = "repaired_by_test"
    pair_outcomes = ("repaired", "only without test", "only with test", "not repaired")
    of_pair = {"repaired_by_test": s_sr}
    programs = {"C": ("complexity", "code"), "bug": ("buggy_complexity", "buggy")}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the share that passes with the test, then without it."""
        return dict(zip(self.scores, reversed(self.passed(unit)), strict=True))

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

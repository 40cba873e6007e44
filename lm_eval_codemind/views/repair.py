"""The view of bug repair results: a problem's answers without and with the test."""

from lm_eval_codemind.families.repair import WITHOUT_TEST
from lm_eval_codemind.scores.sr import s_sr
from lm_eval_codemind.views.pairs import PairView, both_programs, exchanges
from lm_eval_codemind.views.view import Part, Unit, listing


class RepairView(PairView):
    """Specification, buggy program, test and both answers."""

    scores = ("repaired", "repaired without test")
    reported = ("pass@1", "pass@1_no_test")
    first = WITHOUT_TEST
    paired = "repaired_by_test"
    outcomes = ("repaired", "only without test", "only with test", "not repaired")
    of_pair = {"repaired_by_test": s_sr}
    programs = {"C": ("complexity", "code"), "bug": ("buggy_complexity", "buggy")}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        without, with_test = self.passed(unit)
        return {"repaired": with_test, "repaired without test": without}

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

"""The views of verdicts about programs, and of the lines that they blame."""

from lm_eval_codemind.families.verdict import BUGGY
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.scores.verdict import balanced, both
from lm_eval_codemind.views.pairs import PairView
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing


class VerdictView(PairView):
    """Specification, both programs and the verdicts about them."""

    scores = ("S_verdict", "buggy", "correct")
    reported = ("verdict", "verdict_pair")
    first = (BUGGY,)
    paired = "verdict"
    outcomes = ("both right", "only the buggy one right", "only the correct one right", "neither right")
    of_pair = {"verdict": balanced, "verdict_pair": both}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        return dict(zip(self.scores, (balanced(*self.passed(unit)), *self.passed(unit)), strict=True))

    def parts(self, unit: Unit) -> list[Part]:
        shown = [listing(unit[0], "Specification S", "specification")]
        for what, sample in zip(("buggy", "correct"), unit, strict=True):
            shown.append(listing(sample, f"The {what} program", "program", aside=True))
        for what, sample in zip(("buggy", "correct"), unit, strict=True):
            shown.append(answer_of(sample, title=f"Is the {what} one right?"))
        return [*shown, *(part for sample in unit for part in exchange(sample, f" ({sample.key.setting})"))]


class LocateView(View):
    """Specification, the buggy program with its lines, and the correct one."""

    reported = ("locate_searched", "locate", "locate_near")

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "a line that the fix changes"
        if unit[0].answer.found is None:
            return "no answer"
        return "next to such a line" if unit[0].scores.get("locate_near") else "another line"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        language = str(sample.doc.get("language", ""))
        return [
            listing(sample, "Specification S", "specification"),
            Part("Buggy program B", "code", numbered(str(sample.doc["program"])), language=language),
            listing(sample, "Correct program C", "code"),
            Part("Lines that the fix changes", "text", ", ".join(map(str, sample.doc["lines"])), aside=True),
            answer_of(sample),
            *exchange(sample),
        ]

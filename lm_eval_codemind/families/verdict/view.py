"""The views of verdicts about programs and of lines with a bug."""

from lm_eval_codemind.families.pairs_view import PairView
from lm_eval_codemind.families.verdict.score import balanced, both
from lm_eval_codemind.families.verdict.task import BUGGY
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, exchange, listing
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.samples import Sample


class VerdictView(PairView):
    """Specification, the buggy and the correct program, and the verdicts about them."""

    scores = ("S_verdict", "buggy", "correct")
    reported = ("verdict", "verdict_pair")
    first = (BUGGY,)
    paired = "verdict"
    pair_outcomes = (
        "both correct",
        "only the buggy one judged correctly",
        "only the correct one judged correctly",
        "neither correct",
    )
    of_pair = {"verdict": balanced, "verdict_pair": both}

    def parts(self, unit: Unit) -> list[Part]:
        pairs = list(zip(("buggy", "correct"), unit, strict=True))
        return [
            listing(unit[0], "Specification S", "specification"),
            *(listing(sample, f"The {what} program", "program", aside=True) for what, sample in pairs),
            *(answer_of(sample, title=f"Is the {what} program correct?") for what, sample in pairs),
            *(part for sample in unit for part in exchange(sample, f" ({sample.key.setting})")),
        ]


class LocateView(View):
    """Specification, the buggy program with its lines, and the correct one."""

    reported = ("locate_searched", "locate", "locate_near")

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "a line that the fix changes"
        if unit[0].answer.text is None:
            return "no answer"
        return "next to such a line" if unit[0].scores.get("locate_near") else "another line"

    def content(self, sample: Sample) -> list[Part]:
        language = str(sample.doc.get("language", ""))
        return [
            listing(sample, "Specification S", "specification"),
            Part("Buggy program B", "code", numbered(str(sample.doc["program"])), language=language),
            listing(sample, "Correct program C", "code"),
            Part("Lines that the fix changes", "text", ", ".join(map(str, sample.doc["lines"])), aside=True),
            answer_of(sample),
        ]

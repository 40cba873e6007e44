"""The views of verdicts about programs and of lines with a bug."""

from lm_eval_codemind.families.pairs_view import PairView
from lm_eval_codemind.families.verdict.score import balanced, both
from lm_eval_codemind.families.verdict.task import BUGGY
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, exchange, listing, outcome_of
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
    """Specification, the buggy program with its lines, the correct one, and the new line with its outcome."""

    reported = ("locate", "line")

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "repaired by one line"
        if unit[0].answer.text is None:
            return "no answer"
        return "a line of the bug, not repaired" if unit[0].scores.get("line") else "another line, not repaired"

    def content(self, sample: Sample) -> list[Part]:
        language = str(sample.doc.get("language", ""))
        return [
            listing(sample, "Specification S", "specification"),
            Part("Buggy program B", "code", numbered(str(sample.doc["program"])), language=language),
            listing(sample, "Correct program C", "code"),
            Part("Lines of the bug", "text", ", ".join(map(str, sample.doc["lines"])), aside=True),
            answer_of(sample),
            outcome_of(sample),
        ]

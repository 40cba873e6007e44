"""The views of verdicts about programs, and of the lines that they blame."""

from __future__ import annotations

from collections.abc import Sequence

from lm_eval_codemind.families.verdict import BUGGY
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores import verdict as scores
from lm_eval_codemind.scores.statistics import Estimate, mean
from lm_eval_codemind.views.pairs import pairs_of
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing

_OF_PAIR = {"verdict": scores.balanced, "verdict_pair": scores.both}


class VerdictView(View):
    """Specification, both programs and the verdicts about them."""

    scores = ("S_verdict", "buggy", "correct")
    reported = ("verdict", "verdict_pair")

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the two samples of each problem, the one about the buggy program first."""
        return pairs_of(samples, self.metric, (BUGGY,))

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        buggy, correct = _rights(unit)
        return {"S_verdict": scores.balanced(buggy, correct), "buggy": buggy, "correct": correct}

    def outcome(self, unit: Unit) -> str:
        buggy, correct = (right >= 1 for right in _rights(unit))
        if buggy and correct:
            return "both right"
        if buggy:
            return "only the buggy one right"
        return "only the correct one right" if correct else "neither right"

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric in _OF_PAIR:
            return mean([_OF_PAIR[metric](*_rights(unit)) for unit in self.units(samples)])
        return super().estimate(samples, metric)

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


def _rights(unit: Unit) -> tuple[float, float]:
    """Return the shares of right verdicts about the buggy and about the correct program."""
    buggy, correct = (sample.scores["verdict"]["passed"] for sample in unit)
    return float(buggy), float(correct)

"""The view of results of DSR."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing, outcome_of
from lm_eval_codemind.samples import Sample


class SemanticsView(View):
    """DSR: C, C+ and the answer with their lines, the outcome, and the rules that made C+."""

    scores = ("S_DSR", "pass")
    reported = ("r_dsr", "r_dsr_suite")
    programs = {"C": ("complexity", "code"), "C+": ("transformed_complexity", "transformed")}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        return {"S_DSR": float(unit[0].scores[self.metric]), "pass": float(unit[0].scores["pass@1"])}

    def solved(self, unit: Unit) -> bool:
        """Whether all answers pass their tests and are shorter than C+."""
        return bool(unit[0].scores["shorter"] >= 1)

    def outcome(self, unit: Unit) -> str:
        answer = unit[0].answer
        if self.unit_scores(unit)["pass"] >= 1:
            return "simplified" if self.solved(unit) else "not shorter"
        if answer.text is None:
            return "no code"
        if answer.passed_suite:
            return "fails a witness"
        return "unfinished" if (answer.outcome or {}).get("status") == "unfinished" else "fails its tests"

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the mean lines of C, C+ and C', by success."""
        rows = []
        for model, units in models.items():
            answered = [unit for unit in units if _lines_of_answers(unit)]
            groups = {
                "all": answered,
                "simplified": [unit for unit in answered if self.solved(unit)],
                "not simplified": [unit for unit in answered if not self.solved(unit)],
            }
            for name, members in groups.items():
                if members:
                    lines = {
                        "C": fmean(unit[0].doc["loc"] for unit in members),
                        "C+": fmean(unit[0].doc["loc_transformed"] for unit in members),
                        "C'": fmean(fmean(_lines_of_answers(unit)) for unit in members),
                    }
                    rows.append({"model": model, "programs": name, **lines, "n": len(members)})
        return [described("lines_simplified", rows)]

    def content(self, sample: Sample) -> list[Part]:
        doc = sample.doc
        return [
            listing(sample, "C", "code", True, _lines(doc.get("loc"))),
            listing(sample, "C+", "transformed", True, _lines(doc.get("loc_transformed"))),
            replace(answer_of(sample, "code"), note=_lines(sample.answer.details.get("loc"))),
            outcome_of(sample),
            Part("Rules that made C+", "text", ", ".join(map(str, doc.get("transformations") or []))),
            listing(sample, "Test", "test"),
        ]


def _lines_of_answers(unit: Unit) -> list[int]:
    """Return the lines of each answer that is a program."""
    return [lines for answer in unit[0].answers if (lines := answer.details.get("loc")) is not None]


def _lines(count: object) -> str:
    return "" if count is None else f"{count} lines"

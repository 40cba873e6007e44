"""The view of DSR results: C, C+ and the answer side by side."""

from dataclasses import replace

from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of


class SemanticsView(View):
    """C, C+ and the answer with their lines, the outcome, and the rules that made C+."""

    scores = ("S_DSR", "pass")
    programs = {"C": ("complexity", "code"), "C+": ("transformed_complexity", "transformed")}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        return {"S_DSR": float(unit[0].scores[self.metric]), "pass": float(unit[0].scores["pass@1"])}

    def solved(self, unit: Unit) -> bool:
        """Whether the answer passes its tests and is shorter than C+: then S_DSR is above 0."""
        return self.unit_scores(unit)["S_DSR"] > 0

    def outcome(self, unit: Unit) -> str:
        of_unit = self.unit_scores(unit)
        if of_unit["pass"] < 1:
            answer = unit[0].answer
            if answer.found is None:
                return "no code"
            return "unfinished" if (answer.outcome or {}).get("status") == "unfinished" else "fails its tests"
        return "simplified" if of_unit["S_DSR"] > 0 else "not shorter"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        doc, answer = sample.doc, answer_of(sample, "code")
        rules = doc.get("transformations") or []
        return [
            listing(sample, "C", "code", True, _lines(doc.get("loc"))),
            listing(sample, "C+", "transformed", True, _lines(doc.get("loc_transformed"))),
            replace(answer, note=_lines(sample.answer.details.get("loc"))),
            outcome_of(sample),
            Part("Rules that made C+", "text", ", ".join(map(str, rules))),
            listing(sample, "Test", "test"),
            *exchange(sample),
        ]


def _lines(count: object) -> str:
    return "" if count is None else f"{count} lines"

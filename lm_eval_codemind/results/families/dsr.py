"""Dynamic semantics reasoning: simplify a tangled program without changing what it means."""

from __future__ import annotations

from lm_eval_codemind.results.families.base import (
    Family,
    Part,
    Unit,
    code_of,
    described_outcome,
    first_answer,
    outcome_of,
    prompts,
    responses,
)
from lm_eval_codemind.results.runs import executed_answer


class SemanticsReasoning(Family):
    """DSR and its variant on the published programs: one sample a problem."""

    metric = "r_dsr"
    scores = ("S_DSR", "pass")
    programs = {"C": ("complexity", "code"), "C+": ("transformed_complexity", "transformed")}

    def __init__(self, name: str, prefix: str, default: bool) -> None:
        self.name = name
        self.prefix = prefix
        self.in_overlap = default
        self.submittable = default

    def score(self, unit: Unit) -> dict[str, float]:
        return {"S_DSR": float(unit[0].scores[self.metric]), "pass": float(unit[0].scores["pass@1"])}

    def solved(self, unit: Unit) -> bool:
        """Tell whether the answer passes its tests and is shorter than C+: then S_DSR is above 0."""
        return self.score(unit)["S_DSR"] > 0

    def outcome(self, unit: Unit) -> str:
        scores = self.score(unit)
        if scores["pass"] < 1:
            if not code_of(unit[0]):
                return "no code"
            return "unfinished" if outcome_of(unit[0]).get("status") == "unfinished" else "fails its tests"
        return "simplified" if scores["S_DSR"] > 0 else "not shorter"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        doc = sample.doc
        lines = (executed_answer(first_answer(sample)) or {}).get("loc")
        rules = doc.get("transformations") or []
        shown = [
            Part("C", "code", str(doc.get("code", "")), True, _lines(doc.get("loc"))),
            Part("C+", "code", str(doc.get("transformed", "")), True, _lines(doc.get("loc_transformed"))),
            Part("Answer", "code", code_of(sample) or "(none found)", True, _lines(lines)),
            Part("Outcome", "text", described_outcome(sample)),
            Part("Rules that made C+", "text", ", ".join(map(str, rules))),
            Part("Test", "code", str(doc.get("test", ""))),
            *prompts(sample),
            *responses(sample),
        ]
        return [part for part in shown if part.text]


def _lines(count: object) -> str:
    return "" if count is None else f"{count} lines"

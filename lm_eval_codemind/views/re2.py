"""The view of results on RE2-Bench: each answer next to its label, and scores by source and difficulty."""

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.benchmarks.re2bench import BRANCH, LOOP
from lm_eval_codemind.families.re2 import compared
from lm_eval_codemind.scores.statistics import mean
from lm_eval_codemind.views.table import Table, described, interval
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of


class Re2View(View):
    """Easy problems come from other sources than most difficult ones, so scores are shown by both."""

    reported = ("right", "right_easy", "right_difficult")

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the table of scores by source and difficulty."""
        return [_by_source(models)]

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        return [
            listing(sample, "Program", "code"),
            Part("Input or output shown", "text", str(sample.doc["shown"])),
            answer_of(sample),
            Part("Label", "text", str(sample.doc["label"]), aside=True),
            outcome_of(sample),
            *exchange(sample),
        ]


class ProvenRe2View(Re2View):
    """Answers about loops and branches are shown with the place where they first differ from the label."""

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        setting, text = sample.key.setting, sample.answer.found
        if setting not in (LOOP, BRANCH) or text is None:
            return super().parts(unit)
        rows = [
            f"line {line}{f', {name}' if name else ''}: " + _difference(answer, label, place)
            for line, name, answer, label, place in compared(sample.doc, setting, text)
        ]
        program, *others = super().parts(unit)
        return [program, Part("First wrong iteration", "text", "\n".join(rows)), *others]


def _difference(answer: Sequence[Any], label: Sequence[Any], place: int | None) -> str:
    if place is None:
        return "right"
    values = (repr(items[place]) if place < len(items) else "nothing" for items in (answer, label))
    return "number {}: {}, but: {}".format(place + 1, *values)


def _by_source(models: Mapping[str, Sequence[Unit]]) -> Table:
    rows = []
    for model, units in models.items():
        groups: dict[tuple[str, str], list[float]] = {}
        for (sample,) in units:
            place = (str(sample.doc["difficulty"]), str(sample.doc["source"]))
            groups.setdefault(place, []).append(float(sample.scores["right"]))
        for (difficulty, source), scores in sorted(groups.items(), reverse=True):
            what = {"model": model, "difficulty": difficulty, "source": source}
            rows.append({**what, **interval(mean(scores), "value"), "n": len(scores)})
    return described("re2_sources", rows)

"""The views of results on RE2-Bench."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.families.table import Table, described, interval
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing, outcome_of
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.statistics import mean
from lm_eval_codemind.studies.re2.asked import BRANCH, LOOP
from lm_eval_codemind.studies.re2.task import compared


class Re2View(View):
    """Easy problems come from other sources than most difficult ones, so scores are shown by both."""

    reported = ("accuracy", "accuracy_easy", "accuracy_easy_searched", "accuracy_difficult")

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the table of scores by source and difficulty."""
        rows = []
        for model, units in models.items():
            groups: dict[tuple[str, str], list[float]] = defaultdict(list)
            for (sample,) in units:
                place = (str(sample.doc["difficulty"]), str(sample.doc["source"]))
                groups[place].append(float(sample.scores["accuracy"]))
            for (difficulty, source), scores in sorted(groups.items(), reverse=True):
                what = {"model": model, "difficulty": difficulty, "source": source}
                rows.append({**what, **interval(mean(scores), "value"), "n": len(scores)})
        return [described("re2_sources", rows)]

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Program", "code"),
            Part("Input or output shown", "text", str(sample.doc["shown"])),
            answer_of(sample),
            Part("Label", "text", str(sample.doc["label"]), aside=True),
            outcome_of(sample),
        ]


class ProvenRe2View(Re2View):
    """Answers about loops and branches are shown with the place where they first differ from the label."""

    def content(self, sample: Sample) -> list[Part]:
        setting, text = sample.key.setting, sample.answer.text
        if setting not in (LOOP, BRANCH) or text is None:
            return super().content(sample)
        rows = [
            f"line {line}{f', {name}' if name else ''}: " + _first_wrong(answer, label, place)
            for line, name, answer, label, place in compared(sample.doc, setting, text)
        ]
        program, *others = super().content(sample)
        return [program, Part("First wrong iteration", "text", "\n".join(rows)), *others]


def _first_wrong(answer: Sequence[Any], label: Sequence[Any], place: int | None) -> str:
    if place is None:
        return "right"
    values = (repr(items[place]) if place < len(items) else "nothing" for items in (answer, label))
    return "number {}: {}, but: {}".format(place + 1, *values)

"""Independent execution reasoning: predict what a program computes."""

from __future__ import annotations

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.complexity import literal_type, text_type
from lm_eval_codemind.results.families.base import Family, Part, Unit, first_answer, prompts, responses
from lm_eval_codemind.results.runs import TaskRun


class ExecutionReasoning(Family):
    """IER and its variants: one sample a problem, scored by the comparison of one output."""

    scores = ("S_IER",)
    authors_task = "IER"

    def __init__(self, name: str, prefix: str, metric: str, default: bool) -> None:
        self.name = name
        self.prefix = prefix
        self.metric = metric
        self.in_overlap = default
        self.submittable = default

    def score(self, unit: Unit) -> dict[str, float]:
        return {"S_IER": float(unit[0].scores[self.metric])}

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "right output"
        return "no answer" if first_answer(unit[0]) is None else "wrong output"

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        (sample,) = unit
        label = sample.doc.get("output")
        if label is None:
            return None
        type_of = text_type if sample.doc.get("kind") == "script" else literal_type
        true, answer = type_of(str(label)), first_answer(sample)
        if true is None:
            return None
        # What the score does not parse has no type either.
        readable = answer is not None and not too_long(str(answer), str(label))
        return true, type_of(str(answer)) if readable else None, self.solved(unit)

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        metric = task.metric(self.metric)
        return {"RIER": metric.value} if metric else {}

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        answer = first_answer(sample)
        return [
            Part("Program C", "code", str(sample.doc.get("code", ""))),
            Part("Input I", "code", str(sample.doc.get("input", ""))),
            Part("Label C(I)", "text", str(sample.doc.get("output", "")), beside=True),
            Part("Answer", "text", "(none found)" if answer is None else str(answer), beside=True),
            *prompts(sample),
            *responses(sample),
        ]

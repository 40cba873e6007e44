"""What the analyses and the report need to know of each family of tasks: one small adapter a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lm_eval_codemind.complexity import literal_type, text_type
from lm_eval_codemind.results.runs import Sample, TaskRun
from lm_eval_codemind.results.statistics import Estimate, mean

# What the tasks' filters, like the harness's own regex filter, write where they find no answer.
NO_ANSWER = "[invalid]"

PartKind = Literal["code", "text", "diff"]


@dataclass(frozen=True)
class Part:
    """One text of a sample as the report shows it; parts in a row with ``beside`` stand side by side."""

    title: str
    kind: PartKind
    text: str
    beside: bool = False


class Family:
    """A family of tasks that share their score.

    Attributes:
        name: What people call it.
        prefix: How the names of its tasks start.
        metric: The metric whose per-sample value is the family's S score and whose aggregate is its R score.
        in_overlap: Whether it takes part in the analysis of which problems each family alone solves.
        submittable: Whether its results can be submitted.
    """

    name: str
    prefix: str
    metric: str
    in_overlap = True
    submittable = True

    def owns(self, task: str) -> bool:
        """Tell whether a task belongs to this family."""
        return family_of(task) is self

    def metrics(self, task: TaskRun) -> tuple[str, ...]:
        """Return the names of the metrics that a summary shows, the R score first."""
        return tuple(dict.fromkeys((self.metric, *(metric.name for metric in task.metrics))))

    def score(self, sample: Sample) -> float:
        """Return the S score of a sample."""
        return float(sample.scores.get(self.metric, 0.0))

    def solved(self, sample: Sample) -> bool:
        """Tell whether the problem counts as solved: the S score is at least 1."""
        return self.score(sample) >= 1

    def outcome(self, sample: Sample) -> str:
        """Return in a word or two how the sample came out."""
        return "solved" if self.solved(sample) else "not solved"

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric's mean over samples with its interval."""
        return mean([float(sample.scores[metric]) for sample in samples if _is_number(sample.scores.get(metric))])

    def type_match(self, sample: Sample) -> tuple[str, str | None, bool] | None:
        """Return the type of the true output, that of the predicted one, and whether their values are equal."""
        return None

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        """Return what the CodeMind authors' leaderboard shows of a task: its column -> a share of 1."""
        return {}

    def parts(self, sample: Sample) -> list[Part]:
        """Return the texts that the report shows of a sample."""
        return [*_prompts(sample), *_responses(sample)]


class _IER(Family):
    """Independent execution reasoning: predict what a program computes."""

    def __init__(self, name: str, prefix: str, metric: str, default: bool) -> None:
        self.name = name
        self.prefix = prefix
        self.metric = metric
        self.in_overlap = default
        self.submittable = default

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        metric = task.metric(self.metric)
        return {"RIER": metric.value} if metric else {}

    def outcome(self, sample: Sample) -> str:
        if self.solved(sample):
            return "right output"
        return "no answer" if _answer(sample) is None else "wrong output"

    def type_match(self, sample: Sample) -> tuple[str, str | None, bool] | None:
        label = sample.doc.get("output")
        if label is None:
            return None
        type_of = text_type if sample.doc.get("kind") == "script" else literal_type
        true, answer = type_of(str(label)), _answer(sample)
        return None if true is None else (true, None if answer is None else type_of(answer), self.solved(sample))

    def parts(self, sample: Sample) -> list[Part]:
        doc = sample.doc
        return [
            Part("Program C", "code", str(doc.get("code", ""))),
            Part("Input I", "code", str(doc.get("input", ""))),
            Part("Label C(I)", "text", str(doc.get("output", "")), beside=True),
            Part("Answer", "text", answer if (answer := _answer(sample)) is not None else "(none found)", beside=True),
            *_prompts(sample),
            *_responses(sample),
        ]


FAMILIES: tuple[Family, ...] = (
    _IER("IER", "codemind_ier_", "r_ier", default=True),
    _IER("IER direct", "codemind_ier_direct_", "r_ier", default=False),
    _IER("IER published", "codemind_ier_published_", "r_ier_text", default=False),
)


def family_of(task: str) -> Family | None:
    """Return the family a task belongs to, the one with the longest prefix; None for tasks of no family."""
    owners = [family for family in FAMILIES if task.startswith(family.prefix)]
    return max(owners, key=lambda family: len(family.prefix), default=None)


def _prompts(sample: Sample) -> list[Part]:
    titles = ["Prompt"] if len(sample.prompts) == 1 else [f"Prompt {i}" for i in range(1, len(sample.prompts) + 1)]
    return [Part(title, "text", text) for title, text in zip(titles, sample.prompts, strict=True)]


def _responses(sample: Sample) -> list[Part]:
    responses = [text for repeats in sample.responses for text in repeats]
    titles = ["Response"] if len(responses) == 1 else [f"Response {i}" for i in range(1, len(responses) + 1)]
    return [Part(title, "text", text) for title, text in zip(titles, responses, strict=True)]


def _answer(sample: Sample) -> str | None:
    """Return the first answer that the task's filter found, or None."""
    answers = sample.answers[0] if sample.answers else None
    first = (answers[0] if answers else None) if isinstance(answers, list) else answers
    return None if first is None or first == NO_ANSWER else str(first)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

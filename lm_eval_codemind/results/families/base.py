"""What the analyses and the report need to know of a family of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from lm_eval_codemind.results.runs import Sample, TaskRun, executed_answer
from lm_eval_codemind.results.statistics import Estimate, mean

# What the tasks' filters, like the harness's own regex filter, write where they find no answer.
NO_ANSWER = "[invalid]"

PartKind = Literal["code", "text", "diff"]
Unit = tuple[Sample, ...]


@dataclass(frozen=True)
class Part:
    """One text of a problem as the report shows it.

    Attributes:
        title: Heading; the same for the same part of every problem.
        kind: How the text is shown.
        text: The text.
        beside: Whether it stands beside its neighbours that say so, too.
        note: What to say after the heading.
    """

    title: str
    kind: PartKind
    text: str
    beside: bool = False
    note: str = ""


class Family:
    """A family of tasks that share their scores: one small subclass a family.

    Problems are looked at one by one. The samples that belong to one problem are its unit: one sample in most
    families, one a setting in specification reasoning.

    Attributes:
        name: What people call it.
        prefix: How the names of its tasks start.
        metric: The metric that is the family's R score.
        scores: Names of the scores of one problem, the S score first.
        programs: Programs of a problem whose complexity is set against the scores: name -> (column of the measures,
            column of the source).
        in_overlap: Whether it takes part in the analysis of which problems each family alone solves.
        submittable: Whether its results can be submitted.
        authors_task: What the CodeMind authors' leaderboard calls its task.
    """

    name: str
    prefix: str
    metric: str
    scores: tuple[str, ...]
    programs: Mapping[str, tuple[str, str]] = {"C": ("complexity", "code")}
    in_overlap = True
    submittable = True
    authors_task = ""

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples by problem, in order; what has no score, or lacks a part, is left out."""
        return [(sample,) for sample in samples if self.metric in sample.scores]

    def score(self, unit: Unit) -> dict[str, float]:
        """Return the scores of one problem, by the names of ``scores``."""
        raise NotImplementedError

    def solved(self, unit: Unit) -> bool:
        """Tell whether a problem counts as solved."""
        return self.score(unit)[self.scores[0]] >= 1

    def outcome(self, unit: Unit) -> str:
        """Return in a few words how a problem came out."""
        return "solved" if self.solved(unit) else "not solved"

    def metrics(self, task: TaskRun) -> tuple[str, ...]:
        """Return the names of the metrics that a summary shows, the R score first."""
        return tuple(dict.fromkeys((self.metric, *(metric.name for metric in task.metrics))))

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric over samples with its interval; NaN where samples do not have it."""
        return mean([value for sample in samples if is_number(value := sample.scores.get(metric))])

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        """Return the type of the true output, that of the predicted one, and whether their values are equal.

        None where the family predicts no outputs, or the true one is not known.
        """
        return None

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        """Return what the CodeMind authors' leaderboard shows of a task: its column -> a share of 1."""
        return {}

    def parts(self, unit: Unit) -> list[Part]:
        """Return the texts that the report shows of a problem."""
        return [part for sample in unit for part in (*prompts(sample), *responses(sample))]


def prompts(sample: Sample, suffix: str = "") -> list[Part]:
    """Return what the model was given, one part a request."""
    return [Part(title, "text", text) for title, text in _titled("Prompt", suffix, sample.prompts)]


def responses(sample: Sample, suffix: str = "") -> list[Part]:
    """Return what the model said, one part a response."""
    texts = [text for repeats in sample.responses for text in repeats]
    return [Part(title, "text", text) for title, text in _titled("Response", suffix, texts)]


def first_answer(sample: Sample) -> Any:
    """Return the first answer that the task's filter gave, None if it found none."""
    answers = sample.answers[0] if sample.answers else None
    first = (answers[0] if answers else None) if isinstance(answers, list) else answers
    return None if first == NO_ANSWER else first


def described_outcome(sample: Sample) -> str:
    """Return how the code of a sample fared when it was executed, one fact a line; empty if nothing was executed."""
    return "\n".join(f"{name}: {value}" for name, value in outcome_of(sample).items() if value not in ("", None))


def outcome_of(sample: Sample) -> dict[str, Any]:
    """Return the logged outcome of a sample's code; empty if nothing was executed."""
    return (executed_answer(first_answer(sample)) or {}).get("outcome") or {}


def code_of(sample: Sample) -> str:
    """Return the code that was taken out of a sample's response; empty if none was found."""
    return str((executed_answer(first_answer(sample)) or {}).get("code") or "")


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a logged value is a number and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _titled(title: str, suffix: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    many = len(texts) > 1
    return [(f"{title}{f' {number}' if many else ''}{suffix}", text) for number, text in enumerate(texts, start=1)]

"""What a view is: how the results of a family are read problem by problem, shown, submitted and scored again."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeGuard

from lm_eval_codemind.catalogue import Benchmark
from lm_eval_codemind.questions import Answer, Family, Key, Variant
from lm_eval_codemind.questions.samples import Sample, TaskRun
from lm_eval_codemind.scores.statistics import Estimate, bootstrap, mean

Unit = tuple[Sample, ...]
"""The samples of one problem that belong together; in most families there is one."""

FindingsColumn = tuple[str, str, Literal["text", "percent", "number", "count"]]


@dataclass(frozen=True)
class Part:
    """One text of a problem as the report shows it.

    Attributes:
        title: Heading; the same part has the same heading in every problem.
        kind: How the text is shown.
        text: The text. A part without text is not shown.
        beside: Whether it is set side by side with its neighbours that say so, too.
        note: A remark after the heading.
        language: The language of code.
    """

    title: str
    kind: Literal["code", "text", "diff"]
    text: str
    beside: bool = False
    note: str = ""
    language: str = "python"


@dataclass(frozen=True)
class Findings:
    """A table that one family makes of several runs.

    Attributes:
        name: File stem.
        title: Heading.
        note: What the numbers are, for readers.
        columns: For each column its name in files, its heading and how its values are shown: ``text``, ``percent``,
            ``number`` or ``count``.
        rows: One tuple a row; a number that does not exist is NaN.
    """

    name: str
    title: str
    note: str
    columns: tuple[FindingsColumn, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class View:
    """How the results of one variant are shown. Families whose results need more have a subclass.

    Attributes:
        family: The family.
        variant: The name that the results go by.
        programs: Programs of a problem whose complexity is set against the scores: name -> (column of the measures,
            column of the source).
        beside: Name of the variant that asks about the same problems unchanged; the two scores are compared.
    """

    programs: ClassVar[Mapping[str, tuple[str, str]]] = {"C": ("complexity", "code")}
    beside: ClassVar[str] = ""

    family: Family
    variant: Variant

    @property
    def name(self) -> str:
        """The name of the variant."""
        return self.variant.name

    @property
    def title(self) -> str:
        """The title of the variant."""
        return self.variant.title

    @property
    def metric(self) -> str:
        """The metric that is the R score."""
        return self.family.metric

    @property
    def scores(self) -> tuple[str, ...]:
        """Names of the scores of one problem, the S score first; by default there is one, named like the metric."""
        return (self.metric,)

    # -- problem by problem

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples by problem, in order. A problem without a score, or with a sample missing, is left out."""
        return [(sample,) for sample in samples if self.metric in sample.scores]

    def unit_key(self, unit: Unit) -> Key:
        """Return what tells a unit from the others, whatever the settings of its questions."""
        return unit[0].key._replace(setting="")

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the scores of one problem, by :attr:`scores`."""
        return {self.scores[0]: float(unit[0].scores[self.metric])}

    def solved(self, unit: Unit) -> bool:
        """Return whether a problem counts as solved."""
        return self.unit_scores(unit)[self.scores[0]] >= 1

    def outcome(self, unit: Unit) -> str:
        """Return the outcome of a problem in a few words."""
        return "solved" if self.solved(unit) else "not solved"

    def predicts(self, unit: Unit) -> bool | None:
        """Return whether all outputs that a unit asks for are predicted right; None where none is asked for."""
        return None

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        """Return the type of the true output, that of the predicted one, and whether their values are equal.

        None where the family predicts no outputs, or the true one is not known.
        """
        return None

    def parts(self, unit: Unit) -> list[Part]:
        """Return the texts that the report shows of a problem."""
        return [part for sample in unit for part in (*prompts(sample), *responses(sample))]

    # -- over all problems

    def metrics(self, task: TaskRun) -> tuple[str, ...]:
        """Return the names of the metrics that a summary shows, the R score first."""
        return tuple(dict.fromkeys((self.metric, *task.main_metrics)))

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric over samples with its interval; NaN where samples do not have it.

        The interval is over problems: a problem with several samples counts with their mean, or, where problems differ
        in the number of their samples, the ratio of sums is bootstrapped.
        """
        problems: dict[tuple[str, str], list[float]] = defaultdict(list)
        for sample in samples:
            value = sample.scores.get(metric)
            if is_number(value):
                problems[sample.key.benchmark, sample.key.problem_id].append(value)
        if len({len(values) for values in problems.values()}) <= 1:
            return mean([sum(values) / len(values) for values in problems.values()])
        rows = [(sum(values), len(values)) for values in problems.values()]
        return bootstrap(rows, lambda means: means[..., 0] / means[..., 1])

    def baseline(self, task: str, metric: str) -> float:
        """Return what the best answers score that need no execution; NaN where nobody has measured them.

        ``utils/baselines.py`` measures them.
        """
        _, score = _baselines().get(task, {}).get(metric, ("", math.nan))
        return float(score)

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Findings]:
        """Return the tables that only this family has, from the problems of each model."""
        return []

    # -- submitted and scored again

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        """Return what the CodeMind authors' leaderboard shows of a task: its column -> a share of 1."""
        return {}

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        """Return the row of that leaderboard that a task on a benchmark is in: its column -> text."""
        return {"Dataset": benchmark.title, "Task": self.variant.authors_task}

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return what keeps a task's results from being submitted, besides the reasons common to all families."""
        return []

    def options_again(self, task: TaskRun, beside: Path) -> dict[str, Any]:
        """Return what ``--metadata`` has to set to score a task's responses again.

        Args:
            task: The task.
            beside: The results file of its run.
        """
        return dict(task.suite.get("options") or {})

    def companions(self, task: TaskRun, beside: Path) -> list[Path]:
        """Return the files of other runs, lying beside this run's file, that scoring the responses again needs."""
        return []


@cache
def _baselines() -> dict[str, dict[str, tuple[str, float]]]:
    """Return the shipped baselines: task -> metric -> the name of the best one and its score."""
    found: dict[str, dict[str, tuple[str, float]]] = json.loads(
        (files(__package__) / "baselines.json").read_text(encoding="utf-8")
    )
    return found


def prompts(sample: Sample, suffix: str = "") -> list[Part]:
    """Return what the model was given, one part per request; of a chat each message below its role.

    A recorded response has no such part: what its model was given is not known, and this suite's prompt is another.
    """
    if sample.recorded:
        return []
    texts = [_messages(prompt) for prompt in sample.prompts] if sample.chat else sample.prompts
    return [Part(title, "text", text) for title, text in _titled("Prompt", suffix, texts)]


def responses(sample: Sample, suffix: str = "") -> list[Part]:
    """Return the responses of the model, one part per response."""
    texts = [text for repeats in sample.responses for text in repeats]
    return [Part(title, "text", text) for title, text in _titled("Response", suffix, texts)]


def described_outcome(answer: Answer) -> str:
    """Return the outcome of executing an answer, one fact per line; empty if nothing was executed."""
    return "\n".join(f"{name}: {value}" for name, value in (answer.outcome or {}).items() if value not in ("", None))


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a logged value is a number and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _messages(prompt: str) -> str:
    try:
        return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in json.loads(prompt))
    except (ValueError, TypeError, KeyError):
        # Not the messages that the harness logs; then it is shown as it stands.
        return prompt


def _titled(title: str, suffix: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    many = len(texts) > 1
    return [(f"{title}{f' {number}' if many else ''}{suffix}", text) for number, text in enumerate(texts, start=1)]

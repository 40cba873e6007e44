"""The base class of views, which read, show, submit and rescore the results of a family by problem."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Literal, TypeGuard

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.families.table import Table
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.questions import PLACE, Key
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.statistics import Estimate, ratio, systematic_mean

Unit = tuple[Sample, ...]
"""The samples of one problem that belong together; in most families there is one."""


@cache
def _baselines(package: str) -> Mapping[str, Mapping[str, tuple[str, float]]]:
    """Return the shipped baselines: task -> metric -> the name of the best one and its score.

    They lie in the folders of the families, and in that of a package of views. A view in a module of its own has none.
    """
    folders = [*files(__package__).iterdir(), *([files(package)] if package else [])]
    shipped = (folder.joinpath("baselines.json") for folder in folders)
    records = [json.loads(file.read_text(encoding="utf-8")) for file in shipped if file.is_file()]
    return {task: metrics for record in records for task, metrics in record.items()}


@dataclass(frozen=True)
class Part:
    """One text of a problem as the report shows it.

    Attributes:
        title: Heading; the same part has the same heading in every problem.
        kind: How the text is shown.
        text: The text. The report leaves out a part with an empty text.
        aside: Whether it is set side by side with its neighbours for which this is true, too.
        note: A remark after the heading.
        language: The language of code.
    """

    title: str
    kind: Literal["code", "text", "diff"]
    text: str
    aside: bool = False
    note: str = ""
    language: str = "python"


@dataclass(frozen=True)
class View:
    """The view of one variant's results. Families that need more have a subclass.

    Attributes:
        family: The family.
        variant: The variant whose results it shows.
        programs: Programs of a problem whose complexity is set against the scores: name -> (column of the measures,
            column of the source).
        board: Columns of the CodeMind authors' leaderboard, for variants that are in it: name -> metric.
        place: Columns that say which row of that leaderboard a task is in, besides data set and task: name -> text.
        outcomes: The outcome of a problem that is solved, of one without an answer, and of any other.
    """

    programs: ClassVar[Mapping[str, tuple[str, str]]] = {"C": ("complexity", "code")}
    board: ClassVar[Mapping[str, str]] = {}
    place: ClassVar[Mapping[str, str]] = {}
    outcomes: ClassVar[Sequence[str]] = ("solved", "not solved", "not solved")

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

    @property
    def reported(self) -> tuple[str, ...]:
        """The metrics that users should report, the most important one first."""
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
        """Whether a problem counts as solved."""
        return self.unit_scores(unit)[self.scores[0]] >= 1

    def outcome(self, unit: Unit) -> str:
        """Return the outcome of a problem in a few words."""
        solved, unanswered, wrong = self.outcomes
        if self.solved(unit):
            return solved
        return unanswered if unit[0].answer.text is None else wrong

    def predicts(self, unit: Unit) -> bool | None:
        """Whether all outputs that a unit asks for are predicted right; None if it asks for no output."""
        return None

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        """Return the type of the true output, that of the predicted one, and whether their values are equal.

        None where the family predicts no outputs, or the true one is not known.
        """
        return None

    def parts(self, unit: Unit) -> list[Part]:
        """Return the texts that the report shows of a problem: what it is about, then prompts and responses."""
        return [*self.content(unit[0]), *(part for sample in unit for part in exchange(sample))]

    def content(self, sample: Sample) -> list[Part]:
        """Return the texts that a problem is about and its answer; the report shows them above the prompt."""
        return []

    # -- over all problems

    def metrics(self, task: TaskRun) -> tuple[str, ...]:
        """Return the names of a task's metrics, those to report first.

        ``unproven_passes`` is a number and no share: the table of runs has it.
        """
        names = dict.fromkeys((*self.reported, *task.main_metrics))
        return tuple(name for name in names if name in task.main_metrics and name != "unproven_passes")

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric over samples with its interval; NaN where samples do not have it.

        The size is the number of samples with the metric: the harness weighs a task in a group by it. The interval is
        over problems: a problem with several samples counts with their mean, or, if problems differ in the number of
        their samples, the ratio of sums is bootstrapped. In a short form it is that of the draw.
        """
        scored = [sample for sample in samples if is_number(sample.scores.get(metric))]
        if drawn := [sample for sample in scored if PLACE in sample.doc]:
            places = [sample.doc[PLACE] for sample in drawn]
            return systematic_mean([sample.scores[metric] for sample in drawn], places)
        problems: dict[tuple[str, str], list[float]] = defaultdict(list)
        for sample in scored:
            problems[sample.key.benchmark, sample.key.problem_id].append(sample.scores[metric])
        rows = [(sum(values), len(values)) for values in problems.values()]
        return replace(ratio(rows), n=sum(size for _, size in rows))

    def baseline(self, task: str, metric: str) -> float:
        """Return what the best answers score that need no execution; NaN where nobody has measured them.

        ``utils/prove/baselines.py`` measures them.
        """
        _, score = self.baselines.get(task, {}).get(metric, ("", math.nan))
        return float(score)

    @property
    def baselines(self) -> Mapping[str, Mapping[str, tuple[str, float]]]:
        """The shipped baselines of all families, and those of the view's package: see :meth:`baseline`."""
        return _baselines(type(self).__module__.rpartition(".")[0])

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the tables that only this family has, from the problems of each model. Empty tables are left out."""
        return []

    def cited(self, samples: Iterable[Sample]) -> list[str]:
        """Return what a citation of a task says besides its shares."""
        return []

    # -- submitted and scored again

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        """Return the entries of a task in the CodeMind authors' leaderboard: column -> a share of 1."""
        board = self.board if self.variant.authors_task else {}
        metrics = {column: task.main_metrics.get(name) for column, name in board.items()}
        return {column: metric.value for column, metric in metrics.items() if metric and not math.isnan(metric.value)}

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        """Return the row of that leaderboard that a task on a benchmark is in: its column -> text."""
        return {"Dataset": benchmark.title, "Task": self.variant.authors_task, **self.place}

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return what keeps a task's results from being submitted, besides the reasons common to all families."""
        return []


def listing(sample: Sample, title: str, column: str, aside: bool = False, note: str = "") -> Part:
    """Return a part with code from a column of a sample's document, in the document's language."""
    return Part(title, "code", str(sample.doc.get(column) or ""), aside, note, str(sample.doc.get("language", "")))


def answer_of(
    sample: Sample, kind: Literal["code", "text"] = "text", title: str = "Answer", language: str = ""
) -> Part:
    """Return a part with the answer in a sample."""
    text = None if sample.answer.text is None else sample.answer.text.strip("\n")
    language = language or str(sample.doc.get("language", ""))
    return Part(title, kind, "(none)" if text is None else text or "(empty)", aside=True, language=language)


def output_of(sample: Sample, title: str = "Label C(I)") -> Part:
    """Return a part with the output of a sample's document."""
    return Part(title, "text", str(sample.doc.get("output") or "(empty)"), aside=True)


def outcome_of(sample: Sample, title: str = "Outcome", aside: bool = False) -> Part:
    """Return a part with the outcome of executing an answer, one fact per line; empty if nothing was executed."""
    facts = (sample.answer.decisive or {}).items()
    return Part(title, "text", "\n".join(f"{name}: {value}" for name, value in facts if value not in ("", None)), aside)


def exchange(sample: Sample, suffix: str = "") -> list[Part]:
    """Return the prompts that the model received and the responses that it returned, one part for each.

    Of a chat, each message is below its role. A recorded response has no prompt: what its model was given is not known,
    and this suite's prompt is another. The headings end with ``suffix``.
    """
    prompts = [_messages(prompt) for prompt in sample.prompts] if sample.chat else sample.prompts
    responses = [text or "(empty)" for repeats in sample.responses for text in repeats]
    return [
        Part(f"{title}{f' {number}' if len(texts) > 1 else ''}{suffix}", "text", text)
        for title, texts in (("Prompt", () if sample.recorded else prompts), ("Response", responses))
        for number, text in enumerate(texts, start=1)
    ]


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a logged value is a number and not a bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _messages(prompt: str) -> str:
    try:
        return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in json.loads(prompt))
    except (ValueError, TypeError, KeyError):
        # Not the messages that the harness logs.
        return prompt

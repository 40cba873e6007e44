"""What a family of tasks is: all that is particular to it, from the question to the report."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeGuard

from lm_eval_codemind.benchmarks import Benchmark
from lm_eval_codemind.data import load_benchmark, load_problem
from lm_eval_codemind.execution import Job
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.prompts.templates import PACKAGED
from lm_eval_codemind.questions.answer import Answer
from lm_eval_codemind.questions.question import Key, Question
from lm_eval_codemind.questions.samples import Sample, TaskRun
from lm_eval_codemind.scores.statistics import Estimate, mean

PartKind = Literal["code", "text", "diff"]
Unit = tuple[Sample, ...]
FindingsColumn = tuple[str, str, Literal["text", "percent", "number", "count"]]


@dataclass(frozen=True)
class Part:
    """One text of a problem as the report shows it.

    Attributes:
        title: Heading; the same for the same part of every problem.
        kind: How the text is shown.
        text: The text.
        beside: Whether it stands beside its neighbours that say so, too.
        note: What to say after the heading.
        language: Of code, its language.
    """

    title: str
    kind: PartKind
    text: str
    beside: bool = False
    note: str = ""
    language: str = "python"


@dataclass(frozen=True)
class Findings:
    """A table that a family makes of several runs.

    Attributes:
        name: File stem.
        title: Heading.
        note: What the numbers are, for readers.
        columns: Of each column its name in files, its heading and how its values are shown: ``text``, ``percent``,
            ``number`` or ``count``.
        rows: One tuple a row; a number that does not exist is NaN.
    """

    name: str
    title: str
    note: str
    columns: tuple[FindingsColumn, ...]
    rows: tuple[tuple[Any, ...], ...]


class Family(abc.ABC):
    """A family of tasks that share their scores: one subclass a family, one object of it a variant.

    The first half says what is asked and how a response is scored; the harness is spoken to elsewhere. The second half
    says how results are looked at: problem by problem, a problem's *unit* being the samples that belong together, one
    in most families.

    Attributes:
        name: How results name the family; the names of its tasks start with ``codemind_NAME_``.
        title: What people call it.
        templates: The folder of its prompt templates.
        template_root: Where that folder is.
        options: What ``--metadata`` may set besides ``prompts``; recorded with the results.
        executes: Whether responses are executed.
        filters: Names of the filters, the main one first: the ways in which a response is read.
        metric: The metric that is the family's R score.
        verdict: The metric that says of one response whether it is right, for pass@k.
        scores: Names of the scores of one problem, the S score first.
        programs: Programs of a problem whose complexity is set against the scores: name -> (column of the measures,
            column of the source).
        in_overlap: Whether it takes part in the analysis of which problems each family alone solves.
        submittable: Whether its results can be submitted.
        authors_task: What the CodeMind authors' leaderboard calls its task.
        beside: Name of the family that asks about the same problems unchanged, beside whose scores its own are shown.
    """

    name: str
    title: str
    templates: str
    template_root: ClassVar[Path] = PACKAGED
    options: ClassVar[tuple[str, ...]] = ()
    executes: ClassVar[bool] = False
    filters: tuple[str, ...]
    metric: str
    verdict: str
    scores: tuple[str, ...]
    programs: Mapping[str, tuple[str, str]] = {"C": ("complexity", "code")}
    in_overlap = True
    submittable = True
    authors_task = ""
    beside = ""

    # -- what is asked

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> str:
        """Return the name under which results of a task go: that of the variant that its settings make it."""
        return self.name

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems that are asked about: those whose label is proven.

        Raises:
            ValueError: naming the option and the mend, if an option is of no use.
        """
        return [problem for problem in load_benchmark(benchmark.name) if problem.category != "excluded"]

    def asks_about(self, kind: Kind) -> bool:
        """Tell whether there are questions about programs of a kind."""
        return True

    def answered_in(self, problem: Problem) -> str:
        """Return the language in which a problem is answered: usually its program's."""
        return problem.language

    @abc.abstractmethod
    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the questions about a problem under a setting, without prompt and target; none where it has none."""

    def template(self, kind: Kind, setting: str) -> str:
        """Return the name of the prompt's template: one a kind of program, unless a family has others."""
        return kind.template

    def shown_settings(self, settings: Sequence[str]) -> Sequence[str]:
        """Return the settings of a task that worked examples are given for."""
        return settings[:1]

    @abc.abstractmethod
    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        """Return the fields of a worked example, as :meth:`prompt` and :meth:`target` want them.

        Args:
            kind: The kind of its program.
            record: The example as ``examples.yaml`` has it.
            setting: One of :meth:`shown_settings`.
        """

    @abc.abstractmethod
    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of the prompt's template, from the fields of a question or a worked example."""

    @abc.abstractmethod
    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of the template ``response``: of a response that gets full marks."""

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        """Note what the results must record of this family besides what all record."""
        return

    def posed(self, question: Question) -> Problem:
        """Return the problem that a program solves which was written in answer to a question."""
        return load_problem(question.key.benchmark, question.key.problem_id)

    # -- how a response is scored

    @abc.abstractmethod
    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the answer in a response, as one of the filters reads it."""

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return what to execute for an answer; None where nothing is."""
        return None

    @abc.abstractmethod
    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        """Return the scores of one response, metric -> value; over repeats their means are taken."""

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document from the means over its responses and pass@k."""
        return {**means, **pass_at_k}

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return what the family's own aggregations need of a document's answers, metric -> record.

        For scores that several documents have together, response by response, so that means are not enough.
        """
        return {}

    # -- how results are looked at

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples by problem, in order; what has no score, or lacks a part, is left out."""
        return [(sample,) for sample in samples if self.metric in sample.scores]

    def unit_key(self, unit: Unit) -> Key:
        """Return what tells a unit from the others, whatever the settings of its questions."""
        return unit[0].key._replace(setting="")

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the scores of one problem, by the names of ``scores``."""
        return {self.scores[0]: float(unit[0].scores[self.metric])}

    def solved(self, unit: Unit) -> bool:
        """Tell whether a problem counts as solved."""
        return self.unit_scores(unit)[self.scores[0]] >= 1

    def outcome(self, unit: Unit) -> str:
        """Return in a few words how a problem came out."""
        return "solved" if self.solved(unit) else "not solved"

    def metrics(self, task: TaskRun) -> tuple[str, ...]:
        """Return the names of the metrics that a summary shows, the R score first."""
        return tuple(dict.fromkeys((self.metric, *task.main_metrics)))

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric over samples with its interval; NaN where samples do not have it."""
        return mean([value for sample in samples if is_number(value := sample.scores.get(metric))])

    def predicts(self, unit: Unit) -> bool | None:
        """Tell whether all outputs that a unit asks for are predicted right; None where none is asked for."""
        return None

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        """Return the type of the true output, that of the predicted one, and whether their values are equal.

        None where the family predicts no outputs, or the true one is not known.
        """
        return None

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        """Return what the CodeMind authors' leaderboard shows of a task: its column -> a share of 1."""
        return {}

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        """Return which row of that leaderboard a task on a benchmark is in: its column -> text."""
        return {"Dataset": benchmark.title, "Task": self.authors_task}

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Findings]:
        """Return tables that only this family has, from the problems of each model; none in most families."""
        return []

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return what keeps a task's results from being submitted, besides what keeps those of any family."""
        return []

    def options_again(self, task: TaskRun, beside: Path) -> dict[str, Any]:
        """Return what ``--metadata`` has to set for a task's responses to be scored again.

        Args:
            task: The task.
            beside: The results file of its run.
        """
        return dict(task.suite.get("options") or {})

    def companions(self, task: TaskRun, beside: Path) -> list[Path]:
        """Return the files of other runs that scoring a task's responses again needs, as far as they lie beside it."""
        return []

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


def described_outcome(answer: Answer) -> str:
    """Return how an answer fared when it was executed, one fact a line; empty if nothing was executed."""
    return "\n".join(f"{name}: {value}" for name, value in (answer.outcome or {}).items() if value not in ("", None))


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a logged value is a number and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _titled(title: str, suffix: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    many = len(texts) > 1
    return [(f"{title}{f' {number}' if many else ''}{suffix}", text) for number, text in enumerate(texts, start=1)]

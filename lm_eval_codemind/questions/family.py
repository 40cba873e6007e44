"""What a family of tasks is: all that is particular to it, from the question to the report."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeGuard

from lm_eval_codemind.benchmarks import Benchmark
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.execution import Job
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.prompts.templates import PACKAGED
from lm_eval_codemind.questions.answer import Answer
from lm_eval_codemind.questions.question import Question
from lm_eval_codemind.questions.samples import Sample, TaskRun
from lm_eval_codemind.scores.statistics import Estimate, mean

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
        language: Of code, its language.
    """

    title: str
    kind: PartKind
    text: str
    beside: bool = False
    note: str = ""
    language: str = "python"


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

    @abc.abstractmethod
    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        """Return the fields of a worked example, as :meth:`prompt` and :meth:`target` want them.

        Args:
            kind: The kind of its program.
            record: The example as ``examples.yaml`` has it.
            setting: The first setting of the task.
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

    # -- how results are looked at

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples by problem, in order; what has no score, or lacks a part, is left out."""
        return [(sample,) for sample in samples if self.metric in sample.scores]

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


def described_outcome(answer: Answer) -> str:
    """Return how an answer fared when it was executed, one fact a line; empty if nothing was executed."""
    return "\n".join(f"{name}: {value}" for name, value in (answer.outcome or {}).items() if value not in ("", None))


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a logged value is a number and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _titled(title: str, suffix: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    many = len(texts) > 1
    return [(f"{title}{f' {number}' if many else ''}{suffix}", text) for number, text in enumerate(texts, start=1)]

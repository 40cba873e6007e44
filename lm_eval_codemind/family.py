"""A family of tasks: its questions, the reading of a response, its execution and its scores.

How the report shows a family's results is its view: see :mod:`lm_eval_codemind.families.views`.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data import benchmark_digests, load_benchmark, load_problem
from lm_eval_codemind.data.catalogue import Benchmark, fixed_form
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

if TYPE_CHECKING:
    from lm_eval_codemind.data.facts.executions import ProgramExecution
    from lm_eval_codemind.sandbox import Job


@dataclass(frozen=True)
class Variant:
    """A name that results of a family have. Results of different variants are never put into one table cell.

    Attributes:
        name: What results record; the names of its tasks start with ``codemind_NAME_``.
        title: What readers see.
        view: The class that shows its results, as ``module:Class``; it is imported when results are shown.
        setting: The setting of the tasks whose results have it; empty where settings do not decide.
        buggy: Whether results on buggy programs have it.
        in_overlap: Whether it takes part in the analysis of which problems each family alone solves.
        submittable: Whether its results can be submitted.
        authors_task: What the CodeMind authors' leaderboard calls its task; empty where it has none.
        changes: Name of the variant that asks about the same problems unchanged; the two scores are compared.
        paper: The paper whose task it is, by its key in ``results/references.yaml``; empty for a task of this suite.
    """

    name: str
    title: str
    view: str = "lm_eval_codemind.families.view:View"
    setting: str = ""
    buggy: bool = False
    in_overlap: bool = False
    submittable: bool = True
    authors_task: str = ""
    changes: str = ""
    paper: str = ""


class Family(abc.ABC):
    """A family of tasks that share their questions and scores: one subclass per family, one object of it.

    Attributes:
        variants: The names of its results, the usual one first.
        templates: The folder of its prompt templates, next to its module. A directory of the user's templates has a
            subdirectory with the name of the module's folder.
        prompt_texts: The benchmark that holds the texts of the prompts, as upstream's files have them; empty if the
            prompts are ours.
        options: What ``--metadata`` may set besides ``prompts``; recorded with the results.
        separate_seeds: Those of the options that are seeds of which the ones for evaluation share no question with the
            ones for training.
        asks_for: What recorded responses stated that tell how hard the family's problems are: ``output`` or ``input``.
        executes: Whether responses are executed.
        witnesses: The set of witnesses on which answers that pass the suite are executed, too; empty for none.
        filters: Names of the filters, the main one first: the ways in which a response is read.
        metric: The metric that is the family's R score.
        verdict: The metric that is 1 for a right response, for pass@k.
    """

    variants: ClassVar[tuple[Variant, ...]]
    templates: Path
    prompt_texts: ClassVar[str] = ""
    options: ClassVar[tuple[str, ...]] = ()
    separate_seeds: ClassVar[tuple[str, ...]] = ()
    asks_for: ClassVar[str] = "output"
    executes: ClassVar[bool] = False
    witnesses: ClassVar[str] = ""
    filters: ClassVar[tuple[str, ...]]
    metric: str
    verdict: str

    @property
    def name(self) -> str:
        """The name of the usual variant, by which the family is registered."""
        return self.variants[0].name

    @property
    def title(self) -> str:
        """The title of the usual variant."""
        return self.variants[0].title

    # -- questions

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> Variant:
        """Return the variant that results of a task on this benchmark with these settings have."""
        on_bugs = [one for one in self.variants if one.buggy and fixed_form(benchmark.name)]
        of_setting = [one for one in self.variants if one.setting and one.setting in settings]
        return [*on_bugs, *of_setting, self.variants[0]][0]

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems to ask about: those whose label is proven.

        Raises:
            UserError: If an option has an unusable value; the message names the option and how to fix it.
        """
        return [problem for problem in load_benchmark(benchmark.name) if problem.category != "excluded"]

    def data(self, benchmark: Benchmark, options: Mapping[str, Any]) -> tuple[Sequence[Problem], dict[str, str]]:
        """Return all problems of a benchmark, excluded ones too, and the digests of its files, its own by its name."""
        return load_benchmark(benchmark.name), benchmark_digests(benchmark.name)

    def answered_in(self, problem: Problem) -> str:
        """Return the language that answers are executed in, usually that of the program; empty if they are not."""
        return problem.language

    @abc.abstractmethod
    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the questions about a problem under a setting, without prompt and target; there may be none."""

    def selected(self, questions: Sequence[Question], options: Mapping[str, Any]) -> Sequence[Question]:
        """Return the questions of a task that are asked, of all that there are; usually all.

        Raises:
            UserError: If an option has an unusable value.
        """
        return questions

    def stratum(self, question: Question) -> tuple[str, ...]:
        """Return what a question shares with others that a short form draws from in turn: its kind of program."""
        return (question.kind,)

    def own_questions(self, problem: Problem, execution: ProgramExecution, setting: str) -> Iterable[Question]:
        """Return the questions about a program of the user, which no benchmark has, and about its execution."""
        return self.questions(problem, setting)

    def template(self, kind: Kind, setting: str) -> str:
        """Return the name of the prompt's template. By default there is one per kind of program."""
        return kind.template

    def shown_settings(self, settings: Sequence[str]) -> Sequence[str]:
        """Return those of a task's settings that get a few-shot example."""
        return settings[:1]

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        """Return the fields of a few-shot example, for :meth:`prompt` and :meth:`target`; usually the record itself.

        Args:
            kind: The kind of its program.
            record: The example as ``examples.yaml`` has it.
            setting: One of :meth:`shown_settings`.
        """
        return record

    @abc.abstractmethod
    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of the prompt's template, from the fields of a question or a few-shot example."""

    @abc.abstractmethod
    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of the template ``response``, which renders a response with full marks.

        It also knows ``reasoning``, that of a few-shot example, and ``setting``.
        """

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        """Add what the results must record of this family besides what every family records."""
        return

    def announcement(self, suite: Mapping[str, Any]) -> str:
        """Return what users must know before the first request, from the record of a task; empty for nothing."""
        return ""

    def posed(self, question: Question) -> Problem:
        """Return the problem that a model-written program must solve."""
        return problem_of(question)

    # -- scores

    @abc.abstractmethod
    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the answer in a response, as one of the filters reads it."""

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that executes an answer; None if there is nothing to execute.

        By default it is the problem's test suite, on the program of the answer.
        """
        return None if answer.program is None else _suite_job(self.judged(question), answer.program)

    def witness_job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that executes an answer on the problem's witnesses; None if there are none."""
        if not self.witnesses or answer.program is None:
            return None
        problem = self.judged(question)
        suite = kind_of(problem).witness_suite(problem)
        return None if suite is None else _suite_job(suite, answer.program)

    def judged(self, question: Question) -> Problem:
        """Return the problem whose tests and witnesses judge the programs of answers."""
        return problem_of(question, self.witnesses)

    def only_evaluates(self, question: Question) -> bool:
        """Whether a question belongs to the packaged evaluation under every seed, so that it is not trained on."""
        return False

    def idle_responses(self, question: Question) -> Iterable[str]:
        """Return responses of a model that has read nothing. A question that one of them solves is not trained on."""
        return ()

    @abc.abstractmethod
    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        """Return the scores of one response, metric -> value. Over repeats their means are taken."""

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document, from the means over its responses and pass@k."""
        return {**means, **pass_at_k}

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return what the family's own aggregations need of a document's answers, metric -> record.

        For scores that several documents have together, response by response, so that means are not enough.
        """
        return {}


def _suite_job(problem: Problem, program: str) -> Job:
    from lm_eval_codemind.data.catalogue.limits import limits_of

    return kind_of(problem).suite_job(problem, program, limits=limits_of(problem))


def beyond_constants(problems: list[Problem]) -> list[Problem]:
    """Return the problems of a benchmark that the shown output alone does not solve.

    Where no problem has witnesses, nobody has looked for further inputs, and all are returned.
    """
    if not any(problem.witnesses for problem in problems):
        return problems
    return [problem for problem in problems if not has_one_output(problem)]


def has_one_output(problem: Problem) -> bool:
    """Whether all tests and witnesses of a problem have the output that the prompt shows."""
    if not problem.cases and problem.tests.strip() != kind_of(problem).shown_test(problem):
        # A suite with more than the shown assertion.
        return False
    shown = printed_lines(str(problem.output))
    return all(printed_lines(case.output) == shown for case in (*problem.cases, *problem.witnesses))


def problem_of(question: Question, witnesses: str = "") -> Problem:
    """Return the problem that a question is about, with a set of witnesses."""
    return question.problem or load_problem(question.key.benchmark, question.key.problem_id, witnesses)


def whole_number(options: Mapping[str, Any], name: str, usual: int, least: int, most: int | None = None) -> int:
    """Return the number that ``--metadata`` gives as an option, else the usual one.

    Raises:
        UserError: If the option is no whole number within the bounds; the message names it and shows how to give one.
    """
    value = options.get(name, usual)
    if str(value).isdecimal() and least <= int(value) and (most is None or int(value) <= most):
        return int(value)
    bounds = f"from {least}" if most is None else f"from {least} to {most}"
    raise UserError(f"{name} is {value!r} and must be a whole number {bounds}; set --metadata {name}=N")


def seed_option(options: Mapping[str, Any], name: str, usual: int) -> int:
    """Return the seed that ``--metadata`` gives as an option, else the usual one.

    Raises:
        UserError: If the option is not a whole number; the message names it and shows how to give one.
    """
    value = options.get(name, usual)
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise UserError(f"{name} is {value!r}, and must be a whole number: --metadata '{{\"{name}\": 1}}'") from error

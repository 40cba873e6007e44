"""Loops and branches: which values a loop variable takes, and when a condition holds, while a program runs."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from lm_eval_codemind.answers import forms
from lm_eval_codemind.answers.pipeline import ANSWER, read
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.executions import Execution, load_executions, loop_variables
from lm_eval_codemind.families.execution.score import prefix, same_step, trace
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

FILTER = "extract-answer"
LOOPS, BRANCHES = "loops", "branches"


class Fields(TypedDict):
    """The columns of a problem that a document has."""

    code: str
    entry_point: str
    input: str
    output: str
    complexity: Mapping[str, Any] | None


class FlowFields(Fields):
    """The columns of a document about a loop or a condition: its line, and its values, one for each time."""

    line: int
    values: list[str]


_COLUMNS = tuple(Fields.__annotations__)


class ExecutionFamily(Family):
    """A family of questions about proven executions. Its settings are its templates."""

    templates = Path(__file__).with_name("templates")
    filters = (FILTER,)

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems whose execution is proven."""
        proven = load_executions(benchmark.name)
        return [problem for problem in super().problems(benchmark, options) if problem.problem_id in proven]

    def template(self, kind: Kind, setting: str) -> str:
        return setting

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the questions about a problem: its program and input with what :meth:`asked` adds."""
        return self.own_questions(problem, load_executions(problem.benchmark)[problem.problem_id], setting)

    def own_questions(self, problem: Problem, execution: Execution, setting: str) -> Iterable[Question]:
        for item, fields in self.asked(execution, setting):
            yield Question.about(problem, setting, fields, item, _COLUMNS)

    @abstractmethod
    def asked(self, execution: Execution, setting: str) -> Iterable[tuple[str, dict[str, Any]]]:
        """Return the item and the fields of each question about an execution."""

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return {**record, **record["asked"][setting], "setting": setting, "reasoning": record["reasoning"][setting]}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        text = fields["input"].strip("\n")
        runs = "the script" if kind.printed else "the test method" if kind.name == "method" else text
        return {
            "numbered": numbered(fields["code"]),
            "input": text,
            "kind": kind.name,
            "during": f" while {runs} runs",
        }


class FlowReasoning(ExecutionFamily):
    """Questions about one loop, or one condition, of a program on its input."""

    def asked(self, execution: Execution, setting: str) -> Iterable[tuple[str, dict[str, Any]]]:
        by_line = execution.loops if setting == LOOPS else execution.branches
        for line, values in by_line.items():
            yield f"line {line}", {"line": line, "values": list(values)}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {**super().prompt(kind, fields, setting), "line": fields["line"], "variables": _variables(fields)}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": f"[{', '.join(fields['values'])}]"}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the list in a response, with the texts of its values in the details."""
        name = ", ".join(_variables(question.fields))
        block = read(response, ANSWER, lambda text: forms.values(text, name), name)
        if block.value is None:
            return Answer(None, reading=block.reading)
        return Answer(f"[{', '.join(block.value)}]", {"values": block.value})

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        matches, steps = matching(question, answer), len(question.typed(FlowFields)["values"])
        return {
            self.metric: float(trace(matches, steps)),
            "prefix": prefix(matches, steps),
            "answered": float(answer.text is not None),
        }


class LoopReasoning(FlowReasoning):
    """The values of a loop variable at the start of each iteration."""

    variants = (Variant(LOOPS, "Loops", "lm_eval_codemind.families.execution.view:FlowView"),)
    metric = verdict = LOOPS


class BranchReasoning(FlowReasoning):
    """Whether a condition holds, each time that it is evaluated."""

    variants = (Variant(BRANCHES, "Branches", "lm_eval_codemind.families.execution.view:FlowView"),)
    metric = verdict = BRANCHES


def _variables(fields: Mapping[str, Any]) -> Sequence[str]:
    """Return the variables of the loop that a question is about; none for a condition."""
    return loop_variables(fields["code"]).get(fields["line"], ())


def matching(question: Question, answer: Answer) -> list[bool]:
    """Return, for each value in an answer, whether it is the value in the same place of the label."""
    fields = question.typed(FlowFields)
    answers: Sequence[str] = answer.details.get("values", ())
    variables = _variables(question.fields)
    matches = [same_step(*pair, variables) for pair in zip(answers, fields["values"], strict=False)]
    return matches + [False] * (len(answers) - len(matches))


LOOP_REASONING, BRANCH_REASONING = LoopReasoning(), BranchReasoning()

loops_dataset, process_loops, extract_values = Hooks(LOOP_REASONING).functions
branches_dataset, process_branches, _ = Hooks(BRANCH_REASONING).functions

"""Traces: the whole execution of a program, step by step, and its output. Is a right output right for the right reason?

Two settings ask for steps: ``lines`` for the numbers of the executed lines, ``states`` for the values of loop variables
and the truth of conditions. After CoCoNUT (Beger and Dutta, 2025) and CES (Liu et al., 2025).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from lm_eval_codemind.answers import pipeline
from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.answers.forms import literal_at_start
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.executions import Execution, load_executions, loop_variables
from lm_eval_codemind.data.facts.runtime_labels import ends_of_lines
from lm_eval_codemind.families.execution import score as scores
from lm_eval_codemind.families.execution.flow import ExecutionFamily, Fields
from lm_eval_codemind.families.execution.steps import executed_lines, steps
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.aggregations import Aggregation
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

LINES, STATES = "lines", "states"
RIGHT_REASON = "right_for_the_right_reason"

_VIEW = "lm_eval_codemind.families.execution.view:TraceView"
# One document's responses: `problem_id`, and `trace` and `output`, which say of each response whether it is right.
Record = Mapping[str, Any]


class TraceFields(Fields):
    """The columns of a document: the line and the value of each step, which is empty for other lines."""

    lines: list[int]
    values: list[str]


class TraceReasoning(ExecutionFamily):
    """Questions about the whole execution of a program: one per problem, answered with its steps and its output."""

    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("trace_lines", "Trace of lines", _VIEW, LINES),
        Variant("trace_states", "Trace of states", _VIEW, STATES),
    )
    metric = verdict = "trace"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with a proven execution that is short enough."""
        proven = load_executions(benchmark.name)
        return [problem for problem in super().problems(benchmark, options) if proven[problem.problem_id].steps]

    def asked(self, execution: Execution, setting: str) -> Iterable[tuple[str, dict[str, Any]]]:
        steps = [(line, value) for line, value in execution.steps if value or setting == LINES]
        if steps:
            yield "", {"lines": [line for line, _ in steps], "values": [value for _, value in steps]}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": written(fields, setting), "output": fields["output"].strip("\n")}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the list of steps in a response. Its parts, and the output, are in the details."""
        printed, names_lines = kind_of(question).printed, question.key.setting == LINES
        form = executed_lines if names_lines else steps
        block = pipeline.read(response, pipeline.TRACE, form)
        output = pipeline.read(
            response, pipeline.OUTPUT, lambda text: text if printed else literal_at_start(text), empty=printed
        )
        details: dict[str, Any] = {"output": output.text}
        if block.value is None:
            return Answer(None, details, reading=block.reading)
        rows = [(line, "") for line in block.value] if names_lines else block.value
        details |= {"lines": [line for line, _ in rows], "values": [value for _, value in rows]}
        return Answer(written(details, question.key.setting), details, reading=block.reading)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        matches, steps = matching(question, answer), len(question.typed(TraceFields)["lines"])
        trace, output = float(scores.trace(matches, steps)), float(right_output(question, answer))
        return {
            "trace": trace,
            "prefix": scores.prefix(matches, steps),
            "output": output,
            "lucky": scores.lucky(trace, output),
            "answered": float(answer.text is not None),
        }

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return the record that :data:`right_for_the_right_reason` aggregates."""
        each = [self.score(question, answer) for answer in answers]
        parts = {name: [score[name] for score in each] for name in ("trace", "output")}
        return {RIGHT_REASON: {"problem_id": question.key.problem_id, **parts}}


def written(fields: Mapping[str, Any], setting: str) -> str:
    """Return steps as a response writes them."""
    if setting == LINES:
        return ", ".join(map(str, fields["lines"]))
    return "\n".join(f"{line}: {value}" for line, value in zip(fields["lines"], fields["values"], strict=True))


def matching(question: Question, answer: Answer) -> list[bool]:
    """Return, for each step in an answer, whether it is the step in the same place of the execution.

    A statement on several lines may be named by each of them.
    """
    fields = question.typed(TraceFields)
    code, variables = fields["code"], loop_variables(fields["code"])
    first = {line: start for start, end in sorted(ends_of_lines(code).items()) for line in range(start, end + 1)}
    answers = list(zip(answer.details.get("lines", ()), answer.details.get("values", ()), strict=True))
    matches = []
    for (at, text), line, value in zip(answers, fields["lines"], fields["values"], strict=False):
        right = first.get(at) == line
        if right and question.key.setting == STATES:
            right = scores.same_step(text, value, variables.get(line, ()))
        matches.append(right)
    return matches + [False] * (len(answers) - len(matches))


def right_output(question: Question, answer: Answer) -> bool:
    """Whether an answer predicts the output. It is compared as IER compares outputs."""
    output = answer.details.get("output")
    return output is not None and same_output(output, question.typed(TraceFields)["output"], kind_of(question).printed)


def by_response(records: Iterable[Record]) -> tuple[list[float], list[float], list[str]]:
    """Return, response by response, whether the trace and the output are right, and the problem."""
    rows = [
        (trace, output, record["problem_id"])
        for record in records
        for trace, output in zip(record["trace"], record["output"], strict=True)
    ]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


right_for_the_right_reason = Aggregation(
    by_response,
    lambda responses: scores.right_for_the_right_reason(*responses[:2]),
    lambda responses: scores.right_reason_stderr(*responses),
    lambda responses: int(sum(responses[1])),
)

TRACE = TraceReasoning()
dataset, process_results, extract_steps = Hooks(TRACE).functions

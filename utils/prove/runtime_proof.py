"""What all executions of a program agree on: the observations that questions on runtime behaviour are made from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tqdm.auto import tqdm

from lm_eval_codemind.data.benchmarks import reval
from lm_eval_codemind.data.facts.runtime_inputs import RuntimeInput, inputs_of
from lm_eval_codemind.languages.python.tracing import Trace, TraceFailed, Value
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Sandbox
from runtime_rules import points
from watching import Traced, runs, submit

MAX_STEPS = 20_000
# Nobody should be asked for a value longer than this, in characters of its literal.
MAX_VALUE = 300
# Nobody should be asked about a later run of a line than this.
MAX_RUNS = 8

# What one execution shows of an input, as plain values: ``reason``, ``outputs``, and ``lines``: number -> how often it
# runs and, of each of the first runs, the next line and the variables' types and literals.
Observed = dict[str, Any]
# Program -> input -> what it shows.
Observations = dict[str, dict[str, Observed]]

# Values are written down when they are seen, for they may change later; ``written`` is the recorder's.
_SEEN = """

_codemind_seen = []


def _codemind_see(value):
    import candidate
    _codemind_seen.append(candidate.written(value, {limit}))
    return value


"""


def observe(problems: Iterable[Problem], sandbox: Sandbox) -> Observations:
    """Execute the programs of a benchmark on their inputs and return what happens at every line worth a question."""
    pending = []
    for problem in problems:
        if problem.output is None and not problem.upstream_questions:
            continue
        for run_input in inputs_of(problem):
            job = submit(
                sandbox,
                _traced(run_input),
                max_steps=MAX_STEPS,
                max_value=MAX_VALUE,
                job_id=f"{problem.problem_id} input {run_input.number}",
            )
            pending.append((problem, run_input, job))
    observations: Observations = {}
    for problem, run_input, (future, read) in tqdm(pending, desc="tracing", unit="input"):
        try:
            seen = _observed(problem, run_input, read(future.result()))
        except TraceFailed:
            seen = {"reason": "dependency", "outputs": [], "lines": {}}
        observations.setdefault(problem.problem_id, {})[run_input.number] = seen
    return observations


def agreeing(proofs: Sequence[tuple[str, Observations]]) -> Observations:
    """Return what several executions agree on.

    A line that they differ in is left out, as is a value; where the outputs differ, the input is excluded.
    """
    version, first = proofs[0]
    observations: Observations = {}
    for program, inputs in first.items():
        observations[program] = {}
        for number, seen in inputs.items():
            others = [(other_version, other[program][number]) for other_version, other in proofs[1:]]
            seen = {**seen, "lines": dict(seen["lines"])}
            for other_version, other in others:
                if other["reason"] == "dependency":
                    continue
                if not seen["reason"] and other["outputs"] != seen["outputs"]:
                    seen["reason"] = "hashing" if other_version == version else "version"
                for line in list(seen["lines"]):
                    seen["lines"][line] = _agreed(seen["lines"][line], other["lines"].get(line))
                    if seen["lines"][line] is None:
                        del seen["lines"][line]
            observations[program][number] = seen
    return observations


def _agreed(one: list[Any], other: list[Any] | None) -> list[Any] | None:
    if other is None or one[0] != other[0] or [run[0] for run in one[1]] != [run[0] for run in other[1]]:
        return None
    return [
        one[0],
        [
            [following, {name: value for name, value in values.items() if others.get(name) == value}]
            for (following, values), (_, others) in zip(one[1], other[1], strict=True)
        ],
    ]


def _traced(run_input: RuntimeInput) -> Traced:
    watches = {line: point.variables for line, point in points(run_input.code).items()}
    if run_input.expression is None:
        return Traced(run_input.code, None, watches, stdin=run_input.input)
    expression = f"{run_input.expression}\n_codemind_seen"
    return Traced(run_input.code, expression, watches, _SEEN.format(limit=MAX_VALUE) + run_input.before)


def _observed(problem: Problem, run_input: RuntimeInput, trace: Trace) -> Observed:
    lines = {}
    for line in points(run_input.code):
        of_line = runs(trace, line)
        if all(run.end for run in of_line):
            lines[str(line)] = [
                len(of_line),
                [
                    [0 if run.next is None else trace.steps[run.next].line, _values(run.values)]
                    for run in of_line[:MAX_RUNS]
                ],
            ]
    outputs = _outputs(problem, run_input, trace)
    reason = "too_long" if trace.truncated else "threads" if trace.threads else "" if outputs else "output"
    return {"reason": reason, "outputs": outputs, "lines": lines}


def _values(values: Mapping[str, Value | None]) -> dict[str, list[str]]:
    return {name: [value.type_name, value.literal] for name, value in values.items() if value and value.literal}


def _outputs(problem: Problem, run_input: RuntimeInput, trace: Trace) -> list[str | None]:
    """Return the literals of what the output question asks for, None for what has none; nothing where the run fails."""
    if run_input.expression is None:
        text = str(problem.output)
        return [text] if trace.stdout.split() == text.split() else []
    if trace.exception or trace.output is None or trace.output.literal is None:
        return []
    outputs: list[str | None] = ast.literal_eval(trace.output.literal)
    return outputs


def find_unrunnable(programs: Sequence[reval.TracedProgram], sandbox: Sandbox) -> dict[str, list[str]]:
    """Execute REval's own assertions and return the inputs on which they fail here: program -> inputs.

    By REval's rule no output is right on these: not even what it expects.
    """
    pending = []
    for program in programs:
        for run_input in program.inputs:
            expected = reval.completed(run_input.masked, run_input.shown, run_input.expected)
            pending.append((program, run_input, sandbox.submit(reval.assertions_job(program, run_input, expected))))
    unrunnable: dict[str, list[str]] = {}
    for program, run_input, future in tqdm(pending, desc="executing", unit="input"):
        if not future.result().passed:
            unrunnable.setdefault(program.task_id, []).append(str(run_input.index))
    return unrunnable

"""What loops and conditions do in a traced run, and which questions about loops, branches and traces that gives."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.data.facts.executions import Execution
from lm_eval_codemind.data.facts.runtime_inputs import RuntimeInput
from lm_eval_codemind.data.own import literals_of
from lm_eval_codemind.languages.python.units import CodeUnit, units
from lm_eval_codemind.workshop.python.tracing import Step, Trace

CONDITIONS = (ast.If, ast.While)
# Steps of a program that is asked about its loops and branches, and of one that is asked about all of its steps.
MAX_STEPS, MAX_TRACE = 1_000, 60
# Iterations and conditions of the latter. Fewer are easy to guess.
LEAST_EVENTS = 3
# Characters of a loop variable's literal.
MAX_VALUE = 100
# Values that a question about a loop, and about a condition, asks for, and questions of one kind about a problem.
LOOP_VALUES, BRANCH_VALUES, AT_MOST = range(2, 21), range(3, 21), 3

_Values = Sequence["str | None"]
Event = tuple[int, "str | None"]
"""The first line of a step, and its value: the literal of the loop variables at the start of an iteration (None if it
has none), ``True`` or ``False`` for a condition, and "" for any other step."""


def target_of(unit: CodeUnit) -> str | None:
    """Return the source of a ``for`` loop's variables, for the tracer to watch; None if they are not plain names.

    Several variables are a tuple.
    """
    if not isinstance(unit.node, ast.For):
        return None
    parts = [node for node in ast.walk(unit.node.target) if isinstance(node, ast.expr)]
    return ast.unparse(unit.node.target) if all(isinstance(node, (ast.Name, ast.Tuple)) for node in parts) else None


def events(trace: Trace, program: Sequence[CodeUnit]) -> list[Event]:
    """Return the steps of a run with their values.

    An iteration starts, or a condition holds, if the frame goes on to a statement in the body of the statement. A
    condition that raises an exception has no value.

    Args:
        trace: A complete trace that watches :func:`target_of` of each loop.
    """
    following: dict[int, Step] = {}
    of_frame: dict[int, int] = {}
    for index, step in enumerate(trace.steps):
        if step.frame in of_frame:
            following[of_frame[step.frame]] = step
        of_frame[step.frame] = index
    return [(step.line, _value(step, following.get(index), program)) for index, step in enumerate(trace.steps)]


def _value(step: Step, following: Step | None, program: Sequence[CodeUnit]) -> str | None:
    unit = program[step.unit]
    if not isinstance(unit.node, (*CONDITIONS, ast.For)):
        return ""
    then = None if following is None else program[following.unit].node
    inside = then in unit.node.body
    if isinstance(unit.node, ast.For):
        seen = step.values.get(target_of(unit) or "")
        return "" if not inside else None if seen is None else seen.literal
    if step.end == "exception" or isinstance(then, ast.ExceptHandler):
        return ""
    return str(inside)


def shared_lines(program: Sequence[CodeUnit]) -> set[int]:
    """Return the lines on which more than one statement starts."""
    lines = [unit.line for unit in program]
    return {line for line in lines if lines.count(line) > 1}


def values_by_line(trace: Sequence[Event], program: Sequence[CodeUnit]) -> tuple[dict[int, list[str | None]], ...]:
    """Return line -> values, of ``for`` loops and of conditions; lines that several statements share are left out."""
    kinds = {unit.line: isinstance(unit.node, ast.For) for unit in program}
    shared = shared_lines(program)
    loops: dict[int, list[str | None]] = defaultdict(list)
    branches: dict[int, list[str | None]] = defaultdict(list)
    for line, value in trace:
        if value != "" and line not in shared:
            (loops if kinds[line] else branches)[line].append(value)
    return loops, branches


def chosen(run_input: RuntimeInput, trace: Sequence[Event], drawn: random.Random) -> Execution:
    """Return the questions about an execution."""
    program = units(ast.parse(run_input.code))
    loops, branches = values_by_line(trace, program)
    guesses = simple_values(run_input)
    reason = _reason(trace, program)
    return Execution(
        () if reason else tuple((line, str(value)) for line, value in trace),
        _drawn(loops, lambda values: len(values) in LOOP_VALUES and values_of(values) not in guesses, drawn),
        _drawn(branches, lambda values: len(values) in BRANCH_VALUES and len(set(values)) > 1, drawn),
        reason,
    )


def _drawn(
    by_line: Mapping[int, _Values], is_asked: Callable[[_Values], bool], drawn: random.Random
) -> dict[int, tuple[str, ...]]:
    fit = [line for line, values in by_line.items() if None not in values and is_asked(values)]
    return {line: tuple(map(str, by_line[line])) for line in sorted(drawn.sample(fit, min(AT_MOST, len(fit))))}


def _reason(trace: Sequence[Event], program: Sequence[CodeUnit]) -> str:
    lines = {line for line, _ in trace}
    loops = [unit for unit in program if isinstance(unit.node, ast.For) and unit.line in lines]
    if lines & shared_lines(program) or any(target_of(unit) is None for unit in loops):
        return "line"
    if len(trace) > MAX_TRACE:
        return "length"
    if any(value is None for _, value in trace):
        return "value"
    return "" if sum(bool(value) for _, value in trace) >= LEAST_EVENTS else "plain"


def simple_values(run_input: RuntimeInput) -> list[Any]:
    """Return the lists of values that a loop takes if it goes over something that the prompt shows.

    These are the items of each literal, its positions, and both together; the numbers below each number that is
    written, from 0 and from 1.
    """
    text = "" if run_input.expression is None else run_input.input
    literals = [ast.literal_eval(node) for source in (run_input.code, text) for node in literals_of(source)]
    words = [] if run_input.expression else run_input.input.split()
    numbers = [int(word) for word in words if word.isdecimal() and len(word) < 4]
    values: list[Any] = [
        words,
        [line.strip() for line in run_input.input.splitlines()],
        [f"{line}\n" for line in run_input.input.splitlines()],
    ]
    for value in literals:
        if isinstance(value, (list, tuple, str, bytes, dict, set)):
            items = list(value)
            values += [items, list(range(len(items))), list(enumerate(items)), items[::-1]]
            values += [list(value.items()), list(value.values())] if isinstance(value, dict) else []
        elif type(value) is int and 0 <= value < 1_000:
            numbers.append(value)
    for number in numbers:
        values += [list(range(number)), list(range(1, number)), list(range(1, number + 1)), list(range(number + 1))]
    return values


def values_of(literals: Sequence[str | None]) -> list[Any]:
    """Return the values of literals; the texts themselves where one is not a literal."""
    try:
        return [parse_literal(str(literal)) for literal in literals]
    except NotALiteralError:
        return []

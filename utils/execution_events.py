"""What loops and conditions do in a traced run: the definitions behind questions about loops, branches and traces."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from lm_eval_codemind.languages.python.recorder import CodeUnit
from lm_eval_codemind.languages.python.tracing import Step, Trace

CONDITIONS = (ast.If, ast.While)

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
        program: The units of the program.
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

"""REval's own reading of a run, for replication: one flat list of states, whatever frame they come from.

Written after a description of how upstream behaves. It has upstream's faults on purpose, which is why it is used for
the published labels alone. Like the tracer it runs inside the sandbox and imports nothing of ours. It gives upstream's
labels under Python 3.11: from 3.12 on comprehensions have no separate frames.
"""

from __future__ import annotations

import ast
import copy
import sys
import types
from collections.abc import Iterator
from typing import Any

FILENAME = "traced program"
_MISSING: dict[str, Any] = {}


class _State:
    """A line with the variables before it."""

    __slots__ = ("line", "local")

    def __init__(self, line: int, local: dict[str, Any]) -> None:
        self.line = line
        self.local = local


def record(program: str, *, stdin: str, before: str, expression: str, questions: list[list[Any]]) -> dict[str, Any]:
    """Run an input and return upstream's labels of questions on it.

    Args:
        program: Source.
        stdin: Not used.
        before: Statements executed before tracing starts.
        expression: What is evaluated and traced.
        questions: Pairs of a line, counted from 1, and the source of a variable.

    Returns:
        ``labels``: for each question whether the line is covered, the accepted values (``repr``, type with its module,
        without repetition; none for "Nil") and the accepted next lines, -1 for the end.
    """
    module = types.ModuleType("program")
    sys.modules["program"] = module
    namespace = module.__dict__
    exec(compile(program, FILENAME, "exec", dont_inherit=True), namespace)
    exec(compile(before, "input.py", "exec", dont_inherit=True), namespace)
    code = compile(expression, "input.py", "eval", dont_inherit=True)
    states: list[_State] = []
    sys.settrace(_tracer(states))
    try:
        eval(code, namespace)
    except Exception:
        # A test may fail; its steps count all the same.
        pass
    finally:
        sys.settrace(None)
    return {"labels": [_label(states, line, variable) for line, variable in questions]}


def _tracer(states: list[_State]) -> Any:
    def local(frame: types.FrameType, event: str, argument: Any) -> Any:
        line = frame.f_lineno
        if states and states[-1].line == line:
            if event != "return":
                states[-1].local = _copied(frame)
        else:
            states.append(_State(line, _MISSING if event == "return" else _copied(frame)))
        return local

    def called(frame: types.FrameType, event: str, argument: Any) -> Any:
        return local if frame.f_code.co_filename == FILENAME else None

    return called


def _copied(frame: types.FrameType) -> dict[str, Any]:
    copies = {}
    for name, value in frame.f_locals.items():
        if isinstance(value, (types.FunctionType, types.ModuleType, Iterator)):
            continue
        try:
            copies[name] = copy.deepcopy(value)
        except Exception:
            continue
    return copies


def _label(states: list[_State], line: int, variable: str) -> list[Any]:
    after, following = [], []
    for index, state in enumerate(states):
        if state.line != line:
            continue
        last = index == len(states) - 1
        after.append(state.local if last else states[index + 1].local)
        number = -1 if last else states[index + 1].line
        if number not in following:
            following.append(number)
    values: list[list[Any]] = []
    for value in _values(ast.parse(variable, mode="eval").body, after):
        described = _described(value)
        if described is not None and described not in values:
            values.append(described)
    return [bool(following), values, following or [-1]]


def _described(value: Any) -> list[str] | None:
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        return [repr(value), name]
    except Exception:
        return None


def _values(node: ast.expr, after: list[dict[str, Any]]) -> list[Any]:
    """Return all values of an expression over several states; parts are evaluated each by itself and then paired."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.Name):
        return [local[node.id] for local in after if node.id in local]
    if isinstance(node, ast.Attribute):
        return [getattr(value, node.attr) for value in _values(node.value, after) if hasattr(value, node.attr)]
    if isinstance(node, ast.Tuple):
        combined: list[tuple[Any, ...]] = [()]
        for part in node.elts:
            combined = [(*first, value) for first in combined for value in _values(part, after)]
        return combined
    if isinstance(node, ast.Subscript):
        values = []
        for container in _values(node.value, after):
            for key in _values(node.slice, after):
                try:
                    values.append(container[key])
                except Exception:
                    continue
        return values
    return []

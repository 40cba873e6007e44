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
_EXPRESSION_FRAMES = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"}


class _State:
    """A line with the variables before it; besides, for explanations, whose they are and who came there first."""

    __slots__ = ("event", "first", "frame", "line", "local", "merged")

    def __init__(self, line: int, local: dict[str, Any], frame: types.FrameType, event: str) -> None:
        self.line = line
        self.local = local
        self.first = self.frame = frame
        self.event = event
        self.merged = 0


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
        without repetition; none for "Nil") and the accepted next lines, -1 for the end. ``origins``: for each question
        where the values that upstream takes for those after the line come from, see :func:`_origins`. ``held``: for
        each question the values that the line's own frame has when it goes on, described as the accepted ones.
    """
    module = types.ModuleType("program")
    sys.modules["program"] = module
    namespace = module.__dict__
    exec(compile(program, FILENAME, "exec", dont_inherit=True), namespace)
    exec(compile(before, "input.py", "exec", dont_inherit=True), namespace)
    code = compile(expression, "input.py", "eval", dont_inherit=True)
    states: list[_State] = []
    held = _Held(questions)
    sys.settrace(_tracer(states, held))
    try:
        eval(code, namespace)
    except Exception:
        # A test may fail; its steps count all the same.
        pass
    finally:
        sys.settrace(None)
    return {
        "labels": [_label(states, line, variable) for line, variable in questions],
        "origins": [_origins(states, line) for line, _ in questions],
        "held": [held.values[line] for line, _ in questions],
    }


class _Held:
    """The values of variables when the frame of their line goes on, line by line; to compare values by their text."""

    def __init__(self, questions: list[list[Any]]) -> None:
        self._variables = {line: compile(variable, "variable", "eval") for line, variable in questions}
        self._lines: dict[types.FrameType, int] = {}
        self.values: dict[int, list[list[Any]]] = {line: [] for line, _ in questions}

    def note(self, frame: types.FrameType, event: str) -> None:
        if frame.f_code.co_name in _EXPRESSION_FRAMES or event not in ("line", "return"):
            return
        line = self._lines.pop(frame, 0)
        if line in self._variables:
            try:
                described = _described(eval(self._variables[line], frame.f_globals, frame.f_locals))
            except Exception:
                described = None
            if described is not None and described not in self.values[line]:
                self.values[line].append(described)
        if event == "line":
            self._lines[frame] = frame.f_lineno


def _tracer(states: list[_State], held: _Held) -> Any:
    def local(frame: types.FrameType, event: str, argument: Any) -> Any:
        line = frame.f_lineno
        held.note(frame, event)
        if states and states[-1].line == line:
            if event != "return":
                states[-1].local = _copied(frame)
                states[-1].frame = frame
                states[-1].merged += event == "line"
        else:
            states.append(_State(line, _MISSING if event == "return" else _copied(frame), frame, event))
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


def _origins(states: list[_State], line: int) -> list[str]:
    """Return the different sources of the values taken for those after a line, in the order in which they come up.

    ``same``: the line's own frame goes on; ``last``: there is no state after the line, so they are those before it;
    ``return``: a return, without any; ``expression``: a comprehension, generator expression or lambda; ``callee``,
    ``caller``; ``later``: a call made afterwards. ``again`` for a state of the line that is its return, not a run of
    it; ``merged`` where several runs of the line make one state.
    """
    origins: list[str] = []
    for index, state in enumerate(states):
        if state.line != line:
            continue
        origins += ["again"] * (state.event == "return") + ["merged"] * (state.merged > 0)
        if index == len(states) - 1:
            origins.append("last")
            continue
        after = states[index + 1]
        if after.event == "return":
            origins.append("return")
        elif after.frame is state.first:
            origins.append("same")
        elif after.frame.f_code.co_name in _EXPRESSION_FRAMES:
            origins.append("expression")
        elif _is_below(after.frame, state.first):
            origins.append("callee")
        elif state.first.f_back is after.frame or _is_below(state.first, after.frame):
            origins.append("caller")
        else:
            origins.append("later")
    return list(dict.fromkeys(origins))


def _is_below(frame: types.FrameType, other: types.FrameType) -> bool:
    back = frame.f_back
    while back is not None and back is not other:
        back = back.f_back
    return back is other


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

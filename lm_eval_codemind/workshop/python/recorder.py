"""The tracer itself. This file runs inside the sandbox as part of the traced program, behind the text
of ``languages/python/units.py``, so it imports nothing else of ours.

Every statement of the program is compiled with its own line number: the number of the *unit* it is. What the
interpreter reports as lines are then statements: several on one line are told apart, one that spans lines is one, and
what differs between versions of Python in how they report lines inside a statement does not matter.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import inspect
import io
import math
import sys
import threading
import types
from typing import Any

from lm_eval_codemind.languages.python.units import CodeUnit, units

_EXPRESSION_FRAMES = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_PLAIN = (bool, int, complex, str, bytes, types.EllipsisType)
_MAX_DEPTH = 60
_MAX_DIGITS = 4000


@functools.lru_cache(maxsize=1)
def compiled(source: str) -> tuple[types.CodeType, list[CodeUnit]]:
    """Return the program's code, in which the line numbered n + 1 is unit n, and its units.

    Raises:
        SyntaxError: If the source does not parse.
    """
    tree = ast.parse(source)
    # An inner unit comes after the outer one, and overwrites its number.
    for line, unit in enumerate(units(tree), start=1):
        for node in ast.walk(unit.node):
            if "lineno" in node._attributes:
                node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
                node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    code = compile(tree, "traced program", "exec", dont_inherit=True)
    return code, units(ast.parse(source))


class Stopped(BaseException):
    """The program has run for as many steps as it may."""


class Recorder:
    """Notes the steps of a program while it runs.

    Args:
        code: What :func:`compiled` returned.
        program: The units.
        everything: Whether to note the variables of the frame that a step changed.
        max_steps: Steps after which nothing more is noted.
        max_value: Characters above which a value counts as having no literal.
        stop: Whether to end the program after these steps.
    """

    def __init__(
        self,
        code: types.CodeType,
        program: list[CodeUnit],
        *,
        everything: bool = False,
        max_steps: int = 20_000,
        max_value: int = 1_000,
        stop: bool = False,
    ) -> None:
        self.code = code
        self._codes = {each for each in _codes(code) if each.co_name not in _EXPRESSION_FRAMES}
        self._units = program
        self._ancestors: dict[int, frozenset[int]] = {-1: frozenset()}
        for number, unit in enumerate(program):
            self._ancestors[number] = self._ancestors[unit.parent] | {unit.parent}
        self._loops = {number for number, unit in enumerate(program) if isinstance(unit.node, _LOOPS)}
        self._everything = everything
        self._max_steps = max_steps
        self._max_value = max_value
        self._stop = stop
        # The different values, each by the name of its type and its literal or None, with its number.
        self._texts: dict[tuple[str, str | None], int] = {}
        self._frames: dict[int, _Frame] = {}
        self._thread = threading.get_ident()
        self.frames: list[int] = []
        self.steps: list[list[Any]] = []
        self.truncated = False
        self.threads = False

    def begin(self, frame: types.FrameType) -> _Frame | None:
        """Return the record of a frame that is entered or resumed; None if it is not one to follow."""
        code = frame.f_code
        if code not in self._codes or self.truncated:
            return None
        if threading.get_ident() != self._thread:
            self.threads = True
            return None
        record = self._frames.get(id(frame))
        if record is None:
            own = code.co_firstlineno - 1 if code.co_name != "<module>" else -1
            record = self._frames[id(frame)] = _Frame(frame, len(self.frames), own)
            # The nearest frame of the program that it was entered from.
            back = frame.f_back
            while back is not None and id(back) not in self._frames:
                back = back.f_back
            self.frames.append(-1 if back is None else self._frames[id(back)].number)
        return record

    def line(self, record: _Frame, line: int) -> None:
        """Note that a frame comes to a line, which is a unit."""
        unit = line - 1
        if unit == record.own or unit < 0 or unit >= len(self._units) or unit == record.unit:
            return
        # A compound statement that is come back to from its own body does not begin again, unless it is a loop: this is
        # how ``with`` leaves its body.
        again = unit in self._ancestors[record.unit] and unit not in self._loops
        self.end(record, "line")
        record.unit = unit
        if again:
            return
        if len(self.steps) >= self._max_steps:
            self.truncated = True
            if self._stop:
                raise Stopped
            return
        record.step = len(self.steps)
        self.steps.append([record.number, unit, "", []])

    def end(self, record: _Frame, how: str) -> None:
        """Note that the frame's step is finished: by its next line, its return or an exception that leaves it."""
        if record.step >= 0:
            step = self.steps[record.step]
            step[2] = how
            step[3] = self.seen(record)
            record.step = -1

    def leave(self, record: _Frame, how: str) -> None:
        """Note that a frame has ended."""
        self.end(record, how)
        self._frames.pop(id(record.frame), None)

    def fail(self, record: _Frame, error: type) -> None:
        """Note that a frame is left by an exception."""
        if issubclass(error, GeneratorExit):
            # A generator is closed where it waits; since 3.13 that may happen without a sound.
            record.step = -1
        self.leave(record, "exception")

    def seen(self, record: _Frame) -> list[list[Any]]:
        """Return what is noted of a finished step: names, each with the number of its value, -1 for none.

        These are the variables of the frame, and the attributes of its objects, that are not as they were.
        """
        if not self._everything:
            return []
        now: dict[str, int] = {}
        for name, value in list(record.frame.f_locals.items()):
            if name.startswith(("__", ".")) or isinstance(value, (type, types.ModuleType)) or callable(value):
                continue
            if written(value, self._max_value) is None and type(vars_of(value)) is dict:
                for attribute, content in list(vars_of(value).items()):
                    if isinstance(attribute, str):
                        now[f"{name}.{attribute}"] = self.number(content)
            else:
                now[name] = self.number(value)
        changes = [[name, number] for name, number in now.items() if record.known.get(name) != number]
        changes += [[name, -1] for name in record.known if name not in now]
        record.known = now
        return sorted(changes)

    def number(self, value: Any) -> int:
        """Return the number of a value among all that were noted."""
        key = (type(value).__name__, written(value, self._max_value))
        return self._texts.setdefault(key, len(self._texts))


class _Frame:
    unit = -1
    step = -1
    raising: type | None = None

    def __init__(self, frame: types.FrameType, number: int, own: int) -> None:
        self.frame = frame
        self.number = number
        self.own = own
        self.known: dict[str, int] = {}


def _codes(code: types.CodeType) -> list[types.CodeType]:
    codes = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            codes += _codes(constant)
    return codes


# On Python 3.12, sys.settrace gives other traces of two programs: atcoder_ABC135_D and atcoder_ARC102_C.
@contextlib.contextmanager
def _monitoring(recorder: Recorder) -> Any:
    monitoring = sys.monitoring  # type: ignore[attr-defined]
    tool = next(number for number in (4, 3, 5, 2, 1, 0) if monitoring.get_tool(number) is None)
    monitoring.use_tool_id(tool, "codemind")
    events = monitoring.events
    codes = recorder._codes

    def started(code: types.CodeType, *_: Any) -> None:
        recorder.begin(sys._getframe(1))

    def line(code: types.CodeType, number: int) -> Any:
        if recorder.truncated:
            return monitoring.DISABLE
        record = recorder.begin(sys._getframe(1))
        if record is not None:
            recorder.line(record, number)
        return None

    def returned(code: types.CodeType, *_: Any) -> None:
        record = recorder._frames.get(id(sys._getframe(1)))
        if record is not None:
            recorder.leave(record, "return")

    def unwound(code: types.CodeType, offset: int, error: BaseException) -> None:
        record = recorder._frames.get(id(sys._getframe(1))) if code in codes else None
        if record is not None:
            recorder.fail(record, type(error))

    local = events.PY_START | events.LINE | events.PY_RETURN
    monitoring.register_callback(tool, events.PY_START, started)
    monitoring.register_callback(tool, events.LINE, line)
    monitoring.register_callback(tool, events.PY_RETURN, returned)
    monitoring.register_callback(tool, events.PY_UNWIND, unwound)
    for code in codes:
        monitoring.set_local_events(tool, code, local)
    monitoring.set_events(tool, events.PY_UNWIND)
    try:
        yield
    finally:
        monitoring.set_events(tool, 0)
        for code in codes:
            monitoring.set_local_events(tool, code, 0)
        monitoring.free_tool_id(tool)


@contextlib.contextmanager
def _tracing(recorder: Recorder) -> Any:
    def called(frame: types.FrameType, event: str, argument: Any) -> Any:
        record = recorder.begin(frame)
        if record is None:
            return None
        record.raising = None

        def local(frame: types.FrameType, event: str, argument: Any) -> Any:
            if recorder.truncated:
                # What is not noted need not be slow.
                frame.f_trace = None
                sys.settrace(None)
                return None
            if event == "line":
                record.raising = None
                recorder.line(record, frame.f_lineno)
            elif event == "exception":
                record.raising = argument[0]
            elif event == "return":
                if argument is None and record.raising is not None:
                    recorder.fail(record, record.raising)
                elif not _suspends(frame):
                    recorder.leave(record, "return")
            return local

        return local

    threading.settrace(called)
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(None)
        threading.settrace(None)


def _suspends(frame: types.FrameType) -> bool:
    """Whether a frame that gives a value to its caller will go on: it yields or awaits."""
    code = frame.f_code
    if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return False
    # Python 3.13 is already at the instruction after the yield.
    return dis.opmap["RESUME"] in code.co_code[frame.f_lasti : frame.f_lasti + 3 : 2]


def vars_of(value: Any) -> Any:
    """Return an object's own attributes, read past anything its class defines; None if it has none."""
    try:
        return object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return None


class _NoLiteral(Exception):
    """A value has no literal."""


def written(value: Any, limit: int) -> str | None:
    """Return a plain value as a literal, the same text for equal values; None if there is none of ``limit`` characters.

    Plain are None, ``...``, bool, int, float, complex, str, bytes, and list, tuple, dict, set and frozenset of these,
    of exactly these types. Sets are sorted by text, since their order depends on hashing; dicts keep their order.
    """
    try:
        return _text(value, [limit], 0)
    except _NoLiteral:
        return None


def _text(value: Any, left: list[int], depth: int) -> str:
    """Return a value as a literal, and take its length from what is left of the limit."""

    def spent(text: str) -> str:
        left[0] -= len(text)
        if left[0] < 0:
            raise _NoLiteral
        return text

    def joined(opening: str, items: Any, closing: str) -> str:
        parts = [spent(opening)]
        for position, item in enumerate(items):
            parts.append(spent(", ") if position else "")
            if kind is dict:
                key, item = item
                parts += [_text(key, left, depth + 1), spent(": ")]
            parts.append(_text(item, left, depth + 1))
        return "".join([*parts, spent(closing)])

    # Types are compared by identity: equality may run code of the program.
    kind = type(value)
    if (
        depth > _MAX_DEPTH
        or (kind is int and value.bit_length() > 3.3 * min(left[0], _MAX_DIGITS))
        or ((kind is str or kind is bytes) and len(value) > left[0])
        or (kind is complex and not (math.isfinite(value.real) and math.isfinite(value.imag)))
    ):
        raise _NoLiteral
    if value is None or any(kind is each for each in _PLAIN):
        return spent(repr(value))
    if kind is float:
        return spent(repr(value) if math.isfinite(value) else f"float('{value!r}')")
    if kind is list:
        return joined("[", value, "]")
    if kind is tuple:
        return joined("(", value, ",)" if len(value) == 1 else ")")
    if kind is dict:
        return joined("{", value.items(), "}")
    if kind is set or kind is frozenset:
        texts = sorted([_text(item, left, depth + 1) for item in value])
        whole = "{" + ", ".join(texts) + "}" if texts else ""
        return spent((whole or "set()") if kind is set else f"frozenset({whole})")
    raise _NoLiteral


def record(
    program: str,
    *,
    script: bool,
    stdin: str = "",
    before: str = "",
    expression: str = "",
    make: Any = Recorder,
    **options: Any,
) -> dict[str, Any]:
    """Run a program, trace it and return the trace as plain values.

    Args:
        program: Source of the program.
        script: Whether running the program itself is traced; else it is loaded first, and what follows is traced.
        stdin: The text on standard input.
        before: Statements that run in the program's namespace before tracing starts.
        expression: What is evaluated in the program's namespace, traced as far as it runs the program's own code.
            Statements may come before it: the last one's value counts if it is an expression.
        make: The class of the recorder, with the parameters of :class:`Recorder`.
        options: Further arguments of that class.

    Returns:
        ``frames`` and ``steps`` as :class:`Recorder` has them; ``values``, the different ones, each as the name of its
        type and its literal or None; ``truncated``, ``threads``; ``output`` (type name and literal of the expression's
        value, None if it raised), ``stdout`` and ``exception`` (name of the type of what ended it, or "").
    """
    recorder = make(*compiled(program), **options)
    module = types.ModuleType("__main__" if script else "program")
    sys.modules[module.__name__] = module
    namespace = module.__dict__
    namespace["__file__"] = "program.py"
    output: list[Any] | None = None
    raised = ""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with contextlib.redirect_stdout(printed):
        if not script:
            exec(recorder.code, namespace)
            exec(compile(before, "input.py", "exec", dont_inherit=True), namespace)
        tree: Any = ast.parse(expression, "input.py")
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body.pop().value), "input.py", "eval", dont_inherit=True)
        first = compile(tree, "input.py", "exec", dont_inherit=True)
        try:
            with (_monitoring if hasattr(sys, "monitoring") else _tracing)(recorder):
                if script:
                    exec(recorder.code, namespace)
                exec(first, namespace)
                value = None if last is None else eval(last, namespace)
            output = [type(value).__name__, written(value, 100 * recorder._max_value)]
        except BaseException as error:
            raised = type(error).__name__
    return {
        "frames": recorder.frames,
        "steps": recorder.steps,
        "values": [list(value) for value in recorder._texts],
        "truncated": recorder.truncated,
        "threads": recorder.threads,
        "output": output,
        "stdout": printed.buffer.getvalue().decode("utf-8", "replace"),
        "exception": raised,
    }

"""What loops do when a program runs, seen from inside: runs in the sandbox, so it knows nothing of this package.

The program was rewritten by :func:`prove_unrolled.instrumented` and calls the functions that
:func:`record` defines in its namespace.
"""

from __future__ import annotations

import ast
import io
import sys
import types
from collections.abc import Iterator
from typing import Any

_PLAIN = (int, float, str, bytes, bool, type(None))
_LONGEST = 200


def literal_of(value: Any) -> str | None:
    """Return an immutable plain value as a Python literal; None for all others, which may be changed or shared."""
    if type(value) is tuple:
        parts = [literal_of(part) for part in value]
        texts = [part for part in parts if part is not None]
        if len(texts) < len(parts):
            return None
        text = "(" + ", ".join(texts) + ("," if len(parts) == 1 else "") + ")"
    elif type(value) in _PLAIN:
        text = repr(value)
    else:
        return None
    return None if len(text) > _LONGEST or text in ("nan", "inf", "-inf") else text


class _Recorder:
    """The functions that a rewritten program calls, each as ``_u_NAME``, and what they note.

    Attributes:
        frames: Of each execution of a function with loops: its number, whether a noted call led there, and its record.

    Args:
        limit: Iterations and calls after which nothing more is noted.
    """

    def __init__(self, limit: int) -> None:
        self.frames: list[list[Any]] = []
        self._limit = limit
        self._events = 0
        # The call that is about to enter a function: where its frame is noted, and the function's name.
        self._pending: tuple[list[int], str] | None = None

    @property
    def full(self) -> bool:
        return self._events > self._limit

    def _notes(self) -> bool:
        self._events += 1
        return not self.full

    def enter(self, function: int, name: str) -> dict[str, Any]:
        site, self._pending = self._pending, None
        if site is not None and site[1] != name:
            site = None
        new: dict[str, Any] = {}
        if self._notes():
            if site is not None:
                site[0].append(len(self.frames))
            self.frames.append([function, site is not None, new])
        return new

    def call(self, inside: Any, number: str, name: str, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if number not in inside:
            inside[number] = {"call": []}
        self._pending = inside[number]["call"], name
        try:
            return function(*args, **kwargs)
        finally:
            self._pending = None

    def items(self, inside: Any, number: str, iterable: Any, fresh: bool) -> Iterator[tuple[Any, Any]]:
        entry: dict[str, Any] = {"for": [], "end": 0}
        inside[number] = entry
        iterator = iter(iterable)
        shared = iterator is iterable and not fresh
        for value in iterator:
            within: dict[str, Any] = {}
            if self._notes():
                entry["for"].append([None if shared else literal_of(value), within])
            yield within, value
        entry["end"] = 1

    def start(self, inside: Any, number: str) -> Any:
        entry = inside[number] = {"while": [], "end": 0}
        return entry

    def turn(self, entry: Any) -> dict[str, Any]:
        """Return the record of an evaluation of a ``while`` loop's condition, and of the iteration that may follow."""
        within: dict[str, Any] = {}
        if self._notes():
            entry["while"].append([0, within])
        return within

    def body(self, entry: Any) -> None:
        if entry["while"]:
            entry["while"][-1][0] = 1

    def end(self, entry: Any) -> None:
        entry["end"] = 1

    def test(self, inside: Any, number: str, value: Any) -> bool:
        taken = bool(value)
        inside[number] = {"if": int(taken)}
        return taken

    def jump(self, inside: Any, number: str) -> None:
        inside[number] = 1


_HELPERS = ("enter", "call", "items", "start", "turn", "body", "end", "test", "jump")


def record(module: str, expression: str | None, stdin: str, limit: int) -> dict[str, Any]:
    """Run a rewritten program and return what its loops did, as plain values."""
    recorder = _Recorder(limit)
    program = types.ModuleType("__main__" if expression is None else "program")
    sys.modules[program.__name__] = program
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    program.__dict__.update({f"_u_{name}": getattr(recorder, name) for name in _HELPERS})
    try:
        exec(compile(module, "program.py", "exec"), program.__dict__)
        if expression is not None:
            tree = ast.parse(expression)
            last = tree.body.pop()
            exec(compile(tree, "call.py", "exec"), program.__dict__)
            assert isinstance(last, ast.Expr)
            eval(compile(ast.Expression(last.value), "call.py", "eval"), program.__dict__)
    except SystemExit:
        pass
    return {"frames": recorder.frames, "full": recorder.full}

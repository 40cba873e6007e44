"""What loops do when a program runs, seen from inside: runs in the sandbox, so it knows nothing of this package.

The program was rewritten by :func:`lm_eval_codemind.transforms.unrolling.instrumented` and calls the functions that
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


def record(module: str, expression: str | None, stdin: str, limit: int) -> dict[str, Any]:
    """Run a rewritten program and return what its loops did, as plain values.

    Args:
        module: Source.
        expression: Evaluated after the module has run, statements may come before it; None for a script.
        stdin: What it reads.
        limit: Iterations and calls after which nothing more is recorded.

    Returns:
        ``frames``: of each execution of a function with loops its number, whether a noted call led there, and its
        record; and ``full``: whether the limit was reached.
    """
    frames: list[list[Any]] = []
    pending: list[tuple[list[int], str]] = []
    events = [0]

    def full() -> bool:
        events[0] += 1
        return events[0] > limit

    def enter(function: int, name: str) -> dict[str, Any]:
        site = pending.pop() if pending else None
        pending.clear()
        if site is not None and site[1] != name:
            site = None
        new: dict[str, Any] = {}
        if not full():
            if site is not None:
                site[0].append(len(frames))
            frames.append([function, site is not None, new])
        return new

    def call(inside: Any, number: str, name: str, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if number not in inside:
            inside[number] = {"call": []}
        pending[:] = [(inside[number]["call"], name)]
        try:
            return function(*args, **kwargs)
        finally:
            pending.clear()

    def items(inside: Any, number: str, iterable: Any, fresh: bool) -> Iterator[tuple[Any, Any]]:
        entry: dict[str, Any] = {"for": [], "end": 0}
        inside[number] = entry
        iterator = iter(iterable)
        shared = iterator is iterable and not fresh
        for value in iterator:
            within: dict[str, Any] = {}
            if not full():
                entry["for"].append([None if shared else literal_of(value), within])
            yield within, value
        entry["end"] = 1

    def start(inside: Any, number: str) -> Any:
        entry = inside[number] = {"while": [], "end": 0}
        return entry

    def turn(entry: Any) -> dict[str, Any]:
        within: dict[str, Any] = {}
        if not full():
            entry["while"].append([0, within])
        return within

    def body(entry: Any) -> None:
        if entry["while"]:
            entry["while"][-1][0] = 1

    def end(entry: Any) -> None:
        entry["end"] = 1

    def test(inside: Any, number: str, value: Any) -> bool:
        taken = bool(value)
        inside[number] = {"if": int(taken)}
        return taken

    def jump(inside: Any, number: str) -> None:
        inside[number] = 1

    program = types.ModuleType("__main__" if expression is None else "program")
    sys.modules[program.__name__] = program
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    helpers = (enter, call, items, start, turn, body, end, test, jump)
    program.__dict__.update({"_u_" + helper.__name__: helper for helper in helpers})
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
    return {"frames": frames, "full": events[0] > limit}

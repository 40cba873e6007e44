"""The sandbox's own code in the program's process: runs the program and writes down its answers.

Everything here is within the program's reach, so nothing here decides anything.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import collections
import contextlib
import functools
import gc
import io
import json
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import inside, performer, suites, wire
from .values import BASES, LIBRARY, MAX_DEPTH, SHORT_INT, NotPlain

MODULE = "candidate"
# For the expression that makes a value: what ``evaluate`` says about a result.
_FACTORIES = (int, float, str, list, dict, set, tuple, bool)


class Agent:
    """Serves one program: receives the request from one descriptor, and writes answers to another, one a line."""

    def __init__(self, request: int, answers: int) -> None:
        self._request, self._replies = request, answers
        self._namespace: dict[str, Any] = {}
        # Bound now: a program may replace what these names mean.
        self._write, self._encode, self._tests = wire.write_all, json.dumps, inside.run

    def serve(self, request: dict[str, Any] | None = None) -> None:
        """Do what the request asks for. It ends with an answer that is longer than what is left of the limit."""
        write, encode, replies = self._write, self._encode, self._replies
        request = request or wire.receive(self._request)
        left = request["limit"]
        for answer in getattr(self, f"_{request['op']}")(request):
            data = encode(answer).encode() + b"\n"
            left -= len(data)
            write(replies, data if left >= 0 else b'{"long": true}\n')
            if left < 0:
                break

    def _steps(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Load the program and yield first whether there is an entry point, then the answer to each step."""
        try:
            self._load(request)
            target = self._namespace.get(request["entry_point"], self)
        except BaseException as error:
            yield {"raised": suites.describe(error)}
            return
        yield {"missing": True} if target is self else {}
        if target is not self:
            perform = performer.Performer(target).perform
            steps = request["steps"]
            for left in reversed(range(request["parts"])):
                if left + 1 == request["further"]:
                    perform = performer.Performer(target).perform
                yield from map(perform, steps)
                if left:
                    # The next part comes when the answers to this one are written.
                    self._write(self._request, b"\n")
                    steps = wire.receive(self._request)
        _printed()

    def _suite(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield _attempt(self._run_suite, request)

    def _run_suite(self, request: dict[str, Any]) -> dict[str, Any]:
        self._load(request)
        return self._tests(self._namespace, request)

    def _new_module(self, name: str, source: str, file: str, tests: str = "") -> types.CodeType:
        module = types.ModuleType(name)
        self._namespace = module.__dict__
        self._namespace["__builtins__"] = builtins
        self._namespace["__file__"] = path = os.path.join(os.getcwd(), file)
        sys.modules[name] = sys.modules["__main__"] = module
        # A program finds modules that it wrote.
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        if any("__file__" in text or "argv" in text for text in (source, tests)):
            # Who looks for the program finds it.
            with open(file, "w", encoding="utf-8", errors="surrogatepass") as out:
                out.write(source)
        # For tracebacks and the inspection of functions.
        self._namespace["__loader__"] = types.SimpleNamespace(get_source=lambda name: source)
        return suites.compiled(source, path)

    def _load(self, request: dict[str, Any]) -> None:
        """Run the program as a module. Random numbers start as its server left them."""
        exec(self._new_module(MODULE, request["program"], f"{MODULE}.py", request.get("tests", "")), self._namespace)

    def _script(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Run the program as a script, once for each input, and yield its exit status, up to one that is not 0."""
        streams = sys.stdout, sys.stderr
        for number in range(request["runs"]):
            if number:
                self._write(self._request, b"\n")
                if not wire.receive(self._request):
                    break
                sys.stdout, sys.stderr = streams
                os.dup2(self._replies + number, 0)
                os.close(self._replies + number)
                use_standard_input()
            answer = _attempt(functools.partial(self._run_script, collects=not number), request)
            yield {**answer, "err": _length(2)}
            if answer.get("value") != 0:
                break

    def _run_script(self, request: dict[str, Any], collects: bool) -> int:
        sys.argv = ["main.py"]
        try:
            exec(self._new_module("__main__", request["program"], "main.py"), self._namespace)
        except SystemExit as error:
            if error.code is None or isinstance(error.code, int):
                return int(error.code or 0) & 255
            print(error.code, file=sys.stderr)
            return 1
        finally:
            end_interpreter(self._namespace, collects)
        return 0

    def _evaluate(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield _attempt(self._load, request)
        for expression in request["expressions"]:
            yield _attempt(self._value, expression)

    def _value(self, expression: Any) -> dict[str, Any]:
        """Evaluate an expression, perhaps with statements before it, in the program's namespace."""
        tree = ast.parse(expression, "<expression>", "exec")
        last = ast.parse("None", mode="eval")
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last.body = tree.body.pop().value
        exec(compile(tree, "<expression>", "exec"), self._namespace)
        result = eval(compile(last, "<expression>", "eval"), self._namespace)
        return {"type": type(result).__name__, "literal": literal(result)}


def _attempt(function: Callable[[Any], Any], argument: Any) -> dict[str, Any]:
    """Return what a function gives or raises, and how much was printed until then."""
    try:
        answer = {"value": function(argument)}
    except BaseException as error:
        answer = {"raised": suites.describe(error)}
    return {**answer, "out": _printed()}


def _printed() -> int:
    """Flush the program's output and return its length."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue
    return _length(1)


def _length(descriptor: int) -> int:
    try:
        return os.fstat(descriptor).st_size
    except OSError:
        return 0


def rehearse() -> None:
    """Play a program through until the interpreter has settled. What settles in a child costs copies of memory."""
    values = (1, "a", {"tuple": [1]}, [1, 2.0, "a"], {"dict": [["a", 1]]})
    request: dict[str, Any] = {
        "program": "def same(value):\n    return value\n",
        "entry_point": "same",
        "limit": 10_000,
        "parts": 1,
        "further": 0,
        "steps": [["call", -1, "", [value], {}] for value in values],
        "tests": "def check(same):\n    assert same(1) == 1\n",
        "support": "import re",
        "kind": "function",
        "only": [],
    }
    main = sys.modules["__main__"]
    agent = Agent(-1, -1)
    agent._write = lambda descriptor, data: None
    for _ in range(40):
        agent.serve({**request, "op": "suite"})
        agent.serve({**request, "op": "steps"})
    sys.modules["__main__"] = main
    del sys.modules[MODULE], sys.modules[suites.MODULE]


def use_standard_input() -> None:
    """Make descriptor 0, which was replaced, what ``sys.stdin`` reads: as Python opens it in a UTF-8 locale."""
    raw = io.FileIO(0, closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8", errors="surrogateescape", newline="\n")
    stream.mode = "r"  # type: ignore[misc]
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]


def end_interpreter(namespace: dict[str, Any], collects: bool = True) -> None:
    """Do what Python does at the end of a script, in its order, as far as a program can tell.

    What is left in cycles is collected only if asked for: that takes as long as a short run.
    """
    steps: list[Callable[[], Any]] = [
        lambda: sys.modules["threading"]._shutdown() if "threading" in sys.modules else None,
        atexit._run_exitfuncs,
        lambda: _let_go(namespace),
        *([gc.collect] if collects else []),
    ]
    for step in steps:
        try:
            step()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(BaseException):
                stream.flush()  # type: ignore[union-attr]


def _let_go(namespace: dict[str, Any]) -> None:
    for first in (True, False):
        for name in list(namespace):
            underscore = name.startswith("_") and not name.startswith("__")
            if name != "__builtins__" and (underscore or not first):
                namespace[name] = None


def literal(value: Any) -> str | None:
    """Return the expression that makes a value, or None if it has no such form.

    For None, bool, int, float, complex, str, bytes and Ellipsis, and for list, tuple, dict and non-empty set of them,
    it is what ``repr`` gives and ``ast.literal_eval`` reads, except that ``nan`` and ``inf`` are written
    ``float('nan')`` and ``float('inf')``. An instance of a class that is derived from one of these types is written as
    the plain value it holds. A named tuple has no literal.
    """
    try:
        return _literal(value, 0)
    except Exception:
        return None


def _literal(value: Any, depth: int) -> str:
    kind = type(value)
    if depth > MAX_DEPTH:
        raise NotPlain("nested too deeply")
    if value is None or kind in (bool, str, bytes, bytearray, range, type(Ellipsis)):
        return repr(value)
    if kind is int:
        return repr(value) if -SHORT_INT < value < SHORT_INT else _long_int(value)
    if kind in (float, complex):
        # Of these only nan and inf have an n.
        return f"{kind.__name__}('{value!r}')" if "n" in repr(value) else repr(value)
    depth += 1
    if kind is list:
        return "[" + _items(value, depth) + "]"
    if kind is tuple:
        return "(" + _items(value, depth) + (",)" if len(value) == 1 else ")")
    if kind is dict:
        return _pairs(value, depth)
    # A set of the same items that was never larger: its order does not tell of what was removed.
    if kind is set:
        return "{" + _items(set(iter(value)), depth) + "}" if value else "set()"
    if kind is frozenset:
        return "frozenset({" + _items(frozenset(iter(value)), depth) + "})" if value else "frozenset()"
    if kind in (collections.OrderedDict, collections.Counter):
        return f"{kind.__name__}({_pairs(value, depth)})"
    if kind is collections.defaultdict:
        factory = value.default_factory
        if factory is not None and factory not in _FACTORIES:
            return _pairs(value, depth)
        return f"defaultdict({'None' if factory is None else factory.__name__}, {_pairs(value, depth)})"
    if kind is collections.deque:
        return f"deque([{_items(value, depth)}]" + (")" if value.maxlen is None else f", maxlen={value.maxlen})")
    if LIBRARY.get(kind.__qualname__, "") == kind.__module__:
        return repr(value)
    if kind.__module__.startswith("numpy"):
        return _numpy(value)
    for base in BASES:
        if issubclass(kind, base) and not hasattr(kind, "_fields"):
            return _literal(_plain(base, value), depth)
    raise NotPlain(kind.__name__)


def _plain(base: Any, value: Any) -> Any:
    # With the methods of the plain type.
    if base in (int, float):
        return base.__pos__(value)
    if base in (set, frozenset):
        return base(base.__iter__(value))
    return dict(dict.items(value)) if base is dict else base.__getitem__(value, slice(None))


def _items(values: Any, depth: int) -> str:
    return ", ".join([_literal(item, depth) for item in values])


def _pairs(mapping: Any, depth: int) -> str:
    pairs = [f"{_literal(key, depth)}: {_literal(item, depth)}" for key, item in dict.items(mapping)]
    return "{" + ", ".join(pairs) + "}"


def _long_int(value: int) -> str:
    limit = sys.get_int_max_str_digits()
    # Hexadecimal has no limit of digits.
    return repr(value) if not limit or value.bit_length() * 0.30103 + 1 < limit else hex(value)


def _numpy(value: Any) -> str:
    numpy = sys.modules["numpy"]
    if not isinstance(value, numpy.generic | numpy.ndarray) or isinstance(value, numpy.ma.MaskedArray):
        raise NotPlain(type(value).__name__)
    text = repr(value)
    if "..." in text or "<" in text:
        raise NotPlain("a numpy array that its text does not make again")
    return " ".join(text.split())

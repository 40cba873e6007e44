"""The sandbox's own code inside the candidate's process: runs the program and answers the checker's requests.

Everything here is within the program's reach, so nothing here decides anything. It carries values, and the checker, in
another process, judges them.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import contextlib
import copy
import gc
import io
import marshal
import operator
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from . import exceptions, hardened, values, wire
from .objects import MODULE, READABLE, Objects


class _Source:
    """Gives a program's source to those who show or inspect it, as a module's loader does."""

    def __init__(self, source: str) -> None:
        self._source = source

    def get_source(self, name: str) -> str:
        """Return the program's source, whichever module is asked for: it is the only one with this loader."""
        return self._source


class Agent:
    """Serves one program: loads it, then looks up, calls and changes its objects for the checker."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._channel = replies
        self._objects = Objects()
        self._namespace: dict[str, Any] = {}
        # Bound now: a program may replace what these names mean.
        self._send, self._receive = wire.send, wire.receive
        self._operations: dict[str, Callable[[dict[str, Any]], Any]] = {
            "load": self._load,
            "script": self._script,
            "call": self._call,
            "apply": self._apply,
            "evaluate": self._evaluate,
            "suite": self._suite,
        }

    def serve(self) -> None:
        """Answer requests until the checker closes the channel."""
        while True:
            try:
                request = self._receive(self._requests)
            except (EOFError, OSError):
                return
            reply = self._answer(request)
            reply["out"] = self._printed()
            try:
                self._send(self._channel, reply)
            except (EOFError, OSError):
                return

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        shared = self._objects.shared
        try:
            if "content" in request:
                shared.receive(request["content"])
            if "gone" in request:
                shared.forget(request["gone"])
            reply = {"value": self._operations[request["op"]](request)}
        except BaseException as error:
            reply = {"raised": self._raised(error)}
        try:
            content = shared.changes()
        except BaseException as error:
            reply = {"raised": self._raised(error)}
            content = []
        if content:
            reply["content"] = content
        news = self._objects.news()
        if news:
            reply["objects"] = news
        gone = shared.release()
        if gone:
            reply["gone"] = gone
        return reply

    def _raised(self, error: BaseException) -> dict[str, Any]:
        try:
            described = exceptions.describe(error)
            described["error"] = self._objects.reference(error)["object"]
        except BaseException:
            described = {"type": "Exception", "module": "builtins", "bases": ["Exception"], "message": "",
                         "arguments": None, "errno": None}  # fmt: skip
        return described

    @staticmethod
    def _printed() -> int:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        try:
            return os.fstat(1).st_size
        except OSError:
            return 0

    def _encode(self, value: Any) -> Any:
        return self._objects.shared.encode(value)

    def _decode(self, data: Any) -> Any:
        return self._objects.shared.decode(data)

    def _new_module(self, name: str, source: str, file: str) -> types.CodeType:
        module = types.ModuleType(name)
        self._namespace = module.__dict__
        self._namespace["__builtins__"] = builtins
        self._namespace["__file__"] = path = os.path.join(os.getcwd(), file)
        sys.modules[name] = module
        if "__file__" in source or "argv" in source:
            # A program that looks for itself finds itself.
            with open(file, "w", encoding="utf-8", errors="surrogatepass") as out:
                out.write(source)
        # For tracebacks and the inspection of functions.
        self._namespace["__loader__"] = _Source(source)
        return compile(source, path, "exec", dont_inherit=True)

    def _load(self, request: dict[str, Any]) -> Any:
        """Run the program as a module and say what the names the tests use mean in it."""
        self._run_module(request)
        found = {}
        for name in request["names"]:
            if name in self._namespace:
                found[name] = self._encode(self._namespace[name])
        return found

    def _run_module(self, request: dict[str, Any]) -> None:
        exec(self._new_module(MODULE, request["program"], f"{MODULE}.py"), self._namespace)

    def _script(self, request: dict[str, Any]) -> Any:
        """Run the program as a script to the end of its process and return its exit status."""
        sys.argv = ["main.py"]
        try:
            status = self._run_script(request["program"])
        finally:
            end_interpreter(self._namespace)
        return status

    def _run_script(self, program: str) -> int:
        try:
            exec(self._new_module("__main__", program, "main.py"), self._namespace)
        except SystemExit as error:
            code = error.code
            if code is None:
                return 0
            if isinstance(code, int):
                return int(code) & 255
            print(code, file=sys.stderr)
            return 1
        return 0

    def _call(self, request: dict[str, Any]) -> Any:
        """Call an object and return the result."""
        function = self._objects[request["id"]]
        positional = [self._decode(item) for item in request["args"]]
        named = {name: self._decode(item) for name, item in request.get("kwargs", {}).items()}
        return {"result": self._encode(function(*positional, **named))}

    def _apply(self, request: dict[str, Any]) -> Any:
        """Apply one of a fixed set of operations to an object: attributes, items, operators."""
        target = self._objects[request["id"]]
        arguments = [self._decode(item) for item in request["args"]]
        return {"result": self._encode(APPLICATIONS[request["what"]](target, *arguments))}

    def _evaluate(self, request: dict[str, Any]) -> Any:
        """Evaluate an expression, perhaps with statements before it, in the program's namespace."""
        tree = ast.parse(request["expression"], "<expression>", "exec")
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
            exec(compile(tree, "<expression>", "exec"), self._namespace)
            result = eval(compile(last, "<expression>", "eval"), self._namespace)
        else:
            exec(compile(tree, "<expression>", "exec"), self._namespace)
            result = None
        return {"type": type(result).__name__, "value": values.encode(result, self._objects.reference)}

    def _suite(self, request: dict[str, Any]) -> Any:
        """Run the program, and beside it a suite that can only be judged in this process."""
        self._run_module(request)
        code = {name: marshal.loads(request[name].encode("latin-1")) for name in ("support_code", "tests_code")}
        return hardened.run_suite(self._namespace, {**request, **code})


def rehearse() -> None:
    """Play a small program through, as often as the interpreter needs to settle on how it executes what is used.

    What settles here needs not settle in each child, which would write to, and so copy, the memory that it shares.
    """
    program = "def same(value):\n    return value\n"
    known = [[-1, ["list", [1, 2.0, "a"]]], [-2, ["dict", [["a", 1]]]]]
    calls: list[dict[str, Any]] = [{"args": [value], "content": []} for value in (1, "a", {"tuple": [1]})]
    calls += [{"args": [{"ref": number}], "content": known} for number in (-1, -2)]
    for _ in range(40):
        agent = Agent(-1, -1)
        agent._answer({"op": "load", "program": program, "names": ["same"]})
        for call in calls:
            request = wire.packed_message({"op": "call", "id": 0, **call, "gone": []})
            wire.packed_message(agent._answer(wire.rest(-1, request)))
    del sys.modules[MODULE]


def seed() -> None:
    """Make pseudo-random numbers the same in every run."""
    random.seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def use_standard_input() -> None:
    """Make descriptor 0, which was replaced, what ``sys.stdin`` reads."""
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")


def end_interpreter(namespace: dict[str, Any]) -> None:
    """Do what Python does at the end of a script, as far as a program can tell.

    In Python's order: wait for threads, call what was registered for the exit, let go of the module's names (first
    those with one underscore) and collect what is left, so that objects are finalised and files written.
    """
    steps: list[Callable[[], Any]] = [
        lambda: sys.modules["threading"]._shutdown() if "threading" in sys.modules else None,
        atexit._run_exitfuncs,
        lambda: _let_go(namespace),
        gc.collect,
    ]
    for step in steps:
        try:
            step()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()


def _let_go(namespace: dict[str, Any]) -> None:
    for first in (True, False):
        for name in list(namespace):
            underscore = name.startswith("_") and not name.startswith("__")
            if name != "__builtins__" and (underscore or not first):
                namespace[name] = None


def _set_item(target: Any, key: Any, value: Any) -> None:
    target[key] = value


def _delete_item(target: Any, key: Any) -> None:
    del target[key]


def _get_attribute(target: Any, name: str) -> Any:
    if name.startswith("__") and name.endswith("__") and name not in READABLE:
        raise AttributeError(name)
    return getattr(target, name)


def _leave(target: Any, error: Any = None) -> Any:
    if error is None:
        return target.__exit__(None, None, None)
    return target.__exit__(type(error), error, error.__traceback__)


APPLICATIONS: dict[str, Callable[..., Any]] = {
    "getattr": _get_attribute,
    "setattr": setattr,
    "delattr": delattr,
    "getitem": lambda target, key: target[key],
    "setitem": _set_item,
    "delitem": _delete_item,
    "contains": lambda target, item: item in target,
    "missing": lambda target, key: target.__missing__(key),
    "method": lambda target, name, arguments, named: getattr(target, name)(*arguments, **named),
    "len": len,
    "bool": bool,
    "iter": iter,
    "next": next,
    "reversed": reversed,
    "hash": hash,
    "str": str,
    "repr": repr,
    "bytes": bytes,
    "format": format,
    "int": int,
    "float": float,
    "complex": complex,
    "index": operator.index,
    "trunc": lambda target: target.__trunc__(),
    "floor": lambda target: target.__floor__(),
    "ceil": lambda target: target.__ceil__(),
    "round": round,
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
    "invert": operator.invert,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "divmod": divmod,
    "rdivmod": lambda target, other: divmod(other, target),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "enter": lambda target: target.__enter__(),
    "exit": _leave,
}


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda target, other: function(other, target)


for _name in (
    "add",
    "sub",
    "mul",
    "matmul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
):
    _function = getattr(operator, f"__{_name}__")
    APPLICATIONS[_name] = _function
    APPLICATIONS[f"r{_name}"] = _reflected(_function)
    APPLICATIONS[f"i{_name}"] = getattr(operator, f"__i{_name}__")

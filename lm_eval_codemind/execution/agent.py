"""The sandbox's own code inside the candidate's process: runs the program and answers the checker's requests.

Everything here is within the program's reach, so nothing here decides anything. It carries values, and the checker, in
another process, judges them.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from . import exceptions, hardened, values, wire

MODULE = "candidate"
_PLAIN_IMMUTABLE = (type(None), bool, int, float, str, bytes, complex, range)


class Agent:
    """Serves one program: loads it, then looks up, calls and changes its objects for the checker."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._channel = replies
        self._objects: list[Any] = []
        self._numbers: dict[int, int] = {}
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
        # The modules reseed themselves in a new process.
        seed()
        while True:
            try:
                request = self._receive(self._requests)
            except (EOFError, OSError):
                return
            try:
                reply = {"value": self._operations[request["op"]](request)}
            except BaseException as error:
                reply = {"raised": self._raised(error)}
            reply["out"] = self._printed()
            try:
                self._send(self._channel, reply)
            except (EOFError, OSError):
                return

    def _raised(self, error: BaseException) -> dict[str, Any]:
        try:
            described = exceptions.describe(error)
            if described["module"] != "builtins":
                described["class"] = self._reference(type(error))["object"]
                described["instance"] = self._reference(error)["object"]
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

    def _reference(self, value: Any) -> dict[str, Any]:
        """Return what stands for an object that stays here."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)
        kind = type(value)
        described: dict[str, Any] = {"id": number, "type": kind.__name__}
        if isinstance(value, type):
            described["class"] = value.__name__
            described["bases"] = [b.__name__ for b in value.__mro__ if b.__module__ == "builtins" and b is not object]
        elif kind.__module__ == MODULE:
            described["of"] = self._reference(kind)["object"]
        elif isinstance(value, types.ModuleType):
            described["module"] = value.__name__
        elif callable(value):
            described["function"] = True
        return {"object": described}

    def _encode(self, value: Any) -> Any:
        return values.encode(value, self._reference)

    def _decode(self, data: Any) -> Any:
        return values.decode(data, lambda body: self._objects[body["id"]])

    def _new_module(self, name: str, source: str) -> types.CodeType:
        module = types.ModuleType(name)
        self._namespace = module.__dict__
        self._namespace["__builtins__"] = builtins
        self._namespace["__file__"] = f"{name}.py"
        sys.modules[name] = module
        return compile(source, f"{name}.py", "exec", dont_inherit=True)

    def _load(self, request: dict[str, Any]) -> Any:
        """Run the program as a module and say what the names the tests use mean in it."""
        exec(self._new_module(MODULE, request["program"]), self._namespace)
        found = {}
        for name in request["names"]:
            if name in self._namespace:
                found[name] = self._encode(self._namespace[name])
        return found

    def _script(self, request: dict[str, Any]) -> Any:
        """Run the program as a script and return its exit status."""
        sys.argv = ["main.py"]
        try:
            exec(self._new_module("__main__", request["program"]), self._namespace)
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
        """Call an object; return the result and, where arguments were changed, what they are now."""
        function = self._objects[request["id"]]
        positional = [self._decode(item) for item in request["args"]]
        named = {name: self._decode(item) for name, item in request.get("kwargs", {}).items()}
        result = function(*positional, **named)
        reply: dict[str, Any] = {"result": self._encode(result)}
        changed = {}
        for index, (before, now) in enumerate(zip(request["args"], positional, strict=True)):
            if type(now) not in _PLAIN_IMMUTABLE:
                after = self._encode(now)
                if after != before:
                    changed[str(index)] = after
        if changed:
            reply["changed"] = changed
        for index, item in enumerate(positional):
            if item is result:
                reply["same"] = index
        return reply

    def _apply(self, request: dict[str, Any]) -> Any:
        """Apply one of a fixed set of operations to an object: attributes, items, operators."""
        target = self._objects[request["id"]]
        arguments = [self._decode(item) for item in request["args"]]
        return self._encode(APPLICATIONS[request["what"]](target, *arguments))

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
        return {"type": type(result).__name__, "value": self._encode(result)}

    def _suite(self, request: dict[str, Any]) -> Any:
        """Run a suite that can only be judged in this process."""
        return hardened.run(self._namespace, request)


def seed() -> None:
    """Make pseudo-random numbers the same in every run."""
    random.seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def use_standard_input() -> None:
    """Make descriptor 0, which was replaced, what ``sys.stdin`` reads."""
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")


def _set_item(target: Any, key: Any, value: Any) -> None:
    target[key] = value


def _delete_item(target: Any, key: Any) -> None:
    del target[key]


APPLICATIONS: dict[str, Callable[..., Any]] = {
    "getattr": getattr,
    "setattr": setattr,
    "delattr": delattr,
    "getitem": lambda target, key: target[key],
    "setitem": _set_item,
    "delitem": _delete_item,
    "contains": lambda target, item: item in target,
    "len": len,
    "bool": bool,
    "iter": iter,
    "next": next,
    "str": str,
    "repr": repr,
    "eq": lambda target, other: target == other,
    "lt": lambda target, other: target < other,
    "le": lambda target, other: target <= other,
    "gt": lambda target, other: target > other,
    "ge": lambda target, other: target >= other,
    "add": lambda target, other: target + other,
    "sub": lambda target, other: target - other,
    "mul": lambda target, other: target * other,
    "truediv": lambda target, other: target / other,
    "floordiv": lambda target, other: target // other,
    "mod": lambda target, other: target % other,
    "pow": lambda target, other: target**other,
    "enter": lambda target: target.__enter__(),
    "exit": lambda target: target.__exit__(None, None, None),
}

"""Suites that can only be judged inside the program's own process.

What the checks are made of is copied before a program runs: a second set of :mod:`unittest`'s modules that no program
has a name for, with builtins of its own, so that replacing either in the program's sight doesn't reach them. Equality
holds only between like types, and for plain values only by what they hold. Still, a program that looks long enough
finds its way to anything in its process: an outcome that comes from here says ``tamper_proof: false``.
"""

from __future__ import annotations

import builtins
import sys
from types import ModuleType
from typing import Any

from . import exceptions, suites, values

_NAMES = ("unittest.util", "unittest.result", "unittest.case", "unittest.suite", "unittest.loader", "unittest")
_BUILTINS: dict[str, Any] = {}
_MODULES: dict[str, ModuleType] = {}


def prepare() -> None:
    """Make the copies; called by the server before any program runs. Of unittest only where it is loaded already."""
    _BUILTINS.update(vars(builtins))
    _BUILTINS["__import__"] = _import
    if "unittest" not in sys.modules:
        return
    from importlib.util import find_spec, module_from_spec

    kept = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "unittest"}
    for name in kept:
        del sys.modules[name]
    try:
        for name in ("unittest", *_NAMES[:-1]):
            spec = find_spec(name)
            assert spec is not None and spec.loader is not None
            if name in sys.modules:
                continue
            module = module_from_spec(spec)
            module.__dict__["__builtins__"] = _BUILTINS
            sys.modules[name] = module
            spec.loader.exec_module(module)
        _MODULES.update({name: module for name, module in sys.modules.items() if name.split(".")[0] == "unittest"})
    finally:
        for name in list(sys.modules):
            if name.split(".")[0] == "unittest":
                del sys.modules[name]
        sys.modules.update(kept)
    case = _MODULES["unittest"].TestCase
    case.assertEqual = _assert_equal
    case.assertNotEqual = _assert_not_equal
    case.assertIn = _assert_in


def _import(name: str, scope: Any = None, local: Any = None, names: Any = (), level: int = 0) -> Any:
    """Import a module, the copy where there is one."""
    if level == 0 and name.split(".")[0] == "unittest" and name in _MODULES:
        return _MODULES[name] if names else _MODULES["unittest"]
    return _real_import(name, scope, local, names, level)


_real_import = builtins.__import__


def equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal, without asking a value that isn't plain about a plain one.

    Plain values, and containers of them, are compared by what they hold. Other objects are equal to themselves and,
    by their own rule, to objects of the same type.
    """
    if first is second:
        return True
    plain = []
    for value in (first, second):
        try:
            plain.append(values.decode(values.encode(value)))
        except Exception:
            continue
    if len(plain) == 2:
        result = plain[0] == plain[1]
        return result if type(result) is bool else bool(result.all())
    related = isinstance(first, type(second)) or isinstance(second, type(first))
    if len(plain) == 1 or not (related or _one_family(first, second)):
        return False
    if type(first) in (list, tuple):
        return len(first) == len(second) and all(equal(*pair) for pair in zip(first, second, strict=True))
    if type(first) is dict:
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    return (first == second) is True


def _one_family(first: Any, second: Any) -> bool:
    """Return whether two objects have a class of the program in common that they are derived from."""
    return any(base in type(second).__mro__ and base.__module__ == "candidate" for base in type(first).__mro__)


def _assert_equal(self: Any, first: Any, second: Any, msg: Any = None) -> None:
    if not equal(first, second):
        raise self.failureException(_message(msg, f"{_shown(first)} != {_shown(second)}"))


def _assert_not_equal(self: Any, first: Any, second: Any, msg: Any = None) -> None:
    if equal(first, second):
        raise self.failureException(_message(msg, f"{_shown(first)} == {_shown(second)}"))


def _assert_in(self: Any, member: Any, container: Any, msg: Any = None) -> None:
    if type(container) in (str, bytes, range):
        found = member in container
    else:
        found = any(equal(member, item) for item in container)
    if not found:
        raise self.failureException(_message(msg, f"{_shown(member)} not found in {_shown(container)}"))


def _message(given: Any, made: str) -> str:
    return made if given is None else f"{made} : {given}"


def _shown(value: Any) -> str:
    return repr(value)[:500]


def run_suite(namespace: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Run a suite on a program's namespace and return the verdict as plain values."""
    scope = {**namespace, "__name__": "tests", "__builtins__": _BUILTINS}
    verdict: dict[str, Any] = {"tests_run": 0, "status": "passed"}
    try:
        exec(request["support_code"], scope)
        exec(request["tests_code"], scope)
        if request["kind"] == "unittest":
            result = suites.run_classes(scope, request["only"], _MODULES["unittest"])
            verdict["tests_run"] = result.finished
            if result.problem is not None:
                verdict["failed_test"] = result.failed_test
                raise result.problem
        else:
            if "check" in scope:
                scope["check"](namespace[request["entry_point"]])
            verdict["tests_run"] = 1
    except BaseException as error:
        described = exceptions.describe(error)
        verdict["status"] = "failed" if isinstance(error, _BUILTINS["AssertionError"]) else "error"
        verdict["exception_type"] = described["type"]
        verdict["exception_message"] = described["message"]
        line = suites.failing_line(error.__traceback__, request["tests"])
        verdict["failed_test"] = ": ".join(part for part in (verdict.get("failed_test", ""), line) if part)
    return verdict


def checked_verdict(verdict: Any) -> dict[str, Any]:
    """Return a verdict made safe to read: the program's process wrote it."""
    if type(verdict) is not dict or verdict.get("status") not in ("passed", "failed", "error"):
        return {"status": "error", "exception_message": "no verdict came"}
    made: dict[str, Any] = {"status": verdict["status"]}
    for name in ("failed_test", "exception_type", "exception_message"):
        made[name] = str(verdict.get(name, ""))[:4000]
    count = verdict.get("tests_run")
    made["tests_run"] = count if type(count) is int and count >= 0 else 0
    return made

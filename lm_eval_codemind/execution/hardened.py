"""Suites that can only be judged inside the program's own process.

The checks here use copies of what they need made before the program ran, so that replacing ``unittest`` or builtins
doesn't reach them. A program can still find its way to them: an outcome that comes from here says ``tamper_proof: false``.
"""

from __future__ import annotations

import builtins
from typing import Any

from . import suites


def run(namespace: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Run a suite on a program's namespace and return the verdict as plain values."""
    from .agent import describe_exception

    scope = {**namespace, "__name__": "tests", "__builtins__": builtins}
    verdict: dict[str, Any] = {"tests_run": 0, "status": "passed"}
    try:
        exec(compile(request["support"], "support.py", "exec"), scope)
        exec(compile(request["tests"], "tests.py", "exec"), scope)
        if request["kind"] == "unittest":
            result = suites.run_classes(scope, request["only"])
            verdict["tests_run"] = result.finished
            if result.problem is not None:
                verdict["failed_test"] = result.failed_test
                raise result.problem
        else:
            if "check" in scope:
                scope["check"](namespace[request["entry_point"]])
            verdict["tests_run"] = 1
    except BaseException as error:
        described = describe_exception(error)
        verdict["status"] = "failed" if isinstance(error, AssertionError) else "error"
        verdict["exception_type"] = described["type"]
        verdict["exception_message"] = described["message"]
        line = suites.line_of(error.__traceback__, request["tests"])
        verdict["failed_test"] = ": ".join(part for part in (verdict.get("failed_test", ""), line) if part)
    return verdict


def checked(verdict: Any) -> dict[str, Any]:
    """Return a verdict made safe to read: the program's process wrote it."""
    if type(verdict) is not dict or verdict.get("status") not in ("passed", "failed", "error"):
        return {"status": "error", "exception_message": "no verdict came"}
    made: dict[str, Any] = {"status": verdict["status"]}
    for name in ("failed_test", "exception_type", "exception_message"):
        made[name] = str(verdict.get(name, ""))[:4000]
    count = verdict.get("tests_run")
    made["tests_run"] = count if type(count) is int and count >= 0 else 0
    return made

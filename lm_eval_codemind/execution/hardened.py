"""Suites that can only be judged inside the program's own process."""

from __future__ import annotations

import builtins
import unittest
from typing import Any


def run(namespace: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Run test classes on a program's namespace and return the verdict as plain values."""
    scope = {**namespace, "__name__": "tests", "__builtins__": builtins}
    exec(compile(request["support"], "support.py", "exec"), scope)
    exec(compile(request["tests"], "tests.py", "exec"), scope)
    result = unittest.TestResult()
    result.failfast = True
    suite = unittest.TestSuite()
    loader = unittest.TestLoader()
    for name, value in list(scope.items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == "tests":
            for method in loader.getTestCaseNames(value):
                if not request["only"] or name in request["only"] or f"{name}.{method}" in request["only"]:
                    suite.addTest(value(method))
    if not suite.countTestCases():
        return {"status": "error", "exception_message": "no test was found"}
    suite.run(result)
    verdict: dict[str, Any] = {"tests_run": result.testsRun, "status": "passed"}
    for status, entries in (("failed", result.failures), ("error", result.errors)):
        for test, text in entries:
            last = text.strip().splitlines()[-1]
            kind, _, message = last.partition(": ")
            verdict.update(status=status, failed_test=str(test.id()), exception_type=kind, exception_message=message)
    return verdict

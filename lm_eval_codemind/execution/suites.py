"""Test suites: where one can be judged, and running one made of test classes."""

from __future__ import annotations

import ast
import functools
from types import TracebackType
from typing import Any

# Modules whose use in tests says nothing of the program beyond its values: no files, no patching, no capture of output.
_HARMLESS = {
    "bisect", "calendar", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools",
    "heapq", "itertools", "json", "math", "numbers", "numpy", "operator", "random", "re", "statistics", "string",
    "textwrap", "time", "typing", "unittest", "uuid",
}  # fmt: skip
# Reaching into the program's process, or around the values it returns.
_NEEDS_PROCESS = {
    "open", "exec", "eval", "compile", "globals", "locals", "vars", "patch", "Mock", "MagicMock", "mock", "os", "sys",
    "io", "shutil", "tempfile", "sqlite3", "socket", "csv", "inspect", "gc", "deepcopy", "copy", "id", "super",
}  # fmt: skip
_MUTATORS = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "appendleft", "popleft",
}  # fmt: skip
_TEST_CASES = {"TestCase", "unittest.TestCase", "IsolatedAsyncioTestCase"}


@functools.lru_cache(maxsize=256)
def needs_process(tests: str, support: str, kind: str) -> str:
    """Return why a suite can only be judged inside the program's process, or an empty text.

    Decided by the suite alone, so that no program can bring it about. A function's suite is judged from outside
    unless it passes the program an object of its own, which shows when it runs.

    Args:
        tests: The suite's source.
        support: Trusted source that runs before it.
        kind: ``function`` or ``unittest``.
    """
    if kind == "function":
        return ""
    tree = ast.parse(support + "\n" + tests)
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        reason = _reason(node, classes)
        if reason:
            return reason
    return ""


def _reason(node: ast.AST, classes: set[str]) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] not in _HARMLESS or name == "unittest.mock":
                return f"it imports {name}"
    if isinstance(node, ast.Name) and node.id in _NEEDS_PROCESS:
        return f"it uses {node.id}"
    if isinstance(node, ast.ClassDef):
        for base in node.bases:
            if ast.unparse(base) not in _TEST_CASES and ast.unparse(base) not in classes:
                return f"class {node.name} is derived from {ast.unparse(base)}"
    # An attribute arrives as a copy, so that changing its content wouldn't reach the program.
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
        targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
        for target in targets:
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute | ast.Subscript):
                return f"it changes the content of {ast.unparse(target.value)}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
        owner = node.func.value
        if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Attribute | ast.Name) and _is_deep(owner):
            return f"it changes the content of {ast.unparse(owner)}"
    return ""


def _is_deep(owner: ast.Attribute) -> bool:
    """Return whether an attribute is one of the program's objects, not one of the test case itself."""
    return not (isinstance(owner.value, ast.Name) and owner.value.id == "self")


class FirstProblem:
    """Takes a test run's events, stops it at the first test that doesn't succeed and keeps the exception itself.

    It is what :mod:`unittest` calls a result, without being derived from its class, of which there may be two.
    """

    shouldStop = False

    def __init__(self) -> None:
        self.failed_test = ""
        self.problem: BaseException | None = None
        self.finished = 0

    def _keep(self, test: Any, error: Any) -> None:
        if self.problem is None:
            self.failed_test = str(test.id()).removeprefix("tests.")
            self.problem = error[1]
        self.shouldStop = True

    def startTestRun(self) -> None:  # noqa: D102
        pass

    stopTestRun = startTestRun

    def startTest(self, test: Any) -> None:  # noqa: D102
        pass

    stopTest = startTest

    def addError(self, test: Any, err: Any) -> None:  # noqa: D102
        self._keep(test, err)

    addFailure = addError

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: D102
        if err is not None:
            self._keep(subtest, err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: D102
        self._keep(test, (None, AssertionError(f"skipped: {reason}"), None))

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: D102
        self.finished += 1

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: D102
        self._keep(test, (None, AssertionError("an expected failure succeeded"), None))

    def addSuccess(self, test: Any) -> None:  # noqa: D102
        self.finished += 1


class NoTests(Exception):
    """None of the tests asked for is in the suite."""


def run_classes(namespace: dict[str, Any], only: list[str], framework: Any) -> FirstProblem:
    """Run the test classes of a namespace up to the first problem.

    Args:
        namespace: Where the suite's source ran; its ``__name__`` is ``tests``.
        only: Names of classes, or ``Class.method``; all if empty.
        framework: The :mod:`unittest` whose classes they are.

    Raises:
        NoTests: If there is nothing to run, or a name in ``only`` isn't there.
    """
    chosen = []
    unknown = set(only)
    for name, value in list(namespace.items()):
        if not (isinstance(value, type) and issubclass(value, framework.TestCase) and value.__module__ == "tests"):
            continue
        for method in framework.TestLoader().getTestCaseNames(value):
            if not only or name in only or f"{name}.{method}" in only:
                chosen.append(value(method))
                unknown -= {name, f"{name}.{method}"}
    if unknown:
        raise NoTests(f"the suite has no {', '.join(sorted(unknown))}")
    if not chosen:
        raise NoTests("the suite has no tests")
    result = FirstProblem()
    framework.TestSuite(chosen).run(result)
    if result.problem is None and result.finished != len(chosen):
        result.problem = AssertionError(f"{len(chosen) - result.finished} of {len(chosen)} tests gave no result")
    return result


def line_of(trace: TracebackType | None, tests: str) -> str:
    """Return the innermost line of the tests on the way to an exception."""
    number = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "tests.py":
            number = trace.tb_lineno
        trace = trace.tb_next
    lines = tests.splitlines()
    return lines[number - 1].strip()[:4000] if 0 < number <= len(lines) else ""

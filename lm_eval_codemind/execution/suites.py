"""Running a test suite made of test classes."""

from __future__ import annotations

from types import TracebackType
from typing import Any


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


def failing_line(trace: TracebackType | None, tests: str) -> str:
    """Return the innermost line of the tests on the way to an exception."""
    number = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "tests.py":
            number = trace.tb_lineno
        trace = trace.tb_next
    lines = tests.splitlines()
    return lines[number - 1].strip()[:4000] if 0 < number <= len(lines) else ""

"""Running a test suite: the same code in the checker and in the program's process."""

import builtins
import functools
import random
import sys
import types
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any

MOST_TEXT = 4000
"""Characters of a text that an outcome has of a program, but for what it printed."""
# By identity: a class can say that it has any name.
_BUILTIN = {
    kind: name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__name__ == name
}  # fmt: skip
# The module in which tests run. ``unittest`` looks for ``setUpModule`` and ``tearDownModule`` there.
MODULE = "tests"


class NoTests(Exception):
    """The suite has none of the requested tests."""


class Result:
    """The result of a suite, which ends at the first test that fails. ``unittest`` calls this a result as well.

    It has the name of that test and its exception, and the number of tests that ran to their end.
    """

    shouldStop = False

    def __init__(self) -> None:
        self.failed_test = ""
        self.problem: BaseException | None = None
        self.tests_run = 0
        self._has_outcome = False

    def _keep(self, test: Any, problem: BaseException) -> None:
        self._has_outcome = True
        if self.problem is None:
            self.failed_test = str(test.id()).removeprefix(f"{type(test).__module__}.")
            self.problem = problem
        self.shouldStop = True

    def startTest(self, test: Any) -> None:  # noqa: D102
        self._has_outcome = False

    def stopTest(self, test: Any) -> None:  # noqa: D102
        if not self._has_outcome:
            self._keep(test, AssertionError("the test gave no result"))

    def addDuration(self, test: Any, elapsed: float) -> None:  # noqa: D102
        pass

    def addError(self, test: Any, err: Any) -> None:  # noqa: D102
        self._keep(test, err[1])

    addFailure = addError

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: D102
        if err is not None:
            self._keep(subtest, err[1])

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: D102
        self._has_outcome = True

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: D102
        self._keep(test, AssertionError("an expected failure succeeded"))

    def addSuccess(self, test: Any, err: Any = None) -> None:  # noqa: D102
        self._has_outcome = True
        self.tests_run += 1

    addExpectedFailure = addSuccess


@functools.lru_cache(maxsize=200)
def compiled(source: str, name: str) -> CodeType:
    """Return the code of a source, by the name of its file."""
    return compile(source, name, "exec", dont_inherit=True)


def new_module() -> dict[str, Any]:
    """Return the namespace of a new, empty module for tests."""
    module = sys.modules[MODULE] = types.ModuleType(MODULE)
    return vars(module)


def run(
    namespace: dict[str, Any], tests: CodeType, kind: str, entry_point: str, only: list[str], start: int = 0
) -> Result:
    """Run the tests of a suite in a module's namespace, up to the first that fails, or raise what they raise.

    ``start`` is the seed of random numbers, and ``only`` has names of test classes, or ``Class.method``.
    """
    result = Result()
    # Of these the tests define their own, or there are none.
    former = dict(namespace)
    seed(start)
    exec(tests, namespace)
    if kind == "unittest":
        import unittest

        unittest.TestSuite(_chosen(namespace, former, only, unittest)).run(result)  # type: ignore[arg-type]
        return result
    check = namespace.get("check")
    if check is not former.get("check") and callable(check):
        if not entry_point:
            raise NoTests("the suite defines check(candidate), which needs the name of an entry point")
        check(namespace[entry_point])
    result.tests_run = 1
    return result


def _chosen(namespace: dict[str, Any], former: dict[str, Any], only: list[str], framework: Any) -> list[Any]:
    cases = []
    unknown = set(only)
    # In the order of ``unittest``.
    for name, value in sorted(namespace.items()):
        # A stub must not be asked for its class, nor compared.
        if name in former or not (issubclass(type(value), type) and issubclass(value, framework.TestCase)):
            continue
        if value.__module__ != namespace["__name__"]:
            continue
        for method in framework.TestLoader().getTestCaseNames(value):
            if not only or name in only or f"{name}.{method}" in only:
                cases.append(value(method))
                unknown -= {name, f"{name}.{method}"}
    if unknown:
        raise NoTests(f"the suite has no {', '.join(sorted(unknown))}")
    if not cases:
        raise NoTests("the suite has no tests")
    return cases


def seed(number: int = 0) -> None:
    """Make pseudo-random numbers the same in every run."""
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)


def traces(error: BaseException) -> Iterator[TracebackType]:
    """Yield the entries of an exception's traceback, the innermost last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def failure(error: BaseException, tests: str, test: str = "") -> dict[str, Any]:
    """Return what an outcome says of an exception: type, text, and the test with the innermost line of the tests."""
    numbers = [0, *(trace.tb_lineno for trace in traces(error) if trace.tb_frame.f_code.co_filename == "tests.py")]
    lines = tests.splitlines()
    line = lines[numbers[-1] - 1].strip() if 0 < numbers[-1] <= len(lines) else ""
    described = describe(error)
    return {
        "exception_type": described["type"],
        "exception_message": described["message"],
        "failed_test": ": ".join(part for part in (test, line) if part),
    }


def describe(error: BaseException) -> dict[str, Any]:
    """Return an exception as plain values: the name of its type, its built-in base classes, and its text."""
    kind = type(error)
    bases = [_BUILTIN[base] for base in kind.__mro__ if base in _BUILTIN]
    try:
        text = str(error)
    except BaseException as second:
        text = f"<{type(second).__name__} while printing the exception>"
    return {
        "type": str(kind.__name__)[:200],
        "bases": bases,
        "message": text[:MOST_TEXT],
        "errno": error.errno if isinstance(error, OSError) and type(error.errno) is int else None,
    }

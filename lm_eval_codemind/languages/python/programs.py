"""What has to be executed to obtain the output of a problem."""

from __future__ import annotations

from dataclasses import dataclass

from lm_eval_codemind.problems.record import Problem

_TEST_CASE = """

import unittest


class Test(unittest.TestCase):
    test = test
"""


@dataclass(frozen=True)
class Execution:
    """A program and what is run on it.

    Attributes:
        module: Source of a module, complete.
        expression: The expression whose value is the output; None for scripts, whose output is what they print.
        stdin: The text a script reads.
    """

    module: str
    expression: str | None
    stdin: str = ""


def execution_of(problem: Problem, *, code: str | None = None, input: str | None = None) -> Execution:
    """Return what to execute for the output of a problem, or of another program or input in its place.

    A method's input is the source of a test method: it runs as the only test of a ``unittest.TestCase``, whose return
    value is the output.

    Args:
        problem: The problem.
        code: A program instead of the problem's own, such as its C+.
        input: An input instead of the problem's own, in the same form.
    """
    program = problem.code if code is None else code
    given = problem.input if input is None else input
    if problem.kind == "function":
        return Execution(program, given)
    if problem.kind == "script":
        return Execution(program, None, stdin=given)
    return Execution(f"{program.rstrip()}\n\n\n{given.rstrip()}\n{_TEST_CASE}", "Test('test').test()")

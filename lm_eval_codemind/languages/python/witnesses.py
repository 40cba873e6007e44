"""Witnesses as a test suite: each input must give its output, or raise its exception."""

import ast
import textwrap
from collections.abc import Sequence

from lm_eval_codemind.problems import Case

RAISES = "raise "
"""What the output of a witness begins with, if the program raises an exception."""

# Floats may differ in their last digits, as sums in another order do.
_HELPERS = {
    "equal(": """\
import math


def equal(value, expected):
    if isinstance(expected, float) and isinstance(value, (int, float)):
        return math.isclose(value, expected, rel_tol=1e-7, abs_tol=1e-6)
    for kind in (list, tuple):
        if isinstance(expected, kind) and isinstance(value, kind):
            return len(value) == len(expected) and all(map(equal, value, expected))
    return value == expected
""",
    "raises(": """\
def raises(exception, call):
    try:
        call()
    except exception:
        return True
    return False
""",
}


def function_suite(witnesses: Sequence[Case]) -> str:
    """Return assertions about calls."""
    return _with_helpers([_assertion(case.input.strip(), case.output) for case in witnesses])


def method_suite(witnesses: Sequence[Case]) -> str:
    """Return a ``unittest.TestCase`` with a test for each test method that returns a value."""
    tests = ["import unittest", "", "", "class Witnesses(unittest.TestCase):"]
    for number, case in enumerate(witnesses):
        method = textwrap.indent(ast.unparse(ast.parse(case.input)), " " * 8)
        assertion = _assertion(f"{_name(case.input)}(self)", case.output)
        tests += [f"    def test_{number:02}(self):", method, f"        {assertion}", ""]
    return _with_helpers(tests)


def _with_helpers(tests: Sequence[str]) -> str:
    text = "\n".join(tests)
    return "\n\n".join([*(source for name, source in _HELPERS.items() if f"assert {name}" in text), f"{text}\n"])


def _name(test: str) -> str:
    return [node.name for node in ast.parse(test).body if isinstance(node, ast.FunctionDef)][-1]


def _assertion(expression: str, output: str) -> str:
    exception = output.removeprefix(RAISES)
    if exception != output:
        return f"assert raises({exception}, lambda: {expression})"
    inexact = any(isinstance(node, ast.Constant) and type(node.value) is float for node in ast.walk(ast.parse(output)))
    return f"assert equal({expression}, {output})" if inexact else f"assert {expression} == {output}"

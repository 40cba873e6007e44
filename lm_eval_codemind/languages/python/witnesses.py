"""Witnesses as a test suite: each input must give its output, or raise its exception."""

import ast
import textwrap
from collections.abc import Sequence

from lm_eval_codemind.problems import Case

RAISES = "raise "
"""What the output of a witness begins with, if the program raises an exception."""
TOLERANCE = 1e-7
"""The relative tolerance of floats: they may differ in their last digits, as sums in another order do."""

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


# What a suite compares, if not the values themselves.
_FORMS = ("set", "tuple")


def function_suite(witnesses: Sequence[Case], tolerance: float = TOLERANCE) -> str:
    """Return assertions about calls. Floats may differ by the tolerance, relative to their size."""
    return _with_helpers([_assertion(case.input.strip(), case.output) for case in witnesses], tolerance)


def tolerance_of(tests: str) -> float:
    """Return by how much floats may differ, relative to their size: what a suite says, else :data:`TOLERANCE`."""
    calls = (node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.Call))
    stated = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "rel_tol"]
    return max([TOLERANCE, *(float(ast.literal_eval(value)) for value in stated)])


def call_form(tests: str, entry_point: str) -> str | None:
    """Return how a suite compares a call with a value, with ``{}`` for the call, such as ``set({})``.

    None if it does something else than to compare.
    """
    names = (entry_point, "candidate")
    asserted = [node.test for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.Assert)]
    forms = {_form(test, names) for test in asserted if not isinstance(test, ast.Constant)}
    return forms.pop() if len(forms) == 1 else None


def _form(test: ast.expr, names: Sequence[str]) -> str | None:
    match test:
        case ast.Compare(
            ast.Call(ast.Name(one), [ast.Call(ast.Name(called))], []), [ast.Eq()], [ast.Call(ast.Name(other))]
        ) if one == other and one in _FORMS and called in names:
            return f"{one}({{}})"
        case (
            ast.Compare(ast.Call(ast.Name(called)), [ast.Eq() | ast.Is()], _)
            | ast.Compare(ast.Call(ast.Name("abs"), [ast.BinOp(ast.Call(ast.Name(called)), ast.Sub())]), [ast.Lt()], _)
            | ast.Call(ast.Attribute(ast.Name("math"), "isclose"), [ast.Call(ast.Name(called)), _])
            | ast.UnaryOp(ast.Not(), ast.Call(ast.Name(called)))
            | ast.Call(ast.Name(called))
        ) if called in names:
            return "{}"
    return None


def method_suite(witnesses: Sequence[Case]) -> str:
    """Return a ``unittest.TestCase`` with a test for each test method that returns a value."""
    tests = ["import unittest", "", "", "class Witnesses(unittest.TestCase):"]
    for number, case in enumerate(witnesses):
        method = textwrap.indent(ast.unparse(ast.parse(case.input)), " " * 8)
        assertion = _assertion(f"{_name(case.input)}(self)", case.output)
        tests += [f"    def test_{number:02}(self):", method, f"        {assertion}", ""]
    return _with_helpers(tests)


def _with_helpers(tests: Sequence[str], tolerance: float = TOLERANCE) -> str:
    text = "\n".join(tests)
    helpers = [source for name, source in _HELPERS.items() if f"assert {name}" in text]
    suite = "\n\n".join([*helpers, f"{text}\n"])
    return suite if tolerance == TOLERANCE else suite.replace("rel_tol=1e-7", f"rel_tol={tolerance}")


def _name(test: str) -> str:
    return [node.name for node in ast.parse(test).body if isinstance(node, ast.FunctionDef)][-1]


def _assertion(expression: str, output: str) -> str:
    exception = output.removeprefix(RAISES)
    if exception != output:
        return f"assert raises({exception}, lambda: {expression})"
    inexact = any(isinstance(node, ast.Constant) and type(node.value) is float for node in ast.walk(ast.parse(output)))
    return f"assert equal({expression}, {output})" if inexact else f"assert {expression} == {output}"

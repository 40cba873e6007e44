"""The test that specification reasoning shows to the model, and its contradiction.

One test of a problem's suite is drawn by a seed: an assertion about a function's value, or a test method about a
method. Its misleading twin expects another value of the same type: booleans negated, numbers changed in sign and by
a large amount, strings and containers altered in value. Both are pure functions of the problem and the seed.
"""

import ast
import copy
import dataclasses
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.languages.python.names import replaced
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.problems import Problem

# A name, as a text mentions it.
WORD = re.compile(r"[^\W\d]\w*")

# How far numbers are moved: further than any tolerance that the suites compare with.
_OFFSET = 1013

_NEGATIONS = {
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertIsNone": "assertIsNotNone",
    "assertIsNotNone": "assertIsNone",
}
_EQUALITIES = frozenset({"assertEqual", "assertEquals", "assertAlmostEqual", "assertListEqual", "assertDictEqual"})
_WRAPPERS = frozenset({"set", "sorted", "list", "tuple", "frozenset", "round"})


@dataclass(frozen=True)
class Hint:
    """A test for the prompt.

    Attributes:
        test: The test as it is true: an assertion, or a module with one ``unittest`` class with one test method.
        misleading: The same with a contradicting expectation; empty if the test has none that can be altered.
    """

    test: str
    misleading: str


def with_drawn(problem: Problem, hints: Iterable[Hint], seed: int) -> Problem:
    """Return the problem with the test drawn for it and that test's misleading twin; empty ones where there is none.

    Tests that have a misleading twin go before those that have none, so that all settings show the same test
    wherever that is possible.

    Args:
        problem: The draw depends on its name, not on its neighbours.
        hints: Those of its suite.
        seed: The seed.
    """
    found = list(hints)
    choices = [hint for hint in found if hint.misleading] or found or [Hint("", "")]
    hint = random.Random(f"{seed}:{problem.problem_id}").choice(choices)
    return dataclasses.replace(problem, hint_test=hint.test, misleading_test=hint.misleading)


# ---- functions


def function_hints(problem: Problem) -> Iterator[Hint]:
    """Yield the assertions of a function's suite that stand by themselves.

    Where a suite holds none (it draws its arguments at random, or loops), the problem's own input and output are one.
    """
    tree = ast.parse(problem.tests)
    check = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    statements = check.body if check is not None else tree.body
    name = check.args.args[0].arg if check is not None else problem.entry_point
    assertions = [node for node in statements if isinstance(node, ast.Assert)]
    found = [hint for node in assertions for hint in _from_assertion(node, name, problem)]
    if not found and problem.output:
        own = ast.parse(f"assert {problem.input} == {problem.output}").body[0]
        assert isinstance(own, ast.Assert)
        found = list(_from_assertion(own, problem.entry_point, problem))
    yield from found


def _from_assertion(node: ast.Assert, name: str, problem: Problem) -> Iterator[Hint]:
    """Yield the assertion as a hint if it is about one call of the function with arguments that are spelt out."""
    calls = _calls(node.test, name)
    if len(calls) != 1 or any(_names([*calls[0].args, *(item.value for item in calls[0].keywords)])):
        return
    plain = ast.Assert(test=_renamed(node.test, name, problem.entry_point), msg=None)
    yield Hint(_text(plain), _contradiction(plain, problem.entry_point))


def _contradiction(node: ast.Assert, name: str) -> str:
    """Return the assertion with another expected value, or the empty string if it compares with none."""
    test = copy.deepcopy(node.test)
    expected = _expected(test, name)
    if expected is not None:
        try:
            value = ast.literal_eval(expected)
        except ValueError:
            return ""
        other = altered(value)
        return "" if other is None else _text(ast.Assert(test=replaced(test, expected, _literal(other)), msg=None))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _calls(test.operand, name):
        return _text(ast.Assert(test=test.operand, msg=None))
    if _is_call(test, name):
        return _text(ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=test), msg=None))
    return ""


def expected_literal(test: str, entry_point: str) -> str | None:
    """Return the value, as a literal, that an assertion on a function expects it to return; None if it names none."""
    node = ast.parse(test).body[0]
    if not isinstance(node, ast.Assert):
        return None
    expected = _expected(node.test, entry_point)
    if expected is not None:
        return unparse(expected)
    if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
        return "False"
    return "True" if isinstance(node.test, ast.Call) else None


def _expected(test: ast.expr, name: str) -> ast.expr | None:
    """Return the expression of the expected value in ``f(x) == v``, ``abs(f(x) - v) < e``, ``isclose(f(x), v)``."""
    match test:
        case ast.Compare(left, [ast.Eq() | ast.Is()], [right]):
            actual, expected = (left, right) if _calls(left, name) else (right, left)
            if _is_call(_unwrapped(actual), name):
                return _unwrapped(expected)
        case ast.Compare(
            ast.Call(ast.Name("abs"), [ast.BinOp(first, ast.Sub(), second)]), [ast.Lt() | ast.LtE()], [_]
        ) | ast.Call(ast.Attribute(attr="isclose"), [first, second, *_]) if _is_call(first, name):
            return second
    return None


def _unwrapped(node: ast.expr) -> ast.expr:
    """Return x of ``set(x)``, ``round(x, 2)`` and the like, or the expression itself."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS and node.args:
        return node.args[0]
    return node


# ---- methods


def method_hints(problem: Problem) -> Iterator[Hint]:
    """Yield the suite's test methods, each as a separate module with the fixtures of its class.

    Only those that call the method, unless none does: some methods are tested through others.
    """
    method = problem.entry_point.split(".")[-1]
    tree = ast.parse(problem.tests)
    direct = [test for suite in tree.body for test in _tests(suite) if _reaches(test, method)]
    shared = [unparse(node) for node in tree.body if not isinstance(node, (ast.If, ast.Expr)) and not _tests(node)]
    for suite in tree.body:
        if not isinstance(suite, ast.ClassDef):
            continue
        fixtures = [node for node in suite.body if not _is_test(node)]
        for test in _tests(suite):
            if direct and test not in direct:
                continue
            # len() raises where a class answers with a negative number, so no program could follow such a test.
            twin = None if method == "__len__" else _contradicting_method(test)
            modules = []
            for version in (test, twin):
                one = copy.copy(suite)
                one.body = [*fixtures, version] if version is not None else []
                modules.append("\n".join([*shared, "", "", unparse(one), ""]) if version else "")
            yield Hint(*modules)


def _reaches(test: ast.stmt, method: str) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == method for part in ast.walk(test))


def _contradicting_method(test: ast.stmt) -> ast.stmt | None:
    """Return the test method with the expectation of its only assertion changed; None if it has none or several.

    With several assertions the others would go on to hold, and whether a program can meet them all is open.
    """
    other = copy.deepcopy(test)
    assertions = [part for part in ast.walk(other) if _is_assertion(part)]
    if len(assertions) != 1:
        return None
    call = assertions[0]
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    if call.func.attr in _NEGATIONS:
        call.func.attr = _NEGATIONS[call.func.attr]
        return other
    if call.func.attr not in _EQUALITIES or len(call.args) < 2:
        return None
    for position in (1, 0):
        value = _value_of(call.args[position], other)
        changed = None if value is None else altered(value)
        if changed is not None:
            call.args[position] = _literal(changed)
            return ast.fix_missing_locations(other)
    return None


def _value_of(node: ast.expr, test: ast.stmt) -> Any:
    """Return the value of a literal, or of a name that the test binds once, to a literal; None if it is neither."""
    if isinstance(node, ast.Name):
        bindings = _bindings(node.id, test)
        if len(bindings) != 1:
            return None
        node = bindings[0]
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")


def _tests(node: ast.stmt) -> list[ast.stmt]:
    """Return the test methods of a class."""
    return [part for part in node.body if _is_test(part)] if isinstance(node, ast.ClassDef) else []


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert")


# ---- what follows a misleading test to the letter


def function_following_misleading_test(problem: Problem) -> str | None:
    """Return a function that passes a problem's misleading test, as a model that trusts the test might write it.

    It returns what the test expects whatever it is given. None if the problem has no misleading test or it looks at
    something else.
    """
    if not problem.misleading_test:
        return None
    expected = expected_literal(problem.misleading_test, problem.entry_point)
    return None if expected is None else f"def {problem.entry_point}(*args, **kwargs):\n    return {expected}\n"


def method_following_misleading_test(problem: Problem) -> str | None:
    """Return a method that passes a problem's misleading test: it returns, or sets, what the test expects."""
    if not problem.misleading_test:
        return None
    module = ast.parse(problem.misleading_test)
    name = problem.entry_point.split(".")[-1]
    tests = [part for part in ast.walk(module) if isinstance(part, ast.stmt) and _is_test(part)]
    calls = [part for part in ast.walk(tests[0]) if _is_assertion(part)]
    if len(calls) != 1 or not isinstance(calls[0], ast.Call) or not isinstance(calls[0].func, ast.Attribute):
        return None
    assertion, arguments = calls[0].func.attr, calls[0].args
    constants = {"assertTrue": "True", "assertFalse": "False", "assertIsNone": "None", "assertIsNotNone": str(_OFFSET)}
    if assertion in constants:
        candidates = [(arguments[0], constants[assertion])]
    else:
        first, second = arguments[0], arguments[1]
        candidates = [(first, unparse(second)), (second, unparse(first))]
    receivers = {
        ast.dump(part.func.value)
        for part in ast.walk(tests[0])
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == name
    }
    for actual, expected in candidates:
        source = _last_value(actual, tests[0])
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == name:
            receiver = "" if _is_static(problem) else "self, "
            return f"def {name}({receiver}*args, **kwargs):\n    return {expected}\n"
        if isinstance(source, ast.Attribute) and ast.dump(source.value) in receivers:
            return f"def {name}(self, *args, **kwargs):\n    self.{source.attr} = {expected}\n"
    return None


def _last_value(node: ast.expr, test: ast.stmt) -> ast.expr:
    """Return the expression that a name was last given by in the test, or the expression itself."""
    if isinstance(node, ast.Name):
        return [node, *_bindings(node.id, test)][-1]
    return node


def _bindings(name: str, test: ast.stmt) -> list[ast.expr]:
    """Return the expressions that a test gives a name by assignment, in source order."""
    found = [
        part
        for part in ast.walk(test)
        if isinstance(part, ast.Assign) and any(_is_name(target, name) for target in part.targets)
    ]
    return [part.value for part in sorted(found, key=lambda part: part.lineno)]


def _is_static(problem: Problem) -> bool:
    return problem.specification.lstrip().startswith("@staticmethod")


# ---- values


def altered(value: Any) -> Any:
    """Return a different value of the same type; None if the type is not supported.

    Booleans are negated. Numbers change their sign and move away from zero by 1013. Strings and bytes are reversed, or
    extended if they equal their reverse. Containers get altered elements, or one more element if that has no effect.
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        ahead = value >= 0 if not isinstance(value, complex) else True
        return -value - _OFFSET if ahead else -value + _OFFSET
    if isinstance(value, (str, bytes)):
        extra = "z" if isinstance(value, str) else b"z"
        return value[::-1] if value[::-1] != value else value + extra  # type: ignore[operator]
    if isinstance(value, dict):
        if not value:
            return {"key": _OFFSET}
        changed = {key: _altered_or_same(item) for key, item in value.items()}
        return changed if changed != value else {**value, "key": _OFFSET}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [_altered_or_same(item) for item in value]
        kind = type(value)
        return kind(items) if items and kind(items) != value else kind([*value, _OFFSET])
    return None


def _altered_or_same(item: Any) -> Any:
    other = altered(item)
    return item if other is None else other


# ---- syntax


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and _is_name(node.func, name)


def _calls(node: ast.AST, name: str) -> list[ast.Call]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Call) and _is_name(part.func, name)]


def _names(nodes: list[ast.expr]) -> Iterator[str]:
    """Yield the names that expressions refer to, but for those of values and of literals' constructors."""
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in _WRAPPERS | {"float", "int", "str", "range"}:
                yield part.id


def _renamed(node: ast.expr, old: str, new: str) -> ast.expr:
    other = copy.deepcopy(node)
    for part in ast.walk(other):
        if isinstance(part, ast.Name) and part.id == old:
            part.id = new
    return other


def _literal(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _text(node: ast.stmt) -> str:
    return unparse(ast.fix_missing_locations(node)) + "\n"

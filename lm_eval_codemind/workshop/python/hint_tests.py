"""The test that specification reasoning shows to the model, and its contradiction.

One test of a problem's suite is drawn by a seed: an assertion about a function's value, or a test method about a
method. Its misleading twin expects another value of the same type: booleans negated, numbers changed in sign and by
a large amount, strings and containers altered in value. Both are pure functions of the problem and the seed.
"""

import ast
import copy
import dataclasses
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.languages.python.names import replaced
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.problems import Problem

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


def with_hint(problem: Problem, seed: int, telling: Collection[int] = ()) -> Problem:
    """Return the problem with the test drawn for it and that test's misleading twin; empty ones where there is none.

    Tests that have a misleading twin go before those that have none, so that all settings show the same test
    wherever that is possible.

    Problems in other languages than Python are returned as they are.

    Args:
        telling: Positions among :func:`hints_of`. Only these tests are drawn, unless it is empty.
    """
    if problem.language != "python":
        return problem
    hints = hints_of(problem)
    hints = [hints[position] for position in telling] or hints
    choices = [hint for hint in hints if hint.misleading] or hints or [Hint("", "")]
    hint = random.Random(f"{seed}:{problem.problem_id}").choice(choices)
    return dataclasses.replace(problem, hint_test=hint.test, misleading_test=hint.misleading)


def hints_of(problem: Problem) -> list[Hint]:
    """Return the tests of a suite that a prompt may show, in the order of the suite."""
    return function_hints(problem) if problem.kind == "function" else list(_method_hints(problem))


# ---- functions


def function_hints(problem: Problem) -> list[Hint]:
    """Return the assertions of a function's suite that stand by themselves.

    Where a suite holds none (it draws its arguments at random, or loops), the problem's own input and output are one.
    """
    statements, name = ast.parse(problem.tests).body, problem.entry_point
    check = next((node for node in statements if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    if check is not None:
        statements, name = check.body, check.args.args[0].arg
    hints = [hint for node in statements for hint in _from_assertion(node, name, problem)]
    if not hints and problem.output:
        (own,) = ast.parse(f"assert {problem.input} == {problem.output}").body
        hints = list(_from_assertion(own, problem.entry_point, problem))
    return hints


def _from_assertion(node: ast.stmt, name: str, problem: Problem) -> Iterator[Hint]:
    """Yield the assertion as a hint if it is about one call of the function with arguments that are spelt out."""
    calls = _calls(node.test, name) if isinstance(node, ast.Assert) else []
    if len(calls) == 1 and not any(map(_refers, [*calls[0].args, *calls[0].keywords])):
        assert isinstance(node, ast.Assert)
        test = copy.deepcopy(node.test)
        for part in ast.walk(test):
            if isinstance(part, ast.Name) and part.id == name:
                part.id = problem.entry_point
        yield Hint(_assertion(test), _contradiction(test, problem.entry_point))


def _contradiction(test: ast.expr, name: str) -> str:
    """Return an assertion of another value, or the empty string if the test compares with none. The test may change."""
    expected = _expected(test, name)
    if expected is not None:
        try:
            other = altered(ast.literal_eval(expected))
        except ValueError:
            return ""
        return "" if other is None else _assertion(replaced(test, expected, _literal(other)))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _calls(test.operand, name):
        return _assertion(test.operand)
    return _assertion(ast.UnaryOp(ast.Not(), test)) if _is_call(test, name) else ""


def expected_literal(test: str, entry_point: str) -> str | None:
    """Return the value, as a literal, that an assertion on a function expects it to return; None if it names none."""
    match ast.parse(test).body[0]:
        case ast.Assert(node) if (expected := _expected(node, entry_point)) is not None:
            return unparse(expected)
        case ast.Assert(ast.UnaryOp(ast.Not())):
            return "False"
        case ast.Assert(ast.Call()):
            return "True"
    return None


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


def _method_hints(problem: Problem) -> Iterator[Hint]:
    """Yield the suite's test methods, each as a separate module with the fixtures of its class.

    Only those that call the method, unless none does: some methods are tested through others.
    """
    method = problem.entry_point.split(".")[-1]
    module = ast.parse(problem.tests).body
    suites = [node for node in module if isinstance(node, ast.ClassDef) and any(map(_is_test, node.body))]
    shared = [unparse(node) for node in module if not isinstance(node, (ast.If, ast.Expr)) and node not in suites]
    tests = [(suite, test) for suite in suites for test in suite.body if _is_test(test)]
    direct = [
        (suite, test)
        for suite, test in tests
        if any(isinstance(part, ast.Attribute) and part.attr == method for part in ast.walk(test))
    ]
    for suite, test in direct or tests:
        # len() raises where a class answers with a negative number, so no program could follow such a test.
        twin = None if method == "__len__" else _contradicting_method(test)
        yield Hint(_module(shared, suite, test), "" if twin is None else _module(shared, suite, twin))


def _module(shared: list[str], suite: ast.ClassDef, test: ast.stmt) -> str:
    one = copy.copy(suite)
    one.body = [*(node for node in suite.body if not _is_test(node)), test]
    return "\n".join([*shared, "", "", unparse(one), ""])


def _contradicting_method(test: ast.stmt) -> ast.stmt | None:
    """Return the test method with the expectation of its only assertion changed; None if it has none or several.

    With several assertions the others would go on to hold, and whether a program can meet them all is open.
    """
    other = copy.deepcopy(test)
    match _assertions(other):
        case [ast.Call(ast.Attribute(_, name) as function)] if name in _NEGATIONS:
            function.attr = _NEGATIONS[name]
            return other
        case [ast.Call(ast.Attribute(_, name), [_, _, *_] as arguments)] if name in _EQUALITIES:
            for position in (1, 0):
                changed = altered(_value_of(arguments[position], other))
                if changed is not None:
                    arguments[position] = _literal(changed)
                    return other
    return None


def _value_of(node: ast.expr, test: ast.stmt) -> Any:
    """Return the value of a literal, or of a name that the test binds once, to a literal; None if it is neither."""
    bindings = _bindings(node, test)
    try:
        return ast.literal_eval(bindings[0]) if len(bindings) == 1 else None
    except ValueError:
        return None


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")


def _assertions(test: ast.stmt) -> list[ast.Call]:
    calls = [part for part in ast.walk(test) if isinstance(part, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("assert")]


# ---- what follows a misleading test to the letter


def code_following_misleading_test(problem: Problem) -> str | None:
    """Return a function or method that passes a problem's misleading test, as a model that trusts it might write it.

    A function returns what the test expects whatever it is given. A method returns it, or sets it. None if the problem
    has no misleading test or it looks at something else.
    """
    if problem.language != "python" or not problem.misleading_test:
        return None
    if problem.kind == "method":
        return _method_following(problem)
    expected = expected_literal(problem.misleading_test, problem.entry_point)
    return None if expected is None else f"def {problem.entry_point}(*args, **kwargs):\n    return {expected}\n"


def _method_following(problem: Problem) -> str | None:
    name = problem.entry_point.split(".")[-1]
    parts = ast.walk(ast.parse(problem.misleading_test))
    test = next(part for part in parts if isinstance(part, ast.stmt) and _is_test(part))
    constants = {"assertTrue": "True", "assertFalse": "False", "assertIsNone": "None", "assertIsNotNone": str(_OFFSET)}
    match _assertions(test):
        case [ast.Call(ast.Attribute(_, assertion), [actual, *_])] if assertion in constants:
            candidates = [(actual, constants[assertion])]
        case [ast.Call(_, [first, second, *_])]:
            candidates = [(first, unparse(second)), (second, unparse(first))]
        case _:
            return None
    receivers = {
        ast.dump(part.func.value)
        for part in ast.walk(test)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == name
    }
    for actual, expected in candidates:
        match [actual, *_bindings(actual, test)][-1]:
            case ast.Call(ast.Attribute(_, called)) if called == name:
                receiver = "" if problem.specification.lstrip().startswith("@staticmethod") else "self, "
                return f"def {name}({receiver}*args, **kwargs):\n    return {expected}\n"
            case ast.Attribute(owner, attribute) if ast.dump(owner) in receivers:
                return f"def {name}(self, *args, **kwargs):\n    self.{attribute} = {expected}\n"
    return None


def _bindings(node: ast.expr, test: ast.stmt) -> list[ast.expr]:
    """Return the expressions that a test assigns to a name, in source order; for all else the expression itself."""
    if not isinstance(node, ast.Name):
        return [node]
    bindings = [
        part
        for part in ast.walk(test)
        if isinstance(part, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == node.id for target in part.targets)
    ]
    return [part.value for part in sorted(bindings, key=lambda part: part.lineno)]


# ---- values


def altered(value: Any) -> Any:
    """Return a different value of the same type; None if the type is not supported.

    Booleans are negated. Numbers change their sign and move away from zero by 1013. Strings and bytes are reversed, or
    extended if they equal their reverse. Containers get altered elements, or one more element if that has no effect.
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return -value - _OFFSET if isinstance(value, complex) or value >= 0 else -value + _OFFSET
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


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _calls(node: ast.AST, name: str) -> list[ast.Call]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Call) and _is_call(part, name)]


def _refers(node: ast.AST) -> bool:
    """Whether an expression refers to a name, but for those of values and of literals' constructors."""
    plain = _WRAPPERS | {"float", "int", "str", "range"}
    return any(isinstance(part, ast.Name) and part.id not in plain for part in ast.walk(node))


def _literal(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _assertion(test: ast.expr) -> str:
    return unparse(ast.Assert(test, None)) + "\n"

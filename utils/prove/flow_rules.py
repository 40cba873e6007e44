"""The best guess about loops and branches without execution: what the syntax tree and the input in the prompt suggest.

A ``for`` goes over its iterable, with the arguments of the call as values of the names; a nested one does so in each
iteration of the outer one. A condition is evaluated as often as the loops around it iterate. Other names, and the
iterations of a ``while``, are unknown.
"""

import ast
import json
from collections.abc import Mapping
from itertools import islice
from typing import Any

MOST_EVENTS = 200
# Name of the rule that needs no knowledge of the answer.
TREE = "the syntax tree"
_FUNCTIONS = {f.__name__: f for f in (range, len, enumerate, zip, reversed, sorted, list, tuple, set, str, min, max)}
_PLAIN = (ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.Call)
_LEAVING = (ast.Return, ast.Break, ast.Raise)
_PARTS = (ast.expr_context, ast.Add, ast.Sub, ast.USub)


def arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the call that a document's prompt shows, by the name of the parameter."""
    try:
        if "shown" in document:
            shown = json.loads(document["shown"])
            return {**shown.get("args", shown), **shown.get("kwargs", {})}
        call = ast.parse(document["input"], mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        name = call.func.id
        functions = [node for node in ast.walk(ast.parse(document["code"])) if isinstance(node, ast.FunctionDef)]
        parameters = next([one.arg for one in node.args.args] for node in functions if node.name == name)
        named = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
        return {**dict(zip(parameters, map(ast.literal_eval, call.args), strict=False)), **named}
    except (ValueError, SyntaxError, AttributeError, AssertionError, StopIteration, TypeError):
        return {}


def guesses(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the values that each rule gives for a question about one loop or one condition, by the rule's name.

    All rules but that on the syntax tree know the number of values, which no prompt shows.
    """
    known, line, count = arguments(document), document["line"], len(document["values"])
    if document["setting"] == "branches":
        simple = {
            "true until the last": [True] * (count - 1) + [False],
            "false until the last": [False] * (count - 1) + [True],
            "true at first": [True] + [False] * (count - 1),
            "false at first": [False] + [True] * (count - 1),
            "by turns, true first": [number % 2 == 0 for number in range(count)],
            "by turns, false first": [number % 2 == 1 for number in range(count)],
        }
        usual = simple.get(_usual(document["code"], line))
        by_kind = {f"by the kind of statement, else {name}": usual or values for name, values in simple.items()}
        return {TREE: list(decisions(document["code"], known, last=True)[line]), **simple, **by_kind}
    columns = iterations(document["code"], known).get(line, {})
    rows = list(zip(*columns.values(), strict=True))
    return {
        TREE: [row[0] for row in rows] if len(columns) == 1 else list(rows),
        "0, 1, 2 and so on": list(range(count)),
        "1, 2, 3 and so on": list(range(1, count + 1)),
    }


def _usual(code: str, line: int) -> str:
    """Return the usual values of a condition, by name; empty for an ``if`` that does not leave the loop."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.While) and node.lineno == line:
            return "true until the last"
        if isinstance(node, ast.If) and node.lineno == line and isinstance(node.body[-1], _LEAVING):
            return "false until the last"
    return ""


def iterations(code: str, values: Mapping[str, Any]) -> dict[int, dict[str, list[Any]]]:
    """Return line of a ``for`` or comprehension -> variable -> its values, as far as there is a guess."""
    lines: dict[int, dict[str, list[Any]]] = {}
    for node, passes in _with_passes(ast.parse(code), values, 1):
        if isinstance(node, (ast.For, ast.comprehension)):
            items = _items(node.iter, values)
            line = node.lineno if isinstance(node, ast.For) else node.target.lineno
            names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            columns = [items] if len(names) == 1 else [list(column) for column in _columns(items, len(names))]
            pairs = zip(names, columns, strict=False)
            guess = {name.id: column * passes for name, column in pairs if isinstance(name, ast.Name)}
            lines.setdefault(line, {}).update(guess)
    return lines


def decisions(code: str, values: Mapping[str, Any], last: bool) -> dict[int, list[bool]]:
    """Return line of a condition -> its truth, each time: of ``if`` false, of ``while`` true until the last time."""
    lines = {}
    for node, passes in _with_passes(ast.parse(code), values, 1):
        if isinstance(node, (ast.If, ast.While)):
            usual, final = (True, False) if isinstance(node, ast.While) else (False, last)
            lines[node.lineno] = [usual] * (passes - 1) + [final]
    return lines


def _with_passes(node: ast.AST, values: Mapping[str, Any], passes: int) -> list[tuple[ast.AST, int]]:
    """Return the nodes below a node with the number of times that the loops around them iterate, at least once."""
    inner = passes * max(1, len(_items(node.iter, values))) if isinstance(node, ast.For) else passes
    nodes = [(node, passes)]
    for child in ast.iter_child_nodes(node):
        nodes += _with_passes(child, values, min(inner, MOST_EVENTS))
    return nodes


def _items(iterable: ast.expr, values: Mapping[str, Any]) -> list[Any]:
    """Return the items of an expression; none where it uses more than arguments, literals and plain functions."""
    names = {node.id for node in ast.walk(iterable) if isinstance(node, ast.Name)}
    calls = [node.func for node in ast.walk(iterable) if isinstance(node, ast.Call)]
    plain = all(isinstance(node, (*_PLAIN, *_PARTS)) for node in ast.walk(iterable))
    if not plain or not names <= {*values, *_FUNCTIONS} or not all(isinstance(call, ast.Name) for call in calls):
        return []
    try:
        known = {**_FUNCTIONS, **values, "__builtins__": {}}
        return list(islice(eval(compile(ast.Expression(iterable), "<iterable>", "eval"), known), MOST_EVENTS))
    except Exception:
        return []


def _columns(items: list[Any], count: int) -> list[tuple[Any, ...]]:
    try:
        return list(zip(*(tuple(item)[:count] for item in items), strict=True))
    except (TypeError, ValueError):
        return []

"""Programs that need no thought: constants, and the program in the prompt with one operator flipped."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lm_eval_codemind.data import load_problem

Document = Mapping[str, Any]

CONSTANTS = ("None", "True", "False", "0", "1", "[]", "''")
_FLIPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def constant_body(document: Document, value: str) -> str:
    name = str(document["entry_point"]).rpartition(".")[2]
    if document["kind"] != "method":
        return f"def {name}(*arguments, **named):\n    return {value}"
    text = str(load_problem(document["benchmark"], document["problem_id"]).specification)
    static = "@staticmethod" in text
    return (
        f"{'@staticmethod' * static}\ndef {name}({'' if static else 'self, '}*arguments, **named):\n    return {value}"
    )


def shown_value(document: Document) -> str:
    """Return a body that returns the last literal of the test in the prompt; None without a test."""
    literals = []
    for node in ast.walk(ast.parse(document["test"].strip() or "None")):
        if isinstance(node, ast.expr):
            try:
                ast.literal_eval(node)
            except (ValueError, TypeError):
                continue
            literals.append(node)
    literals.sort(key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0, -node.col_offset))
    return constant_body(document, ast.unparse(literals[-1]) if literals else "None")


def shown_output(document: Document) -> str:
    """Return a script that prints the output of the first test in the prompt; an empty output without a test."""
    _, _, test = document["test"].partition("\nOutput:\n")
    output = test.partition("\n\nInput:\n")[0]
    if document["target_language"] == "python":
        return f"print({output!r})"
    printed = f"System.out.println({json.dumps(output)});"
    return f"public class Main {{\n    public static void main(String[] args) {{\n        {printed}\n    }}\n}}"


def flips() -> dict[str, Callable[[Document], str]]:
    """Return policies that flip one operator of the buggy program: which one -> policy."""
    return {
        f"{'first' if first else 'last'} {what} flipped": lambda document, what=what, first=first: flipped(
            document["buggy"], what, first
        )
        for what in ("comparison", "sum", "operator", "condition")
        for first in (True, False)
    }


def flipped(code: str, what: str, first: bool) -> str:
    """Return a program with its first or last operator of a kind flipped; unchanged if there is none."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return code
    places = list(_places(tree, what))
    if not places:
        return code
    places.sort(key=lambda place: (place[0].lineno, place[0].col_offset))
    node, field, number = places[0 if first else -1]
    value = getattr(node, field)
    if what == "condition":
        setattr(node, field, ast.UnaryOp(ast.Not(), copy.deepcopy(value)))
    elif isinstance(value, list):
        value[number] = _FLIPS[type(value[number])]()
    else:
        setattr(node, field, _FLIPS[type(value)]())
    return ast.unparse(ast.fix_missing_locations(tree))


def _places(tree: ast.AST, what: str) -> Iterator[tuple[Any, str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare() if what in ("comparison", "operator"):
                yield from ((node, "ops", number) for number, op in enumerate(node.ops) if type(op) in _FLIPS)
            case ast.BinOp() | ast.AugAssign() if what in ("sum", "operator") and type(node.op) in _FLIPS:
                yield node, "op", 0
            case ast.BoolOp() if what == "operator":
                yield node, "op", 0
            case ast.If() | ast.While() if what == "condition":
                yield node, "test", 0

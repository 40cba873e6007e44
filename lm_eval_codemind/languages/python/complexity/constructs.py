"""Which control constructs a program uses and how deep it nests them."""

from __future__ import annotations

import ast

from lm_eval_codemind.languages.base import tags_of
from lm_eval_codemind.languages.python.lines import parsed

# `try` with `except*` is another node since Python 3.11.
_TRY: tuple[type[ast.Try], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def construct_tags(code: str) -> tuple[str, ...]:
    """Return the tags of :data:`~lm_eval_codemind.languages.CONSTRUCTS` that describe a program.

    Comprehensions and conditional expressions are expressions and give no tag. See
    :func:`~lm_eval_codemind.languages.base.tags_of`.

    Args:
        code: Python source.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return tags_of(_constructs(code))


def nested_constructs(code: str) -> int:
    """Return NC, the number of control constructs that stand inside another one of the same function.

    Control constructs are ``for``, ``while``, ``if``, ``try`` and ``match`` statements; an ``elif`` belongs to its
    ``if``. Three loops inside each other have NC = 2.

    Args:
        code: Python source.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return sum(bool(around) for _, around in _constructs(code))


def _constructs(code: str) -> list[tuple[str, frozenset[str]]]:
    """List the control constructs of a program as (kind, kinds of the constructs around it in the same function)."""
    found: list[tuple[str, frozenset[str]]] = []

    def walk(node: ast.AST, around: frozenset[str], is_elif: bool = False) -> None:
        if isinstance(node, _SCOPES):
            around = frozenset()
        kind = _kind(node)
        # An elif is another branch of its `if`. Its statements are inside the same `if`.
        if kind and not is_elif:
            found.append((kind, around))
            around |= {kind}
        for child in ast.iter_child_nodes(node):
            # No statement stands in an expression.
            if not isinstance(child, ast.expr):
                walk(child, around, is_elif=_is_elif(node, child))

    walk(parsed(code), frozenset())
    return found


def _is_elif(node: ast.AST, child: ast.AST) -> bool:
    """Whether an `if` is an `elif`: it starts in the column of the `if` that it belongs to."""
    return (
        isinstance(node, ast.If)
        and isinstance(child, ast.If)
        and node.orelse == [child]
        and child.col_offset == node.col_offset
    )


def _kind(node: ast.AST) -> str:
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return "for"
    if isinstance(node, ast.While):
        return "while"
    if isinstance(node, ast.If):
        return "if"
    if isinstance(node, _TRY):
        return "try"
    if isinstance(node, ast.Match):
        return "match"
    return ""

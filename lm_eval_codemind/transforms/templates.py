"""Syntax trees from source text with gaps, so that a rule's result can be read where the rule is written."""

import ast
from collections.abc import Mapping, Sequence
from typing import cast

Filling = ast.expr | Sequence[ast.stmt]


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: Mapping[str, Filling]) -> None:
        self.parts = parts

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        if isinstance(node.value, ast.Name):
            part = self.parts.get(node.value.id)
            if part is not None and not isinstance(part, ast.expr):
                return list(part)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        part = self.parts.get(node.id)
        return part if isinstance(part, ast.expr) else node


def statements(text: str, **parts: Filling) -> list[ast.stmt]:
    """Return the statements of `text`; a name that is a key of `parts` stands for that expression or block.

    A block's name stands alone on its line. Names of gaps are written ``_LIKE_THIS_``, as no program's are.
    """
    return cast(ast.Module, _Fill(parts).visit(ast.parse(text))).body


def expression(text: str, **parts: ast.expr) -> ast.expr:
    """Return the expression `text`, its gaps filled as in :func:`statements`."""
    return cast(ast.expr, _Fill(parts).visit(ast.parse(text, mode="eval").body))

"""The units of a program: its statements, and the headers of compound ones."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

_PARTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


class CodeUnit(NamedTuple):
    """A statement, or the header of a compound one, an ``except`` clause or a ``case``.

    Attributes:
        line: The line it starts on, counted from 1; of a decorated definition that of the first decorator.
        end: The last line of the statement or, for a compound one, of its header.
        node: The syntax tree, with the positions of the source.
        parent: Number of the unit whose body it is in; -1 at the top.
    """

    line: int
    end: int
    node: ast.AST
    parent: int


def units(tree: ast.Module) -> list[CodeUnit]:
    """Return the units of a program in the order of the source."""
    code_units: list[CodeUnit] = []

    def visit(node: ast.AST, unit: int) -> None:
        for child in ast.iter_child_nodes(node):
            number = unit
            if isinstance(child, _PARTS):
                number = len(code_units)
                code_units.append(CodeUnit(*_span(child), child, unit))
            visit(child, number)

    visit(tree, -1)
    return code_units


def _span(node: ast.AST) -> tuple[int, int]:
    """Return the first and the last line of a statement, or of the header of a compound one."""
    lines = []
    stack: list[Any] = [node]
    while stack:
        at = stack.pop()
        if hasattr(at, "lineno"):
            lines.append(at.lineno)
            if not isinstance(at, _PARTS) or not any(isinstance(child, _PARTS) for child in ast.iter_child_nodes(at)):
                lines.append(at.end_lineno or at.lineno)
        stack.extend(child for child in ast.iter_child_nodes(at) if not isinstance(child, _PARTS))
    return min(lines), max(lines)

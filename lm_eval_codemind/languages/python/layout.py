"""The text of statements: cut out of a module, and moved to another indentation."""

import ast
from collections.abc import Iterable

from lm_eval_codemind.languages.python.names import DEFINITIONS


def first_line(node: ast.stmt) -> int:
    """Return the number of a statement's first line, including decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def source_of(node: ast.stmt, lines: list[str], siblings: Iterable[ast.stmt], indent: str) -> str:
    """Return a statement's text, moved to column 0.

    Args:
        siblings: The statements of its body, at least those before and after it.
        indent: The indentation of that body.
    """
    start, end = first_line(node), node.end_lineno or node.lineno
    neighbours = [other for other in siblings if other is not node]
    if any(first_line(other) <= end and (other.end_lineno or other.lineno) >= start for other in neighbours):
        return ast.unparse(node)  # statements with semicolons between them share a line
    return shift(lines[start - 1 : end], _string_lines(node, start), indent, "")


def shift(lines: list[str], untouched: set[int], old: str, new: str) -> str:
    """Return lines with the indentation ``new`` instead of ``old``, except lines whose index is in ``untouched``."""
    shifted = []
    for index, line in enumerate(lines):
        if index in untouched:
            shifted.append(line)
        elif not line.strip():
            shifted.append("")
        else:
            shifted.append(new + (line[len(old) :] if line.startswith(old) else line.lstrip()))
    return "\n".join(shifted)


def indented(source: str, indent: str) -> str:
    """Return a module's source with indentation. The contents of multi-line strings stay unchanged."""
    untouched: set[int] = set()
    for node in ast.parse(source).body:
        untouched |= {index + first_line(node) - 1 for index in _string_lines(node, first_line(node))}
    return shift(source.split("\n"), untouched, "", indent)


def _string_lines(node: ast.stmt, start: int) -> set[int]:
    """Return the indices, from ``start``, of lines that start inside a string. Docstrings are not included."""
    if node.end_lineno == start:
        return set()
    firsts = [part.body[0] for part in ast.walk(node) if isinstance(part, DEFINITIONS)]
    docstrings = {id(first.value) for first in firsts if isinstance(first, ast.Expr)}
    inside: set[int] = set()
    for part in ast.walk(node):
        is_text = isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)) and id(part) not in docstrings
        if isinstance(part, ast.expr) and (is_text or isinstance(part, ast.JoinedStr)):
            inside |= set(range(part.lineno + 1 - start, (part.end_lineno or part.lineno) + 1 - start))
    return inside


class Spans:
    """The positions of nodes in a text. The parser counts lines and bytes; this class returns characters."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the position of a node's first character and the position after its last character."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

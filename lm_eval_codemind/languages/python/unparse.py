"""From a syntax tree to source text, the same bytes on every supported Python version."""

import ast
import copy

from lm_eval_codemind.languages.python.layout import first_line
from lm_eval_codemind.languages.python.names import DEFINITIONS, IMPORTS


class UnsupportedSyntaxError(ValueError):
    """An f-string that Python 3.11 cannot read."""


def unparse(tree: ast.AST) -> str:
    """Return the source of a module, a statement or an expression, as :func:`ast.unparse` writes it.

    Blank lines follow PEP 8. Comments and layout of the original are lost. A module's text ends with a newline.

    Raises:
        UnsupportedSyntaxError: If a string inside a field of an f-string has a quote, a backslash or a line break.
    """
    if any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree)):
        tree = _Quotes().visit(copy.deepcopy(tree))
    text = ast.unparse(ast.fix_missing_locations(tree))
    if isinstance(tree, ast.expr) or not text:
        return text
    return _spaced(text) + "\n" * isinstance(tree, ast.Module)


def normal_form(source: str) -> str:
    """Return a program as :func:`unparse` writes it; unchanged if it does not parse or cannot be written."""
    try:
        return unparse(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return source


class _Quotes(ast.NodeTransformer):
    """Gives strings inside an f-string other quotes than the f-string has.

    Python 3.12 and 3.13 would write the same quotes, which Python 3.11 cannot read.
    """

    _inner = ""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        if self._inner:
            return self._quoted(node)
        literal = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        self._inner = "'" if "'" in literal else '"'
        self._visit_fields(node)
        self._inner = ""
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        node.value = self.visit(node.value)
        if isinstance(node.format_spec, ast.JoinedStr):
            self._visit_fields(node.format_spec)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._quoted(node) if self._inner and isinstance(node.value, (str, bytes)) else node

    def _visit_fields(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part)

    def _quoted(self, node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        if text.count("'") != 2 or any(character in text for character in '"\\\n'):
            raise UnsupportedSyntaxError(f"Python 3.11 cannot read {text} inside an f-string")
        # A name is written unchanged.
        return ast.Name(text.replace("'", self._inner))


def _spaced(text: str) -> str:
    """Return a program with blank lines after imports and around definitions, and no others between statements."""
    above: dict[int, int] = {}
    for parent in ast.walk(ast.parse(text)):
        for body in vars(parent).values():
            for previous, node in zip([None, *body], body, strict=False) if _is_block(body) else ():
                apart = previous is not None and _needs_space(previous, node)
                above[first_line(node)] = apart * (2 if isinstance(parent, ast.Module) else 1)
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if number in above:
            while lines and not lines[-1]:
                lines.pop()
            lines += [""] * above[number]
        lines.append(line)
    return "\n".join(lines)


def _is_block(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], ast.stmt)


def _needs_space(previous: ast.stmt, node: ast.stmt) -> bool:
    if isinstance(previous, DEFINITIONS) or isinstance(node, DEFINITIONS):
        return True
    return isinstance(previous, IMPORTS) and not isinstance(node, IMPORTS)

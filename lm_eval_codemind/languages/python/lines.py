"""The number of lines of code after normalisation, so that a program's layout has no effect."""

import ast
from functools import lru_cache

from lm_eval_codemind.languages.python.names import DEFINITIONS, is_text

_BLOCKS_WITH_ELSE = (ast.If, ast.For, ast.AsyncFor, ast.While)
# `try` with `except*` is another node since Python 3.11.
TRY: tuple[type[ast.Try], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
DOCUMENTED = (ast.Module, *DEFINITIONS)


@lru_cache(maxsize=1)
def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a program, for readers that change nothing in it.

    The last one is kept: a program is measured in several ways, one after another.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return ast.parse(source)


def lines_of_code(source: str) -> int:
    """Return LoC of a program's source: the lines of its normal form.

    In the normal form every simple statement, every header of a compound statement (``if``, ``elif``, ``else``,
    ``for``, ``except``, ``case`` and so on) and every decorator takes one line; blank lines, comments and docstrings
    take none. It is counted on the syntax tree, so the count depends neither on layout (semicolons, backslashes,
    brackets over several lines) nor on the version of Python that counts.

    Raises:
        SyntaxError: If the source does not parse.
    """
    # A walk, not a recursion: a sum of a thousand terms is a tree of a thousand levels.
    return sum(map(_own_lines, ast.walk(parsed(source))))


def _own_lines(node: ast.AST) -> int:
    own = 0
    if isinstance(node, ast.stmt):
        own += 1
    if isinstance(node, (ast.ExceptHandler, ast.match_case)):
        own += 1
    if isinstance(node, DEFINITIONS):
        own += len(node.decorator_list)
    if isinstance(node, DOCUMENTED) and has_docstring(node):
        own -= 1
    if isinstance(node, _BLOCKS_WITH_ELSE):
        # An `if` goes on with `elif` where its `else` holds only another `if`.
        is_elif = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        own += bool(node.orelse) and not is_elif
    if isinstance(node, TRY):
        own += bool(node.orelse) + bool(node.finalbody)
    return own


def has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a body starts with a docstring that it could do without."""
    # A body that is a docstring only could not do without the line.
    alone = len(node.body) == 1 and not isinstance(node, ast.Module)
    return bool(node.body) and is_text(node.body[0]) and not alone

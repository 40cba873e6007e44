"""Cyclomatic complexity of Python programs (McCabe, 1976), with the decision points that radon counts."""

import ast

from lm_eval_codemind.languages.python.lines import TRY, parsed

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def cyclomatic_complexity(code: str) -> int:
    """Return the cyclomatic complexity CC of a whole program.

    A program is a graph of as many connected components as it has units (functions, methods, and the module's own
    statements), so McCabe's ``M = E - N + 2P`` is the sum over the units:

        CC = sum over units u of (1 + decisions(u))

    Args:
        code: Python source.

    Returns:
        At least 1; an empty program counts as one straight path.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return sum(unit_complexities(code).values()) or 1


def unit_complexities(code: str) -> dict[tuple[str, int], int]:
    """Return the cyclomatic complexity of every unit of a program.

    Decision points are those of radon (https://radon.readthedocs.io/en/latest/intro.html): each ``if``, ``elif``,
    conditional expression, ``for``, ``while``, ``except``, ``case`` other than the catch-all one, ``assert``, ``for``
    and ``if`` of a comprehension, each further operand of ``and`` or ``or``, and the ``else`` of a loop or of a
    ``try``. A nested function is a separate unit; a lambda belongs to the unit around it. Unlike in radon, the
    condition of an ``assert`` counts.

    Args:
        code: Python source.

    Returns:
        Name and line number of each unit -> its complexity. The module's own statements, if it has others
        than imports, definitions and its docstring, are the unit ``("<module>", 0)``.

    Raises:
        SyntaxError: If the source does not parse.
    """
    tree = parsed(code)
    units = {
        (node.name, node.lineno): 1 + sum(map(_decisions, node.body))
        for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS)
    }
    own = _decisions(tree)
    if own or any(not _declares(statement) for statement in tree.body):
        units[("<module>", 0)] = 1 + own
    return units


def _declares(statement: ast.stmt) -> bool:
    return isinstance(statement, (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _decisions(node: ast.AST) -> int:
    """Count the decision points in a node, those of functions inside it excepted."""
    found, pending = 0, [node]
    while pending:
        inner = pending.pop()
        if not isinstance(inner, _FUNCTIONS):
            found += _own_decisions(inner)
            pending += ast.iter_child_nodes(inner)
    return found


def _own_decisions(node: ast.AST) -> int:
    if isinstance(node, (ast.If, ast.IfExp, ast.Assert)):
        return 1
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        return 1 + bool(node.orelse)
    if isinstance(node, TRY):
        return len(node.handlers) + bool(node.orelse)
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    if isinstance(node, ast.Match):
        return sum(not _catches_all(case.pattern) for case in node.cases)
    return 0


def _catches_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None

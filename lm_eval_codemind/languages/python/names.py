"""Questions about Python source that the readers of upstream's files ask."""

import ast
import builtins
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
_ALWAYS_THERE = frozenset(dir(builtins)) | {"__file__"}


def free_names(node: ast.AST) -> set[str]:
    """Return the names that are read somewhere below a node and bound nowhere below it, builtins left out.

    Scopes are not told apart: a name bound in one function counts as bound in its neighbour too. That is enough to
    see which imports and helpers a test needs.
    """
    read, bound = set[str](), set[str]()
    for child in ast.walk(node):
        match child:
            case ast.Name(name, ast.Load()):
                read.add(name)
            case ast.Name(name) | ast.arg(name) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case _:
                bound |= bound_names(child)
    return read - bound - _ALWAYS_THERE


def bound_names(statement: ast.AST) -> set[str]:
    """Return the names that a definition, an import or an assignment binds in its own scope."""
    if isinstance(statement, DEFINITIONS):
        return {statement.name}
    if isinstance(statement, IMPORTS):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    if isinstance(statement, ast.Assign):
        targets = [node for target in statement.targets for node in ast.walk(target)]
        return {node.id for node in targets if isinstance(node, ast.Name)}
    return set()


def module_names(source: str) -> set[str]:
    """Return the names that a module binds at its top level."""
    return {name for statement in ast.parse(source).body for name in bound_names(statement)}


def is_text(node: ast.AST) -> bool:
    """Whether a statement is a string by itself, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def shape(node: ast.AST) -> str | None:
    """Return a text that is equal for statements of the same syntax; None for a statement with too many levels.

    An example is a sum of two thousand terms: Python parses it, but :func:`ast.dump` exhausts the stack.
    """
    try:
        return ast.dump(node)
    except RecursionError:
        return None


def called_name(node: ast.AST) -> str | None:
    """Return the name that a call calls by; None for all else."""
    match node:
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
            return str(name)
    return None


def replaced(tree: _Node, old: ast.AST, new: ast.AST) -> _Node:
    """Return a tree, changed in place, with one of its nodes replaced."""

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return new if node is old else self.generic_visit(node)

    swapped: _Node = Swap().visit(tree)
    return swapped


def definition(body: ast.AST, name: str) -> Any:
    """Return the function or class of a name in the body of a module or class.

    Raises:
        KeyError: If there is none.
    """
    for node in body.body:  # type: ignore[attr-defined]
        if isinstance(node, DEFINITIONS) and node.name == name:
            return node
    raise KeyError(name)


# The body of these may never be executed.
_MAY_NOT_RUN = (*FUNCTIONS, ast.If, ast.Match)
# Statements, and the parts of one that have statements.
_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@lru_cache(maxsize=4096)
def imported_modules(source: str, *, anywhere: bool = True) -> frozenset[str]:
    """Return the dotted names of the modules that a program imports, relative ones left out.

    Args:
        source: A module.
        anywhere: Whether imports inside functions and below an ``if`` count, too. A program may run without these:
            one of Avatar's imports ``clipboard`` in a function that it never calls.
    """
    modules = set[str]()
    pending: list[ast.AST] = [ast.parse(source)] if "import" in source else []
    while pending:
        node = pending.pop()
        if isinstance(node, _MAY_NOT_RUN) and not anywhere:
            continue
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
        pending.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, _STATEMENTS))
    return frozenset(modules)


def statements_binding(names: Iterable[str], module: ast.Module) -> list[ast.stmt]:
    """Return the top-level statements that bind some names, and those that these need in turn, in source order."""
    missing, positions = set(names), set[int]()
    grew = True
    while grew:
        grew = False
        for position, statement in enumerate(module.body):
            if position not in positions and bound_names(statement) & missing:
                positions.add(position)
                missing |= free_names(statement)
                grew = True
    return [module.body[position] for position in sorted(positions)]


def without_lines(source: str, nodes: Iterable[ast.stmt]) -> str:
    """Return the source with the lines that some statements stand on removed."""
    dropped = {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return "".join(text for number, text in enumerate(source.splitlines(keepends=True), 1) if number not in dropped)

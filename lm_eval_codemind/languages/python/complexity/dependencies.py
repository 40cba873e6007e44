"""The number of dependencies between the functions and methods of a program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from lm_eval_codemind.languages.python.lines import parsed

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class _Scope:
    """A module, class or function with the functions and classes defined in it, and the scope it stands in."""

    name: str
    node: ast.AST
    parent: _Scope | None
    functions: dict[str, _Scope] = field(default_factory=dict)
    classes: dict[str, _Scope] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)


def dependencies(code: str) -> int:
    """Return DEP, the number of dependencies between the functions and methods of a program.

    A dependency is an ordered pair of different functions of the program of which the first names the second: by its
    name (a function of the module, of the function around it, or nested in it), as ``self.method`` or ``cls.method``
    (intra-class dependency, also on a method that a base class in the same program defines), as ``Class.method``, or
    by constructing a class of the program that defines ``__init__``. A pair counts once, however often it is named;
    recursion is not a dependency. The module's own statements count as a caller.

    Args:
        code: Python source.

    Raises:
        SyntaxError: If the source does not parse.
    """
    root = _scope("", parsed(code), None)
    return len({(caller.name, callee.name) for caller, callee in _pairs(root) if caller is not callee})


def _scope(name: str, node: ast.AST, parent: _Scope | None) -> _Scope:
    scope = _Scope(name, node, parent)

    def collect(inner: ast.AST) -> None:
        for child in ast.iter_child_nodes(inner):
            if isinstance(child, _FUNCTIONS):
                # A property and its setter, or overloads, share their name: one function with several bodies.
                qualified = f"{name}.{child.name}" if child.name not in scope.functions else f"{name}.{child.name}'"
                scope.functions[child.name] = _scope(qualified, child, scope)
            elif isinstance(child, ast.ClassDef):
                scope.classes[child.name] = _scope(f"{name}.{child.name}", child, scope)
            elif not isinstance(child, ast.expr):
                collect(child)

    collect(node)
    return scope


def _pairs(scope: _Scope) -> Iterator[tuple[_Scope, _Scope]]:
    pending = [] if scope.is_class else [scope.node]
    while pending:
        inside = [n for n in ast.iter_child_nodes(pending.pop()) if not isinstance(n, (*_FUNCTIONS, ast.ClassDef))]
        pending += inside
        callees = (_resolve(node, scope) for node in inside)
        yield from ((scope, callee) for callee in callees if callee is not None)
    for inner in (*scope.functions.values(), *scope.classes.values()):
        yield from _pairs(inner)


def _resolve(node: ast.AST, scope: _Scope) -> _Scope | None:
    """Return the function of the program that an expression names, or None."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        found = _lookup(node.id, scope)
        return _method(found, "__init__") if found is not None and found.is_class else found
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        owner = _receiver(node.value.id, scope) or _lookup(node.value.id, scope)
        return _method(owner, node.attr) if owner is not None and owner.is_class else None
    return None


def _lookup(name: str, scope: _Scope | None) -> _Scope | None:
    while scope is not None:
        # A method does not see the names of its class's body.
        if not scope.is_class and (name in scope.functions or name in scope.classes):
            return scope.functions.get(name) or scope.classes[name]
        scope = scope.parent
    return None


def _receiver(name: str, scope: _Scope | None) -> _Scope | None:
    """Return the class whose method calls its first parameter by that name, looking outwards from a scope."""
    while scope is not None:
        if isinstance(scope.node, _FUNCTIONS) and scope.parent is not None and scope.parent.is_class:
            arguments = [*scope.node.args.posonlyargs, *scope.node.args.args]
            if arguments and arguments[0].arg == name and not _is_static(scope.node):
                return scope.parent
        scope = scope.parent
    return None


def _is_static(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in function.decorator_list)


def _method(owner: _Scope, name: str, seen: frozenset[str] = frozenset()) -> _Scope | None:
    if name in owner.functions:
        return owner.functions[name]
    if isinstance(owner.node, ast.ClassDef):
        for base in owner.node.bases:
            found = _lookup(base.id, owner.parent) if isinstance(base, ast.Name) else None
            if found is not None and found.is_class and found.name not in seen:
                method = _method(found, name, seen | {owner.name})
                if method is not None:
                    return method
    return None

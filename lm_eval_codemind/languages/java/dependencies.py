"""The number of dependencies between the methods of a Java program."""

from __future__ import annotations

from dataclasses import dataclass, field

from lm_eval_codemind.languages.java.syntax import METHODS, TYPES, Node, Tree

_CONSTRUCTORS = frozenset({"constructor_declaration", "compact_constructor_declaration"})
_NEW = "<new>"


@dataclass(eq=False)
class _Class:
    """A class of the program, with the methods it defines; overloads are one method with several bodies."""

    name: str
    outer: _Class | None
    base: str = ""
    methods: set[str] = field(default_factory=set)
    inner: dict[str, _Class] = field(default_factory=dict)


def dependencies(tree: Tree) -> int:
    """Return DEP, the number of dependencies between the methods of a program.

    A dependency is an ordered pair of different methods of the program of which the first names the second: by its name
    (of the same class, of a base class or of a class around it), by ``this``, ``super`` or its class's name, also as a
    method reference, or by constructing a class of the program that defines a constructor. A pair counts once.
    A method does not depend on itself. The program is the caller of what its initialisers call. So it is for Python
    (:func:`lm_eval_codemind.languages.python.complexity.dependencies`).

    Args:
        tree: The program.
    """
    root = _Class("", None)
    owners: dict[Node, _Class] = {}
    pending: list[tuple[Node, _Class]] = [(tree.root, root)]
    while pending:
        node, owner = pending.pop()
        owners[node] = owner
        inside = owner
        if node.kind in TYPES or (node.kind == "class_body" and _is_anonymous(node)):
            label = tree.name(node) if node.kind in TYPES else f"<{node.start}>"
            inside = owner.inner.setdefault(label, _Class(f"{owner.name}.{label}", owner))
            inside.base = _base(tree, node)
        elif node.kind in METHODS:
            owner.methods.add(_NEW if node.kind in _CONSTRUCTORS else tree.name(node))
        pending.extend((child, inside) for child in node.children if child.children)
    pairs = set()
    for node, owner in owners.items():
        callee = _callee(tree, node, owner, root)
        if callee is not None:
            caller = _caller(tree, node, owners)
            if caller != callee:
                pairs.add((caller, callee))
    return len(pairs)


def _is_anonymous(body: Node) -> bool:
    return body.parent is not None and body.parent.kind in ("object_creation_expression", "enum_constant")


def _base(tree: Tree, node: Node) -> str:
    if node.kind == "class_body":
        made = node.parent.child("type") if node.parent is not None else None
        return "" if made is None else _simple(tree.text(made))
    above = node.child("superclass")
    return "" if above is None else _simple(tree.text(above).removeprefix("extends"))


def _simple(name: str) -> str:
    return name.split("<")[0].strip().split(".")[-1].strip()


def _caller(tree: Tree, node: Node, owners: dict[Node, _Class]) -> tuple[str, str]:
    for around in node.ancestors():
        if around.kind in METHODS:
            return owners[around].name, _NEW if around.kind in _CONSTRUCTORS else tree.name(around)
    return "", ""


def _callee(tree: Tree, node: Node, owner: _Class, root: _Class) -> tuple[str, str] | None:
    """Return the method of the program that an expression names, as (class, name)."""
    if node.kind == "method_invocation":
        target = node.child("object")
        return _find(tree, target, tree.name(node), owner, root)
    if node.kind == "method_reference" and len(node.children) >= 3:
        last = node.children[-1]
        name = _NEW if last.kind == "new" else tree.text(last)
        return _find(tree, node.children[0], name, owner, root)
    if node.kind == "object_creation_expression":
        made = node.child("type")
        found = None if made is None else _class(_simple(tree.text(made)), owner)
        return (found.name, _NEW) if found is not None and _NEW in found.methods else None
    if node.kind == "explicit_constructor_invocation":
        which = node.child("constructor")
        if which is not None and which.kind == "super":
            base = _class(owner.base, owner)
            return (base.name, _NEW) if base is not None and _NEW in base.methods else None
    return None


def _find(tree: Tree, target: Node | None, name: str, owner: _Class, root: _Class) -> tuple[str, str] | None:
    if target is None:
        scope: _Class | None = owner
        while scope is not None:
            found = _method(scope, name)
            if found is not None:
                return found
            scope = scope.outer
        return None
    if target.kind == "this":
        return _method(owner, name)
    if target.kind == "super":
        base = _class(owner.base, owner)
        return None if base is None else _method(base, name)
    if target.kind in ("identifier", "type_identifier", "field_access", "scoped_identifier"):
        named = _class(_simple(tree.text(target)), owner)
        return None if named is None else _method(named, name)
    return None


def _class(name: str, scope: _Class | None) -> _Class | None:
    while scope is not None and name:
        if name in scope.inner:
            return scope.inner[name]
        if scope.name.endswith(f".{name}"):
            return scope
        scope = scope.outer
    return None


def _method(owner: _Class, name: str) -> tuple[str, str] | None:
    seen: set[str] = set()
    scope: _Class | None = owner
    while scope is not None and scope.name not in seen:
        if name in scope.methods:
            return scope.name, name
        seen.add(scope.name)
        scope = _class(scope.base, scope)
    return None

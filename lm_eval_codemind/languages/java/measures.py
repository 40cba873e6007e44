"""Measures of a Java program's complexity, its lines and its normal form, all read off its syntax tree.

The measures are defined in :mod:`lm_eval_codemind.languages.python.complexity`.
"""

# ruff: noqa: SIM905

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lm_eval_codemind.languages.base import tags_of
from lm_eval_codemind.languages.java.syntax import (
    COMMENTS,
    METHODS,
    TYPES,
    Node,
    Tree,
    is_else_if,
    is_switch_statement,
    parse_valid,
)
from lm_eval_codemind.problems import Complexity

_LOOPS = {"for_statement": "for", "enhanced_for_statement": "for", "while_statement": "while", "do_statement": "while"}
_KINDS = {
    **_LOOPS,
    "if_statement": "if",
    "try_statement": "try",
    "try_with_resources_statement": "try",
    "switch_expression": "match",
}
_SCOPES = TYPES | METHODS | {"lambda_expression", "class_body", "static_initializer"}
_DECISIONS = frozenset({*_LOOPS, "if_statement", "ternary_expression", "catch_clause", "assert_statement"})


def measure(source: str, loop_length: int | None = None) -> Complexity | None:
    """Return the measures of a program; None if it is empty or does not parse.

    Args:
        loop_length: LL, where it is known: it takes an execution.
    """
    if not source.strip():
        return None
    try:
        tree = parse_valid(source)
    except SyntaxError:
        return None
    constructs = _constructs(tree.root)
    return Complexity(
        cc=cyclomatic_complexity(tree),
        loc=len(line_starts(tree)),
        dep=dependencies(tree),
        # Control constructs inside another one of the same method.
        nc=sum(bool(around) for _, around in constructs),
        ll=loop_length,
        constructs=tags_of(constructs),
    )


def cyclomatic_complexity(tree: Tree) -> int:
    """Return the cyclomatic complexity CC of a whole program, at least 1.

        CC = sum over units u of (1 + decisions(u))

    Units are methods and constructors, and what the program's initialisers do if they decide anything. Decision points
    are those counted for Python (:mod:`lm_eval_codemind.languages.python.complexity`): each ``if``,
    conditional expression, ``for``, ``while``, ``do``, ``catch``, ``case`` other than ``default``, ``assert``, and
    each further operand of ``&&`` or ``||``. A lambda belongs to the unit it stands in, a method of an anonymous or
    local class is a separate unit.
    """
    # The complexity of each unit by the offset it starts at; the initialisers are unit -1.
    units = {node.start: 1 for node in tree.root.walk() if node.kind in METHODS and node.child("body") is not None}
    for node in tree.root.walk():
        if not _decides(node):
            continue
        around = (outer.start for outer in node.ancestors() if outer.kind in METHODS and outer.start in units)
        unit = next(around, -1)
        units[unit] = units.get(unit, 1) + 1
    return sum(units.values()) or 1


def _decides(node: Node) -> bool:
    if node.kind in _DECISIONS:
        return True
    if node.kind in ("&&", "||"):
        return node.parent is not None and node.parent.kind == "binary_expression"
    # `case` of the old form and of the new one; several values of one label are one case. A label is the default as
    # `default` or as `case null, default`.
    return node.kind == "switch_label" and not node.of_kind("default")


def _constructs(root: Node) -> list[tuple[str, frozenset[str]]]:
    """List the control constructs of a program as (kind, kinds of the constructs around it in the same method).

    ``while`` includes ``do``, and ``match`` is a ``switch`` statement. Nesting ends at methods, lambdas and classes.
    """
    constructs = []
    pending: list[tuple[Node, frozenset[str]]] = [(root, frozenset())]
    while pending:
        node, around = pending.pop()
        if node.kind in _SCOPES:
            around = frozenset()
        kind = _KINDS.get(node.kind, "")
        if kind == "match" and not is_switch_statement(node):
            kind = ""
        # An `else if` is a further arm of its `if`, not another construct.
        if kind and not is_else_if(node):
            constructs.append((kind, around))
            around |= {kind}
        pending.extend((child, around) for child in reversed(node.children) if child.children)
    return constructs


_STATEMENTS = """
    package_declaration import_declaration module_declaration field_declaration constant_declaration
    annotation_type_element_declaration static_initializer local_variable_declaration expression_statement
    explicit_constructor_invocation if_statement for_statement enhanced_for_statement while_statement do_statement
    return_statement break_statement continue_statement throw_statement yield_statement assert_statement
    synchronized_statement try_statement try_with_resources_statement catch_clause finally_clause switch_label
""".split()
_ONE_LINE = TYPES | METHODS | set(_STATEMENTS)
_ANNOTATIONS = frozenset({"marker_annotation", "annotation"})
# Literals that the grammar takes apart.
_WHOLE = frozenset({"string_literal", "character_literal"})


def lines(source: str) -> int:
    """Return LoC of a Java program: the lines of its normal form, see :func:`normal_form`.

    The definition is that for Python (:func:`lm_eval_codemind.languages.python.complexity.lines_of_code`): every
    simple statement, every header of a compound statement and every annotation of a declaration takes one line, layout
    and comments take none. Declarations count like statements, also the list of an enumeration's constants; of a
    ``do`` loop both ends count; braces and empty statements take no line.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return len(line_starts(parse_valid(source)))


def normal_form(source: str) -> str:
    """Return a program without comments, one statement or header a line, its tokens set apart by single blanks.

    Two programs that differ in layout and comments only have the same normal form. A source that does not parse is
    returned unchanged.
    """
    try:
        tree = parse_valid(source)
    except SyntaxError:
        return source
    starts = line_starts(tree)
    text = "".join(("\n" if token.start in starts else " ") + tree.text(token) for token in _tokens(tree.root))
    return text[1:] + "\n" if text else ""


def _tokens(root: Node) -> list[Node]:
    tokens = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.kind in COMMENTS or node.start == node.end:
            continue
        if node.kind in _WHOLE or not node.children:
            tokens.append(node)
        else:
            pending.extend(reversed(node.children))
    return [] if tokens == [root] else tokens


def line_starts(tree: Tree) -> set[int]:
    """Return the offsets of the tokens with which a line of the normal form begins."""
    return {_first_token(node) for node in tree.root.walk() if _starts_line(node)}


def _starts_line(node: Node) -> bool:
    kind = node.kind
    if kind in _ANNOTATIONS and node.around == "modifiers":
        # Those of a declaration with its own line, not those of a parameter.
        owner = next(outer for outer in node.ancestors() if outer.kind != "modifiers")
        return owner.kind in _ONE_LINE | {"enum_constant"} and owner.role != "init"
    if kind == "enum_constant" and node.parent is not None:
        return node.parent.of_kind("enum_constant")[0] is node
    if kind in _ONE_LINE:
        return not is_else_if(node) and not (kind == "local_variable_declaration" and node.role == "init")
    return (
        kind == "else"
        or (kind == "while" and node.around == "do_statement")
        or (kind == "block" and node.around == "class_body")  # an initialiser of instances
        or (kind == "switch_expression" and is_switch_statement(node))
    )


def _first_token(node: Node) -> int:
    """Return the start of a node; that of a declaration after its annotations, each of which has a separate line."""
    for child in node.children:
        if child.kind == "modifiers":
            for modifier in child.children:
                if modifier.kind not in _ANNOTATIONS | COMMENTS:
                    return modifier.start
        elif child.kind not in COMMENTS:
            return child.start
    return node.start


_CONSTRUCTORS = frozenset({"constructor_declaration", "compact_constructor_declaration"})
_ANONYMOUS = ("object_creation_expression", "enum_constant")
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
    A method does not depend on itself. What an initialiser calls is called by the program, as in Python
    (:func:`lm_eval_codemind.languages.python.complexity.dependencies`).
    """
    owners: dict[Node, _Class] = {}
    pending: list[tuple[Node, _Class]] = [(tree.root, _Class("", None))]
    while pending:
        node, owner = pending.pop()
        owners[node] = owner
        inside = owner
        if node.kind in TYPES or (node.kind == "class_body" and node.around in _ANONYMOUS):
            label = tree.name(node) if node.kind in TYPES else f"<{node.start}>"
            inside = owner.inner.setdefault(label, _Class(f"{owner.name}.{label}", owner))
            inside.base = _base(tree, node)
        elif node.kind in METHODS:
            owner.methods.add(_NEW if node.kind in _CONSTRUCTORS else tree.name(node))
        pending.extend((child, inside) for child in node.children if child.children)
    pairs = set()
    for node, owner in owners.items():
        callee = _callee(tree, node, owner)
        if callee is not None:
            caller = _caller(tree, node, owners)
            if caller != callee:
                pairs.add((caller, callee))
    return len(pairs)


def _base(tree: Tree, node: Node) -> str:
    if node.kind == "class_body" and node.parent is not None:
        return _simple(tree.part(node.parent, "type"))
    return _simple(tree.part(node, "superclass").removeprefix("extends"))


def _simple(name: str) -> str:
    return name.split("<")[0].strip().split(".")[-1].strip()


def _caller(tree: Tree, node: Node, owners: dict[Node, _Class]) -> tuple[str, str]:
    for around in node.ancestors():
        if around.kind in METHODS:
            return owners[around].name, _NEW if around.kind in _CONSTRUCTORS else tree.name(around)
    return "", ""


def _callee(tree: Tree, node: Node, owner: _Class) -> tuple[str, str] | None:
    """Return the method of the program that an expression names, as (class, name)."""
    if node.kind == "method_invocation":
        return _find(tree, node.child("object"), tree.name(node), owner)
    if node.kind == "method_reference" and len(node.children) >= 3:
        last = node.children[-1]
        return _find(tree, node.children[0], _NEW if last.kind == "new" else tree.text(last), owner)
    target = None
    if node.kind == "object_creation_expression":
        target = _class(_simple(tree.part(node, "type")), owner)
    elif node.kind == "explicit_constructor_invocation" and tree.part(node, "constructor") == "super":
        target = _class(owner.base, owner)
    return None if target is None or _NEW not in target.methods else (target.name, _NEW)


def _find(tree: Tree, target: Node | None, name: str, owner: _Class) -> tuple[str, str] | None:
    if target is None:
        methods = (_method(scope, name) for scope in _outward(owner))
        return next((method for method in methods if method is not None), None)
    if target.kind == "this":
        return _method(owner, name)
    if target.kind == "super":
        return _method(_class(owner.base, owner), name)
    if target.kind in ("identifier", "type_identifier", "field_access", "scoped_identifier"):
        return _method(_class(_simple(tree.text(target)), owner), name)
    return None


def _outward(scope: _Class | None) -> Iterator[_Class]:
    while scope is not None:
        yield scope
        scope = scope.outer


def _class(name: str, inside: _Class) -> _Class | None:
    """Return the class that a name means inside of a class; None if it is none of the program's."""
    for scope in _outward(inside) if name else ():
        if name in scope.inner:
            return scope.inner[name]
        if scope.name.endswith(f".{name}"):
            return scope
    return None


def _method(scope: _Class | None, name: str) -> tuple[str, str] | None:
    """Return the method of a name that a class has, itself or from a base class."""
    seen: set[str] = set()
    while scope is not None and scope.name not in seen:
        if name in scope.methods:
            return scope.name, name
        seen.add(scope.name)
        scope = _class(scope.base, scope)
    return None

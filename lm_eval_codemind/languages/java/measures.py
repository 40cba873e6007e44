"""Measures of a Java program's complexity, as defined in :mod:`lm_eval_codemind.languages.python.complexity`."""

from lm_eval_codemind.languages.base import tags_of
from lm_eval_codemind.languages.java.dependencies import dependencies
from lm_eval_codemind.languages.java.normal import line_starts
from lm_eval_codemind.languages.java.syntax import (
    METHODS,
    TYPES,
    Node,
    Tree,
    is_else_if,
    is_switch_statement,
    parse_valid,
)
from lm_eval_codemind.problems import Complexity

_LOOPS = {
    "for_statement": "for",
    "enhanced_for_statement": "for",
    "while_statement": "while",
    "do_statement": "while",
}
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
        source: Java source.
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
    found = []
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
            found.append((kind, around))
            around |= {kind}
        pending.extend((child, around) for child in reversed(node.children) if child.children)
    return found

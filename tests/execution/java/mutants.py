"""Programs in Java made wrong: copies of a source with one operator or constant changed."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_codemind.languages.java.syntax import Node, parse_valid

_OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "%": "*",
    "<": ">=",
    ">": "<=",
    "<=": ">",
    ">=": "<",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
}
_LOOPS = ("for_statement", "while_statement", "do_statement")


def mutants(source: str) -> Iterator[str]:
    """Yield sources that differ from a program in one place, those changed near its end first.

    What says how long a loop goes on comes last, for such a mutant may not end; some mutants do not compile, and some
    do the same as the program.
    """
    tree = parse_valid(source)
    places = [node for node in tree.root.walk() if _changed(node, tree.text(node))]
    for node in sorted(places, key=lambda place: (_steers_a_loop(place), -place.start)):
        changed = _changed(node, tree.text(node))
        yield (tree.source[: node.start] + changed.encode() + tree.source[node.end :]).decode("utf-8")


def _changed(node: Node, text: str) -> str:
    """Return what a node is changed to; empty if it stays."""
    if node.kind == "decimal_integer_literal":
        return f"({text} + 1)"
    if node.kind == "string_literal":
        return '"-' + text[1:]
    if node.kind == "character_literal":
        return "'#'" if text != "'#'" else "'-'"
    if node.kind in ("true", "false"):
        return "false" if node.kind == "true" else "true"
    if node.parent is not None and node.parent.kind == "binary_expression":
        return _OPERATORS.get(node.kind, "")
    return ""


def _steers_a_loop(node: Node) -> bool:
    around = [node, *node.ancestors()]
    return any(
        one.role in ("init", "condition", "update") and one.parent is not None and one.parent.kind in _LOOPS
        for one in around
    )

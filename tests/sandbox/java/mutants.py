"""Programs in Java made wrong: copies of a source with an operator or constant changed, or a statement left out."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

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
# So many operators and constants are tried before statements are left out.
_FIRST = 12
_LOOPS = ("for_statement", "while_statement", "do_statement")


def mutants(source: str) -> Iterator[str]:
    """Yield sources that differ from a program in one place, those changed near its end first.

    Operators and constants come first, but those that say how long a loop goes on, for such a mutant may not end; then
    statements. Some mutants do not compile, and some do the same as the program.
    """
    tree = parse_valid(source)

    def made(places: Iterable[Node], change: Callable[[Node, str], str]) -> Iterator[str]:
        for node in sorted(places, key=lambda place: -place.start):
            if changed := change(node, tree.text(node)):
                yield (tree.source[: node.start] + changed.encode() + tree.source[node.end :]).decode("utf-8")

    inside = [node for node in tree.root.walk() if not _steers_a_loop(node)]
    yield from islice(made(inside, _changed), _FIRST)
    yield from made((node for node in inside if node.kind == "expression_statement"), lambda node, text: ";")
    yield from islice(made(inside, _changed), _FIRST, None)


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

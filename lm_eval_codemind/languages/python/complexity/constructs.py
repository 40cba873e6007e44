"""Which control constructs a program uses and how deep it nests them."""

import ast

from lm_eval_codemind.languages.python.lines import TRY, parsed

_KINDS = {
    ast.For: "for",
    ast.AsyncFor: "for",
    ast.While: "while",
    ast.If: "if",
    **dict.fromkeys(TRY, "try"),
    ast.Match: "match",
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def constructs(code: str) -> list[tuple[str, frozenset[str]]]:
    """Return the control constructs of a program: kind, and kinds of the constructs around it in the same function.

    Control constructs are ``for``, ``while``, ``if``, ``try`` and ``match`` statements; an ``elif`` belongs to its
    ``if``. Comprehensions and conditional expressions are expressions and not among them.

    Args:
        code: Python source.

    Raises:
        SyntaxError: If the source does not parse.
    """
    found: list[tuple[str, frozenset[str]]] = []

    def walk(node: ast.AST, around: frozenset[str], is_elif: bool = False) -> None:
        if isinstance(node, _SCOPES):
            around = frozenset()
        kind = _KINDS.get(type(node), "")
        # An elif is another branch of its `if`. Its statements are inside the same `if`.
        if kind and not is_elif:
            found.append((kind, around))
            around |= {kind}
        for child in ast.iter_child_nodes(node):
            # No statement stands in an expression.
            if not isinstance(child, ast.expr):
                walk(child, around, is_elif=_is_elif(node, child))

    walk(parsed(code), frozenset())
    return found


def _is_elif(node: ast.AST, child: ast.AST) -> bool:
    """Whether an `if` is an `elif`: it starts in the column of the `if` that it belongs to."""
    return (
        isinstance(node, ast.If)
        and isinstance(child, ast.If)
        and node.orelse == [child]
        and child.col_offset == node.col_offset
    )

"""Loop length: a program rewritten so that it counts its own loop iterations when it runs."""

from __future__ import annotations

import ast

# A list of one integer, in the program's globals, that holds the iterations so far.
COUNTER = "_codemind_iterations"
_COUNT = "_codemind_count"

_PRELUDE = f"""
{COUNTER} = [0]
def {_COUNT}(iterable):
    for item in iterable:
        {COUNTER}[0] += 1
        yield item
"""


def count_loops(code: str) -> str:
    """Return the program with its loops counted.

    LL, the loop length, is the number of iterations that the program's own loops make on its input: every entry into
    the body of a ``for`` or ``while`` and every item that a ``for`` of a comprehension takes. Nested loops add up;
    loops inside library functions do not count. After a run the number is ``COUNTER[0]`` in the program's globals.

    Args:
        code: Python source.

    Returns:
        Source that does what the program does and counts as well. Line numbers differ.

    Raises:
        SyntaxError: if the source does not parse.
    """
    tree = ast.parse(code)
    body = ast.fix_missing_locations(_Counting().visit(tree)).body
    # The docstring and imports from __future__ must stay first.
    start = 0
    while start < len(body) and _is_prologue(body[start]):
        start += 1
    module = ast.Module(body=[*body[:start], *ast.parse(_PRELUDE).body, *body[start:]], type_ignores=[])
    return ast.unparse(module) + "\n"


def _is_prologue(statement: ast.stmt) -> bool:
    return (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)) or (
        isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    )


class _Counting(ast.NodeTransformer):
    def visit_For(self, node: ast.For) -> ast.AST:
        return self._count_body(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        return self._count_body(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._count_body(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = ast.Call(func=ast.Name(id=_COUNT, ctx=ast.Load()), args=[node.iter], keywords=[])
        return node

    def _count_body(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.parse(f"{COUNTER}[0] += 1").body[0])
        return node

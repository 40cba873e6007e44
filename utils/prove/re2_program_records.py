"""Two independent records of a program's loops and conditions: Python's tracer, and the program rewritten.

Runs inside other Pythons, so it needs the standard library only.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

import re2_flow_records

_COMPREHENSIONS = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


class Record(re2_flow_records.Record):
    """The values of loop variables, each as its ``repr``, and the truth of conditions, by line."""

    def clear(self) -> None:
        """Forget everything."""
        self.loops.clear()
        self.branches.clear()

    def iteration(self, line: int, variables: dict[str, Any]) -> bool:
        """Note the start of an iteration. Always true, so that a comprehension can have it as a condition."""
        for name, value in variables.items():
            self.loops.setdefault(line, {}).setdefault(name, []).append(repr(value))
        return True

    def condition(self, line: int, value: Any) -> bool:
        """Note the value of a condition and return its truth."""
        self.branches.setdefault(line, []).append(bool(value))
        return bool(value)


def variables(loop: ast.For | ast.While | ast.comprehension) -> list[str]:
    """Return the variables of a loop: what a ``for`` assigns; of a ``while`` the names that its body assigns."""
    if isinstance(loop, ast.While):
        assigned = {name for part in loop.body for name in _names(part, ast.Store)}
        return [name for name in dict.fromkeys(_names(loop.test, ast.Load)) if name in assigned]
    names = list(dict.fromkeys(_names(loop.target, ast.Store)))
    return [name for name in names if name != "_"] or names


def _names(node: ast.AST, context: type) -> list[str]:
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, context)]


class _Rewriter(re2_flow_records.Rewriter):
    def visit_While(self, node: ast.While) -> ast.AST:
        names = variables(node)
        return self.logged(super().visit_While(node), names)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(0, self.iteration(node.target.lineno, variables(node)))
        return node

    def variables(self, node: ast.For) -> list[str]:
        return variables(node)


def rewritten(source: str) -> ast.Module:
    """Return a program that records itself with ``_re2_iteration`` and ``_re2_condition``."""
    tree: ast.Module = _Rewriter().visit(ast.parse(source))
    return ast.fix_missing_locations(tree)


def spread(source: str) -> str:
    """Return the same program with every statement on a separate line."""
    return ast.unparse(ast.parse(source))


class Tracer:
    """Python's tracer, which follows a program that :func:`spread` wrote.

    Comprehensions are followed where each has a separate frame: before Python 3.12.

    Args:
        source: The program as it was before.
        filename: The name that the code objects of the spread program carry.
        record: What the tracer sees is noted here, with the lines of ``source``.
    """

    def __init__(self, source: str, filename: str, record: Record) -> None:
        self._filename = filename
        self._record = record
        # Line of the spread program -> its loop or condition, with the line in the source.
        self._heads: dict[int, tuple[Any, int]] = {}
        self._comprehensions: dict[tuple[int, str], tuple[Any, int]] = {}
        self._seen: dict[types.FrameType, bool] = {}
        pairs = zip(ast.walk(ast.parse(spread(source))), ast.walk(ast.parse(source)), strict=True)
        for node, original in pairs:
            if isinstance(node, (ast.For, ast.While, ast.If)):
                self._heads[node.lineno] = (node, original.lineno)  # type: ignore[attr-defined]
            elif isinstance(node, tuple(_COMPREHENSIONS)) and len(node.generators) == 1:  # type: ignore[attr-defined]
                place = (node.lineno, _COMPREHENSIONS[type(node)])  # type: ignore[attr-defined, index]
                loop = node.generators[0]  # type: ignore[attr-defined]
                self._comprehensions[place] = (loop, original.generators[0].target.lineno)  # type: ignore[attr-defined]

    def __enter__(self) -> None:
        sys.settrace(self._call)

    def __exit__(self, *error: Any) -> None:
        sys.settrace(None)

    def _call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_filename != self._filename:
            return None
        if (code.co_firstlineno, code.co_name) in self._comprehensions:
            return self._follow_comprehension
        head: list[Any] = [None, False]

        def follow(frame: types.FrameType, event: str, argument: Any) -> Any:
            if event == "exception":
                head[1] = True
            elif event in ("line", "return"):
                line = frame.f_lineno if event == "line" else 0
                self._step(frame, line, *head)
                head[:] = [self._heads.get(line), False]
            return follow

        return follow

    def _follow_comprehension(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        """Look at a line event of a comprehension: each but the first ends an iteration."""
        if event == "line":
            loop, line = self._comprehensions[frame.f_code.co_firstlineno, frame.f_code.co_name]
            if self._seen.get(frame):
                self._record.iteration(line, {name: frame.f_locals.get(name) for name in variables(loop)})
            self._seen[frame] = True
        return self._follow_comprehension

    def _step(self, frame: types.FrameType, line: int, head: Any, failed: bool) -> None:
        """Look at a line that starts after a head; 0 is the end of the function."""
        if head is None:
            return
        node, original = head
        enters = line == node.body[0].lineno
        if not isinstance(node, ast.For) and (enters or not failed):
            self._record.condition(original, enters)
        if not isinstance(node, ast.If) and enters and variables(node):
            self._record.iteration(original, {name: frame.f_locals.get(name) for name in variables(node)})

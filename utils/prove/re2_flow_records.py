"""Two independent records of the loops and conditions of a program: Python's tracer, and the program rewritten.

Runs inside the environments of other projects, so it needs the standard library of Python 3.7 only.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

# No question asks for more iterations or for longer values than these.
MOST_EVENTS = 200
LONGEST_TEXT = 300


class Record:
    """The values of loop variables and the truth of conditions, by line.

    Attributes:
        loops: Line of the ``for`` -> name of a variable -> its value at the start of each iteration, as text.
        branches: Line of the ``if`` or ``while`` -> the truth of the condition each time it is evaluated.
    """

    def __init__(self) -> None:
        self.loops: dict[int, dict[str, list[str]]] = {}
        self.branches: dict[int, list[bool]] = {}
        self._busy = False

    def iteration(self, line: int, variables: dict[str, Any]) -> bool:
        """Note the start of an iteration. Always true, so that it can stand in a comprehension's condition."""
        if not self._busy:
            # The text of a value may call the recorded functions.
            self._busy = True
            for name, value in variables.items():
                values = self.loops.setdefault(line, {}).setdefault(name, [])
                if len(values) <= MOST_EVENTS:
                    values.append(text_of(value))
            self._busy = False
        return True

    def condition(self, line: int, value: Any) -> bool:
        """Note the value of a condition and return its truth."""
        truth = bool(value)
        if not self._busy:
            decisions = self.branches.setdefault(line, [])
            if len(decisions) <= MOST_EVENTS:
                decisions.append(truth)
        return truth

    def to_json(self) -> dict[str, Any]:
        """Return the record with lines as text."""
        return {
            "loop": {str(line): self.loops[line] for line in sorted(self.loops)},
            "branch": {str(line): self.branches[line] for line in sorted(self.branches)},
        }


def text_of(value: Any) -> str:
    """Return a value as a question shows it: a Python literal if it is plain, otherwise its ``str``."""
    plain = isinstance(value, (int, float, str, bytes, list, tuple, dict, set, type(None)))
    try:
        return (repr(value) if plain else str(value))[: LONGEST_TEXT + 1]
    except Exception as error:
        return f"<{type(value).__name__} object at 0x0: {type(error).__name__}>"


def variables(target: ast.AST) -> list[str]:
    """Return the names that a loop's target assigns, without underscores."""
    names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return [name for name in names if name != "_"]


class Rewriter(ast.NodeTransformer):
    """Adds a call of the record to each ``for`` and to each condition."""

    def visit_For(self, node: ast.For) -> ast.AST:
        """Add the record of an iteration to a loop."""
        self.generic_visit(node)
        return self.logged(node, self.variables(node))

    def visit_If(self, node: ast.If) -> ast.AST:
        """Add the record of its condition to an ``if``."""
        return self._decided(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Add the record of its condition to a ``while``."""
        return self._decided(node)

    def variables(self, node: ast.For) -> list[str]:
        """Return the names whose values an iteration of a loop records."""
        return variables(node.target)

    def logged(self, node: Any, names: list[str]) -> ast.AST:
        """Return a loop whose body starts with the record of an iteration."""
        if names:
            node.body.insert(0, ast.Expr(self.iteration(node.lineno, names)))
        return node  # type: ignore[no-any-return]

    def iteration(self, line: int, names: list[str]) -> ast.Call:
        """Return the call that records an iteration."""
        pairs = ", ".join(f"{name!r}: {name}" for name in names)
        return _call("_re2_iteration", line, ast.parse(f"{{{pairs}}}", mode="eval").body)

    def _decided(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.test = _call("_re2_condition", node.lineno, node.test)
        return node  # type: ignore[no-any-return]


def _call(function: str, line: int, value: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [ast.parse(str(line), mode="eval").body, value], [])


def rewritten(source: str) -> ast.Module:
    """Return a program that records itself with ``_re2_iteration`` and ``_re2_condition``."""
    tree: ast.Module = Rewriter().visit(ast.parse(source))
    for node in ast.walk(tree):
        # Methods called ``self.__name`` keep their meaning: only positions are filled in.
        if isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno"):
            node.lineno = 1
            node.col_offset = 0
    return ast.fix_missing_locations(tree)


def heads(tree: ast.AST, task: str) -> set[str]:
    """Return the lines of a program's ``for`` statements (``loop``) or of its conditions (``branch``), as text."""
    kinds = (ast.For,) if task == "loop" else (ast.If, ast.While)
    return {str(node.lineno) for node in ast.walk(tree) if isinstance(node, kinds)}


def last_line(node: ast.AST) -> int:
    """Return the last line on which a part of a node starts."""
    return max(getattr(part, "lineno", 0) for part in ast.walk(node))


class Tracer:
    """Python's tracer, which follows the lines of one file.

    Args:
        source: The file's text.
        filename: The name that its code objects carry.
        record: What it sees is noted here.
        active: False to follow nothing.
    """

    def __init__(self, source: str, filename: str, record: Record, active: bool = True) -> None:
        self._active = active
        self._filename = filename
        self._record = record
        # Line -> (first and last line of the body, line of the statement, names or None for a condition).
        self._heads: dict[int, tuple[range, int, list[str] | None]] = {}
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.For):
                head, body, names = node.iter, node.body[:1], variables(node.target)
            elif isinstance(node, (ast.If, ast.While)):
                head, body, names = node.test, node.body, None
            else:
                continue
            lines = range(body[0].lineno, max(last_line(part) for part in body) + 1)
            self._heads.update(dict.fromkeys(range(node.lineno, last_line(head) + 1), (lines, node.lineno, names)))

    def __enter__(self) -> None:
        if self._active:
            sys.settrace(self._call)

    def __exit__(self, *error: Any) -> None:
        sys.settrace(None)

    def _call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self._filename or frame.f_code.co_name.startswith("<"):
            return None
        state: dict[str, Any] = {"head": None, "failed": False}

        def follow(frame: types.FrameType, event: str, argument: Any) -> Any:
            if event == "exception":
                state["failed"] = True
            elif event in ("line", "return"):
                self._step(frame, frame.f_lineno if event == "line" else 0, state)
            return follow

        return follow

    def _step(self, frame: types.FrameType, line: int, state: dict[str, Any]) -> None:
        """Look at a line that starts; 0 is the end of the function."""
        head = state["head"]
        if head is not None and (line == 0 or self._heads.get(line) is not head):
            body, start, names = head
            if names is None:
                if line in body or not state["failed"]:
                    self._record.condition(start, line in body)
            elif line in body and names:
                self._record.iteration(start, {name: frame.f_locals.get(name) for name in names})
        state["head"], state["failed"] = self._heads.get(line), False

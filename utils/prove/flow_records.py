"""Two independent records of the loops and conditions of a program: Python's tracer, and the program rewritten.

Runs inside the environments of other projects, so it needs the standard library of Python 3.7 only.

A record is of ``for`` statements and conditions. A *whole* record also has the loops of comprehensions, and for a
``while`` the variables of its condition that its body assigns.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

# No question asks for more iterations or for longer values than these.
MOST_EVENTS = 200
LONGEST_TEXT = 300
_COMPREHENSIONS = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
_HEADS = (ast.For, ast.While, ast.If)


def text_of(value: Any) -> str:
    """Return a value as a question shows it: a Python literal if it is plain, otherwise its ``str``."""
    plain = isinstance(value, (int, float, str, bytes, list, tuple, dict, set, type(None)))
    try:
        return (repr(value) if plain else str(value))[: LONGEST_TEXT + 1]
    except Exception as error:
        return f"<{type(value).__name__} object at 0x0: {type(error).__name__}>"


class Record:
    """The values of loop variables and the truth of conditions, by line.

    Attributes:
        loops: Line of the loop -> name of a variable -> its value at the start of each iteration, as text.
        branches: Line of the ``if`` or ``while`` -> the truth of the condition each time it is evaluated.

    Args:
        text: Makes the text of a value.
        most: So many values are recorded.
    """

    def __init__(self, text: Callable[[Any], str] = text_of, most: float = MOST_EVENTS + 1) -> None:
        self.loops: dict[int, dict[str, list[str]]] = {}
        self.branches: dict[int, list[bool]] = {}
        self._text = text
        self._most = most
        self._busy = False

    def iteration(self, line: int, variables: dict[str, Any]) -> bool:
        """Note the start of an iteration. Always true, so that it can stand in a comprehension's condition."""
        if not self._busy:
            # The text of a value may call the recorded functions.
            self._busy = True
            for name, value in variables.items():
                values = self.loops.setdefault(line, {}).setdefault(name, [])
                if len(values) < self._most:
                    values.append(self._text(value))
            self._busy = False
        return True

    def condition(self, line: int, value: Any) -> bool:
        """Note the value of a condition and return its truth."""
        truth = bool(value)
        decisions = self.branches.setdefault(line, [])
        if not self._busy and len(decisions) < self._most:
            decisions.append(truth)
        return truth

    def clear(self) -> None:
        """Forget what was recorded."""
        self.loops.clear()
        self.branches.clear()

    def to_json(self) -> dict[str, Any]:
        """Return the values of loops and branches by line."""
        return {
            "loop": {str(line): self.loops[line] for line in sorted(self.loops)},
            "branch": {str(line): self.branches[line] for line in sorted(self.branches) if self.branches[line]},
        }


def variables(loop: Any, whole: bool = False) -> list[str]:
    """Return the variables of a loop: what it assigns, without underscores; of a ``while`` those of its condition."""
    if isinstance(loop, ast.While):
        assigned = {name for part in loop.body for name in names_in(part, ast.Store)}
        return [name for name in dict.fromkeys(names_in(loop.test, ast.Load)) if name in assigned] if whole else []
    names = list(dict.fromkeys(names_in(loop.target, ast.Store)))
    return [name for name in names if name != "_"] or (names if whole else [])


def names_in(node: ast.AST, context: type = ast.Store) -> list[str]:
    """Return the names below a node that are used in a context."""
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, context)]


class _Rewriter(ast.NodeTransformer):
    def __init__(self, whole: bool, underscores: bool) -> None:
        self._whole = whole
        self._underscores = underscores

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        return self._logged(node, names_in(node.target) if self._underscores else variables(node, self._whole))

    def visit_If(self, node: ast.If) -> Any:
        return self._decided(node)

    def visit_While(self, node: ast.While) -> Any:
        names = [] if self._underscores else variables(node, self._whole)
        decided = self._decided(node)
        return self._logged(decided, names) if names else decided

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if self._whole:
            node.ifs.insert(0, _iteration(node.target.lineno, variables(node, True)))
        return node

    def _logged(self, node: Any, names: list[str]) -> Any:
        if names or self._underscores:
            node.body.insert(0, ast.Expr(_iteration(node.lineno, names)))
        return node

    def _decided(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = _call("_re2_condition", node.lineno, node.test)
        return node


def _iteration(line: int, names: list[str]) -> ast.Call:
    pairs = ", ".join(f"{name!r}: {name}" for name in names)
    return _call("_re2_iteration", line, ast.parse(f"{{{pairs}}}", mode="eval").body)


def _call(function: str, line: int, value: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [ast.parse(str(line), mode="eval").body, value], [])


def rewritten(source: str, whole: bool = False, underscores: bool = False) -> ast.Module:
    """Return a program that records itself with ``_re2_iteration`` and ``_re2_condition``.

    With ``underscores`` every ``for`` records all variables that it assigns, and a ``while`` its condition only.
    """
    tree: ast.Module = _Rewriter(whole, underscores).visit(ast.parse(source))
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


def spread(source: str) -> str:
    """Return the same program with every statement on a separate line. Needs Python 3.9."""
    return ast.unparse(ast.parse(source))


def last_line(node: ast.AST) -> int:
    """Return the number of the last line of a node."""
    return max(getattr(part, "lineno", 0) for part in ast.walk(node))


class Tracer:
    """Python's tracer, which follows the lines of one file.

    Comprehensions are followed where each has a separate frame: before Python 3.12.

    Args:
        source: The program. A whole record is of :func:`spread`'s form of it, with the lines of the source.
        filename: The name that its code objects carry.
        record: What it sees is noted here.
        whole: Whether to make a whole record.
        active: False to follow nothing.
    """

    def __init__(self, source: str, filename: str, record: Record, whole: bool = False, active: bool = True) -> None:
        self._active = active
        self._filename = filename
        self._record = record
        # Line -> (lines of the body, line of the statement in the source, names, whether there is a condition).
        self._heads: dict[int, tuple[range, int, list[str], bool]] = {}
        self._comprehensions: dict[tuple[int, str], tuple[Any, int]] = {}
        self._seen: dict[types.FrameType, bool] = {}
        nodes: Iterable[Any] = ast.walk(ast.parse(spread(source) if whole else source))
        originals: Iterable[Any] = ast.walk(ast.parse(source))
        for node, original in zip(nodes, originals):  # noqa: B905 - needs Python 3.10
            if isinstance(node, _HEADS):
                self._note(node, original.lineno, whole)
            elif whole and type(node) in _COMPREHENSIONS and len(node.generators) == 1:
                place = (node.lineno, _COMPREHENSIONS[type(node)])
                self._comprehensions[place] = (node.generators[0], original.generators[0].target.lineno)

    def _note(self, node: Any, line: int, whole: bool) -> None:
        loop = isinstance(node, ast.For)
        body = node.body[:1] if loop else node.body
        lines = range(body[0].lineno, max(map(last_line, body)) + 1)
        names = [] if isinstance(node, ast.If) else variables(node, whole)
        head = (lines, line, names, not loop)
        end = last_line(node.iter if loop else node.test)
        self._heads.update(dict.fromkeys(range(node.lineno, end + 1), head))

    def __enter__(self) -> None:
        if self._active:
            sys.settrace(self._call)

    def __exit__(self, *error: Any) -> None:
        sys.settrace(None)

    def _call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_filename != self._filename:
            return None
        if (code.co_firstlineno, code.co_name) in self._comprehensions:
            return self._follow_comprehension
        if code.co_name.startswith("<") and code.co_name != "<module>":
            return None
        state: dict[str, Any] = {"head": None, "failed": False}

        def follow(frame: types.FrameType, event: str, argument: Any) -> Any:
            if event == "exception":
                state["failed"] = True
            elif event in ("line", "return"):
                self._step(frame, frame.f_lineno if event == "line" else 0, state)
            return follow

        return follow

    def _follow_comprehension(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        """Look at a line event of a comprehension: each but the first ends an iteration."""
        if event == "line":
            loop, line = self._comprehensions[frame.f_code.co_firstlineno, frame.f_code.co_name]
            if self._seen.get(frame):
                self._record.iteration(line, {name: frame.f_locals.get(name) for name in variables(loop, True)})
            self._seen[frame] = True
        return self._follow_comprehension

    def _step(self, frame: types.FrameType, line: int, state: dict[str, Any]) -> None:
        """Look at a line that starts; 0 is the end of the function."""
        head = state["head"]
        if head is not None and (line == 0 or self._heads.get(line) is not head):
            body, start, names, condition = head
            if condition and (line in body or not state["failed"]):
                self._record.condition(start, line in body)
            if names and line in body:
                self._record.iteration(start, {name: frame.f_locals.get(name) for name in names})
        state["head"], state["failed"] = self._heads.get(line), False

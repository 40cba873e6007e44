"""What the syntax tree alone says about the lines of a program: which comes next, and what decides whether they run.

Questions that such rules answer need no execution. :mod:`~lm_eval_codemind.workshop.proof.runtime_questions` draws
lines so that the rules score low, and ``utils/prove/baselines.py`` publishes their scores.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from lm_eval_codemind.languages.python.units import units

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Raise, ast.Assert, ast.Expr)
_PARTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
END = 0


@dataclass(frozen=True)
class Point:
    """A line with one statement, or the head of one, as the syntax tree has it.

    Attributes:
        line: First line of the statement.
        kind: ``if``, ``for``, ``while``, ``return`` or ``statement``.
        function: Name of the innermost function; "" at the top of the program.
        context: What decides whether the line runs once its function is called: "" for nothing, else ``then``,
            ``guard`` (a ``then`` that leaves the block), ``else``, ``loop``, ``handler``, or ``after`` for a line that
            an earlier one may leave out.
        enters: The line that comes next if a head's body is entered; :data:`END` for the end.
        skips: The line that comes next if it is not. Other statements have the same line for both.
        variables: Source of what may be asked about here, the target of an assignment first.
    """

    line: int
    kind: str
    function: str
    context: str
    enters: int
    skips: int
    variables: tuple[str, ...]


@lru_cache(maxsize=512)
def points(code: str) -> dict[int, Point]:
    """Return the lines of a program that can be asked about, by number.

    Lines that several statements share are left out: "the line" would mean more than one of them. So are definitions,
    ``try``, ``with``, and statements that do nothing.
    """
    return _Program(ast.parse(code)).points


def reachable(code: str, text: str) -> set[str]:
    """Return the functions that can be reached by name: those the input names, and those that these name in turn.

    A class reaches its constructor and the special methods.
    """
    bodies: dict[str, list[ast.AST]] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, _FUNCTIONS):
            bodies.setdefault(node.name, []).append(node)
    names = {name for name in bodies if name.startswith("__") and name.endswith("__")}
    waiting: list[ast.AST] = [ast.parse(text), *(body for name in names for body in bodies[name])]
    while waiting:
        for node in ast.walk(waiting.pop()):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name in bodies and name not in names:
                names.add(name)
                waiting += bodies[name]
    return names


class _Around(NamedTuple):
    """What is around a statement: its function, with the names to ask about, and of a loop the head and the end."""

    function: str
    names: list[str]
    head: int = END
    out: int = END


class _Program:
    def __init__(self, tree: ast.Module) -> None:
        self.points: dict[int, Point] = {}
        starts = [unit.line for unit in units(tree)]
        self._shared = {line for line in starts if starts.count(line) > 1}
        self._functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self._classes: dict[str, ast.ClassDef] = {}
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                self._functions.setdefault(node.name, node)
            elif isinstance(node, ast.ClassDef):
                self._classes[node.name] = node
        # Of each function the lines of the statements that call it, and where each of them goes on.
        self._sites: dict[str, list[int]] = {}
        self._goes_on: dict[int, int] = {}
        for _ in range(2):
            # Where a function returns to is known after the first round.
            self._returns = {
                name: self._goes_on.get(sites[0], END) for name, sites in self._sites.items() if len(sites) == 1
            }
            self._sites = {}
            self._function(tree, "")

    def _function(self, node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        self._block(node.body, self._returns.get(name, END), _Around(name, _names(node)), "")

    def _block(self, body: Sequence[ast.stmt], after: int, around: _Around, context: str) -> None:
        """Note the lines of a block."""
        for position, statement in enumerate(body):
            following = _line(body[position + 1]) if position + 1 < len(body) else after
            self._statement(statement, following, around, context)
            if not context and _may_leave(statement):
                context = "after"

    def _statement(self, node: ast.stmt, following: int, around: _Around, context: str) -> None:
        if isinstance(node, _FUNCTIONS):
            self._function(node, node.name)
        elif isinstance(node, ast.ClassDef):
            self._block(node.body, END, _Around(around.function, []), context)
        elif isinstance(node, ast.If):
            leaves = isinstance(node.body[-1], _LEAVES)
            self._note(node, "if", _line(node.body[0]), _skipped(node, following), around, context)
            self._block(node.body, following, around, "guard" if leaves else "then")
            self._block(node.orelse, following, around, "else")
        elif isinstance(node, _LOOPS):
            kind = "while" if isinstance(node, ast.While) else "for"
            self._note(node, kind, _line(node.body[0]), _skipped(node, following), around, context)
            inside = around._replace(head=_line(node), out=following)
            self._block(node.body, _line(node), inside, context or "loop")
            self._block(node.orelse, following, around, context or "after")
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self._block(node.body, following, around, context)
        elif isinstance(node, ast.Try):
            self._block(node.body, following, around, context)
            for handler in node.handlers:
                self._block(handler.body, following, around, "handler")
            self._block(node.orelse, following, around, "after")
            self._block(node.finalbody, following, around, context)
        elif isinstance(node, ast.Return):
            returns = self._returns.get(around.function, END)
            self._note(node, "return", returns, returns, around, context)
        elif isinstance(node, (ast.Break, ast.Continue)):
            jump = around.out if isinstance(node, ast.Break) else around.head
            self._note(node, "statement", jump, jump, around, context)
        elif isinstance(node, _PLAIN) and not _is_text(node):
            self._note(node, "statement", following, following, around, context)

    def _note(self, node: ast.stmt, kind: str, enters: int, skips: int, around: _Around, context: str) -> None:
        line = _line(node)
        called = [each for each in _called(node) if each in self._functions or each in self._classes]
        for each in called:
            self._sites.setdefault("__init__" if each in self._classes else each, []).append(line)
        self._goes_on[line] = enters
        callee = next((first for each in called if (first := self._first_line(each))), None)
        if callee is not None:
            enters = skips = callee
        if line not in self._shared:
            targets = [text for text in _targets(node) if text in around.names]
            variables = tuple(dict.fromkeys([*targets, *around.names]))
            self.points[line] = Point(line, kind, around.function, context, enters, skips, variables)

    def _first_line(self, name: str) -> int | None:
        """Return where a call goes: the first line of a function's body, of a class that of its constructor's."""
        if name in self._classes:
            methods = [node for node in self._classes[name].body if isinstance(node, _FUNCTIONS)]
            function = next((node for node in methods if node.name == "__init__"), None)
        else:
            function = self._functions[name]
        if function is None:
            return None
        statements = [node for node in function.body if not _is_text(node)]
        return _line(statements[0]) if statements else None


def _line(node: ast.stmt) -> int:
    return min(node.lineno, *(int(each.lineno) for each in getattr(node, "decorator_list", ())), node.lineno)


def _skipped(node: ast.If | ast.For | ast.AsyncFor | ast.While, following: int) -> int:
    """Return the line that comes next if the body of a head is not entered."""
    if isinstance(node, (ast.If, ast.While)) and _is_settled(node.test):
        return _line(node.body[0])
    return _line(node.orelse[0]) if node.orelse else following


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _may_leave(node: ast.AST, in_loop: bool = False) -> bool:
    """Whether a statement can end its block early, other than by an error."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return not in_loop
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
        return False
    in_loop = in_loop or isinstance(node, _LOOPS)
    return isinstance(node, (ast.Return, ast.Raise)) or any(
        _may_leave(child, in_loop) for child in ast.iter_child_nodes(node)
    )


def _is_settled(test: ast.expr) -> bool:
    """Whether a condition always holds: it is a constant, or asks whether the program is a script."""
    return isinstance(test, ast.Constant) or any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test)
    )


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and what is in it, without the functions that it defines."""
    yield node
    if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _within(child)


def _header(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what belongs to a statement or its head, without the statements in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _PARTS):
            yield child
            yield from _header(child)


def _called(node: ast.stmt) -> list[str]:
    """Return the names of the functions that a statement, or a head, calls, in the order of the source."""
    calls = [each for each in _header(node) if isinstance(each, ast.Call)]
    calls.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [
        call.func.id if isinstance(call.func, ast.Name) else call.func.attr
        for call in calls
        if isinstance(call.func, (ast.Name, ast.Attribute))
    ]


def _targets(node: ast.stmt) -> list[str]:
    """Return what a statement assigns, or changes by calling a method, as source."""
    expressions: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        expressions = list(node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        expressions = [node.target]
    elif isinstance(node, ast.Return) and node.value is not None:
        expressions = [node.value]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        expressions = [node.value.func.value]
    targets = []
    for expression in expressions:
        parts = expression.elts if isinstance(expression, (ast.Tuple, ast.List)) else [expression]
        for part in parts:
            while isinstance(part, (ast.Subscript, ast.Starred)):
                part = part.value
            targets.append(ast.unparse(part))
    return targets


def _names(function: ast.AST) -> list[str]:
    """Return what a function's own lines may be asked about: its variables, and attributes of ``self`` it mentions."""
    names: dict[str, None] = {}
    hidden = {
        name.id
        for node in ast.walk(function)
        if isinstance(node, _COMPREHENSIONS)
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    nodes = [inner for node in ast.iter_child_nodes(function) for inner in _within(node)]
    for node in nodes:
        if isinstance(node, ast.arg) and node.arg not in ("self", "cls"):
            names[node.arg] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            names[f"self.{node.attr}"] = None
    return [name for name in names if name not in hidden and not name.startswith("_")]

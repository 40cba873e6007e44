"""Which lines of a program are worth a question on runtime behaviour, by REval's rules.

Of each basic block the last assignment, ``return`` or expression statement that has a variable comes first, others
after; an assignment is asked by its target, a ``return`` by the variable returned (for a constant: by the variable that
was assigned last before), a call for its effect by the object it is made on, provided that it changes. Trivial lines
are skipped: the assignment of a constant, an empty container or another variable as it is.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lm_eval_codemind.languages.python.tracing.recorder import units

AT_MOST = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)


@dataclass(frozen=True)
class Candidate:
    """A line that may be asked about.

    Attributes:
        line: First line of the statement.
        variable: Source of the expression to ask for.
        ends_block: Whether the statement is the last of its basic block that can be asked about.
        effect: Whether it is a call for its effect, to be asked only if the variable changes.
    """

    line: int
    variable: str
    ends_block: bool
    effect: bool = False


def candidates(code: str) -> list[Candidate]:
    """Return the lines of a program that may be asked about, in the order of the source.

    Lines that several statements share are left out: "the line" would mean more than one of them.

    Args:
        code: Source of the program.
    """
    tree = ast.parse(code)
    lines = [unit.line for unit in units(tree)]
    shared = {line for line in lines if lines.count(line) > 1}
    found = [each for each in _in_body(tree.body, "") if each.line not in shared]
    return sorted(found, key=lambda each: each.line)


def _in_body(body: Sequence[ast.stmt], last_name: str) -> Iterator[Candidate]:
    """Yield the candidates of a list of statements, block by block."""
    block: list[Candidate] = []
    for statement in body:
        variable, effect, trivial = _variable(statement, last_name)
        if variable and not trivial:
            block.append(Candidate(statement.lineno, variable, False, effect))
        if variable and not effect:
            last_name = variable
        inner = [name for name in ("body", "orelse", "finalbody") if isinstance(getattr(statement, name, None), list)]
        if inner or hasattr(statement, "cases"):
            yield from _closed(block)
            block = []
            of_function = "" if isinstance(statement, _DEFINITIONS) else last_name
            for name in inner:
                yield from _in_body(getattr(statement, name), of_function)
            for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                yield from _in_body(part.body, of_function)
    yield from _closed(block)


def _closed(block: list[Candidate]) -> Iterator[Candidate]:
    for position, each in enumerate(block):
        yield Candidate(each.line, each.variable, position == len(block) - 1, each.effect)


def _variable(statement: ast.stmt, last_name: str) -> tuple[str, bool, bool]:
    """Return the variable to ask for ("" for none), whether the statement is for effect, and whether it is trivial."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        return _source(target), False, _is_trivial(value)
    if isinstance(statement, ast.AugAssign):
        return _source(statement.target), False, False
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return _source(statement.target), False, _is_trivial(statement.value)
    if isinstance(statement, ast.Return) and statement.value is not None:
        if isinstance(statement.value, ast.Constant):
            return last_name, False, False
        return _source(statement.value), False, False
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute):
            return _source(function.value), True, False
    return "", False, False


def _source(node: ast.expr) -> str:
    """Return the source of a variable, or "" for an expression that is none."""
    if isinstance(node, (ast.Tuple, ast.List)):
        parts = [_source(item) for item in node.elts]
        if not parts or not all(parts) or any(isinstance(item, (ast.Tuple, ast.List)) for item in node.elts):
            return ""
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(node, ast.Name):
        return node.id if node.id != "_" else ""
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) if _source(node.value) else ""
    if isinstance(node, ast.Subscript):
        index = node.slice
        plain = all(
            isinstance(part, (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp,
                              ast.Add, ast.Sub, ast.USub, ast.Load, ast.Tuple))
            for part in ast.walk(index)
        )  # fmt: skip
        return ast.unparse(node) if plain and _source(node.value) else ""
    return ""


def _is_trivial(value: ast.expr) -> bool:
    if isinstance(value, (ast.Constant, ast.Name)):
        return True
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return all(_is_trivial(item) for item in value.elts)
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and not value.args and not value.keywords and isinstance(value.func, ast.Name)


class HasTimes(Protocol):
    """What :func:`choose` asks of a label: how often the line runs, and its number."""

    @property
    def times(self) -> int:
        """Runs of the line."""

    @property
    def line(self) -> int:
        """Its number."""


Known = TypeVar("Known", bound=HasTimes)


def choose(fit: Sequence[tuple[Candidate, Known]], seed: str, at_most: int = AT_MOST) -> list[Known]:
    """Return the labels of the lines to ask about, at most three, by line.

    Half of them, with the odd one drawn, are lines that are not executed or more than once, where there are any. Within
    each half the last lines of blocks come before others; which of them is drawn.

    Args:
        fit: Candidates with their labels.
        seed: Draws.
        at_most: How many.
    """
    drawn = random.Random(seed)
    pool = [(not each.ends_block, drawn.random(), label) for each, label in fit]
    pool.sort(key=lambda entry: entry[:2])
    often = [label for _, _, label in pool if label.times != 1]
    once = [label for _, _, label in pool if label.times == 1]
    share = at_most // 2 + (at_most % 2 and drawn.random() < 0.5)
    first = often[: max(share, at_most - len(once))]
    chosen = first + once[: at_most - len(first)]
    return sorted(chosen, key=lambda label: label.line)

"""Texts with holes that an answer fills.

A recorded input becomes such a text when its arguments are removed: ``f(??)``, or a whole test method. The syntax tree
of an answer is compared with the text's. Outside the holes both must be equal, apart from layout and comments.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lm_eval_codemind.answers.literals import (
    Arguments,
    NotALiteralError,
    arguments_of,
    check_limits,
    parse_quietly,
    render,
    value_of,
)

HOLE = "??"
# The name that represents a hole in Python: without a star, one value; with a star, all the arguments of a call.
HOLE_NAME = "codemind_hole"
_INDENTED = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True)
class Filling:
    """A text with holes.

    Attributes:
        segments: Text before, between and after the holes; one more segment than holes.
        arguments: Whether a hole holds all the arguments of a call; otherwise it holds one value.
        constructors: Names of constructors that may be called in a hole, in addition to literals.
    """

    segments: tuple[str, ...]
    arguments: bool = False
    constructors: frozenset[str] = frozenset()

    @cached_property
    def _patterns(self) -> list[Sequence[ast.AST]]:
        """The forms of an answer: the whole text, the body of its test method, or the call with the hole."""
        body = parse_source(f"{'*' if self.arguments else ''}{HOLE_NAME}".join(self.segments))
        patterns: list[Sequence[ast.AST]] = [body]
        if isinstance(body[-1], ast.FunctionDef):
            patterns.append(body[-1].body)
        calls: list[Any] = [node for part in body for node in ast.walk(part) if _takes_any_arguments(node)]
        return [*patterns, *([ast.Expr(call)] for call in calls)]

    def shown(self) -> str:
        """Return the text with a mark in place of each hole."""
        return HOLE.join(self.segments)

    def filled(self, values: Sequence[Any]) -> str:
        """Return the text with values in its holes, each an :class:`Arguments` or a value of a literal."""
        parts = [self.segments[0]]
        for value, segment in zip(values, self.segments[1:], strict=True):
            parts += [str(value) if isinstance(value, Arguments) else render(value), segment]
        return "".join(parts)

    def read(self, text: str) -> list[Any]:
        """Return the contents of the holes in an answer.

        Raises:
            NotALiteralError: If the answer differs from this text outside the holes, or a hole contains no literal.
        """
        answer = parse_source(text)
        for pattern in self._patterns:
            content = in_holes(pattern, answer)
            if content is not None:
                take = arguments_of if self.arguments else value_of
                return [take(node, self.constructors) for node in content]
        raise NotALiteralError("it differs from the text outside the holes")


def in_holes(pattern: Any, answer: Any) -> list[Any] | None:
    """Return the nodes of a syntax tree at the holes of a pattern, in order; None if the trees differ elsewhere.

    For a starred hole the node is the whole call, with its arguments.

    Args:
        pattern: A tree, or a list of trees, in which the name :data:`HOLE_NAME` marks a hole.
        answer: The tree or the list to compare.
    """
    content: dict[tuple[int, int], Any] = {}
    return [content[place] for place in sorted(content)] if _match(pattern, answer, content) else None


def _match(pattern: Any, answer: Any, content: dict[tuple[int, int], Any]) -> bool:
    """Whether two trees match. Stores the node at each hole in ``content``, by its position."""
    if isinstance(pattern, ast.Name) and pattern.id == HOLE_NAME:
        content[pattern.lineno, pattern.col_offset] = answer
        return isinstance(answer, ast.expr)
    if type(pattern) is not type(answer):
        return False
    if _takes_any_arguments(pattern):
        content[pattern.lineno, pattern.col_offset] = answer
        return _match(pattern.func, answer.func, content)
    if isinstance(pattern, list):
        return len(pattern) == len(answer) and all(
            _match(one, other, content) for one, other in zip(pattern, answer, strict=True)
        )
    if isinstance(pattern, ast.AST):
        names = [name for name in pattern._fields if name not in ("kind", "type_comment")]
        return all(_match(getattr(pattern, name, None), getattr(answer, name, None), content) for name in names)
    return bool(pattern == answer)


def _takes_any_arguments(node: Any) -> bool:
    match node:
        case ast.Call(args=[ast.Starred(value=ast.Name(id=name))], keywords=[]):
            return name == HOLE_NAME
    return False


def same_source(one: str, other: str) -> bool:
    """Whether two texts are the same Python code, apart from layout, comments, quotes and brackets."""
    try:
        return in_holes(parse_source(one), parse_source(other)) == []
    except NotALiteralError:
        return False


def parse_source(text: str) -> list[ast.stmt]:
    """Return the statements of Python source. The text as a whole may be indented.

    Raises:
        NotALiteralError: If Python cannot parse the text, or if it is longer or deeper than the limits of literals.
    """
    check_limits(text)
    layouts = [text.strip("\n")]
    second = _INDENTED.search(layouts[0])
    if second and not layouts[0][0].isspace():
        # The first line has lost the indentation of the others.
        layouts.append(second[1] + layouts[0])
    for layout in layouts:
        indented = layout[:1].isspace()
        try:
            body = parse_quietly(f"if True:\n{layout}" if indented else layout).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = str(error)
            continue
        if not indented:
            return body
        match body:
            case [ast.If(body=inner, orelse=[])]:
                return inner
        reason = "its first line is indented further than another one"
    raise NotALiteralError(f"Python does not parse it: {reason}")

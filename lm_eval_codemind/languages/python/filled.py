"""Inputs read from answers: texts with holes that an answer fills.

A recorded input becomes such a text when its arguments are removed: ``f(??)``, or a whole test method. The syntax tree
of an answer is compared with the text's. Outside the holes both must be equal, apart from layout and comments. So an
answer adds values to an input, and no code.
"""

import ast
import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.answers.literals import (
    Arguments,
    NotALiteralError,
    arguments_of,
    check_limits,
    value_of,
)
from lm_eval_codemind.answers.normal import readings
from lm_eval_codemind.languages.base import PredictedInput
from lm_eval_codemind.languages.python.statements import PARSE_ERRORS, parsed
from lm_eval_codemind.languages.values import render

HOLE = "??"
# The name that represents a hole in Python: without a star, one value; with a star, all the arguments of a call.
HOLE_NAME = "codemind_hole"
_INDENTED = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True)
class MaskedInput:
    """An input without its arguments: a text with holes.

    Attributes:
        recorded: The problem's own input.
        segments: Text before, between and after the holes; one more segment than holes.
        parameters: Names of the function's parameters, in order.
        arguments: Whether a hole holds all the arguments of a call; otherwise it holds one value.
        constructors: Names of constructors that may be called in a hole, in addition to literals.
    """

    recorded: str
    segments: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    arguments: bool = False
    constructors: frozenset[str] = frozenset()

    def shown(self) -> str:
        """Return the text with a mark in place of each hole."""
        return HOLE.join(self.segments)

    def read(self, answer: str) -> PredictedInput | None:
        """Return the input in an answer; None if the answer has anything but values in the holes.

        An answer is the whole text, the body of its test method, or the call with the hole.
        """
        if too_long(answer, self.recorded):
            return None
        for reading in readings(answer):
            if same_source(reading, self.recorded):
                return PredictedInput(self.recorded, True)
            values = self._values(reading)
            if values is not None:
                return PredictedInput(self.filled(values), self._is_known(values))
        return None

    def filled(self, values: Sequence[Any]) -> str:
        """Return the text with values in its holes, each an :class:`Arguments` or a value of a literal."""
        pairs = zip(values, self.segments[1:], strict=True)
        return self.segments[0] + "".join(f"{render(value)}{segment}" for value, segment in pairs)

    @cached_property
    def known(self) -> list[Any] | None:
        """The values of the recorded input in the holes; None if they are not literals."""
        return self._values(self.recorded)

    def _is_known(self, values: list[Any]) -> bool:
        """Whether a program cannot distinguish values from the recorded ones.

        Equality is not enough: ``1`` and ``1.0``, or dicts in another order, may give different outputs.
        """
        return self.known is not None and list(map(self._written, values)) == list(map(self._written, self.known))

    def _written(self, value: Any) -> str:
        is_list = isinstance(value, Arguments) and not value.constructor
        return render(value.named(self.parameters) if is_list else value)

    def _values(self, text: str) -> list[Any] | None:
        """Return the values in the holes; None if the text differs elsewhere, or a hole contains no literal."""
        take = arguments_of if self.arguments else value_of
        try:
            answer = parse_source(text)
            contents = (in_holes(pattern, answer) for pattern in self._patterns)
            content = next((one for one in contents if one is not None), None)
            return None if content is None else [take(node, self.constructors) for node in content]
        except NotALiteralError:
            return None

    @cached_property
    def _patterns(self) -> list[Sequence[ast.AST]]:
        body = parse_source(f"{'*' if self.arguments else ''}{HOLE_NAME}".join(self.segments))
        patterns: list[Sequence[ast.AST]] = [body]
        if isinstance(body[-1], ast.FunctionDef):
            patterns.append(body[-1].body)
        calls: list[Any] = [node for part in body for node in ast.walk(part) if _takes_any_arguments(node)]
        return [*patterns, *([ast.Expr(call)] for call in calls)]


def in_holes(pattern: Any, answer: Any) -> list[Any] | None:
    """Return the nodes of a syntax tree at the holes of a pattern, in order; None if the trees differ elsewhere.

    Both are trees or lists of trees; the name :data:`HOLE_NAME` marks a hole. For a starred hole the node is the whole
    call, with its arguments.
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
        with contextlib.suppress(*PARSE_ERRORS):
            return parsed(layout.split("\n"))[0]
    raise NotALiteralError("Python does not parse it")

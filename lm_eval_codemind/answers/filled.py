"""Texts with holes that an answer fills with literals.

A recorded input is such a text once its arguments are taken out: ``f(??)``, or a whole test method. An answer is read
against it token by token: what stands between the holes must be there, apart from layout and comments, and a hole takes
literals only. So nothing of an answer but values ever gets any further. Takes time linear in the answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lm_eval_codemind.answers.literals import (
    Constructed,
    LiteralReader,
    NotALiteralError,
    render,
    string_value,
)

HOLE = "??"

# Brackets that an expression may have more than another one and still be compared with it.
_BRACKETS = 20

_COLLECTIONS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call.

    Attributes:
        positional: Values by position.
        keywords: Values by name, in the order of the call.
    """

    positional: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...] = ()

    def named(self, parameters: Sequence[str]) -> Arguments:
        """Return the arguments with those given by position named, as far as the names of the parameters go.

        Names of parameters come in their order; what a function takes besides keeps the order of the call.
        """
        count = min(len(parameters), len(self.positional))
        named = [*zip(parameters[:count], self.positional[:count], strict=True), *self.keywords]
        place = {name: index for index, name in enumerate(parameters)}
        return Arguments(
            self.positional[count:], tuple(sorted(named, key=lambda pair: place.get(pair[0], len(parameters))))
        )

    def __str__(self) -> str:
        keywords = [f"{name}={render(value)}" for name, value in self.keywords]
        return ", ".join([*map(render, self.positional), *keywords])


@dataclass(frozen=True)
class Filling:
    """A text with holes.

    Attributes:
        segments: What stands before, between and after the holes; one more than there are holes.
        arguments: Whether a hole holds all the arguments of a call; otherwise it holds one value.
        constructors: Names whose calls may stand in a hole besides literals.
    """

    segments: tuple[str, ...]
    arguments: bool = False
    constructors: frozenset[str] = frozenset()

    @cached_property
    def _tokens(self) -> tuple[tuple[tuple[str, Any], ...], ...]:
        return tuple(tuple(_Tokens(segment).all()) for segment in self.segments)

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
        """Return what a text has in the holes.

        Raises:
            NotALiteralError: if it is not this text, or has anything but literals in a hole.
        """
        reader = _Filled(text, self.constructors)
        values = []
        reader.fixed(self._tokens[0])
        for tokens in self._tokens[1:]:
            values.append(reader.arguments() if self.arguments else reader.value())
            reader.fixed(tokens)
        reader.end()
        return values


class _Tokens(LiteralReader):
    """The tokens of any Python text, without its layout and comments."""

    token_pattern = re.compile(
        rf"(?P<comment>\#[^\n]*)|{LiteralReader.token_pattern.pattern}|(?P<operator>[^\s\w])", re.VERBOSE | re.DOTALL
    )

    def _advance(self) -> None:
        super()._advance()
        while self._kind == "comment":
            super()._advance()

    def _current(self) -> tuple[str, Any]:
        """Return the token in a form that does not depend on how a string is quoted."""
        return self._kind, string_value(self._token) if self._kind == "string" else self._token

    def all(self) -> Iterable[tuple[str, Any]]:
        """Yield the tokens."""
        while self._kind:
            yield self._current()
            self._advance()


class _Filled(_Tokens):
    """Reads a text with holes."""

    def __init__(self, text: str, constructors: frozenset[str]) -> None:
        self._constructors = constructors
        super().__init__(text)

    def fixed(self, tokens: Iterable[tuple[str, Any]]) -> None:
        """Pass over tokens that must come next."""
        for token in tokens:
            if self._current() != token:
                raise NotALiteralError(f"expected {token[1]!r} before {self._position}")
            self._advance()

    def value(self) -> Any:
        """Return the value that comes next."""
        return self._expression()

    def arguments(self) -> Arguments:
        """Return the arguments that come next, up to a closing bracket."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        while self._token != ")" and self._kind:
            name = self._keyword()
            if name is None and keywords:
                raise NotALiteralError(f"a positional argument after a keyword before {self._position}")
            if name is None:
                positional.append(self._expression())
            elif name in keywords:
                raise NotALiteralError(f"{name!r} is given twice")
            else:
                keywords[name] = self._expression()
            if self._kind != "comma":
                break
            self._advance()
        return Arguments(tuple(positional), tuple(keywords.items()))

    def end(self) -> None:
        """Check that nothing is left."""
        if self._kind:
            raise NotALiteralError(f"text after the answer before {self._position}")

    def _keyword(self) -> str | None:
        """Return the name of the argument that comes next, and pass over it; None if it has none."""
        if self._kind != "name":
            return None
        following = _ASSIGNED.match(self._text, self._position)
        if following is None:
            return None
        name = self._token
        self._position = following.end()
        self._advance()
        return name

    def _name(self) -> Any:
        name = self._token
        if name not in self._constructors:
            return super()._name()
        self._advance()
        self._deeper()
        self._expect("(")
        given = self.arguments()
        self._expect(")")
        self._depth -= 1
        return _constructed(name, given)


_ASSIGNED = re.compile(r"\s*=(?!=)")


def _constructed(name: str, given: Arguments) -> Any:
    """Return the value of a constructor's call: itself where that costs nothing, so that it equals a literal."""
    made = _COLLECTIONS.get(name)
    plain = len(given.positional) <= 1 and not any(isinstance(item, Constructed) for item in given.positional)
    if made is not None and plain and (made is dict or not given.keywords):
        try:
            return made(*given.positional, **dict(given.keywords))
        except (TypeError, ValueError) as error:
            raise NotALiteralError(f"no {name}: {error}") from error
    return Constructed(name, given.positional, given.keywords)


def same_source(one: str, other: str) -> bool:
    """Return whether two texts are the same Python expression apart from layout, comments, quotes and brackets.

    Only a text that has the tokens of the other one, and few brackets more, is ever given to Python's parser.
    """
    try:
        tokens, others = list(_Tokens(one).all()), list(_Tokens(other).all())
    except NotALiteralError:
        return False
    if tokens == others:
        return True
    if len(tokens) > len(others) + _BRACKETS or _bare(tokens) != _bare(others):
        return False
    try:
        return ast.dump(ast.parse(one.strip(), mode="eval")) == ast.dump(ast.parse(other.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _bare(tokens: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [token for token in tokens if token[1] not in ("(", ")")]

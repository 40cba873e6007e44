"""Python literals read from text that nobody vouches for.

``ast.literal_eval`` is no choice here: the parser behind it exhausts the stack or the memory on long or deeply nested
text, and it knows neither ``nan`` nor ``inf``, which ``repr`` writes. This reader takes time linear in the text, nests
no deeper than it says and evaluates nothing.
"""

from __future__ import annotations

import ast
import cmath
import math
import re
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

# CPython itself reads 200 levels; half of that leaves the interpreter's stack to the caller, and no output comes near.
MAX_DEPTH = 100

_STRING = r"""
    (?:[bB][rR]?|[rR][bB]?|[uU])?
    (?: '''(?:[^\\']|\\.|'(?!''))*''' | \"\"\"(?:[^\\"]|\\.|"(?!""))*\"\"\"
      | '(?:[^\\'\n]|\\.)*' | "(?:[^\\"\n]|\\.)*" )
"""
_NUMBER = r"""
    (?: 0[xX](?:_?[0-9a-fA-F])+ | 0[oO](?:_?[0-7])+ | 0[bB](?:_?[01])+
      | (?: [0-9](?:_?[0-9])*\.(?:[0-9](?:_?[0-9])*)? | \.[0-9](?:_?[0-9])* | [0-9](?:_?[0-9])* )
        (?:[eE][+-]?[0-9](?:_?[0-9])*)? [jJ]? )
    (?![\w.])
"""
_TOKEN = re.compile(
    rf"""
      (?P<blank>\s+)
    | (?P<string>{_STRING})
    | (?P<number>{_NUMBER})
    | (?P<name>[^\W\d]\w*)
    | (?P<sign>[+-])
    | (?P<open>[\[({{])
    | (?P<close>[\])}}])
    | (?P<comma>,)
    | (?P<colon>:)
    | (?P<dots>\.\.\.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS: dict[str, Any] = {
    "None": None,
    "True": True,
    "False": False,
    "Ellipsis": ...,
}
_NUMBER_NAMES = {name: complex(name) if name.endswith("j") else float(name) for name in ("nan", "inf", "nanj", "infj")}
# Values that Python writes as calls.
_CALLS = {"set", "frozenset", "float"}
_PAIRS = {"(": ")", "[": "]", "{": "}"}
# Bits of a number whose decimal form every Python reads: the limit is 4300 digits by default, and never below 640.
_LONG_INT = 2000


class NotALiteralError(ValueError):
    """The text is no Python literal."""


@dataclass(frozen=True)
class Constructed:
    """A value that is written as a call of a plain constructor, such as ``Counter({'a': 2})``; never made here.

    Attributes:
        name: The constructor's name.
        arguments: The arguments by position.
        keywords: Those by name.
    """

    name: str
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...] = ()


def parse_literal(text: str) -> Any:
    """Return the value of a Python literal.

    Understood are numbers, strings, bytes, ``None``, booleans, ``...``, tuples, lists, sets and dicts of these,
    ``set()``, ``frozenset(...)``, and ``nan`` and ``inf`` as ``repr`` writes them or as ``float('nan')``.

    Args:
        text: Any text of any length; white space around the literal does not matter.

    Raises:
        NotALiteralError: if the text is anything else.
    """
    return LiteralReader(text).read()


class LiteralReader:
    """A parser of one text: one token of lookahead, one frame of recursion a bracket."""

    token_pattern: ClassVar[re.Pattern[str]] = _TOKEN

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._kind = ""
        self._token = ""
        self._depth = 0
        self._advance()

    def read(self) -> Any:
        """Return the value that the text is."""
        value = self._expression()
        if self._kind:
            # An unparenthesised tuple: 1, 2
            value = self._rest_of_tuple(value, until="")
        return value

    def _advance(self) -> None:
        while self._position < len(self._text):
            match = self.token_pattern.match(self._text, self._position)
            if match is None or match.lastgroup is None:
                raise NotALiteralError(f"unexpected character at {self._position}")
            self._position = match.end()
            if match.lastgroup != "blank":
                self._kind, self._token = match.lastgroup, match.group()
                return
        self._kind = self._token = ""

    def _expect(self, token: str) -> None:
        if self._token != token:
            raise NotALiteralError(f"expected {token!r} before {self._position}")
        self._advance()

    def _expression(self) -> Any:
        match self._kind:
            case "string":
                return self._strings()
            case "number" | "sign":
                return self._numbers()
            case "name":
                return self._name()
            case "open":
                return self._bracket()
            case "dots":
                self._advance()
                return ...
        raise NotALiteralError(f"expected a value before {self._position}")

    def _strings(self) -> str | bytes:
        parts = []
        while self._kind == "string":
            parts.append(string_value(self._token))
            self._advance()
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)
        if all(isinstance(part, bytes) for part in parts):
            return b"".join(parts)
        raise NotALiteralError("strings mixed with bytes")

    def _numbers(self) -> Any:
        value = self._signed_number()
        if self._kind == "sign":
            # The only sum that is a literal: a complex number as repr writes it.
            negative = self._token == "-"
            self._advance()
            imaginary = self._signed_number(signs=False)
            if isinstance(value, complex) or not isinstance(imaginary, complex):
                raise NotALiteralError(f"a sum before {self._position}")
            value = complex(value, -imaginary.imag if negative else imaginary.imag)
        return value

    def _signed_number(self, *, signs: bool = True) -> Any:
        negative = False
        if signs and self._kind == "sign":
            negative = self._token == "-"
            self._advance()
        if self._kind == "name" and self._token in _NUMBER_NAMES:
            value: Any = _NUMBER_NAMES[self._token]
        elif self._kind == "number":
            value = _number(self._token)
        else:
            raise NotALiteralError(f"expected a number before {self._position}")
        self._advance()
        return -value if negative else value

    def _name(self) -> Any:
        name = self._token
        if name in _NUMBER_NAMES:
            return self._numbers()
        self._advance()
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in _CALLS and self._token == "(":
            return self._call(name)
        raise NotALiteralError(f"{name!r} is no literal")

    def _call(self, name: str) -> Any:
        self._deeper()
        self._expect("(")
        argument = () if self._kind == "close" else self._expression()
        self._expect(")")
        self._depth -= 1
        if name == "float":
            if not isinstance(argument, str):
                raise NotALiteralError("float() of no string")
            return _as_float(argument)
        if not isinstance(argument, (set, list, tuple)):
            raise NotALiteralError(f"{name}() of no collection")
        return _hashed(frozenset if name == "frozenset" else set, argument)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotALiteralError(f"brackets nested deeper than {MAX_DEPTH}")

    def _bracket(self) -> Any:
        opening = self._token
        closing = _PAIRS[opening]
        self._deeper()
        self._advance()
        if self._kind == "close":
            value: Any = {"(": (), "[": [], "{": {}}[opening]
        elif opening == "{":
            value = self._set_or_dict()
        else:
            first = self._expression()
            if opening == "(":
                # Parentheses around one value without a comma are just parentheses.
                value = first if self._token == ")" else self._rest_of_tuple(first, until=")")
            else:
                value = [first, *self._items(until="]")]
        self._expect(closing)
        self._depth -= 1
        return value

    def _items(self, *, until: str) -> list[Any]:
        items = []
        while self._kind == "comma":
            self._advance()
            if self._token == until:
                break
            items.append(self._expression())
        return items

    def _rest_of_tuple(self, first: Any, *, until: str) -> tuple[Any, ...]:
        if self._kind != "comma":
            raise NotALiteralError(f"expected ',' before {self._position}")
        items = (first, *self._items(until=until))
        if not until and self._kind:
            raise NotALiteralError(f"text after the literal before {self._position}")
        return items

    def _set_or_dict(self) -> Any:
        first = self._expression()
        if self._kind != "colon":
            return _hashed(set, [first, *self._items(until="}")])
        self._advance()
        pairs = [(first, self._expression())]
        while self._kind == "comma":
            self._advance()
            if self._kind == "close":
                break
            key = self._expression()
            self._expect(":")
            pairs.append((key, self._expression()))
        return _hashed(dict, pairs)


def render(value: Any) -> str:
    """Return the Python expression for a value that a reader gave.

    Raises:
        TypeError: if no reader gives such a value.
    """
    if isinstance(value, Constructed):
        keywords = [f"{name}={render(item)}" for name, item in value.keywords]
        return f"{value.name}({', '.join([*map(render, value.arguments), *keywords])})"
    if value is ...:
        return "..."
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value!r}')"
    if isinstance(value, complex):
        return repr(value) if cmath.isfinite(value) else f"complex('{value!r}')"
    if isinstance(value, int) and not isinstance(value, bool):
        # Python writes and reads no decimals of more digits than some limit; it reads hexadecimals of any length.
        return repr(value) if value.bit_length() < _LONG_INT else hex(value)
    if value is None or isinstance(value, (bool, str, bytes)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(render, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(render, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{render(key)}: {render(item)}' for key, item in value.items())}}}"
    if isinstance(value, (set, frozenset)):
        members = f"{{{', '.join(map(render, value))}}}" if value else ""
        if isinstance(value, frozenset):
            return f"frozenset({members})"
        return members or "set()"
    raise TypeError(f"no value of a literal: {type(value).__name__}")


def string_value(token: str) -> Any:
    """Return the text or the bytes of one string literal.

    Raises:
        NotALiteralError: if it is none.
    """
    if "\\" not in token and token[0] in "'\"":
        quotes = 3 if token[:3] in ("'''", '"""') else 1
        return token[quotes:-quotes]
    try:
        with warnings.catch_warnings():
            # Unknown escapes such as '\\d' are legal, if deprecated.
            warnings.simplefilter("ignore")
            return ast.literal_eval(token)
    except (ValueError, SyntaxError) as error:
        raise NotALiteralError(f"bad string {token[:40]!r}") from error


def _number(token: str) -> Any:
    try:
        if token[-1] in "jJ":
            return complex(token.replace("_", ""))
        if token[:2].lower() in ("0x", "0o", "0b"):
            return int(token, 0)
        if token.replace("_", "").isdigit():
            # Base 0 refuses 007 as Python does; more digits than sys.get_int_max_str_digits() are refused as well.
            return int(token, 0)
        return float(token)
    except ValueError as error:
        raise NotALiteralError(f"bad number {token[:40]!r}") from error


def _as_float(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise NotALiteralError(f"bad number {text[:40]!r}") from error


def _hashed(kind: Any, items: Any) -> Any:
    try:
        return kind(items)
    except TypeError as error:
        raise NotALiteralError("a key or a member that cannot be hashed") from error

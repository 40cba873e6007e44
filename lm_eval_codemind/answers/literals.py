"""Python literals read from responses.

Python's parser reads the text; nothing is evaluated. Long or deeply nested text can exhaust the parser, so two limits
protect it. In addition to ``ast.literal_eval``, the module accepts what ``repr`` writes: ``nan``, ``inf``,
``frozenset({1})`` and NumPy's scalars. A scalar of NumPy becomes the plain Python value.
"""

from __future__ import annotations

import ast
import cmath
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

# CPython itself reads 200 levels. Half of that leaves the interpreter's stack to the caller.
MAX_DEPTH = 100
# Characters. All outputs and inputs of problems are much shorter.
MAX_LENGTH = 100_000

# A string on one line, without the letters before it.
STRING = r"""(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")"""
# Strings and comments, which the limits ignore, and marks that can nest.
_TOKEN = re.compile(
    r"""'''(?:[^\\']|\\.|'(?!''))*'''|\"\"\"(?:[^\\"]|\\.|"(?!""))*\"\"\"|"""
    rf"{STRING}|#[^\n]*|(?P<mark>[^\w\s]|\n)",
    re.DOTALL,
)
# Text between two strings that Python joins.
_JOINED = re.compile(r"\s*[A-Za-z]{0,2}")
_FIRST = re.compile(r"[\w\[({'\"+.-]")
# Operators and brackets between two commas. Only an artificial text has more.
_MAX_MARKS = 4 * MAX_DEPTH
_NAMES: dict[str, Any] = {"Ellipsis": ..., "nan": math.nan, "inf": math.inf, "nanj": cmath.nanj, "infj": cmath.infj}
_NAMES |= {f"{module}.{value}_": value for module in ("np", "numpy") for value in (True, False)}
# What the names of NumPy's types have in addition to those of Python's, as in `uint8` and `str_`.
_SCALAR = re.compile(r"^u|\d+$|_$")
_COLLECTIONS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}


class NotALiteralError(ValueError):
    """The text is not a Python literal."""


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call, or the call of a plain constructor, such as ``Counter({'a': 2})``. It is never executed.

    Attributes:
        positional: Values by position.
        keywords: Values by name, in the order of the call.
        constructor: The name of the constructor; empty for the arguments alone.
    """

    positional: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...] = ()
    constructor: str = ""

    def named(self, parameters: tuple[str, ...]) -> Arguments:
        """Return the arguments with positional ones named by the parameters, as far as there are parameters.

        Parameters come first, in the order of the signature. Other keywords follow in the order of the call.
        """
        named = [*zip(parameters, self.positional, strict=False), *self.keywords]
        place = {name: index for index, name in enumerate(parameters)}
        named.sort(key=lambda pair: place.get(pair[0], len(parameters)))
        return Arguments(self.positional[len(parameters) :], tuple(named))


def parse_literal(text: str) -> Any:
    """Return the value of a Python literal.

    Literals are numbers, strings, bytes, ``None``, booleans, ``...``, and tuples, lists, sets and dicts of these.
    So are ``set()``, ``frozenset(...)``, ``nan``, ``inf``, ``float('nan')``, ``float('inf')`` and NumPy's scalars.

    Args:
        text: Any text of any length; white space around the literal does not matter.

    Raises:
        NotALiteralError: If the text is not a literal, or is longer or deeper than the limits.
    """
    plain = text.strip()
    if not _FIRST.match(plain):
        raise NotALiteralError("it does not start like a literal")
    check_limits(plain)
    strings = [token.span() for token in _TOKEN.finditer(plain) if token[0][0] in "'\""]
    if any(_JOINED.fullmatch(plain, end, start) for (_, end), (start, _) in pairwise(strings)):
        raise NotALiteralError("Python would join two strings, which are two values")
    try:
        # The brackets allow line ends anywhere.
        node: Any = parse_quietly(f"({plain}\n)").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotALiteralError(f"Python does not parse it: {error}") from error
    return value_of(node.value)


def literal_or(text: str, default: Any) -> Any:
    """Return the value of a Python literal, or the default for any other text."""
    try:
        return parse_literal(text)
    except NotALiteralError:
        return default


# Readers and the comparison ask for the same text one after the other.
@lru_cache(maxsize=16)
def is_literal(text: str) -> bool:
    """Whether a text is a Python literal other than ``...``, which in prose is an omission."""
    return literal_or(text, ...) is not ...


def parse_quietly(source: str) -> ast.Module:
    """Return the syntax tree of a module, without warnings about unknown escapes such as ``\\d``.

    Raises:
        SyntaxError: If it does not parse, also for a null byte. Python before 3.11.4 raises a ValueError there.
    """
    if "\0" in source:
        raise SyntaxError("source code cannot contain null bytes")
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(source)


def nested(text: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """Yield the marks of a text outside of strings and comments, each with its end and the number of open brackets."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if mark := token["mark"]:
            depth += (mark in "([{") - (mark in ")]}")
            yield mark, token.end(), depth


def check_limits(text: str) -> None:
    """Check that Python's parser can read a text safely.

    Raises:
        NotALiteralError: If the text is longer or deeper than the limits.
    """
    if len(text) > MAX_LENGTH:
        raise NotALiteralError(f"longer than {MAX_LENGTH} characters")
    marks = 0
    for mark, _, depth in nested(text):
        marks = 0 if mark == "," or (mark == "\n" and depth == 0) else marks + (mark != "\n")
        if depth > MAX_DEPTH or marks > _MAX_MARKS:
            raise NotALiteralError(f"nested deeper than {MAX_DEPTH} levels")
        if depth < 0:
            raise NotALiteralError("it has a closing bracket without an opening one")


def value_of(node: ast.AST, constructors: frozenset[str] = frozenset()) -> Any:
    """Return the value of a literal's syntax tree, which may change. Calls of the constructors are values too.

    Raises:
        NotALiteralError: If the tree is not a literal.
    """
    with suppress(TypeError, ValueError, RecursionError):
        # Most literals need no replacement, which costs more than all else.
        return ast.literal_eval(node)
    try:
        return ast.literal_eval(_Constants(constructors).visit(node))
    except (TypeError, ValueError, RecursionError) as error:
        raise NotALiteralError(f"not a literal: {error}") from error


def arguments_of(call: ast.Call, constructors: frozenset[str] = frozenset()) -> Arguments:
    """Return the arguments of a call if all of them are literals.

    Raises:
        NotALiteralError: If an argument is not a literal.
    """
    keywords = [(keyword.arg or "", value_of(keyword.value, constructors)) for keyword in call.keywords]
    if "" in dict(keywords):
        raise NotALiteralError("not a literal: **")
    return Arguments(tuple(value_of(item, constructors) for item in call.args), tuple(keywords))


class _Constants(ast.NodeTransformer):
    """Replaces names and calls that :func:`ast.literal_eval` does not read with their values."""

    def __init__(self, constructors: frozenset[str]) -> None:
        self._constructors = constructors

    def visit(self, node: ast.AST) -> Any:
        node = self.generic_visit(node)
        match node:
            case ast.Name() | ast.Attribute(ast.Name()) if (name := ast.unparse(node)) in _NAMES:
                return ast.Constant(_NAMES[name])
            case ast.Call(ast.Name() | ast.Attribute(ast.Name()) as function):
                return ast.Constant(self._result(ast.unparse(function), arguments_of(node)))
        return node

    def _result(self, name: str, call: Arguments) -> Any:
        """Return the value of a call; a built-in collection is equal to its literal."""
        match name.split("."), call:
            case ["np" | "numpy", scalar], Arguments((value,), ()):
                kind = _SCALAR.sub("", scalar)
                if kind == type(value).__name__ or (kind == "float" and type(value) is int):
                    return value
            case ["float"], Arguments((str() as text,), ()):
                return float(text)
        collection = _COLLECTIONS.get(name) if name in self._constructors | {"set", "frozenset"} else None
        if collection and not any(isinstance(item, Arguments) for item in call.positional):
            return collection(*call.positional, **dict(call.keywords))
        if name not in self._constructors:
            raise NotALiteralError(f"a call of {name}")
        return replace(call, constructor=name)

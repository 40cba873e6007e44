"""Python literals read from responses.

Python's parser reads the text; nothing is evaluated. Long or deeply nested text can exhaust the parser, so two limits
protect it. In addition to ``ast.literal_eval``, the module accepts what ``repr`` writes: ``nan``, ``inf``,
``frozenset({1})`` and NumPy's scalars. A scalar of NumPy becomes the plain Python value.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

# CPython itself reads 200 levels. Half of that leaves the interpreter's stack to the caller.
MAX_DEPTH = 100
# Characters. All outputs and inputs of problems are much shorter.
MAX_LENGTH = 100_000

# Strings and comments, which the limits ignore, and marks that can nest.
_TOKEN = re.compile(
    r"""'''(?:[^\\']|\\.|'(?!''))*''' | \"\"\"(?:[^\\"]|\\.|"(?!""))*\"\"\"
      | '(?:[^\\'\n]|\\.)*' | "(?:[^\\"\n]|\\.)*" | \#[^\n]* | (?P<mark>[^\w\s]|\n)""",
    re.VERBOSE | re.DOTALL,
)
# Text between two strings that Python joins.
_JOINED = re.compile(r"\s*[A-Za-z]{0,2}")
_FIRST = re.compile(r"[\w\[({'\"+.-]")
# Operators and brackets between two commas. Only an artificial text has more.
_MAX_MARKS = 4 * MAX_DEPTH
_NUMBER_NAMES = {name: complex(name) if name.endswith("j") else float(name) for name in ("nan", "inf", "nanj", "infj")}
_NUMPY = ("np", "numpy")
_NUMPY_SCALARS = re.compile(r"u?int\d*|u?(?:byte|short|intc|intp|longlong)|u?long|float\d*|(?:long)?double|half|single")
_NUMPY_PLAIN: dict[str, Any] = {"bool": bool, "bool_": bool, "str_": str, "bytes_": bytes}


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


def check_limits(text: str) -> None:
    """Check that Python's parser can read a text safely.

    Raises:
        NotALiteralError: If the text is longer or deeper than the limits.
    """
    if len(text) > MAX_LENGTH:
        raise NotALiteralError(f"longer than {MAX_LENGTH} characters")
    depth = marks = 0
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark is None:
            continue
        depth += (mark in "([{") - (mark in ")]}")
        marks = 0 if mark == "," or (mark == "\n" and depth == 0) else marks + (mark != "\n")
        if depth > MAX_DEPTH or marks > _MAX_MARKS:
            raise NotALiteralError(f"nested deeper than {MAX_DEPTH} levels")
        if depth < 0:
            raise NotALiteralError("it has a closing bracket without an opening one")


def value_of(node: ast.AST, constructors: frozenset[str] = frozenset()) -> Any:
    """Return the value of a literal's syntax tree. Calls of the constructors are values too; see :class:`Arguments`.

    Raises:
        NotALiteralError: If the tree is not a literal.
    """

    def values(nodes: list[Any]) -> list[Any]:
        return [value_of(item, constructors) for item in nodes]

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id="Ellipsis"):
            return ...
        case ast.UnaryOp() | ast.BinOp() | ast.Name():
            return _number(node)
        case ast.List(elts=items):
            return values(items)
        case ast.Tuple(elts=items):
            return tuple(values(items))
        case ast.Set(elts=items):
            return _made(set, values(items))
        case ast.Dict(keys=keys, values=items) if None not in keys:
            return _made(dict, list(zip(values(keys), values(items), strict=True)))
        case ast.Attribute(value=ast.Name(id=module), attr="True_" | "False_" as name) if module in _NUMPY:
            return name == "True_"
        case ast.Call(func=ast.Name(id=name)) if name in constructors:
            return _constructed(name, arguments_of(node, constructors))
        case ast.Call(func=ast.Name(id=("set" | "frozenset") as name), args=items, keywords=[]) if len(items) <= 1:
            argument = values(items)[0] if items else ()
            if isinstance(argument, (set, frozenset, list, tuple)):
                return _made(frozenset if name == "frozenset" else set, argument)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)], keywords=[]):
            return _made(float, text)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[item], keywords=[]):
            if module in _NUMPY:
                return _numpy_scalar(name, value_of(item))
    raise NotALiteralError(f"not a literal: {type(node).__name__}")


def arguments_of(call: ast.Call, constructors: frozenset[str] = frozenset()) -> Arguments:
    """Return the arguments of a call if all of them are literals.

    Raises:
        NotALiteralError: If an argument is not a literal.
    """
    keywords = [(keyword.arg or "", value_of(keyword.value, constructors)) for keyword in call.keywords]
    if "" in dict(keywords):
        raise NotALiteralError("not a literal: **")
    return Arguments(tuple(value_of(item, constructors) for item in call.args), tuple(keywords))


def _number(node: ast.AST) -> Any:
    """Return a number with a sign, ``nan`` or ``inf``, or a complex number."""
    match node:
        case ast.Constant(value=int() | float() | complex() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name) if name in _NUMBER_NAMES:
            return _NUMBER_NAMES[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant() | ast.Name() as operand):
            return -_number(operand) if isinstance(sign, ast.USub) else _number(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=ast.Constant() | ast.Name() as right):
            if not isinstance(left, ast.BinOp):
                real, imaginary = _number(left), _number(right)
                if isinstance(imaginary, complex) and not isinstance(real, complex):
                    return complex(real, -imaginary.imag if isinstance(sign, ast.Sub) else imaginary.imag)
    raise NotALiteralError(f"not a number: {type(node).__name__}")


def _numpy_scalar(name: str, value: Any) -> Any:
    """Return the plain value of a NumPy scalar that ``repr`` writes as a call, such as ``np.int64(1)``."""
    kind = _NUMPY_PLAIN.get(name)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if (kind is not None and type(value) is kind) or (number and _NUMPY_SCALARS.fullmatch(name)):
        return value
    if name.startswith("complex") and isinstance(value, (int, float, complex)):
        return complex(value)
    raise NotALiteralError(f"not a NumPy scalar: {name}")


_COLLECTIONS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}


def _constructed(name: str, arguments: Arguments) -> Any:
    """Return the value of a constructor's call. A built-in collection becomes a plain value, equal to its literal."""
    kind = _COLLECTIONS.get(name)
    plain = len(arguments.positional) <= 1 and not any(isinstance(item, Arguments) for item in arguments.positional)
    if kind is not None and plain and (kind is dict or not arguments.keywords):
        return _made(kind, *arguments.positional, **dict(arguments.keywords))
    return replace(arguments, constructor=name)


def _made(kind: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    try:
        return kind(*arguments, **keywords)
    except (TypeError, ValueError) as error:
        raise NotALiteralError(str(error)) from error

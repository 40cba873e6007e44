"""Inputs that say nothing about a program: the same usual value in each place, and empty ones.

Of these the plain ones are empty, zero, or left to their defaults.
"""

import ast
import re
from itertools import product
from typing import Any

from lm_eval_codemind.answers.literals import Arguments
from lm_eval_codemind.languages.python.filled import MaskedInput
from lm_eval_codemind.languages.python.names import FUNCTIONS

_NUMBERS = (0, 1, -1, 2, 3, 5, 10, 100, 0.0, 1.0, True, False, None)
_TEXTS = ("", " ", "a", "abc", "hello", "0", "1", "()")
_COLLECTIONS: tuple[Any, ...] = (
    [],
    [0],
    [1],
    [-1],
    [0, 0],
    [1, 2],
    [1, 2, 3],
    [""],
    ["a"],
    [[]],
    [[0]],
    [[1]],
    [[1, 2], [3, 4]],
    (),
    (0,),
    (1, 2),
    (1, 2, 3),
    {},
    {"a": 1},
    {1: 1},
)
_LINES = (
    "",
    "0",
    "1",
    "-1",
    "2",
    "5",
    "10",
    "a",
    "abc",
    "0 0",
    "1 1",
    "1 2",
    "1 2 3",
    "yes",
    "1\n1",
    "1\n0",
    "1\n1 1",
    "2\n1 2",
    "3\n1 2 3",
)


def default_inputs(masked: MaskedInput) -> list[str]:
    """Return calls, or bodies of tests, with usual values as arguments, as many as the recorded input has."""
    known = masked.known
    if known is None:
        return []
    fillings = [[_filled(hole, value, value) for hole in known] for value in (*_NUMBERS, *_TEXTS, *_COLLECTIONS)]
    fillings += [
        [_filled(hole, first, rest) for hole in known]
        for first, rest in product((0, 1, "", "a", "abc", [], [1], [1, 2, 3]), (0, 1, 2, "", "a", []))
    ]
    fillings.append([emptied(hole) for hole in known])
    if masked.arguments:
        fillings.append([Arguments(()) for _ in known])
    return list(dict.fromkeys(map(masked.filled, fillings)))


def default_texts(recorded: str) -> list[str]:
    """Return usual texts on standard input, and the recorded one with the same number in each place."""
    numbers = [re.sub(r"-?\d+(?:\.\d+)?", number, recorded) for number in ("0", "1", "2")]
    return list(dict.fromkeys([*_LINES, *(text for text in numbers if text != recorded)]))


def plain_inputs(masked: MaskedInput, code: str, entry_point: str) -> list[str]:
    """Return calls, or bodies of tests, with an empty value for each recorded argument, and without optional ones."""
    known = masked.known
    if known is None:
        return []
    fillings = [[emptied(value) for value in known]]
    optional = _optional(code, entry_point) if masked.arguments else set()
    if optional:
        named = emptied(known[0].named(masked.parameters))
        left = tuple(pair for pair in named.keywords if pair[0] not in optional)
        fillings.append([Arguments(named.positional, left)])
    return list(dict.fromkeys(map(masked.filled, fillings)))


def plain_texts(recorded: str) -> list[str]:
    """Return an empty standard input and, if the recorded one has numbers, the recorded one with zero for each."""
    zeros, numbers = re.subn(r"-?\d+(?:\.\d+)?", "0", recorded)
    return ["", zeros] if numbers else [""]


def _optional(code: str, entry_point: str) -> set[str]:
    """Return the parameters of a function that have a default and may be given by name."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, FUNCTIONS)]
    named = [node.args for node in nodes if node.name == entry_point]
    if not named or named[-1].posonlyargs:
        return set()
    arguments = named[-1]
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    by_position = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    return {one.arg for one in [*by_position, *(one for one, default in by_name if default)]}


def _filled(hole: Any, first: Any, rest: Any) -> Any:
    """Return what fills a hole: a value, or arguments of the recorded number, the first and the others."""
    if not isinstance(hole, Arguments):
        return first
    if hole.constructor:
        return emptied(hole)
    count = len(hole.positional)
    values = (*([first] if count else []), *[rest] * (count - 1))
    return Arguments(
        values,
        tuple((name, first if not count and not place else rest) for place, (name, _) in enumerate(hole.keywords)),
    )


def emptied(value: Any) -> Any:
    """Return the empty value of the type of an argument; of a call's arguments, as many empty ones."""
    if isinstance(value, Arguments) and value.constructor:
        return Arguments((0,) if value.constructor == "range" else (), constructor=value.constructor)
    if isinstance(value, Arguments):
        keywords = tuple((name, emptied(item)) for name, item in value.keywords)
        return Arguments(tuple(map(emptied, value.positional)), keywords)
    return type(value)()

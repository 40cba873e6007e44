"""Answers to questions about the values of RE2-Bench: JSON or Python literals, compared by value."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lm_eval_codemind.answers.comparison import same_value
from lm_eval_codemind.answers.forms import split
from lm_eval_codemind.answers.literals import literal_or

_CONTAINERS = ("[", "(", "{", "array(", "set(", "frozenset(")
# The parts of a NumPy array's text that ``repr`` adds.
_DTYPE = re.compile(r",\s*dtype=[^)]*(?=\)\Z)")
_WORDS = re.compile(r"\b(null|true|false)\b")
_LINE = re.compile(r"[\s*-]*(?:line\s*)?`?(\d{1,6})\b`?[:.)]*\s*(.*)", re.IGNORECASE)
_NAMED = re.compile(r"`?([A-Za-z_]\w*)`?\s*(?:=|:)\s*(\[.*\]|\S+)\s*,?;?")
_TRUE, _FALSE = {"true", "yes", "y", "t", "1", "taken"}, {"false", "no", "n", "f", "0", "not taken"}
_PYTHON = {"null": "None", "true": "True", "false": "False"}


def read_value(text: str) -> Any:
    """Return the value that an answer states as JSON or as a Python literal; the text itself if it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    value = literal_or(text, text)
    return literal_or(_WORDS.sub(lambda match: _PYTHON[match[0]], text), text) if value is text else value


def stated_value(text: str) -> tuple[Any] | None:
    """Return the value that a text states, in a tuple; None if it is neither JSON nor a Python literal."""
    value = read_value(text)
    return None if value is text else (value,)


def same_plain(answer: Any, label: Any) -> bool:
    """Whether two values are equal as JSON shows them.

    A tuple equals a list with the same items, NaN equals null, and a key equals its text. The text of an array
    or a container equals the container. Otherwise the rules are those of
    :func:`~lm_eval_codemind.answers.comparison.same_value`.
    """
    try:
        return same_value(_plain(answer), _plain(label))
    except (TypeError, RecursionError):
        return False


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        text = value.strip()
        container = _container(text) if text.startswith(_CONTAINERS) else None
        return text if container is None else _plain(container)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    # JSON has no other way to write NaN.
    return None if isinstance(value, float) and value != value else value


def _container(text: str) -> Any:
    """Return the container that a text denotes; None if it denotes none."""
    numbers = _DTYPE.sub("", text).removeprefix("array(").removesuffix(")") if text.startswith("array(") else text
    # NumPy's ``str`` has no commas: between two numbers, and between two rows.
    separated = re.sub(r"(?<=[\d.])\s+(?=[-+\d.])|(?<=\])\s+(?=\[)", ", ", numbers) if numbers[:1] == "[" else numbers
    values = (literal_or(each, None) for each in (text, numbers, separated))
    return next((value for value in values if value is not None), None)


def read_lines(text: str) -> dict[str, dict[str, list[Any]]]:
    """Return line -> name -> list of values, from an object of JSON or from one line of text for each program line.

    A list without a name has the name "". A line of text may be a line of the program with its marks filled in.
    """
    value = read_value(text)
    if isinstance(value, dict):
        named = {str(line): part if isinstance(part, dict) else {"": part} for line, part in value.items()}
        return {line: {str(name): _items(part) for name, part in parts.items()} for line, parts in named.items()}
    lines: dict[str, dict[str, list[Any]]] = {}
    for match in filter(None, map(_LINE.fullmatch, text.split("\n"))):
        number, rest = match[1], match[2].strip()
        pairs = list(states(rest, "STATE|BRANCH")) or ([("", rest)] if rest.startswith("[") else _NAMED.findall(rest))
        lines.setdefault(number, {}).update({name.strip(): _items(items.strip()) for name, items in pairs})
    return lines


def states(line: str, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each ``[MARK]name=text[/MARK]`` in a line.

    Args:
        line: The line.
        marks: The names of the marks, with ``|`` between them.
    """
    for part in re.split(rf"\[/(?:{marks})\]", line)[:-1]:
        _, *state = re.split(rf"\[(?:{marks})\]", part, maxsplit=1)
        name, _, text = "".join(state).partition("=")
        if name and text:
            yield name, text


def truths(items: list[Any]) -> list[bool | None]:
    """Return the truth that each item of a list states; None for an item that states none."""
    words = [str(item).strip(" \t`'\"*.").lower() for item in items]
    return [True if word in _TRUE else False if word in _FALSE else None for word in words]


def first_difference(answer: list[Any], label: list[Any]) -> int | None:
    """Return the place of the first value that differs, counted from 0; None if the lists are equal.

    A label that is text, such as that of an object, equals the answer whose text it is without quotes.
    """
    for place, (one, other) in enumerate(zip(answer, label, strict=False)):
        bare = re.sub("['\"]", "", str(one)) if isinstance(other, str) else None
        if not same_plain(one, other) and bare != other:
            return place
    return None if len(answer) == len(label) else min(len(answer), len(label))


def _items(value: Any) -> list[Any]:
    """Return the values of a list, which may be text; values without quotes are text, too."""
    value = read_value(value) if isinstance(value, str) else value
    if isinstance(value, (list, tuple)):
        return list(value)
    if not isinstance(value, str):
        return [value]
    inside = value.strip().removeprefix("[").removesuffix("]")
    return [read_value(part.strip()) for part in split(inside)] if inside.strip() else []

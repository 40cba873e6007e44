"""Answers to questions about the values of RE2-Bench: JSON or Python literals, compared by value."""

import json
import re
from typing import Any

from lm_eval_codemind.answers.comparison import same_value
from lm_eval_codemind.answers.forms import literal_at_start, values
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.studies.re2.published.rules import states

_CONTAINERS = ("[", "(", "{", "array(", "set(", "frozenset(")
# The parts of a NumPy array's text that ``repr`` adds.
_DTYPE = re.compile(r",\s*dtype=[^)]*(?=\)\Z)")
# A string, or a word of JSON.
_WORDS = re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\b(?:null|true|false)\b""")
_PYTHON = {"null": "None", "true": "True", "false": "False"}
_LINE = re.compile(r"[\s*`-]*(?:line\s*)?`?(?P<line>\d{1,6})\b`?[:.)]*\s*(?P<rest>.*)", re.IGNORECASE)
_LIST = re.compile(r"(?:`?(?P<name>[A-Za-z_]\w*)`?\s*[=:]\s*)?(?P<items>\[.*)")
_MARK = re.compile(r"\[(?:STATE|BRANCH)\]")


def read_value(text: str) -> Any:
    """Return the value that an answer states as JSON or as a Python literal; the text itself if it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    value = literal_or(text, text)
    return literal_or(_WORDS.sub(lambda match: _PYTHON.get(match[0], match[0]), text), text) if value is text else value


def value_at_start(text: str) -> str | None:
    """Return the text of the value that a text starts with, as JSON or as a Python literal; None without one."""
    return literal_at_start(text, lambda part: read_value(part) not in (part, ...))


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


def read_lines(text: str) -> dict[str, dict[str, list[Any]]] | None:
    """Return line -> name -> list of values, from one line of text for each list; None if one of them is malformed.

    A list without a name has the name "". Prose may follow the lists. The text may also be a program with RE2-Bench's
    marks; then a malformed list between two marks is left out.
    """
    marked = _MARK.search(text)
    rows = [row for row in text.split("\n") if (_MARK.search(row) if marked else row.strip())]
    matches = [_LINE.fullmatch(row) for row in rows]
    while matches and matches[-1] is None:
        matches.pop()
    lines: dict[str, dict[str, list[Any]]] = {}
    for match in matches:
        lists = {name: values(items) for name, items in _named(match["rest"])} if match else {}
        if not marked and (not lists or None in lists.values()):
            return None
        for name, items in lists.items():
            if match and items is not None:
                lines.setdefault(match["line"], {})[name] = [read_value(item) for item in items]
    return lines or None


def _named(text: str) -> list[tuple[str, str]]:
    """Return the name and the text of each list in a line."""
    if _MARK.search(text):
        return [(name.strip(), items) for name, items in states(text, "STATE|BRANCH")]
    match = _LIST.fullmatch(text)
    return [(match["name"] or "", match["items"])] if match else []


def first_difference(answer: list[Any], label: list[Any]) -> int | None:
    """Return the place of the first value that differs, counted from 0; None if the lists are equal.

    A label that is text, such as that of an object, equals the answer whose text it is without quotes.
    """
    for place, (one, other) in enumerate(zip(answer, label, strict=False)):
        bare = re.sub("['\"]", "", str(one)) if isinstance(other, str) else None
        if not same_plain(one, other) and bare != other:
            return place
    return None if len(answer) == len(label) else min(len(answer), len(label))

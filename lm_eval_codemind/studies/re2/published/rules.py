"""RE2-Bench's own reading and comparison of answers.

Its comparison is kept with its faults: the start of a list equals the list, arrays lose their signs, and text in lists
is ignored. Where it evaluates a model's text as Python, this module reads literals.
"""

import datetime
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from lm_eval_codemind.answers.blocks import Marks, blocks
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.answers.thinking import without_thinking

_NUMBER = re.compile(r"nan|[-+]?inf|[-+]?\d*\.\d+e[+-]?\d+|[-+]?\d*\.\d+|\d+", re.IGNORECASE)
# A value of JSON that lacks its quotes, such as XXX.
_BARE = re.compile(r'(?<=: )(?![-\d"\[{]|true\b|false\b|null\b)([^,\n]+)')
_ANY_MARK = re.compile(r"^[ \t]*\[(?P<opened>OUTPUT|INPUT|ANSWER)\]|\[/(?:OUTPUT|INPUT|ANSWER)\]", re.MULTILINE)
_WORD = re.compile(r"'[^']*'|True|False")
_LINE = re.compile(r"(\d+)\s")
_BRANCH = re.compile(r"##\s*\[BRANCH\]taken=\[")
_END_OF_BRANCH = "][/BRANCH]"


def completed(response: str) -> str:
    """Return a response with the closing mark of its answer, where it ends without it: the last mark begins a line."""
    marks = list(_ANY_MARK.finditer(response))
    return f"{response}[/{marks[-1]['opened']}]" if marks and marks[-1]["opened"] else response


def marked(response: str, mark: str) -> str | None:
    """Return the last block with a mark, or the text after it if it has no end; None without the mark."""
    marks = Marks(re.compile(rf"\[{mark}\]"), re.compile(rf"\[/{mark}\]"))
    text = without_thinking(completed(response), marks)
    if text is None:
        return None
    block = next(blocks(text, marks, empty=True), None)
    _, opening, rest = text.partition(f"[{mark}]")
    return rest if block is None and opening else block


def read_value(text: str) -> Any:
    """Return the value in the text of an answer: a value of JSON, else the text after ``"output":``."""
    text = re.sub(r"```\w*", "", text).strip()
    for candidate in (text, _BARE.sub(r'"\1"', text)):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value["output"] if isinstance(value, dict) and "output" in value else value
    key, end = re.search(r'"output"\s*:\s*', text), text.rfind("}")
    return text[key.end() : end].strip() if key and key.end() <= end else text


def states(line: str, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each ``[MARK]name=text[/MARK]`` in a line, for marks such as ``STATE|BRANCH``."""
    for part in re.split(rf"\[/(?:{marks})\]", line)[:-1]:
        _, *state = re.split(rf"\[(?:{marks})\]", part, maxsplit=1)
        name, _, text = "".join(state).partition("=")
        if name and text:
            yield name, text


def read_loops(text: str) -> dict[str, dict[str, Any]]:
    """Return line -> variable -> list of its values; a text where the values are not a literal."""
    lines: dict[str, dict[str, Any]] = {}
    for line in text.strip().split("\n"):
        variables = {name: _literal(text) for name, text in states(line.strip(), "STATE")}
        if variables:
            lines[line.strip().split(" ", 1)[0]] = variables
    return lines


def read_branches(text: str) -> dict[str, list[bool]]:
    """Return line -> for each time it is reached whether the branch is taken."""
    lines = {}
    for line in text.split("\n"):
        number = _LINE.match(line)
        openings = list(_BRANCH.finditer(line, 0, max(line.rfind(_END_OF_BRANCH), 0)))
        if number and openings:
            items = line[openings[-1].end() :].partition(_END_OF_BRANCH)[0]
            words = [word.strip().strip("'\"").upper() for word in items.split(",")]
            decisions = [word == "Y" for word in words if word in ("Y", "N")]
            if decisions:
                lines[number[1]] = decisions
    return lines


def same_loops(answer: dict[str, dict[str, Any]], label: dict[str, dict[str, list[Any]]]) -> bool:
    """Whether an answer has every list of a label. Tuples count as lists; an empty label accepts any answer."""
    return all(
        name in answer.get(line, {}) and _plain(answer[line][name]) == _plain(values)
        for line, states in label.items()
        for name, values in states.items()
    )


def same_branches(answer: dict[str, list[bool]], label: dict[str, list[bool]]) -> bool:
    """Whether an answer has every list of a label."""
    return all(answer.get(line, []) == decisions for line, decisions in label.items())


def same_output(answer: Any, label: Any) -> bool:
    """Whether all leaves of a label are in an answer, by RE2-Bench's comparison."""
    matches, leaves = _compare(answer, label)
    return leaves > 0 and matches == leaves


def same_input(answer: Any, label: Any) -> bool:
    """Whether an answer is the recorded input, by RE2-Bench's comparison for programs that need no project."""
    return same_output(deserialized(answer), deserialized(label))


def _compare(answer: Any, label: Any) -> tuple[int, int]:
    """Return how many leaves match, and how many there are."""
    answer, label = _structured(answer), _structured(label)
    if type(answer) is not type(label):
        value = _literal(answer)
        return (0, _leaves(label)) if value is answer else _compare(value, label)
    if isinstance(answer, str):
        return int(answer.strip() == label.strip()), 1
    if not isinstance(answer, (list, dict, set, frozenset)):
        return int(answer == label), 1
    if not label:
        return int(not answer), 1
    if not answer and isinstance(answer, list):
        return 0, len(label)
    if isinstance(answer, (set, frozenset)):
        return len(label & answer) if len(answer) <= len(label) else 0, len(label)
    if isinstance(answer, list):
        parts = [_compare(one, other) for one, other in zip(answer, label, strict=False)]
    else:
        parts = [_compare(answer[key], value) if key in answer else (0, 1) for key, value in label.items()]
    matches = sum(match for match, _ in parts) if len(answer) <= len(label) else 0
    return matches, sum(leaves for _, leaves in parts)


def _leaves(value: Any) -> int:
    if isinstance(value, (list, dict)) and value:
        return sum(map(_leaves, value.values() if isinstance(value, dict) else value))
    return len(value) or 1 if isinstance(value, (set, frozenset)) else 1


def _structured(value: Any) -> Any:
    """Return the array, set, dict or list that a text denotes; any other value unchanged."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    bracketed = text.startswith("[") and text.endswith("]")
    if text.startswith("array(") or (bracketed and _NUMBER.search(text)):
        return _array(text)
    if text.startswith(("{", "set(", "frozenset(")) and text.endswith(("}", ")")):
        literal = _literal(text)
        return value if isinstance(literal, str) else literal
    if bracketed and _WORD.search(text):
        return [word == "True" if word in ("True", "False") else word[1:-1] for word in _WORD.findall(text)]
    return value


def _array(text: str) -> list[Any]:
    """Return the numbers in the text of an array, by rows where it has several. Whole numbers lose their signs."""
    if text.startswith("array(") and text.endswith(")"):
        text = text[len("array(") : -1].strip()
    rows = [[_number(word) for word in _NUMBER.findall(row)] for row in re.split(r"\]\s*\[|\n", text)]
    rows = [row for row in rows if row]
    return rows[0] if len(rows) == 1 else rows


def _number(word: str) -> float | None:
    return None if math.isnan(float(word)) else float(word)


def deserialized(value: Any) -> Any:
    """Return an input with its texts read as dates and containers, as RE2-Bench reads them."""
    if isinstance(value, list):
        return [deserialized(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "operation" else deserialized(item) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    if re.match(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$", value):
        try:
            return datetime.datetime.fromisoformat(value)
        except ValueError:
            return value
    match = re.fullmatch(r"datetime\.datetime\(([\d, ]+)\)", value)
    if match:
        try:
            return datetime.datetime(*map(int, match[1].split(",")))  # type: ignore[arg-type]
        except (ValueError, TypeError):
            return value
    if value.startswith(("[", "{")):
        literal = _literal(value)
        return deserialized(literal) if isinstance(literal, dict) else literal
    return value


def argument(value: Any) -> str:
    """Return an argument as RE2-Bench writes it into a call; what has no literal form breaks the call there, too."""
    value = deserialized(value)
    if not isinstance(value, str):
        return str(value)
    escaped = value.encode("unicode_escape").decode("utf-8")
    return f"'{escaped}'" if '"' in escaped else f'"{escaped}"'


def _literal(text: Any) -> Any:
    """Return the value of a literal; the text itself where it is malformed."""
    return literal_or(text, text) if isinstance(text, str) else text


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value

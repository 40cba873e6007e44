"""Answers about an execution: lists of values, of truth values, of lines, and of steps with their values."""

import json
import re
from collections.abc import Iterator

from lm_eval_codemind.answers.comparison import readings, same_output
from lm_eval_codemind.answers.output import Marks, likely_answer, marked_answer
from lm_eval_codemind.answers.response import visible_text

_ANSWER = Marks(
    re.compile(r"<answer>|<output>|\[ANSWER\]", re.IGNORECASE),
    re.compile(r"</answer>|</output>|\[/ANSWER\]", re.IGNORECASE),
)
_TRACE = Marks(re.compile(r"<trace>|\[TRACE\]", re.IGNORECASE), re.compile(r"</trace>|\[/TRACE\]", re.IGNORECASE))
_LONGEST = 50_000

# A string, a bracket, a comma, or other text.
_PIECE = re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[^'"\[\](){},]+|.""", re.DOTALL)
_OPENING, _CLOSING = "[({", "])}"
_NAME = re.compile(r"^\s*[A-Za-z_][\w., ()]{0,60}?(?:==?|:|->)\s*(?=\S)")
_ROW = re.compile(r"^\s*(?:[-*]\s+|(?:iteration|step|time|turn)?\s*#?\d+\s*[.:)]\s+)", re.IGNORECASE)
# One step: the number of its line, and text about it.
_STEP = re.compile(
    r"^[\s*-]*(?:line\s*|L)?(?P<line>\d{1,6})[`*]*(?:\s*(?:[:|.)=>]|-[>\s])+\s*|\s+)(?P<rest>\S.*)$", re.IGNORECASE
)
# What a list of line numbers consists of.
_NUMBERS = re.compile(r"\d+|->|=>|\u2192|[\s\[\](),;:.|`*]+|^\s*-\s|\b(?:lines?|then)\b", re.IGNORECASE | re.MULTILINE)
_WORDS = {"true": "True", "false": "False", "null": "None"}
_HOLDS = re.compile(r"(?:true|yes|y|t|1|taken|holds)\b", re.IGNORECASE)
_FAILS = re.compile(r"(?:false|no|n|f|0|not taken|not)\b", re.IGNORECASE)


def read_values(response: str) -> list[str] | None:
    """Return the texts of the values that a response lists; None without an answer.

    The list may be a Python or JSON list, values with commas between them, or one value per line. Lines may be
    numbered, and each value may follow the name of its variable.
    """
    text = marked_answer(response, printed=False, marks=_ANSWER)
    text = likely_answer(response, printed=False) if text is None else text
    return None if text is None or len(text) > _LONGEST else listed(text)


def listed(text: str) -> list[str]:
    """Return the texts of the values that a text lists. See :func:`read_values`."""
    text = _only_value(_without_layout(text))
    if not _is_bracketed(text):
        named = _NAME.sub("", text, count=1)
        text = named if _is_bracketed(named) else text
    if _is_bracketed(text):
        return [part.strip() for part in _split(text[1:-1])]
    rows = [_ROW.sub("", row).strip().rstrip(",") for row in text.splitlines() if row.strip()]
    return rows if len(rows) > 1 else [part.strip() for part in _split(text)]


def same_loop_value(answer: str, value: str, variables: int) -> bool:
    """Whether an answer states the value of a loop variable.

    Args:
        answer: Text of one value; the name of the variable may come first.
        value: The literal.
        variables: The number of variables. The literal is a tuple if there are several; an answer may write a list, or
            the values with commas between them.
    """
    if variables == 1:
        return _same(answer, value) or _same(_NAME.sub("", answer, count=1), value)
    labels = _split(value[1:-1])
    for text in (answer, _NAME.sub("", answer, count=1)):
        parts = _split(text.strip()[1:-1] if _is_bracketed(text.strip()) else text)
        pairs = list(zip(parts, labels, strict=False))
        if len(parts) == len(labels) and all(same_loop_value(part, label, 1) for part, label in pairs):
            return True
    return False


def same_truth(answer: str, value: str) -> bool:
    """Whether an answer states that a condition holds, or that it does not.

    Args:
        answer: Text such as ``True``, ``Y`` or ``not taken``.
        value: ``True`` or ``False``.
    """
    text = answer.strip(" \t`'\"*.")
    return bool((_HOLDS if value == "True" else _FAILS).match(text))


def read_lines(response: str) -> list[int] | None:
    """Return the numbers of the lines that a response lists as executed; None without a list.

    The list may be numbers with any separator, or one line of text for each step that begins with the number.
    """
    text = _trace_text(response)
    if text is None:
        return None
    if not _NUMBERS.sub("", text):
        return [int(number) for number in re.findall(r"\d+", text)]
    steps = _steps(text)
    return None if steps is None else [line for line, _ in steps]


def read_steps(response: str) -> list[tuple[int, str]] | None:
    """Return the steps that a response lists, each with the number of its line and its value; None without a list."""
    text = _trace_text(response)
    return None if text is None else _steps(text)


def read_output(response: str, printed: bool) -> str | None:
    """Return the output that a response states in addition to a list of steps; None without an output.

    Args:
        response: The model's response.
        printed: Whether the output is printed text, and not a value.
    """
    marked = marked_answer(response, printed)
    if marked is not None:
        return marked
    ends = list(_TRACE.end.finditer(visible_text(response)))
    return likely_answer(visible_text(response)[ends[-1].end() :], printed) if ends else None


def _trace_text(response: str) -> str | None:
    text = marked_answer(response, printed=False, marks=_TRACE)
    if text is None or len(text) > _LONGEST:
        return None
    return _without_layout(text)


def _steps(text: str) -> list[tuple[int, str]] | None:
    rows = [row for row in text.splitlines() if row.strip()]
    matches = [match for row in rows if (match := _STEP.match(row))]
    if not rows or len(matches) < len(rows):
        return None
    return [(int(match["line"]), match["rest"].strip()) for match in matches]


def _without_layout(text: str) -> str:
    """Return a text without a code fence, emphasis or a word such as "Answer:" around it; no character is replaced."""
    return [reading for reading in readings(text) if reading in text][-1].strip()


def _only_value(text: str) -> str:
    """Return the value of a JSON object with one key as text; any other text unchanged."""
    if text.startswith("{"):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            return text
        if len(record) == 1:
            (value,) = record.values()
            return value if isinstance(value, str) else repr(value)
    return text


def _same(answer: str, value: str) -> bool:
    text = answer.strip().strip("`")
    return same_output(_WORDS.get(text, text), value, printed=False) or same_output(text, value, printed=False)


def _is_bracketed(text: str) -> bool:
    """Whether one pair of square or round brackets encloses the text."""
    if text[:1] not in ("[", "("):
        return False
    depths = list(_depths(text))
    return depths[-1][1] == 0 and all(depth > 0 for _, depth in depths[:-1])


def _depths(text: str) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a text, each with the number of brackets that are open after it."""
    depth = 0
    for piece in _PIECE.findall(text):
        depth += (piece in _OPENING) - (piece in _CLOSING)
        yield piece, depth


def split(text: str) -> list[str]:
    """Return the parts of a text between its commas, without those in strings and brackets."""
    parts = [""]
    for piece, depth in _depths(text):
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _split(text: str) -> list[str]:
    """Return the parts of a text between its commas, without an empty last one."""
    parts = split(text)
    return parts if parts[-1].strip() else parts[:-1]

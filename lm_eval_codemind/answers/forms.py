"""The fourth step of reading a response: parse the text of a block in the form that the prompt asks for.

Each parser reads from the start of the text and returns None for a text that does not have its form. Prose after a
complete answer is ignored. A list is read as a whole or not at all.
"""

import re
from collections.abc import Callable
from itertools import pairwise

from lm_eval_codemind.answers.literals import STRING, is_literal, nested
from lm_eval_codemind.answers.normal import FALSE, JSON, PROSE, TRUE, readings

THE_END = "the end"

# No answer in any of these forms is longer.
_LONGEST = 50_000
# The most rows, separators or characters that are searched.
_MOST = 100
# Characters of a sentence that states a truth or a line.
_LONGEST_WORD = 500
_STRING = rf"[A-Za-z]{{0,2}}{STRING}"
# A literal without brackets: a string, a number or a name.
_ATOM = re.compile(rf"{_STRING}|[-+]?[\w.]*\w(?:[-+][\w.]*\w)*|\.\.\.")


def literal_at_start(text: str, is_value: Callable[[str], bool] = is_literal) -> str | None:
    """Return the text of the Python literal, or of another value, that a text starts with; None without one."""
    bare = text.strip()
    if is_value(bare):
        return bare
    head = _head(bare)
    return head if head and PROSE.match(bare, len(head)) and is_value(head) else None


def _head(text: str) -> str:
    """Return the string, the bracketed text, the number or the name at the start of a text."""
    if bracket := re.match(r"(?:[A-Za-z_][\w.]*(?=\())?(?=[\[({])", text):
        ends = (end for _, end, depth in nested(text[:_LONGEST], bracket.end()) if depth == 0)
        return text[: next(ends, 0)]
    match = _ATOM.match(text)
    return match[0] if match else ""


# Marks in front of a word or a number; a minus belongs to the number.
_MARKS = r"(?:[^\w\[\](){}\u2212-]|-\s){0,20}"
_END = rf"(?:\W{{0,20}}\Z|{PROSE.pattern})"
# The bare word, without the other word behind it.
_TRUTH = re.compile(
    rf"{_MARKS}(?:(?P<no>{FALSE}|(?:not|never)\s+{TRUE})|{TRUE})(?!\W+(?:yes|no|true|false)\b(?!\s+\w)){_END}",
    re.IGNORECASE,
)
# After the word "line", anything may follow the number; `L4` is line 4. The number of a list, or a count, may precede.
_NUMBER = re.compile(
    rf"(?:\d{{1,3}}(?:[.)]|\s+\w{{1,20}}:)\s+(?=(?:the\s+)?\W{{0,3}}lines?\b))?\(?{_MARKS}"
    r"(?:(?:in|on|at)\W{1,20})?(?:the\s+)?(?:(?:lines?|ln|l)[^\w-]{0,20}(?:(?:number|no)\b[^\w-]{0,20})?(\d{1,9})(?!\w|\.\d)"
    rf"|(\d{{1,9}})(?:(?:st|nd|rd|th)\s+line\b|{_END}))",
    re.IGNORECASE,
)
_THE_END = re.compile(
    rf"\W*(?:the\s+)?end(?:\s+of\s+(?:the\s+)?(?:program|function|method|script|code|test))?(?:\s+is\s+reached)?[)*`]*{_END}",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(r"\A.*?\b(?:so|therefore|thus|hence),?\s+", re.IGNORECASE | re.DOTALL)
# Emphasis, back-ticks and quotes around a word.
_EMPHASIS = re.compile(r"[*`\"]+|\b_+|_+\b")


def truth(text: str) -> bool | None:
    """Return the truth of the bare word in a text, such as ``yes``, ``false`` or ``not taken``; prose may follow it.

    A text that states both, or continues with a noun, such as ``no idea``, states none.
    """
    match = _stated(_TRUTH, _EMPHASIS.sub("", text))
    return None if match is None else match["no"] is None


def line_number(text: str) -> int | None:
    """Return the number of the line that a text names, as in ``4: x = 1`` or ``in line 4, because``."""
    match = _stated(_NUMBER, text)
    return int(match[1] or match[2]) if match else None


def next_line(text: str) -> int | str | None:
    """Return the number of the line that a text names, or :data:`THE_END` if it says that the program ends."""
    return THE_END if _THE_END.match(text) else line_number(text)


def _stated(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match at the start of a text, or behind a word such as "so"."""
    text = text.lstrip()[:_LONGEST_WORD]
    return pattern.match(text) or pattern.match(_CONCLUSION.sub("", text))


# The name of a type, also as `type: int`, `<class 'int'>` or `\\text{int}`.
_TYPE = re.compile(r"\W*(?:(?:type|class|text\w*)\W+)*(?P<name>[A-Za-z_]\w*(?:\.\w+)*)", re.IGNORECASE)
# Text between a value and its type, as in `5; int`, `value: 5, type: int` or `5 (int)`.
_BETWEEN = re.compile(r";|\n|[,:|\s]\s*\(?(?:of\s+)?(?=type\b|[`*]*[A-Za-z_][\w.]*[.)`*]*\Z)", re.IGNORECASE)
_ROW = re.compile(r"^\s*(?:[-*\u2022]\s+)?", re.MULTILINE)
# After a tuple another one, or after a list.
_NEXT = re.compile(r"(?<=\))\s*[,\n]\s*\([^()]*,|(?<=\])\s*[,\n]\s*\[")
_ITEM = re.compile(r"\s*(?:iteration|step|time|turn)?\s*#?(?P<number>\d+)\s*[.:)]\s+(?P<rest>\S.*)", re.IGNORECASE)


def state(text: str) -> tuple[str, str] | None:
    """Return the texts of the value and of the type in a text ``value; type``. A whole literal has the type "".

    The value and the type may also stand on two lines.
    """
    bare = text.strip()
    if is_literal(bare):
        return bare, ""
    for match in list(_BETWEEN.finditer(bare, 0, _LONGEST))[:_MOST]:
        named = _TYPE.match(bare, match.end(), match.end() + _MOST)
        before = next((one for one in readings(_ROW.sub("", bare[: match.start()])) if is_literal(one)), None)
        if named and before is not None:
            return before.strip(), named["name"]
    return None


def value_of(text: str, name: str = "") -> str | None:
    """Return the text of the literal, or the word for a truth, that a row states; prose may follow it."""
    for reading in readings(text, name):
        value = literal_at_start(reading)
        if value is not None:
            return value
        word = reading.strip()
        if word in JSON or (word[:1].isalpha() and truth(word) is not None):
            return word
    return None


def rows_of_values(text: str, count: int) -> list[str] | None:
    """Return the texts of as many values as are asked for, one on each line; prose may follow them."""
    values = [value_of(row) for row in unnumbered(rows_of(text))[: count + _MOST]]
    literals = [value for value in values if value is not None]
    return literals if len(literals) == count and literals == values[:count] else None


def values(text: str, name: str = "") -> list[str] | None:
    """Return the texts of the values in a list: in brackets, with commas between them, or one on each line.

    Each line may begin with the ``name`` of the variable, and end with prose.
    """
    bare = text.strip()
    if bare[:1] in ("[", "("):
        head = _head(bare)
        is_list = head[:1] + head[-1:] in ("[]", "()") and PROSE.match(bare, len(head))
        if is_list and not _NEXT.match(bare, len(head)):
            return [part.strip() for part in split(head[1:-1])]
    rows = unnumbered(rows_of(bare))
    parts = [value_of(row, name) for row in rows]
    if len(rows) == 1:
        parts = [part if value_of(part) == part else None for part in map(str.strip, split(bare))]
    known = [part for part in parts if part is not None]
    return known if known and len(known) == len(parts) and (len(parts) > 1 or bare[0] != "{") else None


def rows_of(text: str) -> list[str]:
    """Return the lines of a text without bullets and without commas at their ends; none of a text that is too long."""
    rows = text.splitlines() if len(text) <= _LONGEST else []
    return [_ROW.sub("", row).strip().rstrip(",") for row in rows if row.strip()]


def unnumbered(rows: list[str]) -> list[str]:
    """Return rows without the numbers 1, 2, 3 and so on in front of them."""
    matches = [match for row in rows if (match := _ITEM.fullmatch(row))]
    if rows and [int(match["number"]) for match in matches] == list(range(1, len(rows) + 1)):
        return [match["rest"] for match in matches]
    return rows


def split(text: str) -> list[str]:
    """Return the parts of a text between its commas, without those in strings and brackets, and without a blank end."""
    starts = [0, *(end for mark, end, depth in nested(text) if mark == "," and depth == 0)]
    parts = [text[start : end - 1] for start, end in pairwise([*starts, len(text) + 1])]
    return parts if parts[-1].strip() else parts[:-1]

"""The forms of a trace in a response: the numbers of the executed lines, or steps with their lines and values.

As in :mod:`lm_eval_codemind.answers.forms`, a text without the form gives None.
"""

import re

from lm_eval_codemind.answers.forms import rows_of, unnumbered

# Text between the numbers of executed lines.
_SEPARATOR = re.compile(
    r"(?:[\s,;|\[\]():.`*>]|[-=]{1,9}>|\u2192|\u21d2|(?<=\s)[-\u2013\u2014](?=\s)|\b(?:lines?|then|and|(?:the\s+)?end)\b)+",
    re.IGNORECASE,
)
# The number of a line. Marks in front of it, and not of the whole step, end behind it or its colon.
_LINE = r"(?:[*`]++(?=(?:line\s*|L)?\d{1,6}:?[*`]))?(?:line\s*|L)?(?P<line>\d{1,6})[*`]*"
# One step: the number of its line, and text about it.
_STEP = re.compile(
    rf"{_LINE}(?:\s*(?:[:|.)=>\u2192\u21d2]|-[>\s])+(?:[*`]+(?=\s))?\s*|\s+)(?P<rest>\S.*)", re.IGNORECASE
)
_NUMBERED = re.compile(rf"[*`]*+(?:line\b|{_LINE}\s*(?::|->|=>?|[\u2192\u21d2]))", re.IGNORECASE)


def executed_lines(text: str) -> list[int] | None:
    """Return the numbers of the lines in a list: numbers with separators, or one line of text for each number."""
    if ".." in text or "\u2026" in text:
        return None
    numbers = [part for part in _SEPARATOR.split(" ".join(unnumbered(rows_of(text)))) if part]
    if numbers and all(part.isdecimal() and len(part) < 10 for part in numbers):
        return [int(part) for part in numbers]
    return [line for line, _ in steps(text) or ()] or None


def steps(text: str) -> list[tuple[int, str]] | None:
    """Return the steps that a text lists, one on each line, each with the number of its line and its value."""
    rows = rows_of(text)
    items = unnumbered(rows)
    # The number of a list is not that of a line: another one follows.
    lines = items if all(map(_NUMBERED.match, items)) else rows
    matches = [match for row in lines if (match := _STEP.fullmatch(row))]
    steps = [(int(match["line"]), match["rest"].strip()) for match in matches]
    return steps if steps and len(steps) == len(lines) else None

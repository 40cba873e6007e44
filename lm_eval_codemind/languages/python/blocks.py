"""Separation of a response into text blocks: fenced code, and the text between the fences."""

import re
from collections.abc import Callable

_FENCE = re.compile(
    r"(?P<mark>`{3,}|(?m:^[ \t]*~{3,}))[ \t]*(?P<info>[\w+#.\-]*(?:[ \t]*\{[^}\n]*\})?)[ \t]*(?P<eol>\n|\Z)?"
)


def blocks(text: str, parses: Callable[[str], bool]) -> list[tuple[str, bool]]:
    """Return the fenced blocks of a text and the text between them, in order.

    A fence may be unclosed, follow prose on its line, or close at the end of a line of code. If the code contains
    back-ticks (for example in a docstring), the block ends at the first closing fence with which it parses.

    Args:
        text: The visible text of a response.
        parses: A function that returns True for a text that is Python code.

    Returns:
        Non-blank parts of the text, in order, each with True if it is inside a closed fence.
    """
    marks = list(_FENCE.finditer(text))
    pieces: list[tuple[str, bool]] = []
    at = 0
    index = 0
    while index < len(marks):
        opening = marks[index]
        pieces.append((text[at : opening.start()], False))
        closing = _closing(text, marks, index, parses)
        if closing is None:
            pieces.append((text[_content_start(opening) :], False))
            at = len(text)
            break
        pieces.append((text[_content_start(opening) : marks[closing].start()], True))
        # A fence with a language opens a block. It ended the previous block only because that block was not closed.
        reopens = bool(marks[closing]["info"]) and marks[closing]["eol"] == "\n"
        at = marks[closing].start() if reopens else marks[closing].start() + len(marks[closing]["mark"])
        index = closing if reopens else closing + 1
    pieces.append((text[at:], False))
    return [piece for piece in pieces if piece[0].strip()]


def _content_start(opening: re.Match[str]) -> int:
    """Return the start of a block's content: after the fence's line, or after its marks if code follows on the line."""
    if opening["eol"] is not None or opening["info"].lower() in ("python", "py", "python3"):
        return opening.end()
    return opening.start() + len(opening["mark"])


def _closing(text: str, marks: list[re.Match[str]], index: int, parses: Callable[[str], bool]) -> int | None:
    """Return the index of the mark that closes the block of ``marks[index]``; None if the block is not closed."""
    start = _content_start(marks[index])
    first: int | None = None
    for later in range(index + 1, min(len(marks), index + 12)):
        if len(marks[later]["mark"].strip()) < len(marks[index]["mark"].strip()):
            continue
        first = later if first is None else first
        if parses(text[start : marks[later].start()]):
            return later
    return first

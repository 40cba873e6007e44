"""From a response to an answer: the steps in their order, for every family."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from lm_eval_codemind.answers.blocks import Marks, last_block
from lm_eval_codemind.answers.normal import FENCE, NOUN, readings
from lm_eval_codemind.answers.thinking import own_text, without_thinking

T = TypeVar("T")

ANSWER = Marks.named("answer", "final_answer", "output")
OUTPUT = Marks.named("output")
INPUT = Marks.named("input")
TRACE = Marks.named("trace")


class Read(NamedTuple):
    """What a response was read as.

    Attributes:
        value: The parsed answer; None if it was not read.
        text: The text of the block; None without one.
        reading: See :class:`~lm_eval_codemind.questions.Answer`.
    """

    value: Any
    text: str | None
    reading: str


def read(
    response: str,
    marks: Marks,
    parse: Callable[[str], T | None],
    name: str = "",
    *,
    empty: bool = False,
    anywhere: bool = False,
) -> Read:
    """Read a response: remove its thinking, find the block, normalise it, parse it.

    Args:
        response: The model's unchanged response.
        marks: The marks around the answer.
        parse: A parser of a form; it returns None for a text without that form.
        name: The name that the question asks about; see :func:`~.normal.readings`.
        empty: Whether a block may be empty.
        anywhere: Whether the answer may be outside of marks. Then :func:`stated` returns it.
    """
    text = without_thinking(response, marks)
    if text is None:
        return Read(None, None, "unfinished")
    # A base model continues with another prompt; a prompt that the response repeats comes before the marks.
    begin = marks.begin.search(text)
    start = begin.end() if begin else 0
    text = text[:start] + own_text(text[start:])
    marked = last_block(text, marks, empty)
    block = stated(text) if marked is None and anywhere else marked
    for reading in readings(block, name) if block is not None else ():
        value = parse(reading)
        if value is not None:
            return Read(value, block, "read")
    # Prose without marks is not an answer.
    return Read(None, marked, "no_answer" if marked is None else "malformed")


# -- answers outside of marks

# The search covers this many characters at the end of a response.
_TAIL = 20_000
_BOX = re.compile(r"\\f?boxed\s*\{|<\|begin_of_box\|>")
# A line `Answer: 5`, or a heading `## Answer` with the answer below it; else a line `The answer is 5`.
_LINES = [
    re.compile(rf"^[ \t>*_#-]*{NOUN}[*_`]*[ \t]*{mark}[*_ \t]*(?P<rest>[^\n]*)", re.IGNORECASE | re.MULTILINE)
    for mark in (r"(?:is[ \t]*)?(?:[:=]|$)", r"is\b")
]
_PIECE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)|\*\*([^*\n]+)\*\*")


def stated(text: str) -> str | None:
    """Return the text that may be the answer of a response without marks; None if there is no text.

    It is the last box, else the last line or heading such as "Answer:", the last line "The answer is …", the last code
    fence, or the last line. So a stated answer has priority over text after it.
    """
    text = text.strip()[-_TAIL:]
    box = _last(_BOX, text)
    if box:
        return _boxed(text, box)
    for pattern in _LINES:
        line = _last(pattern, text)
        if line:
            return line["rest"].strip() or _below(text[line.end() :])
    fence = _last(FENCE, text)
    if fence:
        return fence["inside"]
    last = text.rpartition("\n")[2]
    pieces = _PIECE.findall(last)
    return pieces[0][0] or pieces[0][1] if len(pieces) == 1 else last or None


def _below(text: str) -> str:
    """Return the fence or the paragraph below a heading."""
    text = text.lstrip("\n")
    fence = FENCE.match(text)
    return fence["inside"] if fence else text.partition("\n\n")[0]


def _boxed(text: str, begin: re.Match[str]) -> str:
    """Return the text in a box, without the formula around it; its braces are balanced."""
    if begin[0].startswith("<"):
        return text[begin.end() :].partition("<|end_of_box|>")[0]
    depth = 1
    for brace in re.finditer(r"(?<!\\)[{}]", text[begin.end() :]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[begin.start() : begin.end() + brace.end()]
    return text[begin.start() :].partition("\n")[0]


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None

"""From a response to an answer: the steps in their order, for every family."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from lm_eval_codemind.answers.blocks import Marks, blocks
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
        anywhere: Whether the answer may be outside of marks: the first text of :func:`stated` with the form.
    """
    text = without_thinking(response, marks)
    if text is None:
        return Read(None, None, "unfinished")
    # A base model continues with another prompt.
    text = own_text(text)
    inside = list(blocks(text, marks, empty))
    for place in inside or (stated(text, empty) if anywhere else ()):
        for reading in readings(place, name, empty):
            value = parse(reading)
            if value is not None:
                return Read(value, place, "read")
    # Prose without marks is not an answer.
    places = inside or (list(_labelled(text)) if anywhere else [])
    return Read(None, places[0], "malformed") if places else Read(None, None, "no_answer")


# -- answers outside of marks

# The search covers this many characters at the end of a response.
_TAIL = 20_000
# The most places of a kind that are tried.
_MOST = 10
# A box is read with the formula around it; its braces are balanced.
_BOX = (
    r"\\(?:boxed|fbox)\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"|<\|begin_of_box\|>(?s:(?!<\|begin_of_box).)*?<\|end_of_box\|>|"
)
# A box, a line `Answer: 5`, or a heading `## Answer` with the answer below it; else a line `The answer is 5`.
_LABELLED, _SENTENCE = (
    re.compile(rf"{box}^[ \t>*_#-]*{NOUN}[*_`]*[ \t]*{mark}[*_ \t:]*(?=(?P<rest>[^\n]*))", re.IGNORECASE | re.MULTILINE)
    for box, mark in ((_BOX, r"(?:is[ \t]*)?(?:[*_`]*[:=]|$)"), ("", r"is\b"))
)
# The only piece in back-ticks or bold text of a line that denies nothing.
_PIECE = re.compile(
    r"(?!.*(?:\b(?:not|never|cannot)\b|n['\u2019]t\b))[^`*]*(?:`([^`]+)`|\*\*([^*]+)\*\*)[^`*]*", re.IGNORECASE
)


def stated(text: str, free: bool = False) -> Iterator[str]:
    """Yield the texts that may be the answer of a response without marks.

    These are boxes and lines or headings such as "Answer:"; then lines "The answer is …"; then code fences and the last
    line; then the first line. Of the same rank, the last one comes first. So a stated answer has priority over text
    after it. In ``free`` text every line is an answer, so the fences come before the last line.
    """
    text = text.strip()[-_TAIL:]
    if not text:
        return
    yield from _labelled(text)
    yield from (_rest(text, line) for line in _last(_SENTENCE, text))
    fences = _last(FENCE, text)
    first, last = text.partition("\n")[0], text.rpartition("\n")[2]
    if not free and not (fences and fences[0].end() == len(text)):
        yield from _of_line(last)
    yield from (fence["inside"] for fence in fences)
    yield from (last,) if free else _of_line(first)


def _labelled(text: str) -> Iterator[str]:
    """Yield what boxes and labels contain, the last one first."""
    for place in _last(_LABELLED, text):
        if place["rest"] is None:
            yield place[0]
        # In a fence, `result = ''` is code.
        elif "=" not in place[0] or text.count("```", 0, place.start()) % 2 == 0:
            yield _rest(text, place)


def _last(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return list(pattern.finditer(text))[: -_MOST - 1 : -1]


def _of_line(line: str) -> Iterator[str]:
    piece = _PIECE.fullmatch(line)
    yield from (piece[1] or piece[2], line) if piece else (line,)


def _rest(text: str, line: re.Match[str]) -> str:
    """Return the rest of a line, or the fence or the paragraph below it."""
    below = text[line.end("rest") :].lstrip("\n")
    fence = FENCE.match(below)
    return line["rest"].strip() or (fence["inside"] if fence else below.partition("\n\n")[0])

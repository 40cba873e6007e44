r"""Where a response states the output: behind the marker, or in the last piece of text that looks like an answer.

Both functions only locate the answer and return its text as it stands, with code fences and quotes;
:mod:`lm_eval_codemind.answers.comparison` knows how to read those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.answers.response import visible_text

# The first line of every prompt of ours. A base model that goes on after its answer writes it next.
NEXT_PROBLEM = "### Problem"

# Ours, and those of the CodeMind artifact, so that its recorded responses and its prompts can be scored as they are.
ANSWER_MARK = re.compile(r"<<<Output>>>|<output>", re.IGNORECASE)
_END = re.compile(r"</output>|\[END-OF-RESPONSE\]", re.IGNORECASE)
_RAMBLING = re.compile(rf"^{re.escape(NEXT_PROBLEM)}[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)


class Marks(NamedTuple):
    """What an answer stands between.

    Attributes:
        begin: What is in front of it.
        end: What is behind it.
    """

    begin: re.Pattern[str]
    end: re.Pattern[str]


OUTPUT = Marks(ANSWER_MARK, _END)
INPUT = Marks(re.compile(r"<input>", re.IGNORECASE), re.compile(r"</input>|\[END-OF-RESPONSE\]", re.IGNORECASE))

# An answer is looked for no further from the end than this, and among so many candidates.
_TAIL = 20_000
_CANDIDATES = 200
_FENCE = re.compile(r"```[^\n`]*\n(?P<answer>.*?)\n?```", re.DOTALL)
_EMPHASIS = re.compile(r"\\boxed\{(?P<boxed>[^\n]*)\}|(?<!`)`(?P<ticks>[^`\n]+)`(?!`)|\*\*(?P<bold>[^*\n]+)\*\*")
# The rest of the line is looked at without being consumed: "the result of f(3) is 5" holds two candidates.
_PHRASE = re.compile(
    r"(?:\b(?:outputs?|answer|results?|value|returns?|returned|prints?|printed|be|is|are)\b[*_]*:?[*_]*|==|=>|->|[=→⇒])"
    r"[ \t]+(?=(?P<answer>[^\n]+))",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(r"\b(?:output|answer|result|prints?|printed)\b", re.IGNORECASE)


def marked_answer(response: str, printed: bool, marks: Marks = OUTPUT) -> str | None:
    """Return the text behind the answer marker; None if there is no marker or nothing behind it.

    What the markers themselves bring along is no part of it: a blank beside them on their line, and the indentation of
    the lines they stand on. Where the marker is repeated, the last block that is closed counts, else the last that
    holds anything; so neither a marker mentioned in passing nor a corrected first answer wins. Text after the end of
    the response's own problem is ignored.

    Args:
        response: The model's response, as it is.
        printed: Whether the output is what the program prints, and not a value: a program may print nothing, so that an
            empty block is an answer, the empty text.
        marks: What the answer stands between.
    """
    text = visible_text(response)
    begins = list(marks.begin.finditer(text))
    if not begins:
        return None
    rambling = _RAMBLING.search(text, begins[0].end())
    if rambling:
        # Keep an end marker that does double duty, so that the block before it is closed.
        text = text[: rambling.end()] if marks.end.fullmatch(rambling.group()) else text[: rambling.start()]
        begins = [begin for begin in begins if begin.end() <= len(text)]
    closed: list[str] = []
    unclosed: list[str] = []
    for begin, following in zip(begins, [*begins[1:], None], strict=True):
        limit = min(following.start(), len(text)) if following else len(text)
        end = marks.end.search(text, begin.end(), limit)
        margin = text[text.rfind("\n", 0, begin.start()) + 1 : begin.start()]
        block = _without_layout(text[begin.end() : end.start() if end else limit], margin)
        if block.strip() or printed:
            (closed if end else unclosed).append(block)
    blocks = closed or unclosed
    return blocks[-1] if blocks else None


def _without_layout(block: str, margin: str) -> str:
    """Return the text between two markers without what shows where they stand.

    Args:
        block: The text.
        margin: What stands before the first marker on its line.
    """
    lines = block.removeprefix(" ").removesuffix(" ").split("\n")
    if len(lines) > 1 and not lines[-1].strip():
        lines[-1] = ""
    if margin and not margin.strip() and all(line.startswith(margin) for line in lines[1:] if line.strip()):
        lines[1:] = [line.removeprefix(margin) for line in lines[1:]]
    return "\n".join(lines)


def likely_answer(response: str, printed: bool) -> str | None:
    """Return the answer behind the marker, or else the last text of the response that looks like one.

    For values: what the response ends with, if that is a code fence or follows a heading such as "Output:"; else of the
    candidates (code fence, boxed or emphasised text, back-ticks, what follows words such as "output", "returns" or an
    equals sign, the last line) the last one on the last line or, if there is none, anywhere, Python literals first.
    For printed text: the last code fence, what follows the last heading such as "Output:", or the last line.

    Args:
        response: The model's response, as it is.
        printed: Whether the output is what the program prints, and not a value.
    """
    marked = marked_answer(response, printed)
    if marked is not None:
        return marked
    text = _spoken(response)
    if not text:
        return None
    return _last_printed(text) if printed else _last_value(text)


def likely_text(response: str) -> str | None:
    """Return the last lines of a response that look like a text of their own: a code fence, or what follows a heading.

    If there is neither, the last line; None if the response says nothing.
    """
    text = _spoken(response)
    return _last_printed(text) if text else None


def likely_code(response: str) -> Iterator[str]:
    """Yield pieces of a response that may be an answer in code, the likeliest first, bounded in number and length.

    All of it, what it has in code fences and in back-ticks, and its lines, each kind from the last to the first.
    """
    text = _spoken(response)
    yield text
    fenced = [match["answer"] for match in _FENCE.finditer(text)]
    ticked = [match["ticks"] for match in _EMPHASIS.finditer(text) if match["ticks"]]
    lines = [_without_full_stop(line) for line in text.split("\n") if line.strip()]
    for pieces in (fenced, ticked, lines):
        yield from reversed(pieces[-_CANDIDATES:])


def _spoken(response: str) -> str:
    """Return the end of what a response says about its own problem."""
    text = visible_text(response)
    rambling = _RAMBLING.search(text)
    if rambling:
        text = text[: rambling.start()]
    return text.strip()[-_TAIL:]


def _last_value(text: str) -> str:
    if text.endswith("```"):
        # From the end, for an odd number of fences before it would pair them wrongly.
        fenced = _FENCE.fullmatch(text, max(text.rfind("```", 0, -3), 0))
        if fenced:
            return fenced["answer"]
    before, _, last_line = text.rpartition("\n")
    heading = before.rstrip().rpartition("\n")[2]
    if _announces(heading):
        return _without_full_stop(last_line)
    return _best(_candidates(last_line)) or _best(_candidates(text)) or _without_full_stop(last_line)


def _best(candidates: Iterator[tuple[int, str]]) -> str | None:
    """Return the last candidate that is a literal, else the last one; None if there are none."""
    last = sorted(candidates)[-_CANDIDATES:]
    for _, candidate in reversed(last):
        if _is_literal(candidate):
            return candidate
    return last[-1][1] if last else None


def _candidates(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces of a text that may be an answer, each with the position where it starts."""
    for match in _FENCE.finditer(text):
        yield match.start("answer"), match["answer"]
    for match in _EMPHASIS.finditer(text):
        group = match.lastgroup or 0
        yield match.start(group), match[group].strip()
    for match in _PHRASE.finditer(text):
        yield match.start("answer"), _without_full_stop(match["answer"])
    line = _without_full_stop(_last_line(text))
    if _is_literal(line):
        yield text.rfind("\n") + 1, line


def _is_literal(text: str) -> bool:
    try:
        parse_literal(text)
    except NotALiteralError:
        return False
    return True


def _announces(line: str) -> bool:
    """Return whether a line is a heading that announces the answer, such as ``**Output:**``."""
    line = line.rstrip(" *_")
    return line.endswith(":") and _ANNOUNCES.search(line) is not None


def _without_full_stop(text: str) -> str:
    text = text.strip().strip("*_").strip()
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("...") else text


def _last_line(text: str) -> str:
    return text.rsplit("\n", 1)[-1]


def _last_printed(text: str) -> str:
    fenced = [match["answer"] for match in _FENCE.finditer(text)]
    if fenced:
        return fenced[-1]
    lines = text.split("\n")
    for index in range(len(lines) - 2, -1, -1):
        if _announces(lines[index]):
            return "\n".join(lines[index + 1 :]).strip("\n")
    return _last_line(text)

"""The second step of reading a response: find the block with the answer, the last complete pair of marks."""

import re
from bisect import bisect
from collections.abc import Iterator
from typing import NamedTuple


class Marks(NamedTuple):
    """The marks before and after an answer."""

    begin: re.Pattern[str]
    end: re.Pattern[str]

    @classmethod
    def named(cls, *names: str) -> "Marks":
        """Return marks with any of these names, as ``<name>`` and ``[NAME]``, in any case."""
        either = "|".join(map(re.escape, names))
        return cls(
            re.compile(rf"<(?:{either})>|\[(?:{either})\]", re.IGNORECASE),
            re.compile(rf"</(?:{either})>|\[/(?:{either})\]", re.IGNORECASE),
        )


# Text between two marks that a sentence only mentions.
_MENTIONED = re.compile(
    r"(?:and|or|to|(?:(?:opening|closing) )?(?:tags?|marks?)(?: and)?|\.\.\.|\u2026"
    r"|(?:(?:the|my|your) )?(?:final )?(?:answer|output|result|value))?",
    re.IGNORECASE,
)
# Characters of a line before and after a pair of marks that are examined.
_NEAR = 200


def last_block(text: str, marks: Marks, empty: bool = False) -> str | None:
    """Return the text between the last complete pair of marks, without their margin; None without one."""
    return next((block for block, _ in blocks(text, marks, empty)), None)


def blocks(text: str, marks: Marks, empty: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the texts between complete pairs of marks without their margin, the last one first, and what is around it.

    A mark closes the last open mark before it. A pair that a sentence only mentions does not count: other words are on
    its line, and it encloses nothing or a word such as "and". An empty literal such as ``''`` counts. A block may be
    ``empty`` where the answer is a text that may be empty. Pairs in back-ticks come last. If no mark closes the only
    block, a mistyped one does.

    Yields:
        The text, and whether other words are on the line of the block.
    """
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    start = 0
    for end in marks.end.finditer(text):
        begins = list(marks.begin.finditer(text, start, end.start()))
        start = end.end()
        if begins:
            pairs.append((begins[-1], end))
    if not pairs:
        pairs = _mistyped(text, marks)
    quoted: list[tuple[str, bool]] = []
    for begin, end in reversed(pairs):
        block = text[begin.end() : end.start()]
        before = text[max(begin.start() - _NEAR, 0) : begin.start()].rpartition("\n")[2]
        after = text[end.end() : end.end() + _NEAR].partition("\n")[0]
        if (block.strip() or empty) and not _is_mentioned(block, before, after):
            in_sentence = "\n" not in block and re.search(r"\w", before + after) is not None
            place = _without_layout(block, before), in_sentence
            if in_sentence and before.endswith("`") and after.startswith("`"):
                quoted.append(place)
            else:
                yield place
    yield from quoted


# A mark that closes a block by mistake: the first mark again, a closing tag with another name, or one without an end.
_MISTYPED = r"(?:{begin}|<[/\\]\s*\w+[>\]]?|\[[/\\]\s*\w+[>\]]?|<\w+\s*/>)(?=[`*\s]*(?:\Z|\n[ \t]*\n))"


def _mistyped(text: str, marks: Marks) -> list[tuple[re.Match[str], re.Match[str]]]:
    """Return the last mark that nothing closes, with the mistyped mark that ends its block."""
    begin = None
    for begin in marks.begin.finditer(text):
        end = re.compile(_MISTYPED.format(begin=marks.begin.pattern), re.IGNORECASE).search(text, begin.end())
        if end and text[begin.end() : end.start()].strip():
            return [(begin, end)]
        if end is None:
            break
    return []


def _without_layout(block: str, margin: str) -> str:
    """Return the text between two marks without a blank next to a mark, and without the margin of the first mark."""
    lines = block.removeprefix(" ").removesuffix(" ").split("\n")
    if len(lines) > 1 and not lines[-1].strip():
        lines[-1] = ""
    if margin and not margin.strip() and all(line.startswith(margin) for line in lines[1:] if line.strip()):
        lines[1:] = [line.removeprefix(margin) for line in lines[1:]]
    return "\n".join(lines)


def _is_mentioned(block: str, before: str, after: str) -> bool:
    """Whether a sentence only mentions a pair of marks."""
    if "\n" in block or not re.search(r"\w", before + after):
        return False
    # Quotes around the first mark are not part of a literal.
    quote = before[-1:] if before[-1:] in ("'", '"', "`") else ""
    inside = block.strip().strip("`*")
    if quote and block.startswith(quote):
        inside = inside.strip(quote)
    return _MENTIONED.fullmatch(inside.strip(" .,")) is not None


MARK = re.compile(r"[<[](?P<end>/?)(?P<name>final_answer|answer|output|input|trace)[>\]]", re.IGNORECASE)
_FENCE_LINE = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)
# Code in back-ticks, or a string literal with at most two letters before it, from its first quotation mark. Each match
# begins with one of three characters, so that the pattern is tried at few places.
_PREFIX = r"(?:(?<!\w)|(?<=^[a-z])|(?<=\W[a-z])|(?<=^[a-z]{2})|(?<=\W[a-z]{2}))"
_QUOTED = re.compile(
    r"(?=[`'\"])(?:(?<!`)(?P<ticks>`+)(?!`)[^`\n]+(?P=ticks)(?!`)"
    rf"|{_PREFIX}'(?:\\.|[^'\\\n]){{1,500}}'(?!\w)|{_PREFIX}\"(?:\\.|[^\"\\\n]){{1,500}}\"(?!\w))",
    re.IGNORECASE,
)


def regions(text: str) -> list[tuple[int, int]]:
    """Return the places of complete fences, blocks of answers, back-ticks and strings, in order, without overlap."""
    places = [match.span() for match in _QUOTED.finditer(text)]
    begins: dict[str, int] = {}
    for mark in MARK.finditer(text):
        if not mark["end"]:
            begins[mark["name"].lower()] = mark.start()
        elif (begin := begins.pop(mark["name"].lower(), None)) is not None:
            places.append((begin, mark.end()))
    fence: re.Match[str] | None = None
    for line in _FENCE_LINE.finditer(text):
        closes = (
            fence is not None
            and line["fence"].startswith(fence["fence"])
            and not line["info"].strip(" \t")[:1].isalnum()
        )
        if fence is not None and closes:
            places.append((fence.start(), line.start("info")))
        fence = None if closes else line
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(places):
        if joined and begin < joined[-1][1]:
            begin, end = joined[-1][0], max(end, joined.pop()[1])
        joined.append((begin, end))
    return joined


def within(places: list[tuple[int, int]], at: int) -> bool:
    """Whether a place in a text is inside one of the regions."""
    index = bisect(places, (at, at)) - 1
    return index >= 0 and at < places[index][1]

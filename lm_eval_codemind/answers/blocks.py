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
_MENTIONED = re.compile(r"(?:and|or|to|\u2026)?", re.IGNORECASE)
# Characters of a line before and after a pair of marks that are examined.
_NEAR = 200


def last_block(text: str, marks: Marks, empty: bool = False) -> str | None:
    """Return the text between the last complete pair of marks, without their margin; None without one."""
    return next((block for block, _ in blocks(text, marks, empty)), None)


def blocks(text: str, marks: Marks, empty: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the texts between complete pairs of marks without their margin, the last one first, and what is around it.

    A mark closes the last open mark before it. A pair that a sentence only mentions does not count: other words are on
    its line, and it encloses nothing or a word such as "and". A block may be ``empty`` where the answer is a text that
    may be empty. Pairs in back-ticks come last. If no mark closes a block, a mistyped one does.

    Yields:
        The text, and whether other words are on the line of the block.
    """
    # The bounds of each pair and of its text.
    pairs: list[tuple[int, int, int, int]] = []
    start = 0
    for end in marks.end.finditer(text):
        for mark in list(marks.begin.finditer(text, start, end.start()))[-1:]:
            pairs.append((*mark.span(), *end.span()))
        start = end.end()
    if not pairs:
        mistyped = re.compile(_MISTYPED.format(begin=marks.begin.pattern), re.IGNORECASE | re.DOTALL)
        pairs = [(*match.span(1), match.end(2), match.end()) for match in mistyped.finditer(text)]
    quoted: list[tuple[str, bool]] = []
    for first, begin, stop, last in reversed(pairs):
        block = text[begin:stop]
        before = text[max(first - _NEAR, 0) : first].rpartition("\n")[2]
        after = text[last : last + _NEAR].partition("\n")[0]
        in_sentence = "\n" not in block and re.search(r"\w", before + after) is not None
        # Quotes around the first mark are not part of a literal.
        quote = before[-1:] if before[-1:] in "'\"" else ""
        if (empty or block.strip()) and not (in_sentence and _MENTIONED.fullmatch(block.strip(f" .,`*{quote}"))):
            place = block.removeprefix(" ").removesuffix(" "), in_sentence
            if in_sentence and before.endswith("`") and after.startswith("`"):
                quoted.append(place)
            else:
                yield place
    yield from quoted


# A mark, its text, and a mark that closes it by mistake: the first one again, or a closing tag of any name or no end.
_MISTYPED = (
    r"({begin})((?:(?!{begin}).)*?\S\s*?)(?:{begin}|<[/\\]\s*\w+[>\]]?|\[[/\\]\s*\w+[>\]]?|<\w+\s*/>)"
    r"(?=[`*\s]*(?:\Z|\n[ \t]*\n))"
)
_MARK = r"(?P<name>final_answer|answer|output|input|trace)[>\]]"
BEGIN, END = (rf"[<\[]{slash}{_MARK.replace('?P<name>', '?:')}" for slash in ("", "/"))
MARK = re.compile(rf"[<\[](?P<end>/?){_MARK}", re.IGNORECASE)
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

"""The first step of reading a response: remove its thinking.

``thinking.yaml`` lists the formats of thinking. Tags and special tokens count at the level of the text. Within a code
fence, a string, back-ticks or the marks of an answer they are text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

from lm_eval_codemind.answers.blocks import BEGIN, END, Marks, around, unquoted

# A special token of a tokenizer, such as `<|im_end|>`. The tokens of a box are layout of the answer.
TOKEN = (
    r"<\|(?!(?:begin|end)_of_box)[\w:./-]+\|?>|<\w+\|>|<\uff5c[^\uff5c\n]{1,40}\uff5c>|<(?:end|start)_of_turn>"
    # The others are tags of HTML or text as well, and a token may be cut off.
    r"|(?:</?s>|<eos>|\[EO[ST]\]|<\|[a-z_]{0,40}\|?)\s*\Z"
)
_SPECIAL_TOKEN = re.compile(rf"(?=[<\[])(?:{TOKEN})", re.IGNORECASE)
# Tokens in front of a response, with the role of the speaker.
_HEADER = re.compile(rf"(?:\s*(?:{TOKEN})(?:(?:assistant|model|response|final)\b)?)+", re.IGNORECASE)
# What may follow a closing tag at the end of a response without being an answer.
_STRAY = rf"(?:\s|`{{3}}|\[/[a-z_]+\]|</[a-z_]+[>\]]|{TOKEN})*"
_ONLY_STRAY = re.compile(_STRAY, re.IGNORECASE)
_BLOCK_AT_END = re.compile(rf"^[ \t]*{BEGIN}(?:(?!{BEGIN}|{END}).)*{END}{_STRAY}\Z", re.I | re.M | re.S)
_FENCE_AT_END = re.compile(r"^[ \t]*`{3}[^`]*`{3}\s*\Z", re.MULTILINE)
# An opening begins a line, or follows a tag, a token or a sentence; else it ends a line.
_PLACE = re.compile(r"(?:\A|[]>.!?:\u2026])[ \t]*\Z")
# Characters at the end of a prompt that may open the thinking.
_LONGEST_OPENING = 160
# In square brackets, these words are headings as well.
_HEADINGS = ("reason", "analysis", "reflect")
# A word such as `analysis` begins a sentence as well, where white space or punctuation follows it.
_GLUED = r"(?=[^\s:.,;'\u2019)*-])(?!ing|e?rs?\b|s\b)"
_CLOSING = re.compile(r"[/\\]|(?:\b|_)(?:end|stop|close)(?:\b|_)", re.IGNORECASE)
# The name of the formats without a closing, which the server removes.
_SILENT = "silent"

OPENING = "<think>\n"
# The first line of each of our prompts. A base model that continues after its answer writes it next.
_END_OF_OWN_TEXT = re.compile(r"^### Problem[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)


class _Tag(NamedTuple):
    """A tag of thinking in a text.

    Attributes:
        name: What the two tags of a format have in common; empty for a tag that closes every format.
        role: ``opens``, ``starts`` for an opening that only begins a response, ``closes``, or ``paired`` for a closing
            that needs its own opening.
    """

    start: int
    end: int
    name: str
    role: str


class _Scan(NamedTuple):
    """A response without its finished thinking.

    Attributes:
        open: The name of the thinking that is unfinished; empty if there is none.
        thinks: Whether the response opens or closes thinking.
    """

    text: str
    open: str
    thinks: bool


def without_thinking(response: str, marks: Marks | None = None) -> str | None:
    r"""Return the part of a response that is not thinking, with ``\n`` as line end; None if the thinking is unfinished.

    The first closing tag without an opening one ends thinking that the chat template opened. Later ones are text. If
    only stray tags follow the thinking, its last part is the text: the model answered there. Thinking that is never
    closed is unfinished, even if text precedes it. There is one exception: a response is finished if it ends with a
    complete block whose first mark begins a line; ``marks`` is None if answers have no marks. A special token of the
    tokenizer that follows some text ends the response. The time is linear in the length of the response.
    """
    scan = _scan(response)
    finished = (
        not scan.open
        or (marks is not None and _BLOCK_AT_END.search(scan.text))
        or (scan.open.startswith(_SILENT) and _FENCE_AT_END.search(scan.text))
    )
    return _up_to_token(scan.text) if finished else None


def opening_of(prompt: str) -> str:
    """Return the tag that opens thinking at the end of a rendered prompt; empty if there is none."""
    tail = prompt[-_LONGEST_OPENING:]
    for tag in _tags(tail):
        text = tail[tag.start :]
        if tag.role in ("opens", "starts") and not tail[tag.end :].strip() and not text.strip().isalpha():
            return text
    return ""


def opened(response: str, opening: str = OPENING) -> str:
    """Return a response whose chat template opened the thinking, with the opening tag.

    A response that opens or closes thinking itself needs no tag.
    """
    return response if _scan(response).thinks else f"{opening}{response}"


def ended(response: str) -> str:
    """Return a response that ended by itself, without the opening tag of thinking that it did not close."""
    scan = _scan(response)
    return scan.text if scan.open else response


def own_text(text: str) -> str:
    """Return the part of a text that is about this problem, without a base model's continuation."""
    return up_to(_END_OF_OWN_TEXT.finditer(text), text)


def up_to(ends: Iterable[re.Match[str]], text: str, start: int = 0) -> str:
    """Return a text from its start up to the first end that follows some text."""
    return text[start : next((end.start() for end in ends if text[start : end.start()].strip()), len(text))]


# The readers of a family ask for the same response one after the other.
@lru_cache(maxsize=2)
def _scan(response: str) -> _Scan:
    text = response.replace("\r\n", "\n").replace("\r", "\n")
    tags = list(_tags(text))
    level = unquoted(text) if tags else ""
    free = {tag for tag in tags if level[tag.start] == text[tag.start]}
    # In thinking, a fence may be open: a tag that has a line of its own counts there as well.
    alone = {tag for tag in tags if not "".join(around(text, tag.start, tag.end)).strip()}
    closings = {tag for tag in free | alone if tag.role in ("closes", "paired")}
    last = {tag.name: tag.start for tag in sorted(closings)}
    position, spoken, thought = 0, list[str](), ""
    open: _Tag | None = None
    finished = False
    for tag in tags:
        if open is None and tag in free and tag.role in ("opens", "starts"):
            if _is_opening(text, tag, last.get(tag.name, -1)):
                spoken.append(text[position : tag.start])
                open, position = tag, tag.end
        elif tag in closings and (
            tag.name in ("", open.name) if open else tag in free and tag.role == "closes" and not finished
        ):
            open, finished, thought, position = None, True, text[position : tag.start], tag.end
    answer = "".join([*spoken, text[position:]])
    if open is not None:
        return _Scan(answer, open.name, True)
    return _Scan(thought if _ONLY_STRAY.fullmatch(answer) else answer, "", finished)


def _is_opening(text: str, tag: _Tag, closed: int) -> bool:
    """Whether an opening tag begins thinking where it stands; ``closed`` is the place of its last closing tag."""
    if tag.role == "starts":
        return not text[: tag.start].strip()
    if text[tag.start] == "[" and closed < tag.end and tag.name in _HEADINGS:
        return False
    before, after = around(text, tag.start, tag.end)
    return _PLACE.search(before) is not None or not (after or before[-1:].isalnum())


@lru_cache(maxsize=2)
def _up_to_token(text: str) -> str:
    """Return a text up to the first special token after its header, which ends the response."""
    if not _SPECIAL_TOKEN.search(text):
        return text
    header = _HEADER.match(text)
    start = header.end() if header and text[header.end() :].strip() else 0
    return up_to(_SPECIAL_TOKEN.finditer(unquoted(text), start), text, start)


# Of a tag that a word makes, what is around the word.
_LETTERS = r"[\w:.|\uff5c-]{0,40}?"


@cache
def _pattern() -> re.Pattern[str]:
    """Return the pattern of all tags, whose groups are their roles and the numbers of their rows."""
    content = yaml.safe_load((Path(__file__).parent / "thinking.yaml").read_text(encoding="utf-8"))
    parts, spelled = [], list[str]()
    for number, row in enumerate(content["formats"]):
        name = number if row.keys() & {"closes", "paired"} else f"{_SILENT}{number}"
        for role in ("opens", "closes", "paired", "starts"):
            is_start = role == "starts"
            texts = [re.escape(text) + (_GLUED if is_start and text.isalpha() else "") for text in row.get(role, ())]
            either = "|".join(texts).replace(r"\*", r"[^\n]{0,80}?")
            parts += [f"(?P<{role}_{name}>{f'(?-i:{either})' if is_start else either})"] if texts else []
            spelled += [text[:4] for text in row.get(role, ()) if text[0].isalpha()]
    # Of the tags at one place, those with a row have priority.
    word = rf"{_LETTERS}(?P<word>{'|'.join(content['words'])}){_LETTERS}"
    parts.append(rf"[<\[\u25c1][/\\]?[|\uff5c]?/?{word}(?:\s+\w+=[^<>\n]{{0,80}})?[>\]\u25b7]")
    # A tag begins with a mark, or with letters that these four sets allow. Few places of a text do.
    letters = "".join(f"[{re.escape(''.join(sorted(set(column))))}]" for column in zip(*spelled, strict=True))
    return re.compile(rf"(?=[<\[\u25c1/\n]|{letters})(?:{'|'.join(parts)})", re.IGNORECASE)


def _tags(text: str) -> Iterator[_Tag]:
    """Yield the tags of thinking in a text, in order."""
    for match in _pattern().finditer(text):
        role, _, name = str(match.lastgroup).partition("_")
        if role == "word":
            name, role = match["word"].lower(), "closes" if _CLOSING.search(match[0]) else "opens"
        elif role == "closes":
            name = ""
        yield _Tag(*match.span(), name, role)

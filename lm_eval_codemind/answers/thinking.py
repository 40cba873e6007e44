"""The first step of reading a response: remove its thinking.

``thinking.yaml`` lists the formats of thinking. Tags and special tokens count at the level of the text. Within a code
fence, a string, back-ticks or the marks of an answer they are text.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

from lm_eval_codemind.answers.blocks import MARK, Marks, regions, within

# A special token of a tokenizer, such as `<|im_end|>`. The tokens of a box are layout of the answer.
_TOKEN = (
    r"<\|(?!(?:begin|end)_of_box)[\w:./-]+\|?>|<\w+\|>|<\uff5c[^\uff5c\n]{1,40}\uff5c>|<(?:end|start)_of_turn>"
    # The others are tags of HTML or text as well, and a token may be cut off.
    r"|(?:</?s>|<eos>|\[EO[ST]\]|<\|[a-z_]{0,40}\|?)\s*\Z"
)
_SPECIAL_TOKEN = re.compile(_TOKEN, re.IGNORECASE)
# Tokens in front of a response, with the role of the speaker.
_HEADER = re.compile(
    rf"(?:\s*(?:{_TOKEN})(?:[ \t]*(?:assistant|model|response|final)(?=[ \t]*\n|{_TOKEN}))?)+", re.IGNORECASE
)
# What may follow a closing tag at the end of a response without being an answer.
_STRAY = re.compile(rf"(?:\s|`{{3}}|\[/[a-z_]+\]|</[a-z_]+[>\]]|{_TOKEN})*", re.IGNORECASE)
_FENCE_AT_END = re.compile(r"^[ \t]*`{3}[^`]*`{3}\s*\Z", re.MULTILINE)
# An opening begins a line, or follows a tag, a token or a sentence; else it ends a line.
_PLACE = re.compile(r"(?:\A|\n|[]>.!?:\u2026])[ \t]*\Z")
_NEAR = 80
# In square brackets, these words are headings as well.
_HEADINGS = ("reason", "analysis", "reflect")
# A word such as `analysis` begins a sentence as well, where white space or punctuation follows it.
_GLUED = re.compile(r"(?=[^\s:.,;'\u2019)*-])(?!ing|e?rs?\b|s\b)")
_CLOSING = re.compile(r"[/\\]|(?:\b|_)(?:end|stop|close)(?:\b|_)", re.IGNORECASE)
_NOT_ITS_NAME = re.compile(r"(?:\b|_)(?:begin|start|end|stop|close|of)(?=\b|_)|[\W_]", re.IGNORECASE)

OPENING = "<think>\n"
# The first line of each of our prompts. A base model that continues after its answer writes it next.
_END_OF_OWN_TEXT = re.compile(r"^### Problem[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)


class _Tag(NamedTuple):
    """A tag of thinking in a text.

    Attributes:
        name: What the two tags of a format have in common; empty for a tag that closes every format.
        word: The word of the table in the name. A tag with the same word closes the thinking if none has the name.
        opens: Whether it begins thinking.
        paired: Whether it closes thinking only after its own opening.
    """

    start: int
    end: int
    name: str
    word: str
    opens: bool
    paired: bool = False


class _Scan(NamedTuple):
    """A response in its parts.

    Attributes:
        answer: What is not thinking; None if the thinking is unfinished.
        rest: What the unfinished thinking says; empty if there is none.
        before: What precedes the unfinished thinking.
        thinks: Whether the response opens or closes thinking.
        silent: Whether the format of the unfinished thinking has no closing, because the server removes it.
    """

    answer: str | None
    rest: str = ""
    before: str = ""
    thinks: bool = False
    silent: bool = False


def without_thinking(response: str, marks: Marks | None = None) -> str | None:
    r"""Return the part of a response that is not thinking, with ``\n`` as line end; None if the thinking is unfinished.

    The first closing tag without an opening one ends thinking that the chat template opened. Later ones are text. If
    only stray tags follow the thinking, its last part is the text: the model answered there. Thinking that is never
    closed is unfinished, even if text precedes it. There is one exception: a response is finished if it ends with a
    complete block whose first mark begins a line; ``marks`` is None if answers have no marks. A special token of the
    tokenizer that follows some text ends the response. The time is linear in the length of the response.
    """
    scan = _scan(response)
    if scan.answer is not None:
        return scan.answer
    if (marks is not None and _ends_with_block(scan.rest)) or (scan.silent and _FENCE_AT_END.search(scan.rest)):
        return _without_tokens(scan.rest)
    return None


def opening_of(prompt: str) -> str:
    """Return the tag that opens thinking at the end of a rendered prompt; empty if there is none."""
    tail = prompt[-2 * _NEAR :]
    end = len(tail.rstrip())
    for tag in _tags(tail):
        if tag.opens and tag.end == end:
            return tail[tag.start :]
    sentences = [text.strip() for text in _table().starts if not text.strip().isalpha()]
    return next((f"{text}\n" for text in sentences if tail.rstrip().endswith(text)), "")


def opened(response: str, opening: str = OPENING) -> str:
    """Return a response whose chat template opened the thinking, with the opening tag.

    A response that opens or closes thinking itself needs no tag.
    """
    return response if _scan(response).thinks else f"{opening}{response}"


def ended(response: str) -> str:
    """Return a response that ended by itself, without the opening tag of thinking that it did not close."""
    scan = _scan(response)
    return response if scan.answer is not None else scan.before + scan.rest


def own_text(text: str) -> str:
    """Return the part of a text that is about this problem, without a base model's continuation."""
    matches = _END_OF_OWN_TEXT.finditer(text)
    end = next((match.start() for match in matches if text[: match.start()].strip()), len(text))
    return text[:end]


# The readers of a family ask for the same response one after the other.
@lru_cache(maxsize=2)
def _scan(response: str) -> _Scan:
    text = response.replace("\r\n", "\n").replace("\r", "\n")
    tags = list(_tags(text))
    quoted = regions(text) if tags else []
    # In thinking, a fence may be open: a tag that has a line of its own counts there as well.
    free = [not within(quoted, tag.start) for tag in tags]
    last = {
        tag.name: tag.start
        for tag, is_free in zip(tags, free, strict=True)
        if not tag.opens and (is_free or _is_alone(text, tag))
    }
    position, spoken, thought = 0, list[str](), ""
    open: _Tag | None = None
    finished = False
    for tag, is_free in zip(tags, free, strict=True):
        if open is not None:
            same = tag.name == open.name or (tag.word == open.word and last.get(open.name, -1) < open.end)
            if tag.opens or not (same or not tag.name) or not (is_free or _is_alone(text, tag)):
                continue
            open, finished, thought = None, True, text[position : tag.start]
        elif not is_free:
            continue
        elif tag.opens:
            if not _is_opening(text, tag, last.get(tag.name, -1)):
                continue
            spoken.append(text[position : tag.start])
            open = tag
        elif finished or tag.paired:
            continue
        else:
            finished = True
            thought = "".join([*spoken, text[position : tag.start]])
            spoken.clear()
        position = tag.end
    before, rest = "".join(spoken), text[position:]
    if open is not None:
        return _Scan(None, rest, before, True, silent=open.name in _table().silent)
    answer = before + rest
    return _Scan(_without_tokens(thought if _STRAY.fullmatch(answer) else answer), thinks=finished)


def _is_opening(text: str, tag: _Tag, closed: int) -> bool:
    """Whether an opening tag begins thinking where it stands; ``closed`` is the place of its last closing tag."""
    if text[tag.start] == "[" and closed < tag.end and (tag.word in _HEADINGS or text.startswith("(", tag.end)):
        return False
    line = text[max(tag.start - _NEAR, 0) : tag.start]
    return _PLACE.search(line) is not None or (text[tag.end : tag.end + 1] in ("", "\n") and not line[-1:].isalnum())


def _is_alone(text: str, tag: _Tag) -> bool:
    before, after = text[max(tag.start - _NEAR, 0) : tag.start], text[tag.end : tag.end + _NEAR]
    return not before.rpartition("\n")[2].strip() and not after.partition("\n")[0].strip()


def _ends_with_block(text: str) -> bool:
    """Whether a text ends with a complete block whose first mark begins a line; stray tags may follow."""
    marks = list(MARK.finditer(text))
    begin = next((mark for mark in reversed(marks) if not mark["end"]), None)
    if begin is None or text[max(begin.start() - _NEAR, 0) : begin.start()].rpartition("\n")[2].strip():
        return False
    end = next((mark for mark in marks if mark["end"] and mark.start() > begin.start()), None)
    return end is not None and _STRAY.fullmatch(text, end.end()) is not None


def _without_tokens(text: str) -> str:
    """Return a text up to the first special token after its header, which ends the response."""
    header = _HEADER.match(text)
    start = header.end() if header and text[header.end() :].strip() else 0
    tokens = [match.start() for match in _SPECIAL_TOKEN.finditer(text, start)]
    quoted = regions(text) if tokens else []
    end = next((at for at in tokens if text[start:at].strip() and not within(quoted, at)), len(text))
    return text[start:end]


class _Table(NamedTuple):
    """The table: a pattern of all tags but those that only begin a response.

    ``starts`` has the name of the row of each of these. ``silent`` has the rows without a closing. ``bracket`` is the
    pattern for a text without ``sentences``, which are the tags that begin with a letter or a line end.
    """

    tag: re.Pattern[str]
    bracket: re.Pattern[str]
    sentences: tuple[str, ...]
    word: re.Pattern[str]
    starts: dict[str, str]
    silent: set[str]


@cache
def _table() -> _Table:
    content = yaml.safe_load((Path(__file__).parent / "thinking.yaml").read_text(encoding="utf-8"))
    words, letters = "|".join(content["words"]), r"[\w:.|\uff5c-]{0,40}?"
    parts, texts, starts, silent = [], list[str](), dict[str, str](), set[str]()
    for number, row in enumerate(content["formats"]):
        if row.get("start"):
            starts |= dict.fromkeys(row["opens"], f"row{number}")
        if not row.keys() & {"closes", "paired"}:
            silent.add(f"row{number}")
        for group in ("closes", "paired") if row.get("start") else ("opens", "closes", "paired"):
            texts += map(str.casefold, row.get(group, ()))
            of_group = "|".join(map(re.escape, row.get(group, ()))).replace(r"\*", r"[^\n]{0,80}?")
            parts += [f"(?P<{group}_{number}>{of_group})"] if of_group else []
    # Of the tags at one place, those with a row have priority.
    attribute = r"(?:\s+\w+=[^<>\n]{0,80})?"
    parts.append(rf"(?P<any>[<\[\u25c1][/\\]?[|\uff5c]?/?{letters}(?:{words}){letters}{attribute}[>\]\u25b7])")
    # A tag begins with few characters; the pattern is tried there.
    tag, bracket = (
        re.compile(rf"(?=[<\[\u25c1{others}])(?:{'|'.join(parts)})", re.IGNORECASE) for others in (r"Hta\n", "")
    )
    sentences = tuple(text for text in texts if text[0] not in "<[\u25c1")
    return _Table(tag, bracket, sentences, re.compile(words, re.IGNORECASE), starts, silent)


def _tags(text: str) -> Iterator[_Tag]:
    """Yield the tags of thinking in a text, in order."""
    table = _table()
    first = len(text) - len(text.lstrip())
    if table.tag.match(text, first) is None:
        for opens, name in table.starts.items():
            end = first + len(opens)
            if text.startswith(opens, first) and (not opens.isalpha() or _GLUED.match(text, end)):
                yield _Tag(first, end, name, name, True)
                break
    folded = text.casefold()
    pattern = table.tag if any(sentence in folded for sentence in table.sentences) else table.bracket
    for match in pattern.finditer(text):
        group, _, number = (match.lastgroup or "").partition("_")
        if number:
            name = f"row{number}"
            yield _Tag(*match.span(), "" if group == "closes" else name, name, group == "opens", group == "paired")
            continue
        name, word, is_open = _described(match[0])
        yield _Tag(*match.span(), name, word, is_open)


@lru_cache(maxsize=256)
def _described(tag: str) -> tuple[str, str, bool]:
    """Return the name and the word of a tag, and whether it opens thinking."""
    name = _NOT_ITS_NAME.sub("", tag).lower()
    word = _table().word.search(name)
    return name, word[0] if word else name, _CLOSING.search(tag) is None

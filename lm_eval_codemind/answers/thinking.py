"""The first step of reading a response: remove its thinking.

``thinking.yaml`` lists the formats of thinking. :func:`without_thinking` is the only function that knows them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from lm_eval_codemind.answers.blocks import Marks

# A special token of a tokenizer, such as `<|im_end|>`; `</s>` only at the end of a text, because it is an HTML tag too.
# The tokens of a box are layout of the answer.
_TOKEN = (
    r"<\|(?!(?:begin|end)_of_box)[a-z0-9_/]+\|?>|<[a-z0-9_]+\|>|<\uff5c[^\uff5c\n]{1,40}\uff5c>"
    r"|</s>\s*\Z|<(?:end|start)_of_turn>"
)
_FIRST = r"[<\[\u25c1]|Here|analysis|assistant|commentary"
# The place of an opening tag: the start of a line, or behind a special token.
_PLACE = re.compile(r"(?:\A|\n|\|>|\uff5c>)[ \t]*\Z")
_START = re.compile(r"\A\s*\Z")
_NEAR = 80
_SPECIAL_TOKEN = re.compile(_TOKEN, re.IGNORECASE)
# What may follow a closing tag at the end of a response without being an answer.
_STRAY = re.compile(rf"(?:\s|`{{3}}|\[/[a-z_]+\]|</[a-z_]+[>\]]|{_TOKEN})*", re.IGNORECASE)

OPENING = "<think>\n"
# The first line of each of our prompts. A base model that continues after its answer writes it next.
_END_OF_OWN_TEXT = re.compile(r"^### Problem[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)


class _Formats(NamedTuple):
    """The table: a pattern for all tags, and the row of each of its groups, by the group's name.

    ``starts`` has the rows whose opening counts only at the start of a response, ``paired`` those whose closing counts
    only after an opening.
    """

    tag: re.Pattern[str]
    opens: dict[str, int]
    closes: dict[str, int]
    starts: set[int]
    paired: set[int]


def without_thinking(response: str, marks: Marks | None = None) -> str | None:
    r"""Return the part of a response that is not thinking, with ``\n`` as line end; None if the thinking is unfinished.

    A closing tag without an opening one ends thinking that the chat template opened. If only stray tags follow the
    thinking, its last part is the text: the model answered there. Thinking that is never closed is unfinished, even
    if text precedes it. There is one exception: a response is finished if it ends with a complete block whose first
    mark begins a line; ``marks`` is None if answers have no marks. The first special token of the tokenizer that
    follows some text ends the response. The time is linear in the length of the response.
    """
    text, position = response.replace("\r\n", "\n").replace("\r", "\n"), 0
    spoken: list[str] = []
    thought = ""
    row: int | None = None
    for tag, opened, closed in _tags(text):
        if closed != row if row is not None else closed in _formats().paired:
            continue
        part = text[position : tag.start()]
        if row is not None:
            thought = part
        elif closed is None:
            spoken.append(part)
        else:
            thought = "".join([*spoken, part])
            spoken.clear()
        position, row = tag.end(), opened
    rest = text[position:]
    if row is not None:
        return _up_to_special_token(rest) if marks is not None and _ends_with_block(rest, marks) else None
    answer = "".join([*spoken, rest])
    return _up_to_special_token(thought if _STRAY.fullmatch(answer) else answer)


def own_text(text: str) -> str:
    """Return the part of a text that is about this problem, without a base model's continuation."""
    match = _END_OF_OWN_TEXT.search(text)
    return text[: match.start()] if match and text[: match.start()].strip() else text


def thinking_is_opened(responses: Iterable[str]) -> bool:
    """Whether the chat template of a task wrote the opening tag, so that its responses begin with thinking.

    It did so if more responses close thinking that they did not open, and say something after that, than open thinking.
    A response of that task without a closing tag is then unfinished: see :func:`opened`.
    """
    paired = _formats().paired
    firsts = (next((tag for tag in _tags(response) if tag[2] not in paired), None) for response in responses)
    tags = [first for first in firsts if first]
    closing = [tag for tag, _, closed in tags if closed is not None and not _STRAY.fullmatch(tag.string, tag.end())]
    return len(closing) > sum(opened is not None for _, opened, _ in tags)


def opened(response: str) -> str:
    """Return a response of a task whose chat template opens the thinking, with the opening tag where nothing closes it.

    A response that closes thinking needs no opening tag.
    """
    return response if any(closed is not None for _, _, closed in _tags(response)) else f"{OPENING}{response}"


def _tags(text: str) -> Iterator[tuple[re.Match[str], int | None, int | None]]:
    """Yield the tags of a text, each with the row that it opens or the row that it closes."""
    formats = _formats()
    for tag in formats.tag.finditer(text):
        opened = formats.opens.get(tag.lastgroup or "")
        at = tag.start()
        place = _START if opened in formats.starts else _PLACE
        if opened is None or place.search(text, max(at - _NEAR, 0), at):
            yield tag, opened, formats.closes.get(tag.lastgroup or "")


@cache
def _formats() -> _Formats:
    opens: dict[str, int] = {}
    closes: dict[str, int] = {}
    patterns = []
    table = yaml.safe_load((Path(__file__).parent / "thinking.yaml").read_text(encoding="utf-8"))
    for number, row in enumerate(table):
        start = row.get("start", False)
        # A word such as `analysis` begins a sentence as well, where white space or punctuation follows it.
        end = r"(?=[^\s:.,;'\u2019)*-])" if start and row["opens"][0].isalpha() else ""
        groups = {f"opens{number}": (opens, row["opens"], end), f"closes{number}": (closes, row["closes"], "")}
        for group, (rows, texts, following) in groups.items():
            rows[group] = number
            pattern = "|".join(map(re.escape, texts)).replace(r"\*", r"[^\n]{0,80}?")
            patterns.append(f"(?P<{group}>(?{'-i' if start else 'i'}:{pattern}){following})")
    starts, paired = ({n for n, row in enumerate(table) if row.get(name)} for name in ("start", "paired"))
    # Few characters begin a tag; the pattern is tried there.
    return _Formats(re.compile(rf"(?={_FIRST})(?:{'|'.join(patterns)})"), opens, closes, starts, paired)


def _ends_with_block(text: str, marks: Marks) -> bool:
    """Whether a text ends with a complete block whose first mark begins a line; stray tags may follow."""
    begins = list(marks.begin.finditer(text))
    if not begins or text[max(begins[-1].start() - _NEAR, 0) : begins[-1].start()].rpartition("\n")[2].strip():
        return False
    end = marks.end.search(text, begins[-1].end())
    return end is not None and _STRAY.fullmatch(text, end.end()) is not None


def _up_to_special_token(text: str) -> str:
    return next(filter(str.strip, _SPECIAL_TOKEN.split(text)), "")

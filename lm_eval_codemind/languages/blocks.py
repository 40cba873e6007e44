"""The blocks of code in a response, and the choice between several programs. Both languages read responses with this.

A block is the content of a code fence, whatever its info string says, or the text between fences. It may be in another
fence or in a field of a JSON object. A block that does not parse is unwrapped: marks of quotations and of interactive
sessions, line numbers and tags around it are removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from lm_eval_codemind.answers.thinking import TOKEN, own_text, up_to, without_thinking

T = TypeVar("T")

# Of several programs, the last ones are compared.
_MOST_PROGRAMS = 50
# Of a longer response, only the end is read. The longest program of a benchmark has 130,000 characters.
_LONGEST = 150_000
# The closing fences that are tried for one block.
_MOST_FENCES = 8
# In a JSON string, a line feed is `\\n`.
_FENCE = re.compile(r"(?<!\\n)`{3,}(?![`\w]*\\n)|^[ \t>]*~{3,}", re.MULTILINE)
# The rest of the line of an opening fence; of a block on one line, only the language.
_INFO = re.compile(r"[^`\n]*(?:\n|\Z)|[ \t]*(?:(?:python|py|java)\d*[ \t]+)?", re.IGNORECASE)
_OPENS = re.compile(r"[ \t]*[A-Za-z][\w+#.-]*[ \t]*\n")
# Fences of text, and of other fences.
_TEXT = frozenset({"markdown", "md", "text", "txt", "plaintext"})
_INNER = re.compile(r"^[ \t]*[`~]{3}", re.MULTILINE)
_DEEPEST = 3
# A special token behind the last line of code, whole or cut off.
_TOKEN = re.compile(
    rf"(?:<eos>|{TOKEN})+[ \t]*$"
    r"|(?:</?\w*>|</\w*|<\|\w*\|?|<\uff5c[^\uff5c\n]*|<eos?|<end_of_\w*|\[/?(?:EO[ST]|PAD|INST)\]?)+(?:\n`{3,9})?\Z",
    re.MULTILINE | re.IGNORECASE,
)
# The start of a JSON object or of a list of objects, and a field with a text.
_OBJECT = re.compile(r"(?:^|: )[ \t]*(?:\[\s*)?\{\s*\"[^\"\n]*\"\s*:", re.MULTILINE)
_FIELD = re.compile(r":\s*(\"(?:[^\"\\]|\\.)*\")", re.DOTALL)
_TAG = (
    r"\[/?(?:PYTHON|JAVA|CODE|ANSWER|SOLUTION|TESTS?|OUTPUT|INST)\]"
    r"|</?(?:python|java|code|answer|solution|program|implementation|pre|response)(?:\s[^<>\n]{0,200})?>"
)
# Without a bound, a line of many tags takes quadratic time.
_TAGS = re.compile(rf"^[ \t]*(?:{_TAG})+|(?:{_TAG}){{1,5}}[ \t]*$", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(r"[ \t]*>(?!>)[ \t]?")
_NUMBER = re.compile(r"[ \t]*(\d{1,4})(?=[ \t:|.)]|$)(?:[ \t]*[:|.)](?=[ \t]|$))?")
_SESSION = re.compile(r"^[ \t]*>>> (?:@|(?:async|def|class|from|import)\b)", re.MULTILINE)
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_INVISIBLE = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u200b": "", "\u2060": "", "\ufeff": ""})


class Block(NamedTuple):
    """A block of a response.

    Attributes:
        fenced: Whether it is inside a fence that is closed.
        language: The first word of the info string of its fence, in lower case.
    """

    text: str
    fenced: bool
    language: str = ""


def preferred(candidates: Iterable[T], *rules: Callable[[T], object]) -> list[T]:
    """Return the candidates that meet the rules. A rule that no candidate meets is dropped."""
    best = list(candidates)
    for rule in rules:
        best = list(filter(rule, best)) or best
    return best


def last_program(programs: Sequence[str]) -> str:
    """Return the last program that is not an excerpt of an earlier one."""
    last = programs[-_MOST_PROGRAMS:]
    lines = ["\n".join(filter(None, map(str.strip, program.split("\n")))) for program in last]
    return [program for n, program in enumerate(last) if not any(lines[n] in earlier for earlier in lines[:n])][-1]


def blocks(response: str, parses: Callable[[str], bool]) -> list[Block]:
    """Return the blocks of a response, in order, without blank ones.

    A fence may be unclosed, follow prose on its line, or close at the end of a line of code. If the code contains
    back-ticks, the block ends at the first closing fence with which it parses. A special token ends the response.
    """
    text = own_text(without_thinking(response) or "")[-_LONGEST:]
    return list(_blocks(up_to(_TOKEN.finditer(text.rstrip()), text), parses))


def _blocks(text: str, parses: Callable[[str], bool], depth: int = 0) -> Iterator[Block]:
    for part in _parts(text, parses):
        inner = _enclosed(part, parses) if depth < _DEEPEST else []
        for other in inner:
            yield from _blocks(other, parses, depth + 1)
        if not inner and part.text.strip(" \t\n>"):
            yield part if parses(part.text) else part._replace(text=unwrapped(part.text))


def _parts(text: str, parses: Callable[[str], bool]) -> Iterator[Block]:
    """Yield the contents of fences, and the text between them."""
    marks = [(mark.start(), mark.end(), mark.group().strip(" \t>")) for mark in _FENCE.finditer(text)]
    at = index = 0
    while index < len(marks):
        start, opened, fence = marks[index]
        yield Block(text[at:start], False)
        at = _INFO.match(text, opened).end()  # type: ignore[union-attr]
        language = re.sub(r"[^\w+#].*", "", text[opened:at].strip().lower(), flags=re.DOTALL)
        # As long, and of the same characters.
        closing = [n for n in range(index + 1, min(len(marks), index + _MOST_FENCES)) if marks[n][2].startswith(fence)]
        if not closing:
            yield Block(text[at:], False, language)
            return
        chosen = closing[0]
        if len(closing) > 1:
            chosen = next((number for number in closing if parses(text[at : marks[number][0]])), chosen)
        # A fence with an info string opens a block. The block before it is not closed.
        opens = _OPENS.match(text, marks[chosen][1]) is not None
        yield Block(text[at : marks[chosen][0]], not opens, language)
        at = marks[chosen][0] if opens else marks[chosen][1]
        index = chosen if opens else chosen + 1
    yield Block(text[at:], False)


def _enclosed(part: Block, parses: Callable[[str], bool]) -> list[str]:
    """Return the texts that a block encloses: the content of a fence of text, or the fields of an object with code."""
    text = part.text
    if part.fenced and (part.language in _TEXT or _INNER.search(text)) and not parses(text):
        return [text]
    start = _OBJECT.search(text)
    if not start or (text[: start.start()].strip() and parses(text)):
        return []
    fields = list(_FIELD.finditer(text, start.start()))
    try:
        values = [json.loads(field[1], strict=False) for field in fields]
    except ValueError:
        return []
    if any("```" in value or ("(" in value and parses(value)) for value in values):
        return [text[: start.start()], *values, text[fields[-1].end() :]]
    return []


def unwrapped(text: str) -> str:
    """Return a block without tags around it, marks of a quotation or of an interactive session, and line numbers."""
    lines = _TAGS.sub("\n", text.translate(_INVISIBLE)).expandtabs(4).split("\n")
    if all(_QUOTED.match(line) for line in lines if line.strip()):
        lines = [_QUOTED.sub("", line, count=1) for line in lines]
    text = "\n".join(_without_numbers(lines))
    return _PROMPT.sub("", text) if _SESSION.search(text) else text


def _without_numbers(lines: list[str]) -> list[str]:
    """Return lines without line numbers, if all lines from the first to the last numbered one have the next number."""
    numbers = {n: match for n, line in enumerate(lines) if (match := _NUMBER.match(line))}
    between = lines[min(numbers, default=0) : max(numbers, default=-1) + 1]
    values = [int(match[1]) for match in numbers.values()]
    if len(values) < 2 or values != [values[0] + n for n in range(sum(bool(line.strip()) for line in between))]:
        return lines
    return [line[numbers[n].end() :].removeprefix(" ") if n in numbers else line for n, line in enumerate(lines)]

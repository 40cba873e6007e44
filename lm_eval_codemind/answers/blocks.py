"""The second step of reading a response: find the block with the answer, the last complete pair of marks."""

import re
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
_MENTIONED = ("", "and", "or", "to", "\u2026")
# Characters of a line before and after a mark that are examined.
_NEAR = 200


# A mark, its text, and the mark that closes it.
_PAIR = r"(?P<begin>{begin})(?P<inside>(?:(?!{begin}).)*?)(?:{end})"
# A mark that closes a block by mistake: the first one again, or a closing tag of any name or without an end.
_MISTYPED = r"(?:{begin}|<[/\\]\s*\w+[>\]]?|\[[/\\]\s*\w+[>\]]?|<\w+\s*/>)(?=[`*\s]*(?:\Z|\n[ \t]*\n))"


def blocks(text: str, marks: Marks, empty: bool = False) -> Iterator[str]:
    """Yield the text between the last complete pair of marks, without their margin, and perhaps those of earlier pairs.

    A mark closes the last open mark before it. A pair that a sentence only mentions does not count: other words are on
    its line, and it encloses nothing or a word such as "and". Where other words are on its line, the pair before it
    follows, since the sentence may mention a block. A block may be ``empty`` where the answer is a text that may be
    empty. Pairs in back-ticks come last. If no mark closes a block, a mistyped one does.
    """
    begin, quoted = marks.begin.pattern, list[str]()
    ends = marks.end.pattern, _MISTYPED.format(begin=begin)
    patterns = (re.compile(_PAIR.format(begin=begin, end=end), marks.begin.flags | re.DOTALL) for end in ends)
    pairs = next(filter(None, (list(pattern.finditer(text)) for pattern in patterns)), [])
    for pair in reversed(pairs):
        block = pair["inside"]
        before, after = around(text, pair.start(), pair.end())
        in_sentence = "\n" not in block and re.search(r"\w", before + after) is not None
        # Quotes around the first mark are not part of a literal.
        quote = before[-1:] if before[-1:] in "'\"" else ""
        if (empty or block.strip()) and not (in_sentence and block.strip(f" .,`*{quote}").lower() in _MENTIONED):
            block = block.removeprefix(" ").removesuffix(" ")
            if in_sentence and before.endswith("`") and after.startswith("`"):
                quoted.append(block)
                continue
            yield block
            if not in_sentence:
                return
    yield from quoted


def around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the text on the same line before and after a part of a text."""
    return text[max(start - _NEAR, 0) : start].rpartition("\n")[2], text[end : end + _NEAR].partition("\n")[0]


_NAME = r"(?:final_answer|answer\d*|output|input|trace)"
BEGIN, END = rf"[<\[]{_NAME}[>\]]", rf"[<\[]/{_NAME}[>\]]"
_FENCE = r"[ \t>]*(?:`{3,}|~{3,})[^`\n]*$"
# A fence, code in back-ticks, a string with at most two letters before it, or a block of an answer.
_QUOTED = re.compile(
    rf"^[ \t>]*(?P<fence>`{{3,}}|~{{3,}}+)[^`\n]*\n(?:(?!{_FENCE})[^\n]*\n)*"
    rf"(?={_FENCE})[ \t>]*(?P=fence)[`~]*+(?![ \t]*\w)"
    r"|(?<!`)(?P<ticks>`+)(?!`)[^`\n]+(?P=ticks)(?!`)"
    r"|(?<!\w)[a-z]{0,2}(?:'(?:\\[^\n]|[^'\\\n]){1,500}'|\"(?:\\[^\n]|[^\"\\\n]){1,500}\")(?!\w)"
    rf"|[<\[](?P<name>{_NAME})[>\]](?:(?![<\[]/?(?P=name)[>\]]).)*[<\[]/(?P=name)[>\]]",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def unquoted(text: str) -> str:
    """Return a text of the same length, with a null for each character of code, of strings and of answers."""
    return _QUOTED.sub(lambda quoted: "\0" * len(quoted[0]), text)

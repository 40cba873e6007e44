"""The third step of reading a response: one normaliser of the text in a block.

:func:`readings` removes layout that is not part of an answer. It yields the text as it is first, so that no string
literal is damaged.
"""

import json
import re
from collections.abc import Iterator

from lm_eval_codemind.answers.literals import is_literal

# Layers of layout that are removed. More are an artificial text.
_DEEPEST = 6
FENCE = re.compile(r"(?P<fence>(?<!`)`{3,}|(?<!~)~{3,})[^\n`]*\n(?P<inside>.*?)\n?[ \t]*(?P=fence)", re.DOTALL)
# Text after a literal that cannot continue it: another line, or punctuation or a word.
PROSE = re.compile(
    r"\s*\n|\s*[.,;:(\u2013\u2014-]+\s+(?![\d;])|\s+\(|[`*]*\.?\s*\Z|\s+(?!(?:or|and|if|else|for|in|is|not)\b)[A-Za-z]",
    re.IGNORECASE,
)
# A fence, back-ticks, bold text or a formula at the start, with prose after it.
_FIRST = re.compile(r"(?P<mark>`{3}(?=[^\n`]*\n)|`|\*\*|\$)(?:(?<=```)[^\n`]*\n)?(?P<inside>.+?)(?P=mark)", re.DOTALL)
_WRAPPERS = (
    FENCE,
    # A fence that a block does not close.
    re.compile(r"(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<inside>(?:(?!(?P=fence)).)*)", re.DOTALL),
    re.compile(r"(?P<mark>`{1,3}|\*{1,3}|__|\${1,2})(?P<inside>.+)(?P=mark)", re.DOTALL),
    re.compile(r"\\(?:f?boxed|text(?:tt|bf|rm)?|math(?:rm|tt|bf))\{(?P<inside>.+)\}", re.DOTALL),
    re.compile(r"\\\((?P<inside>.+)\\\)", re.DOTALL),
    re.compile(r"\\\[(?P<inside>.+)\\\]", re.DOTALL),
    re.compile(r"<\|begin_of_box\|>(?P<inside>.+)<\|end_of_box\|>", re.DOTALL),
    re.compile(r"<(?P<tag>code|pre|b|strong|answer|output)>(?P<inside>.+)</(?P=tag)>", re.DOTALL | re.IGNORECASE),
)
_LEAD = (
    r"(?:(?:so|thus|therefore|hence),?\s+)?(?:the\s+|my\s+)?"
    r"(?:(?:final|correct|wrong|return(?:ed)?|standard|next|executed)\s+)*"
)
_NAMES = r"outputs?|answer|results?|values?|verdict"
# What an answer is called, as in `Answer`, `**Output**` or `So the return value`.
NOUN = rf"{_LEAD}(?:{_NAMES})"
# A label in front of an answer, such as `Answer:` or `The program is`.
_LABEL = re.compile(
    rf"[-*_#>\s]*{_LEAD}(?:{_NAMES}|state|returns|prints|line(?:\s+number)?|trace|input|type|program|function|code|bug"
    r"|it|this)\b[`*_]*"
    r"(?:\s+is\b\s*:?|[ \t]*(?::=|:|==?|->|=>|\u2192))[`*_]*[ \t]*\n?(?P<inside>.*\S.*)",
    re.DOTALL | re.IGNORECASE,
)
# The asked name in front of an answer, such as `y =` or `The value of y is`.
_NAMED = (
    r"(?:[Tt]he\s+)?(?:(?:final\s+)?[Vv]alues?\s+of\s+)?[`*]*{}[`*]*[ \t]*"
    r"(?:==?|:=|:|->|=>|\u2192|(?:is|are)\b:?)[`*]*(?P<inside>.*\S.*)"
)
# The call with its value, as in an assertion.
_CALL = re.compile(r"(?:assert\s+)?[A-Za-z_][\w.]*\(.*\)\s*(?:==?|->|=>|\u2192)\s*(?P<inside>.+)", re.DOTALL)
# In a string literal, a mark is text.
_STRING = re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*\"""")
_KEYS = {"output", "input", "answer", "final_answer", "result", "value", "return_value", "verdict", "trace"}
_KEYS |= {"line", "lines"}
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\ufe0f]")
_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00b4\uff02\uff07", "\"\"\"\"'''''\"'")
# In front of a number, each of these is a minus.
_MINUS = re.compile("[\u2010-\u2015\u2212\ufe63\uff0d](?=[\\d.])")


def readings(text: str, name: str = "") -> Iterator[str]:
    """Yield the text, and the text without its layout, layer by layer.

    Layout is a code fence, emphasis, back-ticks, a box, a formula, or a label or the asked name in front of the answer,
    also nested. A full stop after the answer is layout, too. The same readings follow without invisible characters,
    with plain blanks, quotes and minus signs. ``name`` is what the question asks about, such as a variable: ``y = 5``
    then reads ``5``.
    """
    seen = set[str]()
    for start in (text, plain(text)):
        layer: str | None = start
        for _ in range(_DEEPEST):
            if layer is None:
                break
            if layer not in seen:
                seen.add(layer)
                yield layer
            layer = _inside(layer, name)


def plain(text: str) -> str:
    """Return a text without invisible characters, and with plain blanks, quotes and minus signs."""
    return _MINUS.sub("-", _BLANKS.sub(" ", _INVISIBLE.sub("", text))).translate(_QUOTES)


def typed(text: str) -> str:
    """Return free text, such as standard input: the text without invisible characters, labels and fences."""
    text = plain(text)
    for _ in range(_DEEPEST):
        bare = text.strip()
        keyed, match = _of_one_key(bare, ""), FENCE.match(bare) or _LABEL.fullmatch(bare)
        if keyed is None and match is None:
            break
        text = match["inside"] if match else keyed or ""
    return text.removeprefix("\n")


def _inside(text: str, name: str) -> str | None:
    """Return a text without its outermost layer of layout; None if it has none."""
    bare = text.strip()
    keyed = _of_one_key(bare, name)
    if keyed is not None:
        return keyed
    named = [re.compile(_NAMED.format(re.escape(name)), re.DOTALL)] if name else []
    for wrapper in (*_WRAPPERS, *named, _LABEL, _CALL):
        match = wrapper.fullmatch(bare)
        mark = match.groupdict().get("mark") if match else None
        if match and (not mark or mark not in _STRING.sub("", match["inside"])):
            inside = match["inside"]
            escaped = bare.startswith("\\") and not is_literal(inside)
            return re.sub(r"\\([{}_%&#$])", r"\1", inside) if escaped else inside
    piece = _FIRST.match(bare)
    if piece and piece["mark"] not in bare[piece.end() :] and PROSE.match(bare, piece.end()):
        return piece["inside"]
    if (
        bare.endswith(".")
        and not bare.endswith("..")
        and (bare[-2:-1] in tuple(")]}") or is_literal(bare[:-1]) or _inside(bare[:-1], name) is not None)
    ):
        return bare[:-1]
    return None


def _of_one_key(text: str, name: str) -> str | None:
    """Return the value of an object with one key, which is a label or the name, as text; None for other text."""
    try:
        record = json.loads(text) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return None
    for key, value in record.items() if len(record) == 1 else ():
        if key == name or key.lower() in _KEYS:
            return value if isinstance(value, str) else repr(value)
    return None

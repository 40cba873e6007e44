"""The third step of reading a response: one normaliser of the text in a block.

:func:`readings` removes layout that is not part of an answer. It yields the text as it is first, so that no string
literal is damaged.
"""

import json
import re
from collections.abc import Iterator

from lm_eval_codemind.answers.literals import STRING, is_literal, nested

# Layers of layout that are removed. More are an artificial text.
_DEEPEST = 6
FENCE = re.compile(r"(?P<fence>(?<!`)`{3,}|(?<!~)~{3,}+)[^\n`]*\n(?P<inside>.*?)\n?[ \t]*(?P=fence)", re.DOTALL)
# The words of answers: what an answer is called, what states a truth, and the words of JSON with those of Python.
NAMES = r"outputs?|answers?|ans|results?|values?|verdict|inputs?|trace|lines?(?:[ _]numbers?)?"
TRUE = r"(?:yes|y|true|t|1|taken|holds|executed|reached|run|right|correct)"
FALSE = r"(?:no|n|false|f|0|never|wrong|incorrect)"
JSON = {"true": "True", "false": "False", "null": "None"}
# Text after an answer that cannot continue it: another line, punctuation and prose, a symbol, or a reason.
PROSE = re.compile(
    r"\s*\n|\s*[.,;:\u2013\u2014]+\s+(?!or\b|[\d;])|\s+-{1,2}\s+(?=[^\W\d]{2})(?!\w+[(\[])|\s+\((?!or\b)"
    r"|[`*]*\.?\s*\Z|\s+(?:because|since|as)\b|\s*[\u2190-\u21ff\u2600-\u27bf\U0001f000-\U0001faff]",
    re.IGNORECASE,
)
# A fence, back-ticks, bold text or a formula at the start, with prose after it.
_FIRST = re.compile(
    r"(?P<mark>`{3}(?=[^\n`]*\n)|`|\*\*|\$)(?:(?<=```)[^\n`]*\n)?(?P<inside>(?:(?!(?P=mark)).)+)(?P=mark)"
    rf"(?={PROSE.pattern})(?:(?!(?P=mark)).)*",
    re.DOTALL | re.IGNORECASE,
)
_WRAPPERS = (
    FENCE,
    # A fence that a block does not close.
    re.compile(r"(?P<fence>`{3,}|~{3,}+)[^`\n]*\n(?P<inside>(?:(?!(?P=fence)).)*)", re.DOTALL),
    # In a string literal, a mark is text.
    re.compile(
        rf"(?P<mark>`{{1,3}}|\*{{1,3}}|__|\${{1,2}})(?P<inside>(?:{STRING}|(?!(?P=mark)|{STRING}).)+)(?P=mark)",
        re.DOTALL,
    ),
    re.compile(r"\\(?:boxed|fbox|text(?:tt|bf|rm)?|math(?:rm|tt|bf))\{(?P<inside>.+)\}", re.DOTALL),
    re.compile(r"(?:\\\(|\\\[|<\|begin_of_box\|>)(?P<inside>.+)(?:\\\)|\\\]|<\|end_of_box\|>)", re.DOTALL),
    re.compile(r"<(?P<tag>code|pre|b|strong|answer|output)>(?P<inside>.+)</(?P=tag)>", re.DOTALL | re.IGNORECASE),
)
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|then|and|finally),?\s+)?(?:the\s+|my\s+|its?\s+)??"
    r"(?:(?:final|correct|wrong|return(?:ed)?|standard|next|executed)[ _]+)*"
)
# What an answer is called, as in `Answer`, `**Output**` or `So the return value`.
NOUN = rf"{_LEAD}(?:{NAMES})"
_MARK = r"(?::=|:|=>|==?|->|\u2192)"
_CALLED = (
    rf"{_LEAD}(?:the[ \t]+(?:[a-z]+[ \t]+){{0,2}}?)?"
    rf"(?:{NAMES}|states?|type|program|function|code|bugs?|error|list|expression|call|it|this)"
)
# A label or the start of a sentence in front of an answer, such as `Answer:`, `The program is` or `So f([1]) returns`.
_LABEL = re.compile(
    rf"[-*_#>\s]*+(?:{_CALLED}\b(?:[ \t]+of(?:[ \t]+[\w`*()]++){{1,4}}?)?[`*_]*"
    rf"(?:'s|\s+(?:is|are)\b\s*:?|[ \t]*{_MARK})"
    r"|(?:[\w`*,()\[\]'\"-]++[ \t]++){0,8}?(?:returns|prints|outputs|yields|gives|equals|evaluates[ \t]+to)\b:?)"
    r"[`*_]*:?[ \t]*\n?(?P<inside>.*\S.*)",
    re.DOTALL | re.IGNORECASE,
)
# The only labels of free text.
_FREE_LABEL = re.compile(
    r"[*_#>\s]*+(?:(?:standard[ \t]+)?(?:output|input)|answer)[*_`]*:[*_`]*[ \t]*\n?(?P<inside>.*\S.*)",
    re.DOTALL | re.IGNORECASE,
)
# The asked name in front of an answer, such as `y =` or `y is`.
_NAMED = rf"[`*]*{{}}[`*]*[ \t]*(?:{_MARK}|(?<!\w)(?:is|are)\b:?)[`*]*(?P<inside>.*\S.*)"
# A call, as in an assertion, and the mark between it and its value.
_CALL = re.compile(r"(?:assert\s+)?[A-Za-z_][\w.]*(?=\()")
_STATES = re.compile(rf"\s*{_MARK}\s*(?=\S)")
_KEY = re.compile(NOUN, re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\ufe0f]")
_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00b4\uff02\uff07", "\"\"\"\"'''''\"'")
# In front of a number, each of these is a minus.
_MINUS = re.compile("[\u2010-\u2015\u2212\ufe63\uff0d](?=[\\d.])")


def readings(text: str, name: str = "", free: bool = False) -> Iterator[str]:
    """Yield the text, and the text without its layout, layer by layer.

    Layout is a code fence, emphasis, back-ticks, a box, a formula, or a label or the asked name in front of the answer,
    also nested. A full stop after the answer is layout, too. The same readings follow without invisible characters,
    with plain blanks, quotes and minus signs. ``name`` is what the question asks about, such as a variable: ``y = 5``
    then reads ``5``. In ``free`` text, such as printed output, the only labels are `Output:`, `Answer:` and `Input:`,
    and no visible character is replaced.
    """
    seen = set[str]()
    for start in (text, _INVISIBLE.sub("", text) if free else plain(text)):
        layer: str | None = start
        for _ in range(_DEEPEST):
            if layer is None:
                break
            if layer not in seen:
                seen.add(layer)
                yield layer
            layer = _inside(layer, name, free)


def plain(text: str) -> str:
    """Return a text without invisible characters, and with plain blanks, quotes and minus signs."""
    return _MINUS.sub("-", _BLANKS.sub(" ", _INVISIBLE.sub("", text))).translate(_QUOTES)


def typed(text: str) -> str:
    """Return free text, such as standard input: the text without invisible characters, labels and fences."""
    text = _INVISIBLE.sub("", text)
    for _ in range(_DEEPEST):
        bare = text.strip()
        keyed, match = _of_one_key(bare, ""), FENCE.match(bare) or _FREE_LABEL.fullmatch(bare)
        if keyed is None and match is None:
            break
        text = match["inside"] if match else keyed or ""
    return text.removeprefix("\n")


def _inside(text: str, name: str, free: bool) -> str | None:
    """Return a text without its outermost layer of layout; None if it has none."""
    bare = text.strip()
    keyed = _of_one_key(bare, name)
    if keyed is not None:
        return keyed
    named = [re.compile(_NAMED.replace("{}", re.escape(name), 1), re.DOTALL)] if name else []
    for wrapper in (*_WRAPPERS, *((_FREE_LABEL,) if free else (*named, _LABEL))):
        match = wrapper.fullmatch(bare)
        if match:
            inside = match["inside"]
            escaped = bare.startswith("\\") and not is_literal(inside)
            return re.sub(r"\\([{}_%&#$])", r"\1", inside) if escaped else inside
    stated = None if free else _stated(bare)
    if stated is not None:
        return stated
    if first := _FIRST.fullmatch(bare):
        return first["inside"]
    return bare[:-1] if bare.endswith(".") and not (free or bare.endswith("..")) else None


def _stated(text: str) -> str | None:
    """Return what a text states of a call that it starts with; None if it starts with no call or states nothing."""
    call = _CALL.match(text)
    for bracket, end, depth in nested(text, call.end()) if call else ():
        if bracket == ")" and depth == 0 and (mark := _STATES.match(text, end)):
            return text[mark.end() :]
    return None


def _of_one_key(text: str, name: str) -> str | None:
    """Return the value of an object with one key, which is a label or the name, as text; None for other text."""
    try:
        record = json.loads(text) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return None
    for key, value in record.items() if len(record) == 1 else ():
        if key == name or _KEY.fullmatch(key):
            return value if isinstance(value, str) else repr(value)
    return None

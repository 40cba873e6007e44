"""Whether an answer is the output: by value, and by text as the CodeMind artifact compares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lm_eval_codemind.answers.lines import printed_lines
from lm_eval_codemind.answers.literals import Constructed, NotALiteralError, parse_literal

# What an answer may stand in, besides its marks.
_FENCED = re.compile(r"```[^\n`]*\n(?P<inside>.*?)\n?```", re.DOTALL)
_WRAPPERS = (
    re.compile(r"(?P<mark>```|``|`|\*\*|__|\$\$|\$)(?P<inside>.+)(?P=mark)", re.DOTALL),
    re.compile(r"\\(?:boxed|text(?:tt|bf|rm)?|mathrm|mathtt)\{(?P<inside>.+)\}", re.DOTALL),
    re.compile(r"\\\((?P<inside>.+)\\\)|\\\[(?P<display>.+)\\\]", re.DOTALL),
    re.compile(r"<(?P<tag>code|pre|b|strong)>(?P<inside>.+)</(?P=tag)>", re.DOTALL | re.IGNORECASE),
    re.compile(
        r"[*_]*(?:the\s+)?(?:final\s+)?(?:outputs?|answer|results?|(?:return\s+)?value|returns|prints)[*_]*"
        r"(?:(?:\s+is)?[ \t]*(?::|==?|->|=>)|\s+is\b)[*_]*[ \t]*\n?(?P<inside>.*\S.*)",
        re.DOTALL | re.IGNORECASE,
    ),
    # The call with its value, as in an assertion.
    re.compile(r"(?:assert\s+)?[A-Za-z_][\w.]*\(.*\)\s*(?:==?|->|=>)\s*(?P<inside>.+)", re.DOTALL),
)
_DEEPEST = 5
_TYPOGRAPHY = str.maketrans("\u201c\u201d\u2018\u2019\u2212\u00a0", "\"\"''- ")
# No spelling of an output is so much longer than the output; the bound spares parsing megabytes.
_LONGEST_FACTOR = 20
_LONGEST_REST = 10_000


def same_output(answer: str, output: str, printed: bool) -> bool:
    """Return whether an answer states the output of a program.

    Args:
        answer: What was found in the response: any text, of any length.
        output: The label: a Python literal, or the text that the program prints.
        printed: Which of the two it is; decides between :func:`same_literal` and :func:`same_lines`.
    """
    if too_long(answer, output):
        return False
    return any(
        same_lines(reading, output) if printed else same_literal(reading, output) for reading in readings(answer)
    )


def too_long(answer: str, output: str) -> bool:
    """Return whether an answer is so much longer than the output that it states it in no spelling: it is not parsed."""
    return len(answer) > _LONGEST_FACTOR * len(output) + _LONGEST_REST


def same_literal(answer: str, output: str) -> bool:
    """Return whether an answer denotes the same value as a Python literal.

    Both are parsed without evaluating anything and compared by :func:`same_value`. If the label is a string, its bare
    text, with or without escapes or mismatched quotes around it, is accepted too: all of it, white space at its ends
    counts without quotes as it does inside them, and only blank lines around it do not. A label that is no literal is
    compared as text.
    """
    text = answer.strip()
    if text == output.strip():
        return True
    try:
        expected = parse_literal(output)
    except NotALiteralError:
        return False
    if isinstance(expected, str) and _is_bare_text(answer, expected):
        return True
    try:
        return same_value(parse_literal(text), expected)
    except NotALiteralError:
        return False


def same_lines(answer: str, output: str) -> bool:
    """Return whether an answer is what a script printed, line by line without trailing white space.

    What a line is says :func:`~lm_eval_codemind.answers.lines.printed_lines`. Blank lines before the first do not
    count either, for they cannot be told from the layout of the response; its indentation counts. An answer that wraps
    the text into a string literal is unwrapped.
    """
    expected = _lines(output)
    if _lines(answer) == expected:
        return True
    try:
        value = parse_literal(answer)
    except NotALiteralError:
        return False
    return isinstance(value, str) and _lines(value) == expected


def same_value(one: Any, other: Any) -> bool:
    """Return whether two values of literals are equal as an answer: Python's ``==`` with two exceptions.

    ``True`` is not ``1``, at any depth, and NaN equals NaN. As with ``==``, floats are compared exactly, ``1`` equals
    ``1.0``, a list is no tuple, and sets and dicts have no order.
    """
    return bool(_canonical(one) == _canonical(other))


def same_computed(computed: str, output: str, printed: bool) -> bool:
    """Return whether what a program computed is the output: the comparison of answers without its leniency.

    An answer may leave out quotes, which what was computed has: the list ``[1]`` is not the string ``'[1]'``.

    Args:
        computed: A Python literal, or what the program printed.
        output: The label, in the same form.
        printed: Which of the two it is.
    """
    if printed:
        return _lines(computed) == _lines(output)
    if computed.strip() == output.strip():
        return True
    try:
        return same_value(parse_literal(computed), parse_literal(output))
    except NotALiteralError:
        return False


def same_text(answer: str, output: str) -> bool:
    """Return whether the published comparison takes an answer for the output.

    The rule that gives every verdict the CodeMind artifact recorded: white space around is dropped, spaces are
    removed, and double quotes become single ones; what remains must be identical, apart from the kind of line ends.
    """
    return _published(answer) == _published(output)


def _published(text: str) -> str:
    return text.replace("\r\n", "\n").strip().replace(" ", "").replace('"', "'")


def readings(answer: str) -> Iterator[str]:
    """Yield the answer, and what it consists of apart from its layout.

    That is what stands in a code fence, in emphasis, in a formula or behind a word such as "Output:", one in the other;
    the same without a full stop behind a literal; and all of these with plain quotes and signs instead of typographic
    ones.
    """
    for text in dict.fromkeys((answer, answer.translate(_TYPOGRAPHY))):
        yield text
        for _ in range(_DEEPEST):
            inside = _inside(text)
            if inside is None:
                break
            text = inside
            yield text


def _inside(text: str) -> str | None:
    fenced = _FENCED.fullmatch(text.strip())
    if fenced:
        return fenced["inside"]
    plain = text.strip()
    for wrapper in _WRAPPERS:
        match = wrapper.fullmatch(plain)
        if match:
            inside = match[match.lastgroup or 0]
            return re.sub(r"\\([{}_%&#$])", r"\1", inside) if plain.startswith("\\") else inside
    if (
        plain.endswith(".")
        and not plain.endswith("..")
        and (_is_literal(plain[:-1]) or _inside(plain[:-1]) is not None)
    ):
        return plain[:-1]
    return None


def _is_literal(text: str) -> bool:
    try:
        parse_literal(text)
    except NotALiteralError:
        return False
    return True


def _is_bare_text(answer: str, expected: str) -> bool:
    text = answer.strip()
    candidates = [answer.strip("\n"), _without_blank_lines(answer)]
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        # Quotes that are no literal, as in 'it's'.
        candidates.append(text[1:-1])
    escaped = repr(expected)[1:-1]
    return expected != "" and any(candidate in (expected, escaped) for candidate in candidates)


def _without_blank_lines(text: str) -> str:
    """Return a text without the blank lines before and after it."""
    lines = text.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _lines(text: str) -> list[str]:
    """Return the lines of an output without the empty ones in front."""
    lines = printed_lines(text)
    first = next((index for index, line in enumerate(lines) if line), len(lines))
    return lines[first:]


def _canonical(value: Any) -> Any:
    """Return a hashable stand-in that is equal for values that are equal as answers.

    Recurses as deep as the value, and :func:`~lm_eval_codemind.answers.literals.parse_literal` bounds that.
    """
    if value is None or isinstance(value, (bool, str, bytes)) or value is ...:
        return (type(value).__name__, value)
    if isinstance(value, (int, float, complex)):
        return ("number", repr(value) if value != value else value)
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(_canonical(item) for item in value))
    if isinstance(value, (set, frozenset)):
        return ("set", frozenset(_canonical(item) for item in value))
    if isinstance(value, dict):
        return ("dict", frozenset((_canonical(key), _canonical(item)) for key, item in value.items()))
    if isinstance(value, Constructed):
        keywords = frozenset((name, _canonical(item)) for name, item in value.keywords)
        return (value.name, tuple(_canonical(item) for item in value.arguments), keywords)
    raise TypeError(f"no value of a literal: {type(value).__name__}")

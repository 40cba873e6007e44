"""Comparison of an answer with the output: by value, or by text as the CodeMind artifact does."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from lm_eval_codemind.answers.forms import literal_at_start
from lm_eval_codemind.answers.literals import Arguments, NotALiteralError, literal_or, parse_literal
from lm_eval_codemind.answers.normal import readings

# An answer that is longer than this cannot be the output. The bound avoids parsing megabytes.
_LONGEST_FACTOR = 20
_LONGEST_REST = 10_000
# The blank lines before and after a text, and the white space at the end of its last line.
_BLANK_LINES = re.compile(r"\A\s*\n|(?<=\S)([^\S\n]*)\n\s*\Z")


def same_output(answer: str, output: str, printed: bool) -> bool:
    """Whether an answer equals a label: by :func:`same_lines` if printed, else as a value of Python.

    Values are parsed without evaluation and compared by :func:`same_value`; prose after the answer is ignored. If the
    label is a string, its bare text is accepted too, with or without escapes or mismatched quotes. Leading and trailing
    white space then counts, as it does inside quotes; only blank lines around the text are ignored. The bare text is
    free text, as printed text is: no sentence is removed from it. A label that is not a literal is compared as text.
    """
    if too_long(answer, output):
        return False
    bare = readings(answer, free=True)
    if printed:
        return any(same_lines(text, output) for text in bare)
    expected = _key(output)
    if isinstance(expected, str) and expected and any(_is_bare_text(text, expected) for text in bare):
        return True
    return any(_key(text) == expected for text in _stated(answer))


def too_long(answer: str, output: str) -> bool:
    """Whether an answer is too long to equal the output. Such an answer is not parsed."""
    return len(answer) > _LONGEST_FACTOR * len(output) + _LONGEST_REST


def printed_lines(text: str) -> list[str]:
    r"""Return the lines of an output without trailing white space and without trailing empty lines.

    Only ``\n`` ends a line. A form feed, or another character that :meth:`str.splitlines` splits at, is part of a line.
    Leading white space is part of a line too. ``sandbox/judge.py`` repeats this rule, because the sandbox's processes
    cannot import this package.
    """
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def same_lines(answer: str, output: str) -> bool:
    """Whether an answer equals a script's printed output, line by line without trailing white space.

    :func:`printed_lines` defines a line. Leading blank lines do not count either,
    because they look like the layout of the response. Indentation counts. An answer that wraps the text in a string
    literal is unwrapped.
    """
    value = literal_or(answer, None)
    return _lines(output) in [_lines(text) for text in (answer, value) if isinstance(text, str)]


def same_value(one: Any, other: Any) -> bool:
    """Whether two values of literals are equal as answers: Python's ``==`` with two exceptions.

    At any depth, ``True`` never equals ``1``, and NaN equals NaN. As with ``==``, floats are compared exactly, ``1``
    equals ``1.0``, a list never equals a tuple, and the order of sets and dicts does not count.
    """
    return bool(_canonical(one) == _canonical(other))


def same_computed(computed: str, output: str, printed: bool) -> bool:
    """Whether a computed output equals the label. This is stricter than the comparison of answers.

    An answer may omit quotes; a computed output has them. So the list ``[1]`` does not equal the string ``'[1]'``.
    Both are Python literals, or printed text.
    """
    if printed:
        return _lines(computed) == _lines(output)
    return bool(_key(computed) == _key(output))


def _stated(answer: str) -> Iterator[str]:
    """Yield each reading of an answer, and the literal that it starts with."""
    for text in readings(answer):
        yield text
        yield literal_at_start(text) or text


def _is_bare_text(answer: str, expected: str) -> bool:
    text = answer.strip()
    # Quotes may form no literal, as in 'it's'.
    quoted = {text[1:-1]} if text[:1] in ("'", '"') and text[0] == text[-1] else set()
    texts = {answer.strip("\n"), _BLANK_LINES.sub(r"\1", answer)} | quoted
    return not texts.isdisjoint((expected, repr(expected)[1:-1]))


def _lines(text: str) -> list[str]:
    return printed_lines(_BLANK_LINES.sub(r"\1", text))


@lru_cache(maxsize=1_000)
def _key(text: str) -> Any:
    """Return a hashable key of a literal's value. A text that is not a literal has a key of its own."""
    try:
        return _canonical(parse_literal(text))
    except NotALiteralError:
        return NotALiteralError, text.strip()


def _canonical(value: Any) -> Any:
    """Return a hashable key. Two values are equal as answers if their keys are equal.

    The recursion is as deep as the value. :func:`~lm_eval_codemind.answers.literals.parse_literal` limits that depth.
    """
    if isinstance(value, bool) or value != value:
        # NaN never equals itself, but its text does. Adding 0 drops the sign of a zero, as -0 is equal to 0.
        return (type(value), repr(value + 0))
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_canonical, value))
    if isinstance(value, (set, frozenset)):
        return frozenset(map(_canonical, value))
    if isinstance(value, dict):
        return (dict, frozenset(map(_canonical, value.items())))
    if isinstance(value, Arguments):
        return (value.constructor, _canonical(value.positional), frozenset(map(_canonical, value.keywords)))
    return value

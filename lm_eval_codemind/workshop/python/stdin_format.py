"""The format of a script's standard input, inferred from examples.

What the format allows decides which changed inputs are taken; see :mod:`.mutation` for what another rule would need.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from lm_eval_codemind.workshop.python.mutation import POOLS, text_tree

# Longer examples give little more information and have many pairs of numbers.
_LONGEST = 5_000
_EXAMPLES = 60
# Fewer examples do not show bounds. Then words may have about the same length, and numbers about the same size.
_FEW = 3
# If examples have this many letters, any letter may occur. Fewer letters are enough if all of them are different.
_MANY_LETTERS = 12
_DIFFERENT_LETTERS = 6

Lines = list[list[Any]]


class StdinFormat:
    """The format of examples: the properties that all of them share.

    A *slot* is a line, or the position of a word if all examples have the same number of words on that line. If the
    number of lines varies, all lines after the first are one slot.

    Args:
        examples: Texts of standard input, at least one.
    """

    def __init__(self, examples: Sequence[str]) -> None:
        short = [text for text in examples if len(text) <= _LONGEST] or list(examples[:1])
        parsed = [_lines(text) for text in short[:_EXAMPLES]]
        self._few = len(parsed) < _FEW
        self._count = len(parsed[0]) if len({len(lines) for lines in parsed}) == 1 else 0
        rows = range(self._count or 1)
        self._widths = [{len(lines[row]) for lines in parsed if row < len(lines)} for row in rows]
        described = [self._slots(lines) for lines in parsed]
        self._values: dict[str, list[Any]] = {}
        for slots in described:
            for name, values in slots.items():
                self._values.setdefault(name, []).extend(values)
        properties = [dict(_properties(slots)) for slots in described]
        self._true = {name for name in properties[0] if all(of_example.get(name) for of_example in properties)}

    def allows(self, text: str) -> bool:
        """Whether a text has the format: the same kinds of words, the same bounds and the same other properties."""
        lines = _lines(text)
        if self._count and len(lines) != self._count:
            return False
        slots = self._slots(lines)
        if any(not self._fits(name, values) for name, values in slots.items()):
            return False
        properties = dict(_properties(slots))
        return all(properties.get(name) for name in self._true)

    def _slots(self, lines: Lines) -> dict[str, list[Any]]:
        slots: dict[str, list[Any]] = {}
        for row, words in enumerate(lines):
            fixed = row < len(self._widths)
            single = fixed and len(self._widths[row]) == 1
            for column, word in enumerate(words):
                line = f"{row}" if fixed else "rest"
                for name in [line, f"{line}.{column}"] if single and len(words) > 1 else [line]:
                    slots.setdefault(name, []).append(word)
        return slots

    def pools(self) -> tuple[str, ...]:
        """Return the sets of characters that may replace each other in words of this format, in lower case."""
        known = [value for values in self._values.values() for value in values]
        words = [value for value in known if isinstance(value, str)]
        letters = sorted(char.lower() for word in words for char in word if char.isascii() and char.isalpha())
        digits = "".join(sorted({char for value in known for char in str(value) if char in "0123456789"}))
        return POOLS if self._few or _any_letter(letters) else ("".join(dict.fromkeys(letters)), digits)

    def _fits(self, name: str, values: Sequence[Any]) -> bool:
        known = self._values.get(name)
        if not known:
            return False
        numbers = [value for value in known if not isinstance(value, str)]
        # In a slot with words, a sequence of digits is a word too.
        words = [str(value) for value in known] if len(numbers) < len(known) else []
        digits = {char for value in numbers for char in str(value)}
        characters = [char for value in words for char in value]
        slack = 1 if self._few else 0

        def bounded(value: Any) -> bool:
            return bool(min(numbers) <= value <= max(numbers) and set(str(value)) <= digits)

        for value in values:
            if isinstance(value, str):
                if not words or not min(map(len, words)) - slack <= len(value) <= max(map(len, words)) + slack:
                    return False
                if not all(char in characters or self._may_be(char, characters) for char in value):
                    return False
            elif type(value) not in {type(number) for number in numbers} or not (self._few or bounded(value)):
                return False
        return True

    def _may_be(self, char: str, characters: Sequence[str]) -> bool:
        """Whether a character that no example has is allowed: a letter, if examples have many letters of its case."""
        if not (char.isascii() and char.isalpha()):
            return self._few and char.isdecimal()
        alike = [other for other in characters if other.isalpha() and other.islower() == char.islower()]
        return bool(alike) and (self._few or _any_letter(alike))


def _any_letter(letters: Sequence[str]) -> bool:
    """Whether the letters of all examples show that any letter is allowed."""
    different = len(set(letters))
    return different >= _MANY_LETTERS or (different == len(letters) >= _DIFFERENT_LETTERS)


def _lines(text: str) -> Lines:
    return [[leaf.value for leaf in line.leaves()] for line in text_tree(text).branches() if line.kind == "words"]


def _properties(slots: dict[str, list[Any]]) -> Iterator[tuple[str, bool]]:
    """Yield the properties of the words of a text: of one slot, and of a slot compared with a single number."""
    singles = {name: values[0] for name, values in slots.items() if len(values) == 1 and type(values[0]) is int}
    for name, values in slots.items():
        alike = len({type(value) for value in values}) == 1
        lengths = {len(value) if isinstance(value, str) else -1 for value in values}
        yield f"{name} distinct", len(set(values)) == len(values)
        yield f"{name} rising", alike and values == sorted(values)
        yield f"{name} falling", alike and values == sorted(values, reverse=True)
        yield f"{name} of one length", len(lengths) == 1
        if all(type(value) is int for value in values):
            yield f"{name} of one parity", len({value % 2 for value in values}) == 1
        for other, bound in singles.items():
            if other == name:
                continue
            yield f"{name} as many as {other}", len(values) == bound
            if isinstance(values[0], str):
                words = [value for value in values if isinstance(value, str)]
                yield f"{name} as long as {other}", all(len(word) == bound for word in words)
            elif all(type(value) is int for value in values):
                yield f"{name} at most {other}", max(values) <= bound
                yield f"{name} below {other}", max(values) < bound
                yield f"{name} not {other}", bound not in values
                yield f"{name} divides {other}", all(value != 0 and bound % value == 0 for value in values)
                yield f"{name} sums up to {other}", sum(values) == bound
                yield f"{name} sums up to at most {other}", sum(values) <= bound

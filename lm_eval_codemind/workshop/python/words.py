"""Words in texts of inputs: what counts as a word, and other words of the same length."""

import re
from collections.abc import Sequence
from importlib.resources import files
from random import Random

_RUN = re.compile(r"[A-Za-z]+")
_VOWELS = frozenset("aeiouy")
_SHORTEST = 3

# Common English words by length, those of one length on a line.
_LINES = map(str.split, (files(__package__) / "words.txt").read_text(encoding="utf-8").splitlines())
_WORDS = {len(words[0]): tuple(words) for words in _LINES}


def is_word(text: str) -> bool:
    """Whether a text counts as a word: at least three ASCII letters, one of them a vowel, and not one letter alone."""
    lower = text.lower()
    return (
        bool(_RUN.fullmatch(text)) and len(text) >= _SHORTEST and len(set(lower)) > 1 and not _VOWELS.isdisjoint(lower)
    )


def tokens(text: str) -> list[str]:
    """Return the words of a text, and each other character, in their order. Joined they are the text."""
    pieces = []
    for piece in re.findall(r"[A-Za-z]+|[^A-Za-z]+", text):
        pieces += [piece] if is_word(piece) else list(piece)
    return pieces


def other_word(word: str, rng: Random, lengths: Sequence[int] = (0,)) -> str:
    """Return a random word in the letter case of another one.

    Args:
        lengths: By how many letters the new word may be longer. A long word is made of two.
    """
    length = max(_SHORTEST, len(word) + rng.choice(lengths))
    longest = max(_WORDS)
    new = ""
    while length - len(new) > longest:
        new += rng.choice(_WORDS[min(longest, length - len(new) - _SHORTEST)])
    new += rng.choice(_WORDS[length - len(new)])
    return in_case(new, word)


def in_case(word: str, model: str) -> str:
    """Return a word in the case of another: lower, upper, or letter by letter, the last letter's for the rest."""
    cases = [char.isupper() for char in model]
    cases += cases[-1:] * len(word)
    return "".join(char.upper() if upper else char for char, upper in zip(word, cases, strict=False))

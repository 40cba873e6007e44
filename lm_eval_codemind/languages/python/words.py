"""Words in texts of inputs: what counts as a word, and other words of the same length."""

import re
from collections.abc import Sequence
from random import Random

_RUN = re.compile(r"[A-Za-z]+")
_VOWELS = frozenset("aeiouy")
_SHORTEST = 3

# Common English words by length.
_WORDS: dict[int, tuple[str, ...]] = {
    len(line.split()[0]): tuple(line.split())
    for line in (
        "ant arm bag bed box bus cap cat cow cup day dog ear egg eye fan fig fox gum hat ice ink jam jar key leg lid "
        "map mud net nut oak oil owl pan pen pie pin pot rug sea sky son sun tea toe top van web zoo",
        "arch bank barn bear bell bird boat bone book cake camp card cart city coat coin corn door duck farm fish flag "
        "fork frog gate gold hand hill horn iron kite lake lamp leaf lion milk moon nest park pond rain ring road roof "
        "rope rose salt sand ship shoe snow soap song star tent tree vase wind wolf wood yard",
        "apple beach bread brick brush cabin camel candy chair chalk cheek cloud coral crown dance dream eagle earth "
        "field flame floor fruit glass grape green heart hotel house juice knife lemon light lunch metal month mouse "
        "music night ocean paint paper peach pearl piano plant queen river robot sheep shelf smile spoon stone storm "
        "sugar table tiger tower train uncle voice water wheel world",
        "animal autumn bakery banana basket bottle branch bridge bucket butter button candle carpet castle cheese "
        "cherry circle copper corner cotton desert dinner doctor engine family farmer finger flower forest "
        "garden guitar hammer island jacket kitten ladder lizard magnet market meadow mirror monkey mother orange "
        "pencil pepper pocket potato rabbit school shadow silver spider spring summer sunset ticket tomato tunnel "
        "turtle valley violin window winter",
        "balloon blanket brother cabbage captain chicken chimney concert cottage country cushion diamond drawing "
        "evening factory feather gallery giraffe glasses harvest holiday journey kitchen lantern leopard library "
        "machine morning mustard octopus package painter parsley peacock penguin picture pumpkin rainbow "
        "sailing spinach station student teacher theatre thunder tractor village volcano weather whisper",
        "airplane anything baseball birthday building calendar children computer daughter dinosaur distance "
        "elephant envelope exercise festival fountain hospital keyboard magazine mountain mushroom notebook painting "
        "passport platform question rainfall sandwich scissors shoulder sunshine swimming treasure triangle umbrella "
        "vacation",
        "adventure afternoon breakfast butterfly cardboard carpenter celebrate character chocolate classroom "
        "crocodile direction education furniture geography happiness hurricane landscape lightning messenger "
        "newspaper orchestra passenger pineapple porcupine raspberry snowflake spaghetti staircase submarine "
        "telephone vegetable waterfall",
    )
}

KNOWN_WORDS = frozenset(word for words in _WORDS.values() for word in words)


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

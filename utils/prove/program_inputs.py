"""Inputs for the functions of HumanEvalFix, drawn by hypothesis from what their specifications allow.

Each problem has a strategy for its arguments. It takes a :class:`Range`, which bounds integers, floats and text. Inputs
of :data:`BOUNDED` keep to the bounds that a prompt states, those of the wide ranges also go beyond them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# So many are drawn, and more if fewer than 1,000 of them differ, unless the specification allows few.
INPUTS, _MORE, _ENOUGH, _FEW = 1500, 2600, 1000, 500
Arguments = tuple[Any, ...]

_LARGEST = 10_000
_BEYOND_FLOATS = 1 << 53


@dataclass(frozen=True)
class Range:
    """The integers, floats and characters of inputs, and the largest count that a function loops over."""

    integers: SearchStrategy[int]
    floats: SearchStrategy[float]
    characters: str
    largest: int

    @property
    def naturals(self) -> SearchStrategy[int]:
        """Integers that are not negative."""
        return self.integers.map(abs)

    @property
    def positive(self) -> SearchStrategy[int]:
        """Integers above 0."""
        return self.integers.map(lambda number: abs(number) or 1)

    @property
    def numbers(self) -> SearchStrategy[float]:
        """Integers and floats."""
        return st.one_of(self.integers, self.floats)

    def text(self, most: int = 24) -> SearchStrategy[str]:
        """Return text of this range's characters; half of it consists of few different ones."""
        few = st.text(st.sampled_from("aAbe z1.,yI("), max_size=most)
        return st.one_of(few, st.text(st.sampled_from(self.characters), max_size=most))


_PRINTABLE = "".join(map(chr, range(32, 127)))
_small = st.one_of(st.integers(-3, 3), st.integers(-20, 20), st.integers(-120, 120))
_bounded = st.one_of(_small, st.integers(-_LARGEST, _LARGEST))
_cents = st.one_of(st.integers(-1000, 1000), st.integers(-100 * _LARGEST, 100 * _LARGEST)).map(
    lambda cents: cents / 100
)
_huge = st.one_of(_bounded, st.integers(_BEYOND_FLOATS - 2, _BEYOND_FLOATS + 9), st.integers(-(1 << 70), 1 << 70))
_million = st.one_of(_bounded, st.integers(-1_000_000, 1_000_000))
_any_float = st.one_of(_cents, st.floats(-1e12, 1e12), st.floats(-1e-3, 1e-3))

BOUNDED = Range(_bounded, _cents, _PRINTABLE, _LARGEST)
# What programs in Python and Java get besides, to learn which are right only within the bounds.
WIDE = {
    "python": Range(_huge, _any_float, f"{_PRINTABLE}\t\n\xe9\xb2\xc9\u0660", 100_000),
    "java": Range(_million, _any_float, f"{_PRINTABLE}\t\n\xe9\xb2\xc9\u0660", 1_000_000),
}


def _lists(element: SearchStrategy[Any], least: int = 0, most: int = 12, **more: Any) -> SearchStrategy[list[Any]]:
    return st.lists(element, min_size=least, max_size=most, **more)


def _few(element: SearchStrategy[Any], least: int = 0, most: int = 12) -> SearchStrategy[list[Any]]:
    """Return lists in which values are repeated."""
    repeated = st.lists(element, min_size=1, max_size=4).flatmap(
        lambda pool: st.lists(st.sampled_from(pool), min_size=least, max_size=most)
    )
    return st.one_of(_lists(element, least, most), repeated)


def _words(alphabet: str, most: int = 8, least: int = 0) -> SearchStrategy[str]:
    return st.text(st.sampled_from(alphabet), min_size=least, max_size=most)


def _joined(words: SearchStrategy[str], most: int = 8, by: str = " ") -> SearchStrategy[str]:
    return st.lists(words, max_size=most).map(by.join)


def _palindromes(text: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Return texts or lists of which many are palindromes, or nearly."""
    mirrored = st.tuples(text, st.booleans()).map(lambda pair: pair[0] + pair[0][::-1][pair[1] :])
    return st.one_of(text, mirrored, mirrored.map(lambda whole: whole[1:]))


def _parts(text: SearchStrategy[str]) -> SearchStrategy[tuple[str, str]]:
    """Return a text and another, often a part of it."""
    cut = st.tuples(text, st.integers(0, 20), st.integers(0, 4)).map(
        lambda drawn: (drawn[0], drawn[0][drawn[1] : drawn[1] + drawn[2]])
    )
    return st.one_of(st.tuples(text, text), cut)


def _group(depth: int) -> SearchStrategy[str]:
    inner: SearchStrategy[str] = st.just("")
    for _ in range(depth):
        inner = st.lists(inner.map(lambda text: f"({text})"), max_size=3).map("".join)
    return inner.map(lambda text: f"({text})")


def _brackets(pair: str) -> SearchStrategy[str]:
    balanced = _lists(_group(3), 0, 3).map("".join).map(lambda text: text.replace("(", pair[0]).replace(")", pair[1]))
    return st.one_of(_words(pair, 12), balanced, balanced.map(lambda text: text[1:]), balanced.map(lambda t: t[:-1]))


_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_planets = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto", "mars"] + [
    "",
    "Jupyter",
]
_binary = _words("01", 12)
_equal_lengths = st.integers(0, 12).flatmap(
    lambda size: st.tuples(*[st.text(st.sampled_from("01"), min_size=size, max_size=size)] * 2)
)
_grid = st.integers(1, 12).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width), min_size=1, max_size=10)
)
_square = st.integers(2, 5).flatmap(
    lambda size: st.permutations(range(1, size * size + 1)).map(
        lambda cells: [cells[start : start + size] for start in range(0, size * size, size)]
    )
)
_dates = st.tuples(st.integers(0, 14), st.integers(0, 33), st.integers(0, 9999)).map(
    lambda parts: f"{parts[0]:02}-{parts[1]:02}-{parts[2]:04}"
)
_odd_dates = st.tuples(st.integers(0, 14), st.integers(0, 33), st.integers(0, 9999)).map(
    lambda parts: f"{parts[0]}-{parts[1]}-{parts[2]}"
)
_file_names = st.tuples(_words("aZ3_-1", 6), st.sampled_from([".", "", "..", "/"]), st.sampled_from(
    ["txt", "exe", "dll", "TXT", "tx", "txt.", ""]
)).map("".join)  # fmt: skip
_expressions = st.integers(1, 4).flatmap(
    lambda size: st.tuples(
        st.lists(st.sampled_from(["+", "-", "*", "//", "**"]), min_size=size, max_size=size),
        st.lists(st.integers(0, 9), min_size=size + 1, max_size=size + 1),
    )
)


def _defined(pair: tuple[list[str], list[int]]) -> bool:
    """Whether an expression of HumanEval_160 divides by no zero and has one power at most."""
    operators, operands = pair
    divisors = (operands[place + 1] for place, operator in enumerate(operators) if operator == "//")
    powers = [place for place, operator in enumerate(operators) if operator == "**"]
    after_division = any(place and operators[place - 1] == "//" for place in powers)
    return all(divisors) and len(powers) <= 1 and not after_division


def _coordinates(r: Range) -> SearchStrategy[Arguments]:
    return st.tuples(_lists(_few(st.integers(-3, 3), 0, 6), 0, 5), st.integers(-3, 3)) | st.tuples(
        _lists(_lists(r.integers, 0, 6), 0, 5), r.integers
    )


def _decimal(r: Range) -> SearchStrategy[str]:
    whole = r.integers.map(str)
    halves = st.tuples(_small, st.sampled_from(["0", "5", "50", "49", "51", "25", "75", "500"])).map(
        lambda pair: f"{pair[0]}.{pair[1]}"
    )
    return st.one_of(whole, halves, r.floats.map(lambda number: format(number, ".2f")))


def _real(r: Range) -> SearchStrategy[Any]:
    text = st.one_of(_small.map(str), r.floats.map(lambda number: format(number, ".2f")), r.integers.map(str))
    return st.one_of(r.integers, r.floats, text, text.map(lambda number: number.replace(".", ",")))


def _count(most: int, least: int = 0) -> Callable[[Range], SearchStrategy[Arguments]]:
    return lambda r: st.tuples(st.integers(least, most))


def _one_list(least: int = 0, most: int = 12) -> Callable[[Range], SearchStrategy[Arguments]]:
    return lambda r: st.tuples(_few(r.integers, least, most))


def _one_text(r: Range) -> SearchStrategy[Arguments]:
    return st.tuples(r.text())


def _strings(r: Range) -> SearchStrategy[list[str]]:
    return _few(r.text(8), 0, 8)


def _triangle(side: SearchStrategy[Any]) -> SearchStrategy[Arguments]:
    scaled = st.tuples(st.integers(1, 9), st.sampled_from([(3, 4, 5), (5, 12, 13), (8, 15, 17), (2, 3, 4)])).flatmap(
        lambda pair: st.permutations([pair[0] * length for length in pair[1]]).map(tuple)
    )
    return st.one_of(st.tuples(side, side, side), scaled)


def _intervals(r: Range) -> SearchStrategy[Arguments]:
    interval = st.tuples(r.integers, st.one_of(st.integers(0, 30), st.integers(0, 500))).map(
        lambda pair: [pair[0], pair[0] + pair[1]]
    )
    near = st.tuples(_small, st.integers(0, 40)).map(lambda pair: [pair[0], pair[0] + pair[1]])
    return st.one_of(st.tuples(near, near), st.tuples(interval, interval))


def _fractions(r: Range) -> SearchStrategy[Arguments]:
    part = st.one_of(st.integers(1, 12), r.positive)
    fraction = st.tuples(part, part).map(lambda pair: f"{pair[0]}/{pair[1]}")
    return st.tuples(fraction, fraction)


# The number of a HumanEval problem -> its arguments within a range.
ARGUMENTS: dict[int, Callable[[Range], SearchStrategy[Arguments]]] = {
    0: lambda r: st.tuples(_few(r.floats), st.one_of(r.floats.map(abs), st.sampled_from([0.1, 0.5, 1.0, 3.0]))),
    1: lambda r: st.tuples(_lists(st.one_of(_group(3), st.just(" ")), 0, 5).map("".join)),
    2: lambda r: st.tuples(r.floats.map(abs).filter(bool)),
    3: _one_list(),
    4: lambda r: st.tuples(_few(r.floats, 1)),
    5: lambda r: st.tuples(_few(r.integers), r.integers),
    6: lambda r: st.tuples(_joined(_group(4), 5)),
    7: lambda r: st.tuples(_few(_words("ab", 4)), _words("ab", 3)) | st.tuples(_strings(r), r.text(2)),
    8: _one_list(0, 8),
    9: _one_list(),
    10: lambda r: st.tuples(_palindromes(_words("ab", 8)) | _palindromes(r.text(8))),
    11: lambda r: _equal_lengths,
    12: lambda r: st.tuples(_strings(r)),
    13: lambda r: st.tuples(r.integers, r.integers).filter(any),
    14: _one_text,
    15: _count(300),
    16: _one_text,
    17: lambda r: st.tuples(_joined(st.sampled_from(["o", "o|", ".|"]))),
    18: lambda r: _parts(_words("ab", 12)) | _parts(r.text(12)),
    19: lambda r: st.tuples(_joined(st.sampled_from(_digits))),
    20: lambda r: st.tuples(_few(r.floats, 2)),
    21: lambda r: st.tuples(_few(r.floats, 2).filter(lambda numbers: len(set(numbers)) > 1)),
    22: lambda r: st.tuples(_lists(st.one_of(r.integers, r.floats, r.text(4), st.none(), _lists(_small, 0, 2)))),
    23: _one_text,
    24: lambda r: st.tuples(st.integers(2, r.largest)),
    25: lambda r: st.tuples(st.integers(1, r.largest)),
    26: _one_list(),
    27: _one_text,
    28: lambda r: st.tuples(_strings(r)),
    29: lambda r: st.tuples(_few(_words("ab", 4)), _words("ab", 3)) | st.tuples(_strings(r), r.text(2)),
    30: _one_list(),
    31: lambda r: st.tuples(st.one_of(st.integers(-20, 200), st.integers(-r.largest, r.largest))),
    32: lambda r: st.integers(1, 2).flatmap(
        lambda half: st.tuples(st.lists(_small, min_size=2 * half, max_size=2 * half).filter(lambda xs: xs[-1] != 0))
    ),
    33: _one_list(),
    34: _one_list(),
    35: _one_list(1),
    36: lambda r: st.tuples(st.integers(0, r.largest)),
    37: _one_list(),
    38: _one_text,
    39: _count(11, 1),
    40: lambda r: st.tuples(_few(st.integers(-9, 9), 0, 8)) | st.tuples(_few(r.integers, 0, 8)),
    41: lambda r: st.tuples(r.naturals),
    42: _one_list(),
    43: lambda r: st.tuples(_few(st.integers(-9, 9), 0, 8)) | st.tuples(_few(r.integers, 0, 8)),
    44: lambda r: st.tuples(r.integers, st.integers(2, 9)),
    45: lambda r: st.tuples(r.numbers.map(abs), r.numbers.map(abs)),
    46: _count(60),
    47: _one_list(1),
    48: lambda r: st.tuples(_palindromes(_words("ab", 8)) | _palindromes(r.text(8))),
    49: lambda r: st.tuples(st.integers(0, 300), st.one_of(st.integers(1, 12), r.positive)),
    50: lambda r: st.tuples(_words(_letters[:26], 16)),
    51: _one_text,
    52: lambda r: st.tuples(_few(r.integers), r.integers),
    53: lambda r: st.tuples(r.integers, r.integers),
    54: lambda r: st.tuples(_words("abc", 5), _words("abc", 5)),
    55: _count(18),
    56: lambda r: st.tuples(_brackets("<>")),
    57: lambda r: st.tuples(_few(r.integers).map(sorted) | _few(r.integers, 0, 5)
        | _few(r.integers).map(lambda numbers: sorted(numbers, reverse=True))),
    58: lambda r: st.tuples(_few(st.integers(-9, 9)), _few(st.integers(-9, 9)))
        | st.tuples(_few(r.integers), _few(r.integers)),
    59: lambda r: st.tuples(st.integers(4, 3000).filter(lambda n: any(n % d == 0 for d in range(2, n)))),
    60: lambda r: st.tuples(st.integers(1, r.largest)),
    61: lambda r: st.tuples(_brackets("()")),
    62: lambda r: st.tuples(_few(r.integers, 2)),
    63: _count(16),
    64: lambda r: st.tuples(_words(f"{_letters}yyaeiou", 8, 1)),
    65: lambda r: st.tuples(r.integers, st.integers(0, 8)),
    66: _one_text,
    67: lambda r: st.tuples(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100)).map(
        lambda counts: (f"{counts[0]} apples and {counts[1]} oranges", sum(counts))
    ),
    68: lambda r: st.tuples(_few(r.naturals)),
    69: lambda r: st.tuples(_few(st.integers(1, 6), 1, 20) | _few(st.integers(1, r.largest), 1)),
    70: _one_list(),
    71: lambda r: _triangle(st.one_of(st.integers(1, 20), r.floats.map(abs).filter(bool))),
    72: lambda r: st.tuples(_palindromes(_few(r.integers, 0, 5)), st.one_of(st.integers(-20, 90), r.integers)),
    73: lambda r: st.tuples(_palindromes(_few(_small, 0, 6)) | _palindromes(_few(r.integers, 0, 6))),
    74: lambda r: st.tuples(_few(_words("ab", 3), 0, 4), _few(_words("ab", 3), 0, 4))
        | st.tuples(_strings(r), _strings(r)),
    75: lambda r: st.tuples(st.integers(-99, 99)),
    76: lambda r: st.tuples(st.integers(-9, 9), st.integers(0, 4)).map(lambda pair: (pair[0] ** pair[1], pair[0]))
        | st.tuples(r.integers, _small),
    77: lambda r: st.tuples(st.one_of(st.integers(-21, 21).map(lambda n: n**3), r.integers,
        r.integers.map(lambda n: n**3 if r is not BOUNDED and abs(n) < 1000 else n))),
    78: lambda r: st.tuples(_words("0123456789ABCDEF", 16)),
    79: lambda r: st.tuples(r.naturals),
    80: lambda r: st.tuples(_words("abcd", 8) | _words(_letters, 8)),
    81: lambda r: st.tuples(
        _few(st.integers(0, 400).map(lambda n: n / 100) | st.integers(0, 40).map(lambda n: n / 10))
    ),
    82: lambda r: st.tuples(st.integers(0, 90).map("x".__mul__) | r.text(40)),
    83: _count(40, 1),
    84: lambda r: st.tuples(st.integers(0, 10_000)),
    85: _one_list(1),
    86: lambda r: st.tuples(_joined(_words(_letters, 5)) | r.text()),
    87: _coordinates,
    88: lambda r: st.tuples(_few(r.naturals)),
    89: _one_text,
    90: _one_list(),
    91: lambda r: st.tuples(st.lists(st.sampled_from(
        ["I", "I ", "I am", "It is", "you", " ", ". ", ".", "? ", "!", "It", "I'm"]), max_size=8).map("".join)),
    92: lambda r: st.tuples(r.integers, r.integers, st.booleans()).map(
        lambda drawn: (*drawn[:2], sum(drawn[:2])) if drawn[2] else (sum(drawn[:2]), *drawn[:2])
    ) | st.tuples(r.numbers, r.numbers, r.numbers),
    93: lambda r: st.tuples(_words(_letters, 16)),
    94: lambda r: st.tuples(_few(st.integers(-5, 200), 0, 8) | _few(r.integers, 0, 8)),
    95: lambda r: st.tuples(st.dictionaries(
        _words("ab", 3, 1) | _words("AB", 3, 1) | _words("aB1", 3, 1), _small, max_size=5
    )),
    96: lambda r: st.tuples(st.integers(0, 1500)),
    97: lambda r: st.tuples(r.integers, r.integers),
    98: lambda r: st.tuples(_words("AEIOUaeXx", 10) | r.text()),
    99: lambda r: st.tuples(_decimal(r)),
    100: _count(400, 1),
    101: lambda r: st.tuples(_joined(st.sampled_from(["hi", "a", ",", "", "you,", "I"])) | r.text()),
    102: lambda r: st.tuples(r.numbers.map(lambda n: abs(n) or 1), r.numbers.map(lambda n: abs(n) or 1)),
    103: lambda r: st.tuples(r.positive, st.integers(-3, 60)).map(lambda pair: (pair[0], max(1, sum(pair)))),
    104: lambda r: st.tuples(_few(r.positive)),
    105: lambda r: st.tuples(_few(st.integers(-2, 12)) | _few(r.integers)),
    106: _count(30),
    107: lambda r: st.tuples(st.integers(1, 1000)),
    108: _one_list(),
    109: lambda r: _lists(r.integers, 0, 8, unique=True).flatmap(
        lambda numbers: st.tuples(st.just(numbers) | st.integers(0, 8).map(
            lambda cut: sorted(numbers)[cut:] + sorted(numbers)[:cut]))
    ),
    110: lambda r: st.tuples(_few(r.integers, 1, 8), _few(r.integers, 1, 8)),
    111: lambda r: st.tuples(st.lists(st.sampled_from("abc"), max_size=10).map(" ".join)),
    112: lambda r: st.tuples(_palindromes(_words("abc", 8)) | r.text(12), _words("abc", 3)),
    113: lambda r: st.tuples(_few(_words("0123456789", 8), 0, 6)),
    114: _one_list(1),
    115: lambda r: st.tuples(_grid, st.integers(1, 10)),
    116: lambda r: st.tuples(_few(r.naturals)),
    117: lambda r: st.tuples(_joined(_words(_letters, 6)), st.integers(0, 5)),
    118: lambda r: st.tuples(_words("aeIObcd", 8) | _words(_letters, 10)),
    119: lambda r: st.tuples(st.lists(_brackets("()"), min_size=2, max_size=2)),
    120: lambda r: _few(st.integers(-1000, 1000), 1).flatmap(
        lambda numbers: st.tuples(st.just(numbers), st.integers(1, len(numbers)))
    ),
    121: _one_list(1),
    122: lambda r: _few(r.integers, 1).flatmap(
        lambda numbers: st.tuples(st.just(numbers), st.integers(1, len(numbers)))
    ),
    123: lambda r: st.tuples(st.one_of(st.integers(1, 300), r.positive)),
    124: lambda r: st.tuples(st.one_of(_dates, _dates, _odd_dates, _words("0123-/", 11))),
    125: lambda r: st.tuples(_joined(_words("abyz,", 4), 4) | _words("abcyzA,", 10) | r.text()),
    126: lambda r: st.tuples(_few(r.naturals).map(sorted) | _few(r.naturals, 0, 4)),
    127: _intervals,
    128: _one_list(),
    129: lambda r: st.tuples(_square, st.integers(1, 12)),
    130: _count(200),
    131: lambda r: st.tuples(r.positive),
    132: lambda r: st.tuples(_brackets("[]")),
    133: lambda r: st.tuples(_few(r.floats, 1, 8)),
    134: lambda r: st.tuples(_joined(_words(_letters, 3), 4) | r.text() | _words("a 1.", 4)),
    135: lambda r: st.tuples(
        _lists(r.integers, 0, 10, unique=True) | _lists(r.integers, 0, 10, unique=True).map(sorted)
    ),
    136: _one_list(),
    137: lambda r: st.tuples(_real(r), _real(r)),
    138: lambda r: st.tuples(r.integers),
    139: _count(25, 1),
    140: lambda r: st.tuples(_words("ab ", 12) | _words("a  _", 12)),
    141: lambda r: st.tuples(_file_names | r.text(10)),
    142: _one_list(0, 16),
    143: lambda r: st.tuples(st.lists(_words("abC", 14, 1), min_size=1, max_size=6).map(" ".join)),
    144: _fractions,
    145: _one_list(),
    146: _one_list(),
    147: _count(60, 1),
    148: lambda r: st.tuples(st.sampled_from(_planets), st.sampled_from(_planets)),
    149: lambda r: st.tuples(_few(_words("abA", 5))),
    150: lambda r: st.tuples(st.integers(-30, 300), r.integers, r.integers),
    151: lambda r: st.tuples(_few(r.numbers)),
    152: lambda r: st.lists(st.tuples(r.integers, r.integers), max_size=10).map(
        lambda pairs: ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    ),
    153: lambda r: st.tuples(_words(_letters, 6, 1), _few(_words("aBc_D1", 8), 1, 6)),
    154: lambda r: _parts(_words("ab", 10)) | st.tuples(_words("abc", 8), _words("abc", 3)),
    155: lambda r: st.tuples(r.integers),
    156: lambda r: st.tuples(st.integers(1, 1000)),
    157: lambda r: _triangle(r.positive),
    158: lambda r: st.tuples(_lists(_words("abcd", 5), 1, 6, unique=True)),
    159: lambda r: st.tuples(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
        | st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
    160: lambda r: _expressions.filter(_defined),
    161: lambda r: st.tuples(r.text() | _words("123#$ ", 8)),
    162: _one_text,
    163: lambda r: st.tuples(st.integers(1, 14), st.integers(1, 14)) | st.tuples(r.positive, r.positive),
}  # fmt: skip

_EXTREMES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
# Inputs at the edges, which random ones may miss, and beyond the bounds, as the arguments' source.
EDGES: dict[int, list[str]] = _EXTREMES["edges"]
BEYOND: dict[int, list[str]] = _EXTREMES["beyond"]


def problem_inputs(number: int, range_: Range, count: int = INPUTS) -> list[str]:
    """Return the sources of different tuples of arguments, the edges first.

    The seed is fixed. Hypothesis also draws constants of the modules that are loaded, so that a few inputs differ
    between processes that load others.
    """
    edges = [eval(source, {}) for source in (EDGES if range_ is BOUNDED else BEYOND).get(number, ())]
    strategy = ARGUMENTS[number](range_)
    sources = list(dict.fromkeys(map(repr, [*edges, *_drawn(strategy, count)])))
    if count == INPUTS and _FEW < len(sources) < _ENOUGH:
        sources = list(dict.fromkeys(map(repr, [*edges, *_drawn(strategy, _MORE)])))
    return sources


def in_java(number: int, arguments: str) -> str:
    """Return the arguments that a program in Java gets. HumanEval_160 writes the floor division as ``/`` there."""
    return arguments.replace("'//'", "'/'") if number == 160 else arguments


def _drawn(strategy: SearchStrategy[Arguments], count: int) -> Iterable[Arguments]:
    values: list[Arguments] = []

    @seed(0)
    @settings(
        max_examples=count, database=None, phases=[Phase.generate], deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def collect(value: Arguments) -> None:
        values.append(tuple(value))

    collect()
    return values

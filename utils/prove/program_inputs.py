"""Inputs for the functions of HumanEvalFix, drawn by hypothesis from what their specifications allow.

``tests/programs/humanevalfix.jsonl`` has a strategy for the arguments of each problem, made of the functions here. It
takes a :class:`Range`, which bounds integers, floats and text. Inputs of :data:`BOUNDED` keep to the bounds that a
prompt states, those of the wide ranges also go beyond them.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# So many are drawn, and more if fewer than 1,000 of them differ, unless the specification allows few.
INPUTS, _MORE, _ENOUGH, _FEW = 1500, 2600, 1000, 500
Arguments = tuple[Any, ...]

# The number of a problem -> its record: the reference; ``inputs``, the source of the strategy for its arguments; and
# the sources of arguments at the edges of the bounds and beyond them, which random ones may miss.
_FILE = Path(__file__).parents[2] / "tests" / "programs" / "humanevalfix.jsonl"
RECORDS: dict[int, dict[str, Any]] = {
    int(record["problem"].removeprefix("HumanEval_")): record
    for record in map(json.loads, _FILE.read_text(encoding="utf-8").splitlines())
}

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
        """Integers from 0."""
        return self.integers.map(abs)

    @property
    def positive(self) -> SearchStrategy[int]:
        """Integers from 1."""
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
_orbits = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
_planets = [*_orbits, "Pluto", "mars", "", "Jupyter"]
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


# Number of a problem -> its arguments within a range.
ARGUMENTS: dict[int, Callable[[Range], SearchStrategy[Arguments]]] = {
    number: eval(record["inputs"], globals()) for number, record in RECORDS.items()
}


def problem_inputs(number: int, range_: Range, count: int = INPUTS) -> list[str]:
    """Return the sources of different tuples of arguments, the edges first.

    The seed is fixed. Hypothesis also draws constants of the modules that are loaded, so that a few inputs differ
    between processes that load others.
    """
    edges = [eval(source, {}) for source in RECORDS[number].get("edges" if range_ is BOUNDED else "beyond", ())]
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

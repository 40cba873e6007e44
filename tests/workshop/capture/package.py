"""A small package with tests, written to a folder: what a capture meets in real ones."""

import enum
from pathlib import Path
from typing import NamedTuple


class Colour(enum.Enum):
    """An enumeration that arguments may have."""

    RED = 1


class Point(NamedTuple):
    """A tuple with names that arguments may have."""

    x: int
    y: int


FILES = {
    "shop/__init__.py": "from shop.prices import total\n",
    "shop/tables.py": """\
RATES = {"food": 7, "other": 19}
ORDER = []
for name in sorted(RATES):
    ORDER.append(name)
""",
    "shop/checks.py": """\
def typechecked(function):
    return function
""",
    "shop/prices.py": '''\
"""Prices."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from . import tables
from .checks import typechecked
from .tables import ORDER as KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable


@typechecked
def total(prices: Iterable[int], kind: str = "other") -> int:
    """Return the total.

    >>> total([100], "food")
    107
    """
    result = 0
    for price in prices:
        result += price * (100 + tables.RATES[kind]) // 100
    return result


def kinds(start):
    return [kind for kind in KINDS if kind.startswith(start)]


def halves(numbers):
    for number in numbers:
        yield number / 2


def counted(start):
    while True:
        yield start
        start += 1


def written(price):
    from .texts import padded as pad

    return pad(str(Decimal(price).quantize(Decimal("0.01"))))


def applied(function, numbers):
    return [function(number) for number in numbers]


def failing(number):
    if number > 3:
        raise ValueError(f"{number} is too large")
    return None
''',
    "shop/texts.py": """\
WIDTH = 8


def padded(text):
    return text.rjust(WIDTH, ".")
""",
    "shop/baskets.py": """\
class Basket:
    def __init__(self, items=()):
        self.items = list(items)

    def add(self, item):
        self.items.append(item)

    def cheapest(self, count=1):
        ordered = sorted(self.items)
        return ordered[:count]

    def never_called(self):
        return __file__

    @classmethod
    def of(cls, *items):
        return cls(items)

    @staticmethod
    def joined(one, other):
        return "-".join([one, other])
""",
    "shop/hostile.py": """\
import os
from itertools import count


class Loud:
    def __init__(self, text):
        self.text = text

    def __del__(self):
        os.write(1, b"gone")

    def twice(self):
        return self.text + self.text


def endless(start):
    return sum(1 for _ in count(start)) if start else start


def huge(size):
    return "x" * (size * 20_000_000) if size > 1 else size + 1


def leaves(status):
    if status:
        os._exit(status)
    return status + 3


def forks(number):
    if os.environ.get("CODEMIND_CAPTURE_PACKAGE"):
        return number
    os.fork()
    return number + 1


def chance(number):
    return id(object()) + number
""",
    "tests/test_shop.py": """\
import asyncio
import datetime
import threading

import pytest

from shop import total
from shop.baskets import Basket
from shop.hostile import Loud, chance, endless, forks, huge, leaves
from shop.prices import applied, counted, failing, halves, kinds, written


def double(number):
    return 2 * number


def test_prices():
    assert total([100, 50]) == 178
    assert total([100], kind="food") == 107
    assert total(iter((100, 10)), "food") == 117
    assert kinds("f") == ["food"]
    assert list(halves([1, 3])) == [0.5, 1.5]
    assert next(counted(3)) == 3
    assert written("3.14159") == "....3.14"
    assert applied(lambda number: number + 1, [1, 2]) == [2, 3]
    assert applied(double, (4, 7)) == [8, 14]
    with pytest.raises(ValueError):
        failing(4)
    failing(1)


def test_baskets():
    basket = Basket([3, 1, 2])
    basket.add(0)
    assert basket.cheapest(2) == [0, 1]
    assert Basket.of(5, 4).cheapest() == [4]
    assert Basket.joined("a", "b") == "a-b"


def wrapped(function):
    return lambda *arguments: function(*arguments)


@wrapped
def triple(number, by=3):
    return by * number


def test_functions_with_defaults_and_decorators():
    assert applied(triple, [1]) == [3]
    assert applied(triple.__closure__[0].cell_contents, [2]) == [6]
    assert applied(lambda number, more=(lambda: 2)(): number + more, [2]) == [4]


def test_threads_and_tasks():
    results = []
    thread = threading.Thread(target=lambda: results.append(total([7, 8, 9])))
    thread.start()
    thread.join()

    async def task():
        await asyncio.sleep(0)
        return total([20, 30], "food")

    assert results == [27] and asyncio.run(task()) == 53


def test_hostile(monkeypatch):
    assert Loud("ab").twice() == "abab" and endless(0) == 0 and huge(1) == 2 and leaves(0) == 3
    assert forks(1) == 1 and chance(1) > 1
    # Harmless in the tests only.
    monkeypatch.setattr("shop.hostile.count", range)
    monkeypatch.setattr("shop.hostile.os._exit", lambda status: None)
    assert endless(1) == 1 and leaves(2) == 5 and len(huge(2)) == 40_000_000


def test_that_fails():
    assert total([1]) == 2
""",
}


def write(folder: Path) -> Path:
    """Write the package and its tests."""
    for name, content in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return folder

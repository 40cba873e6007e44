"""Plain values survive the way between processes with their exact types; nothing else does."""

from __future__ import annotations

import ast
import collections
import contextlib
import datetime
import decimal
import fractions
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.execution import values

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.complex_numbers(allow_nan=False)
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.datetimes()
    | st.dates()
    | st.timedeltas()
)
HASHABLE = LEAVES | st.tuples(LEAVES, LEAVES)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(HASHABLE, inner)
        | st.sets(HASHABLE)
        | st.frozensets(HASHABLE)
        | st.lists(inner).map(collections.deque)
    ),
    max_leaves=20,
)


def carried(value: Any) -> Any:
    return values.decode(json.loads(json.dumps(values.encode(value))))


def types_of(value: Any) -> Any:
    if isinstance(value, dict):
        return type(value), sorted((str(types_of(k)), str(types_of(v))) for k, v in value.items())
    if isinstance(value, list | tuple | collections.deque):
        return type(value), [types_of(item) for item in value]
    if isinstance(value, set | frozenset):
        return type(value), sorted(str(types_of(item)) for item in value)
    return type(value)


@given(VALUES)
def test_values_and_their_types_survive(value: Any) -> None:
    assert carried(value) == value
    assert types_of(carried(value)) == types_of(value)


@given(VALUES)
def test_a_literal_is_what_python_reads_back(value: Any) -> None:
    text = values.literal(carried(value))
    if text is None:
        return
    names = {
        "inf": math.inf, "Decimal": decimal.Decimal, "Fraction": fractions.Fraction, "datetime": datetime,
        "deque": collections.deque,
    }  # fmt: skip
    assert eval(text, names) == value


@given(st.recursive(st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text(), st.lists))
def test_a_simple_literal_is_what_repr_gives(value: Any) -> None:
    assert values.literal(value) == repr(value)
    assert ast.literal_eval(values.literal(value) or "") == value


def test_numbers_that_are_hard_to_write() -> None:
    assert math.isnan(carried(math.nan))
    assert carried(-0.0) == 0 and math.copysign(1, carried(-0.0)) == -1
    assert carried(7**100_000) == 7**100_000
    assert values.literal(math.nan) == "float('nan')"
    assert values.literal([-math.inf]) == "[float('-inf')]"


def test_numpy_arrays_and_scalars_survive() -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(6, dtype="int16").reshape(2, 3)
    assert carried(array).dtype == array.dtype
    assert (carried(array) == array).all()
    assert type(carried(numpy.float64(1.5))) is numpy.float64
    objects = carried(numpy.array([None, "x"], dtype=object))
    assert objects.tolist() == [None, "x"]


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingList(list[int]):
    def __iter__(self) -> Any:
        return iter([42])

    def __len__(self) -> int:
        return 1


def test_a_subclass_is_taken_for_what_it_holds() -> None:
    assert type(carried(LyingInt(7))) is int
    assert carried(LyingInt(7)) == 7
    assert carried(LyingList([1, 2])) == [1, 2]


def test_named_tuples_keep_their_fields() -> None:
    Point = collections.namedtuple("Point", "x y")
    assert carried(Point(1, 2)).y == 2
    assert carried(Point(1, 2)) == (1, 2)


def test_what_has_no_plain_form_is_refused() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    for value in (object(), lambda: None, cycle, (item for item in "")):
        with pytest.raises(values.Unencodable):
            values.encode(value)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"a": 1, "b": 2},
        {"nothing": 1},
        {"int": []},
        {"set": [[]]},
        {"array": ["|O", [1], "abcdefgh"]},
        {"array": ["<f8", [10**12], ""]},
        {"namedtuple": ["x; import os", ["a b"], [1]]},
        {"datetime": [[], 0, 1e308]},
        {"type": "nothing"},
        {"object": {"id": 1}},
        {"Decimal": {}},
        {"dict": [[1]]},
    ],
)
def test_what_no_value_looks_like_is_an_error_of_one_kind(data: Any) -> None:
    with pytest.raises(ValueError):
        values.decode(data)


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_no_message_makes_decoding_fail_otherwise(data: Any) -> None:
    with contextlib.suppress(ValueError):
        values.decode(data)

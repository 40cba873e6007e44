"""Plain values keep their types on the way between processes, containers their identity; nothing else crosses."""

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

from lm_eval_codemind.execution.agent import literal
from lm_eval_codemind.execution.values import Exchange, NotPlain

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.complex_numbers(allow_nan=False)
    | st.datetimes().map(lambda value: value.replace(fold=0))
    | st.dates()
    | st.times().map(lambda value: value.replace(fold=0))
    | st.timedeltas()
    | st.sampled_from([int, str, list, dict])
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
    ),
    max_leaves=20,
)


def refuse(*_: Any) -> Any:
    raise NotPlain


def unknown(tag: str, body: Any) -> Any:
    raise ValueError(tag)


def side() -> Exchange:
    return Exchange(refuse, unknown)


def sent(value: Any, sender: Exchange, receiver: Exchange) -> Any:
    return receiver.decode(json.loads(json.dumps(sender.encode(value))))


def carried(value: Any) -> Any:
    return sent(value, side(), side())


def types_of(value: Any) -> Any:
    if isinstance(value, dict):
        return type(value), sorted((str(types_of(k)), str(types_of(v))) for k, v in value.items())
    if isinstance(value, list | tuple):
        return type(value), [types_of(item) for item in value]
    if isinstance(value, set | frozenset):
        return type(value), sorted(str(types_of(item)) for item in value)
    return type(value)


@given(VALUES)
def test_values_and_their_types_survive(value: Any) -> None:
    assert carried(value) == value
    assert types_of(carried(value)) == types_of(value)


def test_numbers_that_are_hard_to_write() -> None:
    assert math.isnan(carried(math.nan))
    assert carried(-0.0) == 0 and math.copysign(1, carried(-0.0)) == -1
    assert carried(7**100_000) == 7**100_000
    assert literal(math.nan) == "float('nan')"
    assert literal([-math.inf]) == "[float('-inf')]"


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingList(list[int]):
    def __iter__(self) -> Any:
        return iter([42])


@pytest.mark.parametrize(
    "value",
    [
        object(), len, LyingInt(7), LyingList(), collections.OrderedDict(), collections.Counter(), range(3), iter([]),
        decimal.Decimal(1), fractions.Fraction(1, 2), ValueError(), ValueError, bytearray(), collections.deque(),
        datetime.datetime.now(datetime.timezone.utc), Ellipsis,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_not_plain_does_not_cross(value: Any) -> None:
    for container in (value, [value], {"key": (value,)}):
        with pytest.raises(NotPlain):
            side().encode(container)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def doubled(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value, value]
    return value


def test_values_without_end_do_not_cross() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    for value in (cycle, [cycle], nested(1000), doubled(60)):
        with pytest.raises(NotPlain):
            carried(value)
    assert carried(doubled(3)) == doubled(3)


def test_a_container_is_the_same_as_long_as_both_hold_it() -> None:
    here, there = side(), side()
    inner = [1]
    made = sent({"a": inner, "b": inner}, here, there)
    assert made["a"] is made["b"]
    for each in (here, there):
        each.agree()
    assert there.changed() == []
    made["a"].append(2)
    made["c"] = [made["a"]]
    here.take_content(json.loads(json.dumps(there.content(there.changed()))))
    assert inner == [1, 2]
    assert sent(made["c"], there, here)[0] is inner
    number = here.number(inner)
    here.keep([])
    assert number >= 0 and here.number(inner) == -1


def test_what_nobody_holds_is_forgotten() -> None:
    exchange = side()
    value = exchange.decode([[1], {"dict": [["a", [2]]]}, {"set": [3]}])[1]
    held = exchange.release()
    assert sorted(held) == sorted([exchange.number(value), exchange.number(value["a"])])
    assert exchange.release(held) == held
    del value
    assert exchange.release() == []


def test_changes_that_equal_what_was_there_are_changes() -> None:
    exchange = side()
    held = exchange.decode([1, {"dict": [[1, 1]]}, {"set": [1]}])
    exchange.agree()
    for change in (lambda: held.__setitem__(0, True), lambda: held[1].__setitem__(1, 1.0)):
        change()
        assert len(exchange.changed()) == 1
        exchange.content(exchange.changed())
        exchange.agree()


M = (1 << 61) - 1


@pytest.mark.parametrize(
    "data",
    [
        {}, {"a": 1, "b": 2}, {"nothing": 1}, {"int": []}, {"set": [[]]}, {"dict": [[1]]}, {"dict": [[[], 1]]},
        {"same": 0}, {"same": "x"}, {"type": "object"}, {"bytes": "\u1234"}, {"complex": [1, 2, 3]}, {"object": 1},
        {"date": [0, 0, 0]}, {"date": ["a"]}, {"timedelta": [1 << 80]}, {"datetime": {}},
        {"set": [{"int": hex(M * k)} for k in range(1, 1000)]},
        {"frozenset": [{"int": hex(M * k)} for k in range(1, 1000)]},
        {"dict": [[{"tuple": [M * k]}, 0] for k in range(1, 1000)]},
    ],
    ids=lambda data: str(data)[:30],
)  # fmt: skip
def test_a_malformed_value_is_refused(data: Any) -> None:
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError, OverflowError)):
        side().decode(data)


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_no_message_makes_decoding_fail_otherwise(data: Any) -> None:
    with contextlib.suppress(ValueError, TypeError, LookupError, AttributeError, OverflowError):
        side().decode(data)


@given(VALUES)
def test_a_literal_is_what_python_reads_back(value: Any) -> None:
    text = literal(value)
    if text is not None:
        assert eval(text, {"inf": math.inf, "datetime": datetime}) == value


def test_literals_of_other_types() -> None:
    assert literal(collections.OrderedDict(a=1)) == "OrderedDict({'a': 1})"
    assert literal(collections.Counter("aab")) == "Counter({'a': 2, 'b': 1})"
    assert literal(collections.deque([1], 3)) == "deque([1], maxlen=3)"
    assert literal(collections.defaultdict(list, a=[1])) == "defaultdict(list, {'a': [1]})"
    assert literal(decimal.Decimal("1.10")) == "Decimal('1.10')"
    assert literal(fractions.Fraction(1, 3)) == "Fraction(1, 3)"
    assert (literal(LyingInt(7)), literal(LyingList([1, 2]))) == ("7", "[1, 2]")
    point = collections.namedtuple("point", "x y")
    assert literal(point(1, 2)) is None
    assert [literal(value) for value in (object(), len, [object()], nested(1000))] == [None] * 4
    numpy = pytest.importorskip("numpy")
    assert literal(numpy.arange(3)) == "array([0, 1, 2])"
    assert literal(numpy.arange(10_000)) is None


@given(st.recursive(st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text(), st.lists))
def test_a_simple_literal_is_what_repr_gives(value: Any) -> None:
    assert literal(value) == repr(value)
    assert ast.literal_eval(literal(value) or "") == value

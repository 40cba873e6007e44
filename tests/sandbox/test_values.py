"""Plain values keep their types on the way between processes, containers their identity; nothing else crosses."""

import ast
import collections
import datetime
import decimal
import fractions
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.sandbox.agent import literal
from lm_eval_codemind.sandbox.performer import Performer
from lm_eval_codemind.sandbox.values import Exchange, NotPlain

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.complex_numbers(allow_nan=False),
    st.text(st.characters()), st.binary(), st.binary().map(bytearray), st.sampled_from([int, str, list, dict]),
    st.datetimes().map(lambda value: value.replace(fold=0)), st.times().map(lambda value: value.replace(fold=0)),
    st.dates(), st.timedeltas(), st.fractions(), st.decimals(allow_nan=False),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9)),
)  # fmt: skip
HASHABLE = (LEAVES | st.tuples(LEAVES, LEAVES)).filter(lambda value: "bytearray" not in repr(value))
VALUES = st.recursive(HASHABLE, lambda inner: st.one_of(
    st.lists(inner), st.lists(inner).map(tuple), st.sets(HASHABLE), st.frozensets(HASHABLE),
    st.dictionaries(HASHABLE, inner), st.dictionaries(HASHABLE, inner).map(collections.OrderedDict),
    st.dictionaries(HASHABLE, st.integers()).map(collections.Counter),
), max_leaves=20)  # fmt: skip


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
def test_values_and_their_types_survive(value):
    assert carried(value) == value
    assert types_of(carried(value)) == types_of(value)


def test_numbers_that_are_hard_to_write():
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


@pytest.mark.parametrize("value", [
    object(), len, LyingInt(7), LyingList(), iter([]), ValueError(), ValueError, collections.deque(maxlen=1),
    datetime.datetime.now(datetime.UTC), Ellipsis,
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_what_is_not_plain_does_not_cross(value):
    for container in (value, [value], {"key": (value,)}):
        with pytest.raises(NotPlain):
            side().encode(container)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_that_contains_itself_still_does():
    cycle: list[Any] = []
    cycle.append(cycle)
    there = carried(cycle)
    assert there[0] is there
    with pytest.raises(NotPlain):
        carried(nested(1000))


@pytest.mark.parametrize("items", [
    [*range(-50, 50)], [*range(100), 1 << 15], [*range(100), -1 << 63], [*range(100), 1 << 63], [*range(100), True],
    [number / 7 for number in range(100)], [*map(float, range(100)), -0.0], [math.inf, -math.inf] * 50, [0.5] * 99 + [1]
], ids=range(9))  # fmt: skip
def test_many_numbers_stay_what_they_are(items):
    for value in (items, tuple(items), collections.deque(items)):
        assert repr(carried(value)) == repr(value)
    assert sorted(map(repr, carried(set(items)))) == sorted(map(repr, set(items)))
    sender, receiver = side(), side()
    received = sent(items, sender, receiver)
    sender.agree(), receiver.agree()
    items.append(inner := [items])
    receiver.take_content(json.loads(json.dumps(sender.content())))
    assert received[-1][0] is received
    sender.agree(), receiver.agree()
    inner.append(1)
    receiver.take_content(json.loads(json.dumps(sender.content())))
    assert received[-1][1] == 1


def test_halves_of_characters_stay_apart():
    assert carried("\ud83d\ude00") == "\ud83d\ude00" != "\U0001f600"


def test_what_is_unlike_itself_is_like_nothing_else():
    value = float("nan")
    one, two = carried([value]), carried([value])
    assert one != two
    same = carried([value, value])
    assert same[0] is same[1]


def test_arrays_keep_their_type():
    numpy = pytest.importorskip("numpy")
    for value in (numpy.float32(1.5), numpy.arange(4, dtype="int16").reshape(2, 2), numpy.bool_(True)):
        there = carried(value)
        assert type(there) is type(value) and there.dtype == value.dtype and (there == value).all()


def test_a_container_is_the_same_when_it_crosses_again():
    here, there = side(), side()
    inner = [1]
    made = sent({"a": inner, "b": inner}, here, there)
    assert made["a"] is made["b"]
    for each in (here, there):
        each.agree()
    assert there.changed() == []
    made["a"].append(2)
    made["c"] = [made["a"]]
    here.take_content(json.loads(json.dumps(there.content())))
    assert inner == [1, 2]
    assert sent(made["c"], there, here)[0] is inner


def test_what_did_not_cross_is_forgotten():
    exchange = side()
    known, value = [1], [2]
    exchange.encode(known)
    exchange.agree()
    exchange.encode(value)
    exchange.forget()
    assert exchange.encode(value) == [2] and exchange.encode(known) == {"same": 0}


def test_changes_that_equal_what_was_there_are_changes():
    exchange = side()
    held = exchange.decode([1, {"dict": [{"tuple": [1, 1]}]}, {"set": [1]}])
    exchange.agree()
    for change in (lambda: held.__setitem__(0, True), lambda: held[1].__setitem__(1, 1.0)):
        change()
        assert len(exchange.changed()) == 1
        exchange.content()
        exchange.agree()


@pytest.mark.parametrize("make", [
    lambda numpy: numpy.zeros((0, 7)), lambda numpy: numpy.arange(6).reshape(2, 3).T, lambda numpy: numpy.eye(3)[:, 1],
    lambda numpy: numpy.array([1 + 2j, math.nan]), lambda numpy: numpy.array([["a", "bcd"]]),
    lambda numpy: numpy.array(5, ">i2"), lambda numpy: numpy.frombuffer(b"12", "uint8"),
])  # fmt: skip
def test_arrays_keep_shape_and_layout(make):
    numpy = pytest.importorskip("numpy")
    value = make(numpy)
    there = carried(value)
    assert numpy.array_equal(there, value, equal_nan=value.dtype.kind == "c") and there.dtype == value.dtype
    assert (there.shape, there.base is None) == (value.shape, value.base is None)
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE"):
        assert there.flags[flag] == value.flags[flag], flag


def test_changes_of_arrays_bytes_and_queues_are_seen():
    numpy = pytest.importorskip("numpy")
    here, there = side(), side()
    values = [numpy.zeros(2), bytearray(b"a"), collections.deque([1])]
    copies = sent(values, here, there)
    for each in (here, there):
        each.agree()
    copies[0][1] = 5
    copies[1].append(66)
    copies[2].appendleft(0)
    here.take_content(json.loads(json.dumps(there.content())))
    assert [list(value) for value in values] == [[0, 5], [97, 66], [0, 1]]


def test_what_only_the_exchange_can_reach_is_not_looked_at():
    performer = Performer(lambda rows: [sorted(row) for row in rows])
    for _ in range(50):
        performer.perform(["call", -1, "", [[[3, 1], [2]]], {}])
    assert len(performer._exchange._entries) == 300 and not performer._exchange._reached
    kept: list[Any] = []
    performer = Performer(kept.append)
    for number in range(5):
        performer.perform(["call", -1, "", [[number]], {}])
    assert len(performer._exchange._reached) == 5
    kept[0].append(7)
    assert performer.perform(["call", -1, "", [[9]], {}])["content"] == [[0, [0, 7]]]


def test_numbers_that_only_the_exchange_can_reach_are_not_held_twice():
    here, there = side(), side()
    rows = [[*range(200)], {"a": [0.5] * 200}]

    def cross() -> Any:
        received = sent(rows, here, there)
        for each in (here, there):
            each.agree()
        assert received == rows
        return received

    for _ in range(2):
        cross()
        for _ in range(4):
            there.changed()
        assert sum(entry.container == [] for entry in there._entries) == 2
    cross()[1]["a"].append(2)
    here.take_content(json.loads(json.dumps(there.content())))
    assert rows[1]["a"] == [*[0.5] * 200, 2] and rows[0] == [*range(200)]
    for each in (here, there):
        each.agree()
    cross()


def test_a_change_by_the_tests_is_seen_when_it_crosses_again_or_in_the_end():
    exchange = side()
    outer: list[Any] = [[1]]
    exchange.encode(outer)
    exchange.agree()
    for _ in range(5):
        assert not exchange.touched()
        exchange.agree()
    outer[0].append(2)
    assert exchange.changed()
    exchange.encode(outer)
    assert exchange.touched()


@pytest.mark.parametrize("data", [
    {"ndarray": ["<U400000000", [1], [True] * 4, ["a"]]}, {"ndarray": ["O", [1], [True] * 4, [1]]},
    {"ndarray": ["<i8", [1 << 40, 0], [True] * 4, [1]]}, {"ndarray": ["<i8", [2], [True] * 4, [1]]},
    {"same": -1}, {"deque": 1}, {"keys": [1]}, {"list": "hAAA"}, {"tuple": "uAAAA"}, {"list": ""},
    {"dict": "qAAAAAAAAAAA="}, {}, {"a": 1, "b": 2}, {"nothing": 1}, {"int": []}, {"set": [[]]}, {"dict": [[1]]},
    {"dict": [[[], 1]]}, {"same": 0}, {"same": "x"}, {"type": "object"}, {"bytes": "\u1234"}, {"complex": [1, 2, 3]},
    {"object": 1}, {"date": [0, 0, 0]}, {"date": ["a"]}, {"timedelta": [1 << 80]}, {"datetime": {}}, {"Decimal": "x"},
    {"generic": ["no", 1]},
], ids=lambda data: str(data)[:30])  # fmt: skip
def test_a_malformed_value_is_refused(data):
    exchange = side()
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError, OverflowError, ArithmeticError)):
        exchange.decode(data)


@given(VALUES)
def test_a_literal_is_what_python_reads_back(value):
    text = literal(value)
    if text is not None:
        assert eval(text, {**vars(collections), **vars(decimal), **vars(fractions), "datetime": datetime}) == value


def test_literals_of_other_types():
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
def test_a_simple_literal_is_what_repr_gives(value):
    assert literal(value) == repr(value)
    assert ast.literal_eval(literal(value) or "") == value

"""Plain values on their way between the checker and the program's process: the codec, and the containers both hold.

Only exact plain types cross: None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, these
types themselves, and dates and times without a zone. JSON's own types stand for themselves, every other value is an
object with one tag (see the table in ``docs/sandbox.md``). Both sides run the same code. Neither builds anything but
these types from what the other one sends.

A list, dict or set that crosses gets a number on both sides. As long as both sides hold it, it crosses again as that
number, so that ``f(x) is x`` is true in the checker exactly if it is true in the program. As soon as one side lets go
of a container, both forget it.
"""

import collections
import functools
import operator
import sys
from collections.abc import Callable, Iterable
from typing import Any

MAX_DEPTH = 150
# How large a value may be that contains a container twice: [x, x] doubles with each level.
_MAX_SHARED = 1_000_000
# Items with equal hashes, in a set or among the keys of a dict: inserting them takes quadratic time.
_MAX_COLLISIONS = 100
# Longer integers cross as hexadecimal text. Decimal conversion is quadratic, and limited to 4300 digits.
SHORT_INT = 1 << 256
_SCALARS = frozenset({str, bool, float, type(None)})
_TYPES = {
    kind.__name__: kind for kind in (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
}  # fmt: skip
_CONTAINERS = frozenset({list, dict, set})


class NotPlain(BaseException):
    """Something would cross that is not plain data. No test may catch this, so it is not an ``Exception``."""


class Exchange:
    """One side's view of the values that cross.

    Args:
        encode_other: Returns the message for a value that is not plain, or raises :class:`NotPlain`.
        decode_other: Returns the value for a tag that is not one of a plain type, or raises :class:`ValueError`.
    """

    def __init__(self, encode_other: Callable[[Any], Any], decode_other: Callable[[str, Any], Any]) -> None:
        self._encode_other = encode_other
        self._decode_other = decode_other
        self._held: dict[int, list[Any]] = {}  # number -> [container, its items when both sides last agreed on them]
        self._numbers: dict[int, int] = {}  # id of a container -> number
        self._count = 0
        self._shares = False

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Return a value as what :func:`json.dumps` takes.

        Raises:
            NotPlain: If it is not plain, or nested too deeply.
        """
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is int:
            return value if -SHORT_INT < value < SHORT_INT else {"int": hex(value)}
        if depth > MAX_DEPTH:
            raise NotPlain(f"a value nested more than {MAX_DEPTH} levels deep")
        depth += 1
        if kind in _CONTAINERS:
            number = self._numbers.get(id(value))
            if number is not None:
                return {"same": number}
            self._hold(value)
        if kind is list:
            return [self.encode(item, depth) for item in value]
        if kind is dict:
            return {"dict": [[self.encode(key, depth), self.encode(item, depth)] for key, item in value.items()]}
        if kind is tuple or kind is set or kind is frozenset:
            return {kind.__name__: [self.encode(item, depth) for item in value]}
        if kind is bytes:
            return {"bytes": value.decode("latin-1")}
        if kind is complex:
            return {"complex": [value.real, value.imag]}
        if kind is type and value in _TYPES.values():
            return {"type": value.__name__}
        if kind.__module__ == "datetime" and (names := _dates().get(kind)) and _is_naive(value):
            return {kind.__name__: [getattr(value, name) for name in names]}
        return self._encode_other(value)

    def decode(self, data: Any) -> Any:
        """Return the value that the other side encoded.

        Raises:
            NotPlain: If it is too large to be looked through, because it contains containers several times.
            ValueError, TypeError, LookupError, AttributeError: If no :meth:`encode` wrote this.
        """
        self._shares = False
        value = self._decode(data, 0)
        if self._shares:
            _check_size(value)
        return value

    def _decode(self, data: Any, depth: int) -> Any:
        kind = type(data)
        if kind is not list and kind is not dict:
            return data
        if depth > MAX_DEPTH + 1:
            raise ValueError("nested too deeply")
        depth += 1
        if kind is list:
            made: list[Any] = self._hold([])
            made += [self._decode(item, depth) for item in data]
            return made
        ((tag, body),) = data.items()
        if tag == "same":
            self._shares = self._shares or depth > 1
            return self._held[body][0]
        if tag == "dict":
            mapping: dict[Any, Any] = self._hold({})
            pairs = [(self._decode(key, depth), self._decode(item, depth)) for key, item in body]
            _check_hashes([key for key, _ in pairs])
            mapping.update(pairs)
            return mapping
        if tag == "set":
            items: set[Any] = self._hold(set())
            items.update(_check_hashes([self._decode(item, depth) for item in body]))
            return items
        if tag == "tuple":
            return tuple([self._decode(item, depth) for item in body])
        if tag == "frozenset":
            return frozenset(_check_hashes([self._decode(item, depth) for item in body]))
        if tag == "bytes":
            return body.encode("latin-1")
        if tag == "int":
            return int(body, 16)
        if tag == "complex":
            return complex(*body)
        if tag == "type":
            return _TYPES[body]
        for kind in _dates():
            if tag == kind.__name__:
                return kind(*body)
        return self._decode_other(tag, body)

    def _hold(self, container: Any) -> Any:
        self._held[self._count] = [container, None]
        self._numbers[id(container)] = self._count
        self._count += 1
        return container

    def agree(self) -> None:
        """Record the current contents of the new containers. Both sides know them now."""
        for entry in self._held.values():
            if entry[1] is None:
                entry[1] = _items(entry[0])

    def changed(self) -> list[int]:
        """Return the numbers of the containers that this side changed since both sides agreed."""
        return [
            number
            for number, (container, items) in self._held.items()
            if items is not None and not _same_items(container, items)
        ]

    def content(self, numbers: Iterable[int]) -> list[Any]:
        """Return what is now in some containers, for :meth:`take_content` of the other side."""
        contents = []
        for number in numbers:
            container = self._held[number][0]
            self._held[number][1] = None
            parts = list(container.items()) if type(container) is dict else list(container)
            contents.append([number, [self.encode(part, 1) for part in parts]])
        return contents

    def take_content(self, content: Any) -> None:
        """Put into containers what the other side put into them."""
        decoded = [(self._held[number], [self._decode(part, 1) for part in parts]) for number, parts in content]
        for entry, parts in decoded:
            container = entry[0]
            if type(container) is list:
                container[:] = parts
            else:
                _check_hashes([key for key, _ in parts] if type(container) is dict else parts)
                container.clear()
                container.update(parts)
            entry[1] = None
        for entry, _ in decoded:
            _check_size(entry[0])

    def release(self, spared: Iterable[int] = ()) -> list[int]:
        """Forget the containers that nothing on this side holds any more, except some. Return the others' numbers."""
        before = -1
        while before != len(self._held):
            before = len(self._held)
            unheld = {number for number, entry in self._held.items() if _references(entry) <= _UNHELD}
            for number in unheld.difference(spared):
                self._forget(number)
        return list(self._held)

    def number(self, container: Any) -> int:
        """Return the number of a container, -1 if it has none."""
        return self._numbers.get(id(container), -1)

    def numbers(self) -> list[int]:
        """Return the numbers of the containers that both sides hold."""
        return list(self._held)

    def keep(self, numbers: Iterable[int]) -> None:
        """Forget all containers except some. The other side has only these."""
        for number in self._held.keys() - set(numbers):
            self._forget(number)

    def _forget(self, number: int) -> None:
        container, _ = self._held.pop(number)
        del self._numbers[id(container)]


@functools.lru_cache(maxsize=1)
def _dates() -> dict[type, tuple[str, ...]]:
    """Return the types of dates and times, with the attributes that make one. Most programs need no ``datetime``."""
    import datetime

    day, clock = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")
    return {
        datetime.date: day,
        datetime.time: clock,
        datetime.datetime: day + clock,
        datetime.timedelta: ("days", "seconds", "microseconds"),
    }


def _is_naive(value: Any) -> bool:
    return getattr(value, "tzinfo", None) is None and not getattr(value, "fold", 0)


def _references(entry: list[Any]) -> int:
    return sys.getrefcount(entry[0])


# The count if only the entry refers to a container.
_UNHELD = _references([[], None])


def _items(container: Any) -> Any:
    return (*container, *container.values()) if type(container) is dict else tuple(container)


def _same_items(container: Any, items: Any) -> bool:
    now = container if type(container) is list else _items(container)
    return len(now) == len(items) and all(map(operator.is_, now, items))


def _check_hashes(items: list[Any]) -> list[Any]:
    """Return items that a set or the keys of a dict take in linear time.

    Raises:
        ValueError: If too many different ones have the same hash.
        TypeError: If one cannot be hashed.
    """
    if len(items) > _MAX_COLLISIONS:
        number, count = collections.Counter(map(hash, items)).most_common(1)[0]
        if count > _MAX_COLLISIONS:
            alike = [item for item in items if hash(item) == number]
            if any(item != alike[0] for item in alike):
                raise ValueError(f"{count} items with the same hash")
    return items


def _check_size(value: Any) -> None:
    """Refuse a value that contains itself, or the same containers so often that no test gets through it."""
    waiting = [(value, 0)]
    count = 0
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if count > _MAX_SHARED or depth > MAX_DEPTH:
            raise NotPlain("a value that contains itself, or the same containers too often")
        kind = type(part)
        if kind is dict:
            waiting += [(item, depth + 1) for pair in part.items() for item in pair]
        elif kind is list or kind is tuple or kind is set or kind is frozenset:
            waiting += [(item, depth + 1) for item in part]

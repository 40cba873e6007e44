"""Containers that two processes have, each a copy of its own, kept the same by sending what changed.

A list that a program keeps, or hands out, is one list to its tests: what either side changes, the other sees. Values
that travel by copies lose that, and then wrong programs pass and right ones fail. So a mutable container travels by a
number; its content goes along when it is new or has changed since the other side last heard of it, one level at a time
(its items may be containers with numbers themselves, so that shared rows and cycles arrive as such). A side that has
let go of a container says so, and both forget its number.

The program's side runs within the program's reach. Whatever it sends can do no more than a program that was handed
these containers: it changes their content, never their type, and of nothing that the tests didn't hand to it.
"""

from __future__ import annotations

import collections
import marshal
import sys
from collections.abc import Callable
from typing import Any

from . import values

# Version 2 writes a value the same way whoever else refers to it.
_MARSHAL = 2
# About as deep as Python compares lists.
_MAX_LEVELS = 1000
_SCALARS = frozenset({str, bool, float, type(None)})
_JSON = frozenset({*_SCALARS, int})
_SHORT_INT = 1 << 256

# By the name under which content travels. Exact types only; instances of classes derived from one of them travel as
# objects, see `proxies`, with their content under the same name.
KINDS: dict[str, type] = {
    "list": list,
    "dict": dict,
    "set": set,
    "bytearray": bytearray,
    "deque": collections.deque,
    "OrderedDict": collections.OrderedDict,
    "Counter": collections.Counter,
    "defaultdict": collections.defaultdict,
}
# Read by these, whatever a class of the program has under their names.
_FACTORY: Any = vars(collections.defaultdict)["default_factory"]
_LIMIT: Any = vars(collections.deque)["maxlen"]
_NAMES = {kind: name for name, kind in KINDS.items()}
# The most derived one first.
_DERIVED = ("OrderedDict", "Counter", "defaultdict", "dict", "list", "set", "deque", "bytearray")


class Foreign(values.Unencodable):
    """A value that has no form in which the other process could hold it."""


def kind_below(kind: type) -> str:
    """Return the name of the container type that a class is derived from, or an empty text."""
    order = type.__dict__["__mro__"].__get__(kind)
    return next((name for name in _DERIVED if KINDS[name] in order), "")


class Shared:
    """One side's containers by number.

    Args:
        step: 1 for the side that numbers its containers upwards from 1, -1 for the one that numbers downwards.
        special: Encodes what is neither a scalar nor a container of a plain type: returns None where it has no form of
            its own for a value either, and the plain form is to be tried. Called again as ``refer`` for what has no
            plain form.
        refer: Encodes an object without a plain form, or raises :class:`Foreign`.
        resolve: Makes the object that an ``object`` stands for.
    """

    def __init__(
        self,
        step: int,
        special: Callable[[Any], Any],
        refer: Callable[[Any], Any],
        resolve: Callable[[Any], Any],
    ) -> None:
        self._step = step
        self._next = step
        self._special, self._refer, self._resolve = special, refer, resolve
        self._table: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._last: dict[int, bytes] = {}
        # Those of classes of the program, by number: what they are derived from. They are never let go of.
        self._kinds: dict[int, str] = {}
        self._alone = 0
        self._table[0] = []
        self._sweep(measure=True)
        del self._table[0]

    # Sending

    def encode(self, value: Any) -> Any:
        """Return a value as what JSON takes, with containers by number; see :meth:`changes` for their content.

        Raises:
            Foreign: If something in it has no form.
        """
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is int:
            return value if -_SHORT_INT < value < _SHORT_INT else {"int": hex(value)}
        if kind in _NAMES or _is_array(kind):
            return {"ref": self._numbers.get(id(value)) or self._enter(value)}
        if kind is tuple:
            return {"tuple": [self.encode(item) for item in value]}
        if kind is frozenset:
            return {"frozenset": [self.encode(item) for item in value]}
        special = self._special(value)
        if special is not None:
            return special
        return values.encode(value, self._refer, item=self.encode)

    def enter_object(self, value: Any, kind: str) -> int:
        """Return the number of an object whose class is derived from a container type, by whose name it is held."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._enter(value)
            self._kinds[number] = kind
        return number

    def _enter(self, value: Any) -> int:
        number = self._next
        self._next += self._step
        self._table[number] = value
        self._numbers[id(value)] = number
        return number

    def changes(self) -> list[Any]:
        """Return the content of each container that is new, or changed since the last message either way.

        Raises:
            values.Unencodable: If something in them has no form, or they lie too deeply in each other.
        """
        found: list[Any] = []
        try:
            self._find_changes(found)
        except BaseException:
            # None of it is sent.
            for number, _ in found:
                self._last.pop(number, None)
            raise
        return found

    def _find_changes(self, found: list[Any]) -> None:
        waiting = list(self._table)
        seen = levels = 0
        while seen < len(waiting):
            levels += 1
            if levels > _MAX_LEVELS:
                raise values.Unencodable(f"nested more than {_MAX_LEVELS} levels deep")
            for number in waiting[seen:]:
                seen += 1
                value = self._table[number]
                known = self._next
                content = self._content(value, self._kinds.get(number))
                text = marshal.dumps(content, _MARSHAL)
                if self._last.get(number) != text:
                    self._last[number] = text
                    found.append([number, content])
                waiting.extend(range(known, self._next, self._step))

    def _content(self, value: Any, kind: str | None) -> Any:
        kind = kind or _NAMES.get(type(value))
        encode = self.encode
        if kind == "list":
            items = value if type(value) is list else list.__getitem__(value, slice(None))
            return [
                "list",
                [
                    item
                    if (form := type(item)) in _SCALARS or (form is int and -_SHORT_INT < item < _SHORT_INT)
                    else encode(item)
                    for item in items
                ],
            ]
        if kind in ("dict", "OrderedDict", "Counter", "defaultdict"):
            order = collections.OrderedDict.items(value) if kind == "OrderedDict" else dict.items(value)
            pairs = [[encode(key), item if type(item) in _SCALARS else encode(item)] for key, item in order]
            if kind == "defaultdict":
                factory = _FACTORY.__get__(value)
                return [kind, pairs, encode(factory)]
            return [kind, pairs]
        if kind == "set":
            return ["set", [encode(item) for item in set.__iter__(value)]]
        if kind == "deque":
            limit = _LIMIT.__get__(value)
            return ["deque", [encode(item) for item in collections.deque.__iter__(value)], limit]
        if kind == "bytearray":
            return ["bytearray", bytes(memoryview(value)).decode("latin-1")]
        return ["ndarray", values.encode(value, self._refer, item=encode)]

    def release(self) -> list[int]:
        """Forget the containers that nobody else on this side refers to, and return their numbers."""
        gone: list[int] = []
        # Those inside others come after them, as a rule, so that one sweep is enough; what it leaves waits.
        while found := self._sweep():
            gone += found
            if len(found) < len(self._table):
                break
        return gone

    def _sweep(self, measure: bool = False) -> list[int]:
        count, alone, kinds = sys.getrefcount, self._alone, self._kinds
        found = []
        value: Any = None
        for number in list(self._table):
            # What the last one held is free of it from here on.
            value = self._table[number]
            if measure:
                self._alone = count(value)
            elif count(value) <= alone and number not in kinds:
                self._forget(number)
                found.append(number)
        return found

    def _forget(self, number: int) -> None:
        value = self._table.pop(number, None)
        if value is not None:
            self._numbers.pop(id(value), None)
        self._last.pop(number, None)
        self._kinds.pop(number, None)

    # Receiving

    def forget(self, numbers: Any) -> None:
        """Forget the numbers that the other side has let go of."""
        if type(numbers) is not list:
            raise ValueError("not a list of numbers")
        for number in numbers:
            if type(number) is int and number not in self._kinds:
                self._forget(number)

    def adopt(self, number: int, value: Any, kind: str) -> None:
        """Hold an object made for the other side's object of a class derived from a container type."""
        if type(number) is not int or number * self._step >= 0:
            raise ValueError("not a number of the other side")
        early = self._table.get(number)
        self._table[number] = value
        self._numbers[id(value)] = number
        self._kinds[number] = kind
        if early is not None:
            # Its content came before it was said what it is.
            self._numbers.pop(id(early), None)
            self._fill(number, self._content(early, kind))

    def receive(self, message: Any) -> None:
        """Take over what the other side says of containers: those it made, and new content of known ones.

        Raises:
            ValueError: If that isn't what :meth:`changes` returns.
        """
        if not message:
            return
        try:
            entries = [(number, content) for number, content in message]
            for number, content in entries:
                if type(number) is not int:
                    raise ValueError("a container without a number")
                if number not in self._table:
                    if number * self._step >= 0:
                        # It was let go of meanwhile; who has it now has it alone.
                        continue
                    self._table[number] = made = self._blank(content)
                    self._numbers[id(made)] = number
            for number, content in entries:
                if number in self._table:
                    self._fill(number, content)
        except values.MALFORMED as error:
            raise ValueError(f"not the content of a container: {type(error).__name__}: {error}") from None

    def decode(self, data: Any) -> Any:
        """Return the value that :meth:`encode` of the other side described.

        Raises:
            ValueError: If the data isn't what that returns.
        """
        try:
            return values.decode(data, self._resolve, self._shared)
        except values.MALFORMED as error:
            raise ValueError(f"not an encoded value: {type(error).__name__}: {error}") from None

    def _shared(self, number: Any) -> Any:
        if type(number) is not int or number not in self._table:
            raise ValueError("a container nobody described")
        return self._table[number]

    def _blank(self, content: Any) -> Any:
        kind = content[0]
        if kind == "ndarray":
            if "objects" in content[1]:
                import numpy

                # What it holds may be described later on.
                return numpy.empty(content[1]["objects"][0], dtype=object)
            return values.decode(content[1], self._resolve, self._shared)
        if kind == "deque":
            return collections.deque(maxlen=content[2])
        return KINDS[kind]()

    def _fill(self, number: int, content: Any) -> None:
        target = self._table[number]
        kind = content[0]
        if kind != (self._kinds.get(number) or _NAMES.get(type(target), "ndarray")):
            raise ValueError("a container that became one of another type")
        decode = self.decode
        if kind == "list":
            items = content[1]
            if type(items) is not list:
                raise ValueError("content of a list that is none")
            list.__setitem__(target, slice(None), [i if type(i) in _JSON else decode(i) for i in items])
        elif kind in ("dict", "OrderedDict", "Counter", "defaultdict"):
            pairs = values.keyed(content[1], decode)
            kept = collections.OrderedDict if kind == "OrderedDict" else dict
            kept.clear(target)
            for key, item in pairs:
                kept.__setitem__(target, key, item)
            if kind == "defaultdict":
                factory = decode(content[2])
                if not (factory is None or callable(factory)):
                    raise ValueError("a factory that can't be called")
                _FACTORY.__set__(target, factory)
        elif kind == "set":
            items = values.spread([decode(item) for item in content[1]])
            set.clear(target)
            set.update(target, items)
        elif kind == "deque":
            items = [decode(item) for item in content[1]]
            collections.deque.clear(target)
            collections.deque.extend(target, items)
        elif kind == "bytearray":
            bytearray.__setitem__(target, slice(None), content[1].encode("latin-1"))
        else:
            array = values.decode(content[1], self._resolve, self._shared)
            if array.dtype != target.dtype:
                raise ValueError("an array that became one of another type")
            if array.shape != target.shape:
                target.resize(array.shape, refcheck=False)
            target[...] = array
        # What it holds now is what the other side last said, in this side's own words.
        self._last[number] = marshal.dumps(self._content(target, self._kinds.get(number)), _MARSHAL)


def _is_array(kind: type) -> bool:
    if kind.__module__ != "numpy":
        return False
    numpy = sys.modules.get("numpy")
    return numpy is not None and kind is numpy.ndarray

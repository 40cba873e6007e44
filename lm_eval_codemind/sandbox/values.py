"""Plain values on their way between tests and a program: the codec, and the containers that both have.

JSON's own types stand for themselves. Every other value is an object with one tag, see the README here. Both sides
run the same code, and build only these types from what the other side wrote.

A list, dict or set that crosses again does so as the numbers of its step and its place there. So ``f(x) is x`` is true
for the tests exactly if it is true for the program.
"""

import collections
import importlib
import operator
import re
import sys
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 150
# Longer integers cross as hexadecimal text. Decimal conversion is quadratic, and limited to 4300 digits.
SHORT_INT = 1 << 256
_SURROGATE = re.compile("[\ud800-\udfff]")
_TYPES = {
    kind.__name__: kind for kind in (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
}  # fmt: skip
_ITEMS: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "frozenset": frozenset, "complex": lambda two: complex(*two)}
# Those that change, and so are known by where they crossed. An empty one is made first, since it may contain itself.
_KEPT: dict[str, Callable[[], Any]] = {
    kind.__name__: kind for kind in (list, dict, set, collections.OrderedDict, collections.Counter)
}
# Types of the library that are made from the values of their attributes.
_DAY, _CLOCK = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")
_ATTRIBUTES = {
    "date": _DAY,
    "time": _CLOCK,
    "datetime": _DAY + _CLOCK,
    "timedelta": ("days", "seconds", "microseconds"),
}
# All types of the library, each with its module. The others are made from their text.
LIBRARY = {"Decimal": "decimal", "Fraction": "fractions", **dict.fromkeys(_ATTRIBUTES, "datetime")}


class NotPlain(Exception):
    """A value is not plain data."""


class Exchange:
    """One side's view of the values that cross.

    ``encode_other`` returns the message for a value that is not plain, or raises :class:`NotPlain`; ``decode_other``
    returns the value for a tag that is not one of a plain type.
    """

    def __init__(self, encode_other: Callable[[Any], Any], decode_other: Callable[[str, Any], Any]) -> None:
        self._encode_other = encode_other
        self._decode_other = decode_other
        self._step = -1
        self._kept: dict[str, list[Any]] = {}  # where it crossed -> [container, its items when both sides agreed]
        self._places: dict[int, str] = {}  # id of a container -> where it crossed

    def begin(self) -> None:
        """Begin the next step."""
        self._step += 1
        self._count = 0

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Return a value as what :func:`json.dumps` takes; NotPlain if it is not plain, or nested too deeply."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            # JSON joins the halves of a pair.
            text = value.isascii() or not _SURROGATE.search(value)
            return value if text else {"str": value.encode("utf-32", "surrogatepass").decode("latin-1")}
        if kind is float:
            # Of what is unlike itself, identity matters.
            return value if value == value else self._same(value) or {"float": "nan"}
        if kind is int:
            return value if -SHORT_INT < value < SHORT_INT else {"int": hex(value)}
        if depth > MAX_DEPTH:
            raise NotPlain(f"a value nested more than {MAX_DEPTH} levels deep")
        depth += 1
        name = kind.__name__
        if _KEPT.get(name) is kind:
            same = self._same(value)
            if same is not None:
                return same
            parts = self._parts(value, depth)
            return parts if kind is list else {name: parts}
        if kind is tuple or kind is frozenset:
            return {name: [self.encode(item, depth) for item in value]}
        if kind is bytes or kind is bytearray:
            return {name: value.decode("latin-1")}
        if kind is complex:
            return {name: [value.real, value.imag]}
        if kind is range:
            return {name: [value.start, value.stop, value.step]}
        if kind is type and value in _TYPES.values():
            return {"type": value.__name__}
        if LIBRARY.get(name, "") == kind.__module__:
            if name not in _ATTRIBUTES:
                return {name: str(value)}
            if getattr(value, "tzinfo", None) is None and not getattr(value, "fold", 0):
                return {name: [getattr(value, attribute) for attribute in _ATTRIBUTES[name]]}
        numpy = sys.modules.get("numpy")
        if (
            numpy is not None
            and (isinstance(value, numpy.generic) or kind is numpy.ndarray)
            and value.dtype.kind in "biufcU"
        ):
            return {"ndarray" if kind is numpy.ndarray else "generic": [str(value.dtype), self.encode(value.tolist())]}
        return self._encode_other(value)

    def _same(self, value: Any) -> Any:
        """Return the message for a value that was sent before; else None, and remember the value as sent."""
        if id(value) in self._places:
            return {"same": self._places[id(value)]}
        self._keep(value)
        return None

    def _parts(self, container: Any, depth: int) -> list[Any]:
        items = container.items() if isinstance(container, dict) else container
        return [self.encode(item, depth) for item in items]

    def decode(self, data: Any) -> Any:
        """Return the value that the other side encoded, or raise any exception if no :meth:`encode` wrote this."""
        kind = type(data)
        if kind is not list and kind is not dict:
            return data
        ((tag, body),) = data.items() if kind is dict else (("list", data),)
        if tag in _KEPT:
            container = _KEPT[tag]()
            self._keep(container)
            self._fill(container, body)
            return container
        if tag == "same":
            return self._kept[body][0]
        if tag in _ITEMS:
            return _ITEMS[tag]([self.decode(item) for item in body])
        if tag == "float":
            self._keep(body := float(body))
            return body
        if tag == "str":
            return body.encode("latin-1").decode("utf-32", "surrogatepass")
        if tag == "bytes" or tag == "bytearray":
            return (bytes if tag == "bytes" else bytearray)(body, "latin-1")
        if tag == "int":
            return int(body, 16)
        if tag == "range":
            return range(*body)
        if tag == "type":
            return _TYPES[body]
        if tag in LIBRARY:
            made = getattr(importlib.import_module(LIBRARY[tag]), tag)
            return made(*body) if tag in _ATTRIBUTES else made(body)
        if tag in ("ndarray", "generic"):
            array = importlib.import_module("numpy").array(self.decode(body[1]), body[0])
            return array if tag == "ndarray" else array[()]
        return self._decode_other(tag, body)

    def _fill(self, container: Any, parts: list[Any]) -> None:
        items = [self.decode(part) for part in parts]
        if type(container) is list:
            container[:] = items
            return
        container.clear()
        # A Counter's own method adds.
        (dict.update if type(container) is collections.Counter else type(container).update)(container, items)

    def _keep(self, container: Any) -> None:
        place = f"{self._step}.{self._count}"
        self._count += 1
        self._kept[place] = [container, None]
        self._places[id(container)] = place

    def forget(self) -> None:
        """Forget the values that have crossed since both sides agreed: they did not cross after all."""
        for place, (value, items) in list(self._kept.items()):
            if items is None:
                del self._kept[place], self._places[id(value)]

    def agree(self) -> None:
        """Record the current contents of the new containers. Both sides know them now."""
        for entry in self._kept.values():
            if entry[1] is None:
                entry[1] = _items(entry[0])

    def changed(self) -> list[str]:
        """Return where the containers crossed that this side changed since both sides agreed."""
        return [
            place
            for place, (container, items) in self._kept.items()
            if items is not None and not _same_items(container, items)
        ]

    def content(self) -> list[Any]:
        """Return what is now in the containers that this side changed, for :meth:`take_content` of the other side."""
        contents = []
        for place in self.changed():
            entry = self._kept[place]
            entry[1] = None
            contents.append([place, self._parts(entry[0], 1)])
        return contents

    def take_content(self, contents: list[Any]) -> None:
        """Put into containers what the other side put into them."""
        for place, parts in contents:
            entry = self._kept[place]
            self._fill(entry[0], parts)
            entry[1] = None


def _items(container: Any) -> Any:
    if isinstance(container, float):
        return ()
    return (*container, *container.values()) if isinstance(container, dict) else tuple(container)


def _same_items(container: Any, items: Any) -> bool:
    now = container if type(container) is list else _items(container)
    return len(now) == len(items) and all(map(operator.is_, now, items))

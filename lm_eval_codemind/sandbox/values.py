"""Plain values on their way between tests and a program: the codec, and the containers that both have.

JSON's own types stand for themselves. Every other value is an object with one tag, see the README here. Both sides
run the same code, and build only these types from what the other side wrote.

A container that crosses again does so as the number it got when it crossed first. So ``f(x) is x`` is true for the
tests exactly if it is true for the program.
"""

import binascii
import collections
import contextlib
import gc
import importlib
import math
import operator
import re
import struct
import sys
import types
from array import array
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
    kind.__name__: kind
    for kind in (list, dict, set, collections.OrderedDict, collections.Counter, collections.deque, bytearray)
}
_ITERABLE: tuple[Any, ...] = (list, dict, set, collections.deque)
_VIEWS = {
    type(getattr(mapping, name)()): name
    for mapping in (dict[Any, Any](), collections.OrderedDict[Any, Any]())
    for name in ("keys", "values", "items")
}
# Subclasses of these may cross as their base, see :func:`_base`.
BASES: tuple[type, ...] = (int, float, str, bytes, tuple, frozenset, list, dict, set)
# What a subclass may change: nobody uses it, or the other side refuses its use.
_CHANGEABLE = (
    "__new__", "__init__", "__init_subclass__", "__doc__", "__repr__", "__str__", "__format__", "__reduce__",
    "__reduce_ex__", "__getnewargs__", "__getstate__", "__dir__", "__sizeof__", "__class_getitem__", "__or__",
    "__ror__", "copy",
)  # fmt: skip
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
_DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f[248]|c8|c16|U(\d{1,6}))")
_MOST_ARRAY_BYTES = 1 << 26
# So many numbers cross as the text of an array: JSON takes five times as long.
_MANY = 100


class NotPlain(Exception):
    """A value is not plain data."""


class _Entry:
    """A container that both sides have.

    ``items`` is what was in it when both agreed; None while nothing but the exchange can reach it, and so change it.
    ``inner`` and ``outer`` are the numbers of the containers in it, and of those that it is in. ``text`` is what one
    that has only numbers in it crossed as. A list has none of them in it while nothing else can reach it.
    """

    __slots__ = ("container", "inner", "items", "outer", "text")

    def __init__(self, container: Any) -> None:
        self.container = container
        self.text = ""
        self.items: Any = None
        self.inner: list[int] = []
        self.outer: list[int] = []

    def references(self) -> int:
        return sys.getrefcount(self.container)

    def changed(self) -> bool:
        """Whether its content is another one. Identity counts."""
        if self.items is None:
            return False
        now = self.container if type(self.container) is list else _items(self.container)
        if type(self.items) is not tuple:
            return bool(now != self.items)
        return len(now) != len(self.items) or not all(map(operator.is_, now, self.items))


_ALONE = _Entry([]).references()


class Exchange:
    """One side's view of the values that cross.

    ``encode_other`` returns the message for a value that is not plain, or raises :class:`NotPlain`; ``decode_other``
    returns the value for a tag that is not one of a plain type.
    """

    def __init__(self, encode_other: Callable[[Any], Any], decode_other: Callable[[str, Any], Any]) -> None:
        self._encode_other = encode_other
        self._decode_other = decode_other
        self._entries: list[_Entry] = []
        self._numbers: dict[int, int] = {}  # id of a container -> its number
        self._reached: dict[int, None] = {}  # the containers that something else than the exchange can reach
        self._new: list[int] = []  # what both sides have still to agree on
        self._again: list[int] = []  # what crossed again
        self._latest: list[int] = []  # what became reachable since the last look

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
            # NaN does not equal itself; here it does if it is the same object.
            return value if value == value else self._same(value) or {"float": "nan"}
        if kind is int:
            return value if -SHORT_INT < value < SHORT_INT else {"int": hex(value)}
        if depth > MAX_DEPTH:
            raise NotPlain(f"a value nested more than {MAX_DEPTH} levels deep")
        depth += 1
        name = kind.__name__
        if _KEPT.get(name) is kind:
            return self._same(value) or self._container(value, name, depth)
        if kind is tuple or kind is frozenset:
            return {name: self._parts(value, depth)}
        if kind is bytes:
            return {name: value.decode("latin-1")}
        if kind is complex:
            return {name: [value.real, value.imag]}
        if kind is range:
            return {name: [value.start, value.stop, value.step]}
        if kind is type and value in _TYPES.values():
            return {"type": value.__name__}
        if kind in _VIEWS:
            (mapping,) = gc.get_referents(value)
            return {_VIEWS[kind]: self.encode(mapping, depth)}
        if kind is memoryview and type(value.obj) is bytes and value.format == "B" and value.ndim == 1:
            return {name: value.tobytes().decode("latin-1")}
        if LIBRARY.get(name, "") == kind.__module__ and kind is getattr(sys.modules.get(kind.__module__), name, None):
            if name not in _ATTRIBUTES:
                return {name: str(value)}
            if getattr(value, "tzinfo", None) is None and not getattr(value, "fold", 0):
                return {name: [getattr(value, attribute) for attribute in _ATTRIBUTES[name]]}
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.generic | numpy.ndarray) and _DTYPE.fullmatch(value.dtype.str):
            if kind is numpy.ndarray:
                return self._same(value) or {"ndarray": _array(value)}
            if isinstance(value, numpy.generic):
                return {"generic": _array(numpy.asarray(value))}
        return self._same(value) if id(value) in self._numbers else self._encode_other(value)

    def encode_as_base(self, value: Any) -> Any:
        """Return an object of a derived class as one of its plain base; None if the class changes what can be used.

        The message says whether text made by ``repr`` is that of the plain value, and by ``str``. In all else that the
        class changes the other side must not use it.
        """
        base = _base(type(value))
        if base is None:
            return None
        plain: Any = str.__str__(value) if base is str else base(value)
        shown = [repr(value) == repr(plain), f"{value} {value!s}" == f"{plain} {plain!s}"]
        if base.__name__ in _KEPT:
            return self._same(value) or {"like": [*shown, base.__name__, self._body(value, 1)]}
        return {"like": [*shown, base.__name__, self.encode(plain)]}

    def _same(self, value: Any) -> Any:
        """Return the message for a value that was sent before; else None, and remember the value as sent."""
        number = self._numbers.get(id(value))
        if number is None:
            return self._keep(value)
        self._again.append(number)
        return {"same": number}

    def _container(self, container: Any, name: str, depth: int) -> Any:
        if name == "deque" and container.maxlen is not None:
            raise NotPlain("a deque of limited length")
        body = self._body(container, depth)
        return body if type(body) is list and name == "list" else {name: body}

    def _body(self, container: Any, depth: int) -> Any:
        if isinstance(container, bytearray):
            return container.decode("latin-1")
        if not isinstance(container, _ITERABLE):
            return _array(container)
        body = self._parts(container.items() if isinstance(container, dict) else container, depth)
        self._entries[self._numbers[id(container)]].text = body if type(body) is str else ""
        return body

    def _parts(self, items: Any, depth: int) -> list[Any] | str:
        kinds = set(map(type, items))
        if len(items) >= _MANY and len(kinds) == 1 and (text := _packed(items, *kinds)):
            return text
        # The usual lists have items of one kind, which are looked at all at once.
        if (
            (kinds == {int} and max(items) < SHORT_INT and min(items) > -SHORT_INT)
            or (kinds == {str} and "".join(items).isascii())
            or (kinds == {float} and not math.isnan(sum(items)))
        ):
            return list(items)
        return [self.encode(item, depth) for item in items]

    def decode(self, data: Any) -> Any:
        """Return the value that the other side encoded, or raise any exception if no :meth:`encode` wrote this."""
        kind = type(data)
        if kind is not list and kind is not dict:
            return data
        ((tag, body),) = data.items() if kind is dict else (("list", data),)
        if tag in _KEPT:
            return self.fill(_KEPT[tag](), body)
        if tag == "same":
            self._reach(number := range(len(self._entries))[body])
            return self._entries[number].container
        if tag in _ITEMS:
            return _ITEMS[tag](self._decoded(body))
        if tag == "float":
            self._keep(body := float(body))
            return body
        if tag == "str":
            return body.encode("latin-1").decode("utf-32", "surrogatepass")
        if tag in ("bytes", "memoryview"):
            data = bytes(body, "latin-1")
            return data if tag == "bytes" else memoryview(data)
        if tag == "int":
            return int(body, 16)
        if tag == "range":
            return range(*body)
        if tag == "type":
            return _TYPES[body]
        if tag in _VIEWS.values():
            return getattr(self.decode(body), tag)()
        if tag in LIBRARY:
            made = getattr(importlib.import_module(LIBRARY[tag]), tag)
            return made(*body) if tag in _ATTRIBUTES else made(body)
        if tag == "generic":
            return _new_array(*body)[()]
        if tag == "ndarray":
            self._keep(array := _new_array(*body))
            return array
        return self._decode_other(tag, body)

    def fill(self, container: Any, body: Any) -> Any:
        """Put into a new container what the other side encoded."""
        self._keep(container)
        self._refill(container, body)
        return container

    def _decoded(self, parts: list[Any] | str) -> list[Any]:
        if isinstance(parts, str):
            return unpacked(parts)
        kinds = set(map(type, parts))
        return [self.decode(part) for part in parts] if list in kinds or dict in kinds else parts

    def _refill(self, container: Any, body: Any) -> None:
        self._entries[self._numbers[id(container)]].text = body if type(body) is str else ""
        if isinstance(container, bytearray):
            container[:] = body.encode("latin-1")
        elif isinstance(container, list):
            container[:] = self._decoded(body)
        elif isinstance(container, _ITERABLE):
            items = self._decoded(body)
            container.clear()
            if isinstance(container, collections.Counter):
                # Its own method adds.
                dict.update(container, items)
            else:
                (container.extend if isinstance(container, collections.deque) else container.update)(items)
        else:
            new = _new_array(*body)
            if (new.dtype, new.shape) != (container.dtype, container.shape):
                raise ValueError("an array of another type or shape")
            container.flags.writeable = True
            container[...] = new
            container.flags.writeable = new.flags.writeable

    def _keep(self, container: Any) -> None:
        number = len(self._entries)
        self._entries.append(_Entry(container))
        self._numbers[id(container)] = number
        self._new.append(number)

    def forget(self) -> None:
        """Forget the values that have crossed since both sides agreed: they did not cross after all."""
        for _ in self._new:
            del self._numbers[id(self._entries.pop().container)]
        self._new = []

    def agree(self) -> None:
        """Begin the next step: both sides know what is in the containers now."""
        for number in self._new:
            entry = self._entries[number]
            for inner in entry.inner:
                self._entries[inner].outer.remove(number)
            entry.inner = [] if entry.text else self._inner(entry.container)
            for inner in entry.inner:
                self._entries[inner].outer.append(number)
            entry.items = None
            self._reached.pop(number, None)
        for number in self._new:
            if self._is_alone(number):
                self._leave(number)
            else:
                self._reach(number)
        self._new, self._again = [], []

    def _inner(self, container: Any) -> list[int]:
        """Return the numbers of the containers in a container."""
        items = _items(container)
        if type(items) is not tuple or set(map(type, items)) <= {int, str, float, bool}:
            return []
        return [self._numbers[id(item)] for item in items if id(item) in self._numbers]

    def _is_alone(self, number: int) -> bool:
        """Whether nothing but the exchange can reach a container."""
        entry = self._entries[number]
        return entry.references() == _ALONE + len(entry.outer) and self._reached.keys().isdisjoint(entry.outer)

    def _reach(self, number: int) -> None:
        entry = self._entries[number]
        if number not in self._reached and type(entry.container) is not float:
            if entry.text and not entry.container:
                self._refill(entry.container, entry.text)
            entry.items = _items(entry.container)
            self._reached[number] = None
            self._latest.append(number)
            for inner in entry.inner:
                self._reach(inner)

    def _has_changed(self, number: int) -> bool:
        if self._entries[number].changed():
            return True
        if number in self._reached and self._is_alone(number):
            self._leave(number)
        return False

    def _leave(self, number: int) -> None:
        entry = self._entries[number]
        entry.items = None
        self._reached.pop(number, None)
        if entry.text and type(entry.container) is list:
            entry.container.clear()

    def changed(self) -> list[int]:
        """Return the numbers of the containers that this side changed since both sides agreed."""
        return [number for number in list(self._reached) if self._has_changed(number)]

    def touched(self) -> bool:
        """Whether this side changed a container that crosses again, or one that has crossed since the last look.

        Who changes nothing on purpose looks at :meth:`changed` in the end.
        """
        numbers = list(self._again)
        for number in numbers:
            numbers += [inner for inner in self._entries[number].inner if inner not in numbers]
        numbers += self._latest
        self._latest = []
        return any(map(self._has_changed, numbers))

    def content(self) -> list[Any]:
        """Return what is now in the containers that this side changed, for :meth:`take_content` of the other side."""
        contents = []
        for number in self.changed():
            contents.append([number, self._body(self._entries[number].container, 1)])
            self._new.append(number)
        return contents

    def take_content(self, contents: list[Any]) -> None:
        """Put into containers what the other side put into them; NotPlain if this side has changed one, too."""
        for number, body in contents:
            entry = self._entries[range(len(self._entries))[number]]
            if entry.changed():
                raise NotPlain("a container that both sides change")
            self._refill(entry.container, body)
            self._new.append(number)


def _base(kind: type) -> Any:
    """Return the plain type that a class derives from, if it only changes what it may; else None."""
    for place, base in enumerate(kind.__mro__):
        if base in BASES:
            names = set(dir(base)).difference(_CHANGEABLE)
            own = {name: value for each in kind.__mro__[:place] for name, value in vars(each).items() if name in names}
            # Classes of the library in C repeat how attributes are looked up.
            if isinstance(own.get("__getattribute__"), types.WrapperDescriptorType):
                del own["__getattribute__"]
            return None if own else base
    return None


def _packed(numbers: Any, kind: type) -> str:
    """Return numbers of one type as the code of an array that they fit into, and its bytes; else an empty text."""
    codes = "hiq" if kind is int else "d" if kind is float and not math.isnan(sum(numbers)) else ""
    for code in codes:
        with contextlib.suppress(struct.error):
            return code + binascii.b2a_base64(struct.pack(f"{len(numbers)}{code}", *numbers), newline=False).decode()
    return ""


def unpacked(text: str) -> list[Any]:
    """Return the numbers of :func:`_packed`, or raise a ValueError."""
    if text[:1] not in {*"hiqd"}:
        raise ValueError("numbers of no plain type")
    return array(text[0], binascii.a2b_base64(text[1:])).tolist()


def _items(container: Any) -> Any:
    """Return what is in a container: a tuple, or bytes, or nothing for a number."""
    if isinstance(container, dict):
        return (*container, *container.values())
    if isinstance(container, _ITERABLE):
        return tuple(container)
    if isinstance(container, bytearray):
        return bytes(container)
    if isinstance(container, float):
        return ()
    return f"{container.dtype.str}{container.shape}{container.flags.writeable}".encode() + container.tobytes()


def _array(array: Any) -> list[Any]:
    """Return an array as its type, its shape, how it lies in memory, and its values."""
    flags = array.flags
    layout = [flags.c_contiguous, flags.f_contiguous, flags.owndata, flags.writeable]
    values = array.ravel()
    values = values.view(f"{array.dtype.str[0]}f{values.itemsize // 2}") if array.dtype.kind == "c" else values
    return [array.dtype.str, list(array.shape), layout, values.tolist()]


def _new_array(kind: str, shape: list[int], layout: list[bool], values: list[Any]) -> Any:
    """Return the array that :func:`_array` described; a ValueError if it described none."""
    numpy = importlib.import_module("numpy")
    by_rows, by_columns, is_owner, is_writeable = layout
    size = math.prod(shape)
    if not _DTYPE.fullmatch(kind) or numpy.dtype(kind).itemsize * size > _MOST_ARRAY_BYTES:
        raise ValueError("an array of no plain type, or too large")
    whole = numpy.empty(
        shape if by_rows or by_columns else [*shape, 2], kind, "F" if by_columns and not by_rows else "C"
    )
    array = (whole if is_owner else whole[...]) if by_rows or by_columns else whole[..., 0]
    parts = kind if kind[1] != "c" else f"{kind[0]}f{int(kind[2:]) // 2}"
    new = numpy.array(values, parts).view(kind)
    array[...] = new.reshape(shape)
    array.flags.writeable = is_writeable
    return array

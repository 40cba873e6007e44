"""Plain values and their way between processes: what type a value is, exactly, and nothing that can run.

A value is encoded into JSON's own types where the type is exactly one of them (None, bool, str, list, short int, float)
and into an object with one key, the tag, otherwise. The checker decodes into exact types of its own, so that nothing of
the program's classes (``__eq__``, ``__hash__``, ``__len__`` …) reaches it. An instance of a subclass of a plain type is
encoded as the plain value it holds, read by the base type's own methods. All other objects stay in the program's
process and are named by a number (tag ``object``).
"""

from __future__ import annotations

import builtins
import collections
import importlib
import math
import sys
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 150
_FEW = 100  # items with one hash, in a set or among the keys of a dict
_MAX_FRACTION_BITS = 1 << 17
# Longer ones go as hexadecimal text: decimal conversion is quadratic, and Python refuses it above 4300 digits.
_SHORT_INT = 1 << 256
_FACTORIES: dict[str, Any] = {t.__name__: t for t in (int, float, str, list, dict, set, tuple, bool)}
_TYPES = {t: t.__name__ for t in vars(builtins).values() if isinstance(t, type)}
_TYPES_BY_NAME = {name: t for t, name in _TYPES.items()}
_TYPES_BY_NAME["NoneType"] = type(None)
_TYPES[type(None)] = "NoneType"


class Unencodable(Exception):
    """A value has no plain form: too deeply nested, cyclic, or of a type that must stay in its process."""


def encode(value: Any, reference: Callable[[Any], Any] | None = None, depth: int = 0) -> Any:
    """Return a value as what :func:`json.dumps` takes.

    Args:
        value: Anything.
        reference: What to send for an object that has no plain form; None to refuse it.
        depth: How deep inside other values it lies.

    Raises:
        Unencodable: If it has no plain form and there is no ``reference``, or if it is nested too deeply.
    """
    kind = type(value)
    if kind is str or kind is bool or kind is float or value is None:
        return value
    if kind is int:
        return value if -_SHORT_INT < value < _SHORT_INT else {"int": hex(value)}
    if depth > MAX_DEPTH:
        raise Unencodable(f"nested more than {MAX_DEPTH} levels deep, or cyclic")
    depth += 1
    if kind is list:
        return [encode(item, reference, depth) for item in value]
    if kind is tuple:
        return {"tuple": [encode(item, reference, depth) for item in value]}
    if kind is dict:
        return {"dict": [[encode(k, reference, depth), encode(v, reference, depth)] for k, v in value.items()]}
    if kind is set or kind is frozenset:
        return {kind.__name__: [encode(item, reference, depth) for item in value]}
    encoder = _ENCODERS.get(kind) or _NAMED_ENCODERS.get((kind.__module__, kind.__qualname__))
    if encoder is not None:
        return encoder(value, reference, depth)
    if kind is type and value in _TYPES:
        return {"type": _TYPES[value]}
    if kind.__module__ == "numpy":
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.generic | numpy.ndarray):
            return _encode_numpy(numpy, value, reference, depth)
    plain = _as_base(value, kind, reference, depth)
    if plain is not None:
        return plain[0]
    if reference is None:
        raise Unencodable(f"an object of type {kind.__name__} has no plain form")
    return reference(value)


def _as_base(value: Any, kind: type, reference: Callable[[Any], Any] | None, depth: int) -> tuple[Any] | None:
    """Return, in a tuple of one, an instance of a plain type's subclass encoded as that type; None if it isn't one."""
    mro = type.__dict__["__mro__"].__get__(kind)
    if int in mro:
        return (encode(int.__pos__(value), reference, depth),)
    if float in mro:
        return (encode(float.__pos__(value), reference, depth),)
    if str in mro:
        return (str.__getitem__(value, slice(None)),)
    if list in mro:
        return (encode(list.__getitem__(value, slice(None)), reference, depth),)
    if tuple in mro:
        items = [encode(item, reference, depth) for item in tuple.__iter__(value)]
        fields = kind.__dict__.get("_fields")
        if type(fields) is tuple and len(fields) == len(items) and all(type(name) is str for name in fields):
            return ({"namedtuple": [kind.__name__, list(fields), items]},)
        return ({"tuple": items},)
    if dict in mro:
        pairs = [[encode(k, reference, depth), encode(v, reference, depth)] for k, v in dict.items(value)]
        return ({"dict": pairs},)
    if set in mro:
        return (encode(set.copy(value) if kind is set else set().union(set.__iter__(value)), reference, depth),)
    if frozenset in mro:
        return (encode(frozenset(frozenset.__iter__(value)), reference, depth),)
    if bytes in mro:
        return ({"bytes": bytes.decode(bytes.__getitem__(value, slice(None)), "latin-1")},)
    return None


def _encode_numpy(numpy: Any, value: Any, reference: Callable[[Any], Any] | None, depth: int) -> Any:
    array = numpy.asarray(value)
    if array.dtype.names:
        if reference is None:
            raise Unencodable(f"a numpy array of type {array.dtype} has no plain form")
        return reference(value)
    if array.dtype.hasobject:
        items = [encode(item, reference, depth) for item in array.ravel().tolist()]
        return {"objects": [list(array.shape), items]}
    tag = "array" if isinstance(value, numpy.ndarray) else "scalar"
    return {tag: [array.dtype.str, list(array.shape), array.tobytes().decode("latin-1")]}


def _items(tag: str, *extra: str) -> Callable[..., Any]:
    def encoder(value: Any, reference: Callable[[Any], Any] | None, depth: int) -> Any:
        return {tag: [[encode(item, reference, depth) for item in value], *(getattr(value, name) for name in extra)]}

    return encoder


def _pairs(tag: str) -> Callable[..., Any]:
    def encoder(value: Any, reference: Callable[[Any], Any] | None, depth: int) -> Any:
        pairs = [[encode(k, reference, depth), encode(v, reference, depth)] for k, v in dict.items(value)]
        return {tag: pairs}

    return encoder


def _encode_defaultdict(value: Any, reference: Callable[[Any], Any] | None, depth: int) -> Any:
    factory = value.default_factory
    name = None if factory is None else _TYPES.get(factory, "")
    if name is not None and name not in _FACTORIES:
        return _pairs("dict")(value, reference, depth)
    return {"defaultdict": [name, _pairs("dict")(value, reference, depth)["dict"]]}


def _encode_datetime(value: Any, reference: Callable[[Any], Any] | None, depth: int) -> Any:
    offset = None
    if value.tzinfo is not None:
        offset = value.utcoffset().total_seconds()
    fields = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return {"datetime": [fields, value.fold, offset]}


_ENCODERS: dict[type, Callable[..., Any]] = {
    bytes: lambda v, r, d: {"bytes": v.decode("latin-1")},
    bytearray: lambda v, r, d: {"bytearray": v.decode("latin-1")},
    complex: lambda v, r, d: {"complex": [v.real, v.imag]},
    range: lambda v, r, d: {"range": [encode(n) for n in (v.start, v.stop, v.step)]},
    slice: lambda v, r, d: {"slice": [encode(n, r, d) for n in (v.start, v.stop, v.step)]},
    type(Ellipsis): lambda v, r, d: {"type": "Ellipsis"},
    type(NotImplemented): lambda v, r, d: {"type": "NotImplemented"},
    collections.deque: _items("deque", "maxlen"),
    collections.OrderedDict: _pairs("OrderedDict"),
    collections.Counter: _pairs("Counter"),
    collections.defaultdict: _encode_defaultdict,
}
# By name: their modules cost memory that most programs don't need. A class that merely has such a name can say no more
# by it than any program can, namely which value it returns.
_NAMED_ENCODERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("decimal", "Decimal"): lambda v, r, d: {"Decimal": str(v)},
    ("fractions", "Fraction"): lambda v, r, d: {"Fraction": [encode(v.numerator), encode(v.denominator)]},
    ("datetime", "datetime"): _encode_datetime,
    ("datetime", "date"): lambda v, r, d: {"date": [v.year, v.month, v.day]},
    ("datetime", "time"): lambda v, r, d: {"time": [v.hour, v.minute, v.second, v.microsecond]},
    ("datetime", "timedelta"): lambda v, r, d: {"timedelta": [v.days, v.seconds, v.microseconds]},
}


def decode(data: Any, resolve: Callable[[Any], Any] | None = None) -> Any:
    """Return the value that :func:`encode` described, made of this process's own types.

    Args:
        data: What :func:`json.loads` returned.
        resolve: Makes the stand-in of an object that stayed in its process; None to refuse them.

    Raises:
        ValueError: If the data isn't what :func:`encode` makes, whatever else is wrong with it.
    """
    try:
        return _decode(data, resolve, 0)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, UnicodeError) as error:
        raise ValueError(f"not an encoded value: {type(error).__name__}: {error}") from None


def _decode(data: Any, resolve: Callable[[Any], Any] | None, depth: int) -> Any:
    kind = type(data)
    if kind is list:
        if depth > MAX_DEPTH + 2:
            raise ValueError("not an encoded value: nested too deeply")
        return [_decode(item, resolve, depth + 1) for item in data]
    if kind is not dict:
        return data
    if len(data) != 1 or depth > MAX_DEPTH + 2:
        raise ValueError("not an encoded value: an object needs exactly one tag")
    ((tag, body),) = data.items()
    if tag == "tuple":
        return tuple([_decode(item, resolve, depth + 1) for item in body])
    if tag == "dict":
        return dict(_keyed(body, lambda item: _decode(item, resolve, depth + 1)))
    if tag == "object":
        if resolve is None:
            raise ValueError("not an encoded value: an object where only values are taken")
        return resolve(body)
    return _DECODERS[tag](body, lambda item: _decode(item, resolve, depth + 1))


def _spread(items: list[Any]) -> list[Any]:
    """Return items to be put into a set or the keys of a dict, if that takes time in proportion to their number.

    Equal hashes make it quadratic, and no loop that runs in C can be interrupted.

    Raises:
        ValueError: If too many that differ have the same hash.
    """
    if len(items) > _FEW:
        numbers = collections.Counter(map(hash, items))
        number, count = numbers.most_common(1)[0]
        if count > _FEW:
            alike = [item for item in items if hash(item) == number]
            if any(item != alike[0] for item in alike):
                raise ValueError(f"not an encoded value: {count} items with the same hash")
    return items


def _keyed(pairs: Any, sub: Callable[[Any], Any]) -> list[tuple[Any, Any]]:
    """Return decoded pairs to make a dict of; see :func:`_spread`."""
    decoded = [(sub(k), sub(v)) for k, v in pairs]
    _spread([key for key, _ in decoded])
    return decoded


def _decode_fraction(body: Any, sub: Callable[[Any], Any]) -> Any:
    import fractions

    numerator, denominator = (sub(item) for item in body)
    # It is reduced again, in time that grows with the square of the length.
    if max(numerator.bit_length(), denominator.bit_length()) > _MAX_FRACTION_BITS:
        raise ValueError("not an encoded value: a fraction too long to reduce")
    return fractions.Fraction(numerator, denominator)


def _decode_bytes(body: Any) -> bytes:
    return bytes(body, "latin-1")


def _decode_numpy(body: Any) -> Any:
    import numpy

    dtype, shape, content = body
    return numpy.frombuffer(_decode_bytes(content), dtype=numpy.dtype(dtype)).reshape(shape).copy()


def _decode_objects(body: Any, sub: Callable[[Any], Any]) -> Any:
    import numpy

    shape, items = body
    array = numpy.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        array[index] = sub(item)
    return array.reshape(shape)


def _made(module: str, name: str, arguments: list[Any]) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments)


def _decode_type(body: str) -> Any:
    if body == "Ellipsis":
        return Ellipsis
    if body == "NotImplemented":
        return NotImplemented
    return _TYPES_BY_NAME[body]


def _decode_datetime(body: Any) -> Any:
    import datetime

    fields, fold, offset = body
    zone = None if offset is None else datetime.timezone(datetime.timedelta(seconds=offset))
    return datetime.datetime(*fields).replace(fold=fold, tzinfo=zone)


def _decode_namedtuple(body: Any, sub: Callable[[Any], Any]) -> Any:
    name, fields, items = body
    return collections.namedtuple(name, fields)(*(sub(item) for item in items))


_DECODERS: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "int": lambda b, sub: int(b, 16),
    "set": lambda b, sub: set(_spread([sub(item) for item in b])),
    "frozenset": lambda b, sub: frozenset(_spread([sub(item) for item in b])),
    "bytes": lambda b, sub: _decode_bytes(b),
    "bytearray": lambda b, sub: bytearray(_decode_bytes(b)),
    "complex": lambda b, sub: complex(b[0], b[1]),
    "range": lambda b, sub: range(*(sub(item) for item in b)),
    "slice": lambda b, sub: slice(*(sub(item) for item in b)),
    "type": lambda b, sub: _decode_type(b),
    "Decimal": lambda b, sub: _made("decimal", "Decimal", [b]),
    "Fraction": _decode_fraction,
    "deque": lambda b, sub: collections.deque([sub(item) for item in b[0]], b[1]),
    "OrderedDict": lambda b, sub: collections.OrderedDict(_keyed(b, sub)),
    "Counter": lambda b, sub: collections.Counter(dict(_keyed(b, sub))),
    "defaultdict": lambda b, sub: collections.defaultdict(
        None if b[0] is None else _FACTORIES[b[0]], dict(_keyed(b[1], sub))
    ),
    "datetime": lambda b, sub: _decode_datetime(b),
    "date": lambda b, sub: _made("datetime", "date", b),
    "time": lambda b, sub: _made("datetime", "time", b),
    "timedelta": lambda b, sub: _made("datetime", "timedelta", b),
    "namedtuple": _decode_namedtuple,
    "array": lambda b, sub: _decode_numpy(b),
    "scalar": lambda b, sub: _decode_numpy(b)[()],
    "objects": _decode_objects,
}


def literal(value: Any) -> str | None:
    """Return the expression that makes a decoded value, or None if it has no such form.

    For None, bool, int, float, complex, str, bytes and Ellipsis, and for list, tuple, dict and non-empty set of them,
    it is what ``repr`` gives and ``ast.literal_eval`` reads, except that ``nan`` and ``inf`` are written
    ``float('nan')`` and ``float('inf')``.
    """
    try:
        return _literal(value)
    except (Unencodable, RecursionError, ValueError):
        return None


def _literal(value: Any) -> str:
    kind = type(value)
    if value is None or kind in (
        bool,
        str,
        bytes,
        bytearray,
        range,
        type(Ellipsis),
    ):
        return repr(value)
    if kind is int:
        # Hexadecimal has no limit of digits.
        return repr(value) if -_SHORT_INT < value < _SHORT_INT else _long_int(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float('{value!r}')"
    if kind is complex:
        return repr(value) if math.isfinite(value.real) and math.isfinite(value.imag) else f"complex('{value!r}')"
    if kind is list:
        return "[" + ", ".join(map(_literal, value)) + "]"
    if kind is tuple:
        return "(" + ", ".join(map(_literal, value)) + (",)" if len(value) == 1 else ")")
    if kind is dict:
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if kind is set:
        return "{" + ", ".join(map(_literal, value)) + "}" if value else "set()"
    if kind is frozenset:
        return "frozenset({" + ", ".join(map(_literal, value)) + "})" if value else "frozenset()"
    if kind in (collections.OrderedDict, collections.Counter):
        return f"{kind.__name__}({_literal(dict(value))})"
    if kind is collections.defaultdict:
        factory = "None" if value.default_factory is None else value.default_factory.__name__
        return f"defaultdict({factory}, {_literal(dict(value))})"
    if kind is collections.deque:
        return f"deque({_literal(list(value))}" + (")" if value.maxlen is None else f", maxlen={value.maxlen})")
    if (kind.__module__, kind.__qualname__) in _NAMED_ENCODERS:
        return repr(value)
    if kind.__module__ == "numpy":
        return _numpy_literal(value)
    raise Unencodable(kind.__name__)


def _long_int(value: int) -> str:
    limit = getattr(sys, "get_int_max_str_digits", lambda: 0)()
    return repr(value) if not limit or value.bit_length() * 0.30103 + 1 < limit else hex(value)


def _numpy_literal(value: Any) -> str:
    text = repr(value)
    if "..." in text:
        raise Unencodable("a numpy array too long to write out")
    return " ".join(text.split())

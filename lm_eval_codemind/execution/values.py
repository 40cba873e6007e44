"""Plain values and their way between processes: what type a value is, exactly, and nothing that can run.

A value is encoded into JSON's own types where the type is exactly one of them (None, bool, str, list, short int, float)
and into an object with one key, the tag, otherwise. The checker decodes into exact types of its own, so that nothing of
the program's classes (``__eq__``, ``__hash__``, ``__len__`` …) reaches it. An instance of a subclass of a plain type is
encoded as the plain value it holds, read by the base type's own methods, unless its class is the program's own (see
:mod:`.objects`). All other objects stay in the program's process and are named by a number (tag ``object``).
"""

from __future__ import annotations

import builtins
import collections
import importlib
import math
import sys
import types
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


MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, UnicodeError)


def encode(
    value: Any,
    reference: Callable[[Any], Any] | None = None,
    depth: int = 0,
    item: Callable[[Any], Any] | None = None,
) -> Any:
    """Return a value as what :func:`json.dumps` takes.

    Args:
        value: Anything.
        reference: What to send for an object that has no plain form; None to refuse it.
        depth: How deep inside other values it lies.
        item: Encodes what lies inside the value, instead of this function itself.

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
    if item is None:
        if kind is list:
            return [encode(part, reference, depth) for part in value]
        if kind is tuple:
            return {"tuple": [encode(part, reference, depth) for part in value]}
        if kind is dict:
            return {"dict": [[encode(k, reference, depth), encode(v, reference, depth)] for k, v in value.items()]}

        def item(part: Any) -> Any:
            return encode(part, reference, depth)

    if kind is set or kind is frozenset:
        return {kind.__name__: [item(part) for part in value]}
    encoder = _ENCODERS.get(kind) or _NAMED_ENCODERS.get((kind.__module__, kind.__qualname__))
    if encoder is not None:
        return encoder(value, item)
    if kind is type and value in _TYPES:
        return {"type": _TYPES[value]}
    if kind.__module__.startswith("numpy"):
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.generic | numpy.ndarray):
            return _encode_numpy(numpy, value, reference, item)
    plain = _as_base(value, kind, item)
    if plain is not None:
        return plain[0]
    if reference is None:
        raise Unencodable(f"an object of type {kind.__name__} has no plain form")
    return reference(value)


def _as_base(value: Any, kind: type, item: Callable[[Any], Any]) -> tuple[Any] | None:
    """Return, in a tuple of one, an instance of a plain type's subclass encoded as that type; None if it isn't one."""
    mro = type.__dict__["__mro__"].__get__(kind)
    if int in mro:
        return (item(int.__pos__(value)),)
    if float in mro:
        return (item(float.__pos__(value)),)
    if str in mro:
        return (str.__getitem__(value, slice(None)),)
    if list in mro:
        return (item(list.__getitem__(value, slice(None))),)
    if tuple in mro:
        items = [item(part) for part in tuple.__iter__(value)]
        fields = kind.__dict__.get("_fields")
        if type(fields) is tuple and len(fields) == len(items) and all(type(name) is str for name in fields):
            return ({"namedtuple": [kind.__name__, list(fields), items]},)
        return ({"tuple": items},)
    if dict in mro:
        return ({"dict": [[item(k), item(v)] for k, v in dict.items(value)]},)
    if set in mro:
        return (item(set.copy(value) if kind is set else set().union(set.__iter__(value))),)
    if frozenset in mro:
        return (item(frozenset(frozenset.__iter__(value))),)
    if bytes in mro:
        return ({"bytes": bytes.decode(bytes.__getitem__(value, slice(None)), "latin-1")},)
    datetime = sys.modules.get("datetime")
    if datetime is not None and datetime.datetime in mro:
        return (_encode_datetime(value, item),)
    return None


def _encode_numpy(numpy: Any, value: Any, reference: Callable[[Any], Any] | None, item: Callable[[Any], Any]) -> Any:
    if isinstance(value, numpy.ma.MaskedArray):
        return {"masked": [_encode_numpy(numpy, value.data, reference, item),
                           _encode_numpy(numpy, numpy.ma.getmaskarray(value), reference, item)]}  # fmt: skip
    array = numpy.asarray(value)
    if array.dtype.names:
        if reference is None or array.dtype.hasobject:
            if reference is None:
                raise Unencodable(f"a numpy array of type {array.dtype} has no plain form")
            return reference(value)
        columns = [[name, array.dtype[name].str] for name in array.dtype.names]
        if numpy.dtype([tuple(column) for column in columns]) != array.dtype:
            return reference(value)
        tag = "record" if isinstance(value, numpy.generic) else "records"
        return {tag: [columns, list(array.shape), array.tobytes().decode("latin-1")]}
    if array.dtype.hasobject:
        items = [item(part) for part in array.ravel().tolist()]
        return {"objects": [list(array.shape), items]}
    tag = "matrix" if isinstance(value, numpy.matrix) else "array" if isinstance(value, numpy.ndarray) else "scalar"
    return {tag: [array.dtype.str, list(array.shape), array.tobytes().decode("latin-1")]}


def _items(tag: str, *extra: str) -> Callable[..., Any]:
    def encoder(value: Any, item: Callable[[Any], Any]) -> Any:
        return {tag: [[item(part) for part in value], *(getattr(value, name) for name in extra)]}

    return encoder


def _pairs(tag: str) -> Callable[..., Any]:
    def encoder(value: Any, item: Callable[[Any], Any]) -> Any:
        return {tag: [[item(k), item(v)] for k, v in dict.items(value)]}

    return encoder


def _view(tag: str) -> Callable[..., Any]:
    def encoder(value: Any, item: Callable[[Any], Any]) -> Any:
        if tag == "items":
            return {tag: [[item(k), item(v)] for k, v in value]}
        return {tag: [item(part) for part in value]}

    return encoder


def _encode_defaultdict(value: Any, item: Callable[[Any], Any]) -> Any:
    factory = value.default_factory
    name = None if factory is None else _TYPES.get(factory, "")
    if name is not None and name not in _FACTORIES:
        return _pairs("dict")(value, item)
    return {"defaultdict": [name, _pairs("dict")(value, item)["dict"]]}


def _encode_zone(zone: Any, offset: Any) -> Any:
    """Return a time zone: None, a fixed offset in seconds, one with a name, or a zone's key."""
    if zone is None:
        return None
    kind = type(zone)
    key = getattr(zone, "key", None)
    if (kind.__module__.partition(".")[0], kind.__name__) == ("zoneinfo", "ZoneInfo") and type(key) is str:
        return key
    if offset is None:
        raise Unencodable("a time zone without an offset of its own")
    seconds = offset.total_seconds()
    if (kind.__module__, kind.__name__) == ("datetime", "timezone"):
        name = zone.tzname(None)
        if name != type(zone)(offset).tzname(None):
            return [seconds, name]
    return seconds


def _encode_datetime(value: Any, item: Callable[[Any], Any]) -> Any:
    fields = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return {"datetime": [fields, value.fold, _encode_zone(value.tzinfo, value.utcoffset())]}


def _encode_time(value: Any, item: Callable[[Any], Any]) -> Any:
    fields = [value.hour, value.minute, value.second, value.microsecond]
    if value.tzinfo is None and not value.fold:
        return {"time": fields}
    return {"time": [*fields, value.fold, _encode_zone(value.tzinfo, value.utcoffset())]}


def _text(tag: str) -> Callable[..., Any]:
    return lambda value, item: {tag: str(value)}


_ENCODERS: dict[type, Callable[..., Any]] = {
    bytes: lambda v, sub: {"bytes": v.decode("latin-1")},
    bytearray: lambda v, sub: {"bytearray": v.decode("latin-1")},
    complex: lambda v, sub: {"complex": [v.real, v.imag]},
    range: lambda v, sub: {"range": [encode(n) for n in (v.start, v.stop, v.step)]},
    slice: lambda v, sub: {"slice": [sub(n) for n in (v.start, v.stop, v.step)]},
    memoryview: lambda v, sub: {"memoryview": [v.tobytes().decode("latin-1"), v.format, list(v.shape)]},
    type(Ellipsis): lambda v, sub: {"type": "Ellipsis"},
    type(NotImplemented): lambda v, sub: {"type": "NotImplemented"},
    type({}.keys()): _view("keys"),
    type({}.values()): _view("values"),
    type({}.items()): _view("items"),
    type(collections.OrderedDict().keys()): _view("keys"),
    type(collections.OrderedDict().values()): _view("values"),
    type(collections.OrderedDict().items()): _view("items"),
    types.MappingProxyType: lambda v, sub: {"mappingproxy": sub(dict(v))},
    types.SimpleNamespace: lambda v, sub: {"SimpleNamespace": [[str(k), sub(x)] for k, x in vars(v).items()]},
    collections.deque: _items("deque", "maxlen"),
    collections.OrderedDict: _pairs("OrderedDict"),
    collections.Counter: _pairs("Counter"),
    collections.defaultdict: _encode_defaultdict,
    collections.ChainMap: lambda v, sub: {"ChainMap": [sub(part) for part in v.maps]},
}
# By name: their modules cost memory that most programs don't need. A class that merely has such a name can say no more
# by it than any program can, namely which value it returns.
_NAMED_ENCODERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("decimal", "Decimal"): _text("Decimal"),
    ("fractions", "Fraction"): lambda v, sub: {"Fraction": [encode(v.numerator), encode(v.denominator)]},
    ("datetime", "datetime"): _encode_datetime,
    ("datetime", "date"): lambda v, sub: {"date": [v.year, v.month, v.day]},
    ("datetime", "time"): _encode_time,
    ("datetime", "timedelta"): lambda v, sub: {"timedelta": [v.days, v.seconds, v.microseconds]},
    ("datetime", "timezone"): lambda v, sub: {"timezone": _encode_zone(v, v.utcoffset(None))},
    ("zoneinfo", "ZoneInfo"): lambda v, sub: {"timezone": _encode_zone(v, v.utcoffset(None))},
    ("array", "array"): lambda v, sub: {"packed": [v.typecode, v.tobytes().decode("latin-1")]},
}
_WITH_LITERAL = frozenset(
    {("decimal", "Decimal"), ("fractions", "Fraction")}
    | {("datetime", name) for name in ("datetime", "date", "time", "timedelta")}
)
# Immutable types that their text makes again.
_BY_TEXT = {
    "uuid": ("UUID",),
    "pathlib": ("PurePosixPath", "PureWindowsPath", "PosixPath"),
    "ipaddress": (
        "IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network", "IPv4Interface", "IPv6Interface",
    ),
}  # fmt: skip
for _module, _names in _BY_TEXT.items():
    for _name in _names:
        _NAMED_ENCODERS[_module, _name] = _text(_name)
_NAMED_ENCODERS["pathlib._local", "PosixPath"] = _text("PosixPath")
_NAMED_ENCODERS["pathlib._local", "PurePosixPath"] = _text("PurePosixPath")


def decode(
    data: Any,
    resolve: Callable[[Any], Any] | None = None,
    shared: Callable[[Any], Any] | None = None,
) -> Any:
    """Return the value that :func:`encode` described, made of this process's own types.

    Args:
        data: What :func:`json.loads` returned.
        resolve: Makes the stand-in of an object that stayed in its process; None to refuse them.
        shared: Returns the container with a number (see :mod:`.aliases`); None to refuse numbers.

    Raises:
        ValueError: If the data isn't what :func:`encode` makes, whatever else is wrong with it.
    """
    try:
        return _decode(data, resolve, 0, shared)
    except MALFORMED as error:
        raise ValueError(f"not an encoded value: {type(error).__name__}: {error}") from None


def _decode(
    data: Any, resolve: Callable[[Any], Any] | None, depth: int, shared: Callable[[Any], Any] | None = None
) -> Any:
    kind = type(data)
    if kind is list:
        if depth > MAX_DEPTH + 2:
            raise ValueError("not an encoded value: nested too deeply")
        return [_decode(item, resolve, depth + 1, shared) for item in data]
    if kind is not dict:
        return data
    if len(data) != 1 or depth > MAX_DEPTH + 2:
        raise ValueError("not an encoded value: an object needs exactly one tag")
    ((tag, body),) = data.items()
    if tag == "tuple":
        return tuple([_decode(item, resolve, depth + 1, shared) for item in body])
    if tag == "ref" and shared is not None:
        return shared(body)
    if tag == "dict":
        return dict(keyed(body, lambda item: _decode(item, resolve, depth + 1, shared)))
    if tag == "object":
        if resolve is None:
            raise ValueError("not an encoded value: an object where only values are taken")
        return resolve(body)
    return _DECODERS[tag](body, lambda item: _decode(item, resolve, depth + 1, shared))


def spread(items: list[Any]) -> list[Any]:
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


def keyed(pairs: Any, sub: Callable[[Any], Any]) -> list[tuple[Any, Any]]:
    """Return decoded pairs to make a dict of; see :func:`spread`."""
    decoded = [(sub(k), sub(v)) for k, v in pairs]
    spread([key for key, _ in decoded])
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
    kind = numpy.dtype([tuple(column) for column in dtype] if type(dtype) is list else dtype)
    if kind.hasobject:
        # Its bytes would be addresses.
        raise ValueError("an array of objects as bytes")
    return numpy.frombuffer(_decode_bytes(content), dtype=kind).reshape(shape).copy()


def _decode_masked(body: Any, sub: Callable[[Any], Any]) -> Any:
    import numpy

    content, mask = body
    return numpy.ma.array(sub(content), mask=sub(mask))


def _decode_memoryview(body: Any) -> memoryview:
    content, layout, shape = body
    view = memoryview(_decode_bytes(content))
    return view if (layout, shape) == ("B", [len(view)]) else view.cast(layout, shape)


def _decode_packed(body: Any) -> Any:
    import array

    made = array.array(body[0])
    made.frombytes(_decode_bytes(body[1]))
    return made


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


def _decode_zone(body: Any) -> Any:
    import datetime

    if body is None:
        return None
    if type(body) is str:
        import zoneinfo

        try:
            return zoneinfo.ZoneInfo(body)
        except OSError as error:
            raise ValueError(str(error)) from None
    seconds, *name = body if type(body) is list else [body]
    return datetime.timezone(datetime.timedelta(seconds=seconds), *name)


def _decode_datetime(body: Any) -> Any:
    import datetime

    fields, fold, zone = body
    return datetime.datetime(*fields).replace(fold=fold, tzinfo=_decode_zone(zone))


def _decode_time(body: Any) -> Any:
    import datetime

    made = datetime.time(*body[:4])
    return made if len(body) == 4 else made.replace(fold=body[4], tzinfo=_decode_zone(body[5]))


def _decode_namedtuple(body: Any, sub: Callable[[Any], Any]) -> Any:
    name, fields, items = body
    # Fields that Python named itself begin with an underscore; the order alone then tells their names.
    return collections.namedtuple(name, fields, rename=True)(*(sub(item) for item in items))


def _decode_text(module: str, name: str) -> Callable[[Any, Callable[[Any], Any]], Any]:
    def decoder(body: Any, sub: Callable[[Any], Any]) -> Any:
        if type(body) is not str:
            raise ValueError("a text that is none")
        return _made(module, name, [body])

    return decoder


_DECODERS: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "int": lambda b, sub: int(b, 16),
    "set": lambda b, sub: set(spread([sub(item) for item in b])),
    "frozenset": lambda b, sub: frozenset(spread([sub(item) for item in b])),
    "bytes": lambda b, sub: _decode_bytes(b),
    "bytearray": lambda b, sub: bytearray(_decode_bytes(b)),
    "complex": lambda b, sub: complex(b[0], b[1]),
    "range": lambda b, sub: range(*(sub(item) for item in b)),
    "slice": lambda b, sub: slice(*(sub(item) for item in b)),
    "type": lambda b, sub: _decode_type(b),
    "Decimal": lambda b, sub: _made("decimal", "Decimal", [b]),
    "Fraction": _decode_fraction,
    "deque": lambda b, sub: collections.deque([sub(item) for item in b[0]], b[1]),
    "OrderedDict": lambda b, sub: collections.OrderedDict(keyed(b, sub)),
    "Counter": lambda b, sub: collections.Counter(dict(keyed(b, sub))),
    "defaultdict": lambda b, sub: collections.defaultdict(
        None if b[0] is None else _FACTORIES[b[0]], dict(keyed(b[1], sub))
    ),
    "datetime": lambda b, sub: _decode_datetime(b),
    "date": lambda b, sub: _made("datetime", "date", b),
    "time": lambda b, sub: _decode_time(b),
    "timezone": lambda b, sub: _decode_zone(b),
    "packed": lambda b, sub: _decode_packed(b),
    "memoryview": lambda b, sub: _decode_memoryview(b),
    "keys": lambda b, sub: dict.fromkeys([sub(item) for item in b]).keys(),
    "values": lambda b, sub: dict(enumerate([sub(item) for item in b])).values(),
    "items": lambda b, sub: {sub(k): sub(v) for k, v in b}.items(),
    "mappingproxy": lambda b, sub: types.MappingProxyType(sub(b)),
    "SimpleNamespace": lambda b, sub: types.SimpleNamespace(**{str(k): sub(v) for k, v in b}),
    "ChainMap": lambda b, sub: collections.ChainMap(*[sub(item) for item in b]),
    "timedelta": lambda b, sub: _made("datetime", "timedelta", b),
    "namedtuple": _decode_namedtuple,
    "array": lambda b, sub: _decode_numpy(b),
    "scalar": lambda b, sub: _decode_numpy(b)[()],
    "objects": _decode_objects,
    "matrix": lambda b, sub: _made("numpy", "asmatrix", [_decode_numpy(b)]),
    "masked": _decode_masked,
    "records": lambda b, sub: _decode_numpy(b),
    "record": lambda b, sub: _decode_numpy(b)[()],
}
for _module, _names in _BY_TEXT.items():
    for _name in _names:
        _DECODERS[_name] = _decode_text(_module, _name)


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
    if (kind.__module__, kind.__qualname__) in _WITH_LITERAL:
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

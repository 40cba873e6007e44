"""The Python expression that makes a value: what ``evaluate`` says about a result.

It is written in the program's process. Nothing here decides a verdict.
"""

import collections
import math
import sys
from typing import Any

from .values import MAX_DEPTH, SHORT_INT

_FACTORIES = (int, float, str, list, dict, set, tuple, bool)
_BASES: tuple[type, ...] = (int, float, str, list, tuple, dict, set, frozenset, bytes)
_WRITES_ITSELF = frozenset(
    {("decimal", "Decimal"), ("fractions", "Fraction")}
    | {("datetime", name) for name in ("datetime", "date", "time", "timedelta")}
)


class NoLiteral(Exception):
    """A value has no literal."""


def literal(value: Any) -> str | None:
    """Return the expression that makes a value, or None if it has no such form.

    For None, bool, int, float, complex, str, bytes and Ellipsis, and for list, tuple, dict and non-empty set of them,
    it is what ``repr`` gives and ``ast.literal_eval`` reads, except that ``nan`` and ``inf`` are written
    ``float('nan')`` and ``float('inf')``. An instance of a class that is derived from one of these types is written as
    the plain value it holds. A named tuple has no literal.
    """
    try:
        return _literal(value, 0)
    except Exception:
        return None


def _literal(value: Any, depth: int) -> str:
    kind = type(value)
    if depth > MAX_DEPTH:
        raise NoLiteral("nested too deeply")
    if value is None or kind in (bool, str, bytes, bytearray, range, type(Ellipsis)):
        return repr(value)
    if kind is int:
        return repr(value) if -SHORT_INT < value < SHORT_INT else _long_int(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float('{value!r}')"
    if kind is complex:
        return repr(value) if math.isfinite(value.real) and math.isfinite(value.imag) else f"complex('{value!r}')"
    depth += 1
    if kind is list:
        return "[" + _items(value, depth) + "]"
    if kind is tuple:
        return "(" + _items(value, depth) + (",)" if len(value) == 1 else ")")
    if kind is dict:
        return _pairs(value, depth)
    # A set of the same items that was never larger: its order does not tell of what was removed.
    if kind is set:
        return "{" + _items(set(iter(value)), depth) + "}" if value else "set()"
    if kind is frozenset:
        return "frozenset({" + _items(frozenset(iter(value)), depth) + "})" if value else "frozenset()"
    if kind in (collections.OrderedDict, collections.Counter):
        return f"{kind.__name__}({_pairs(value, depth)})"
    if kind is collections.defaultdict:
        factory = value.default_factory
        if factory is not None and factory not in _FACTORIES:
            return _pairs(value, depth)
        return f"defaultdict({'None' if factory is None else factory.__name__}, {_pairs(value, depth)})"
    if kind is collections.deque:
        return f"deque([{_items(value, depth)}]" + (")" if value.maxlen is None else f", maxlen={value.maxlen})")
    if (kind.__module__, kind.__qualname__) in _WRITES_ITSELF:
        return repr(value)
    if kind.__module__.startswith("numpy"):
        return _numpy(value)
    for base in _BASES:
        if issubclass(kind, base) and not hasattr(kind, "_fields"):
            return _literal(_plain(base, value), depth)
    raise NoLiteral(kind.__name__)


def _plain(base: Any, value: Any) -> Any:
    """Return the plain contents of an instance of a derived class, read with the methods of the plain type."""
    if base in (int, float):
        return base.__pos__(value)
    if base in (set, frozenset):
        return base(base.__iter__(value))
    return dict(dict.items(value)) if base is dict else base.__getitem__(value, slice(None))


def _items(values: Any, depth: int) -> str:
    return ", ".join([_literal(item, depth) for item in values])


def _pairs(mapping: Any, depth: int) -> str:
    pairs = [f"{_literal(key, depth)}: {_literal(item, depth)}" for key, item in dict.items(mapping)]
    return "{" + ", ".join(pairs) + "}"


def _long_int(value: int) -> str:
    limit = getattr(sys, "get_int_max_str_digits", lambda: 0)()
    # Hexadecimal has no limit of digits.
    return repr(value) if not limit or value.bit_length() * 0.30103 + 1 < limit else hex(value)


def _numpy(value: Any) -> str:
    numpy = sys.modules["numpy"]
    if not isinstance(value, numpy.generic | numpy.ndarray) or isinstance(value, numpy.ma.MaskedArray):
        raise NoLiteral(type(value).__name__)
    text = repr(value)
    if "..." in text or "<" in text:
        raise NoLiteral("a numpy array that its text does not make again")
    return " ".join(text.split())

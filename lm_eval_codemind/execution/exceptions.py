"""Exceptions as plain values."""

from __future__ import annotations

from typing import Any

from . import values

MAX_TEXT = 4000


def describe(error: BaseException) -> dict[str, Any]:
    """Return an exception as plain values: names of its types, text, and its arguments where they are plain."""
    kind = type(error)
    bases = [base.__name__ for base in kind.__mro__ if base.__module__ == "builtins" and base is not object]
    try:
        text = str(error)
    except BaseException as second:
        text = f"<{type(second).__name__} while printing the exception>"
    try:
        arguments = values.encode(list(error.args)) if len(text) <= MAX_TEXT else None
    except BaseException:
        arguments = None
    return {
        "type": str(kind.__name__)[:200],
        "module": str(kind.__module__)[:200],
        "bases": bases,
        "message": text[:MAX_TEXT],
        "arguments": arguments,
        "errno": error.errno if isinstance(error, OSError) and type(error.errno) is int else None,
        "id": None,
    }

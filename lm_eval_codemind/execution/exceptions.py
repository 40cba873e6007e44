"""Exceptions as plain values."""

from __future__ import annotations

import builtins
from typing import Any

MAX_TEXT = 4000


def describe(error: BaseException) -> dict[str, Any]:
    """Return an exception as plain values: the name of its type, its built-in base classes, and its text."""
    kind = type(error)
    bases = [base.__name__ for base in kind.__mro__ if base.__module__ == "builtins" and base is not object]
    try:
        text = str(error)
    except BaseException as second:
        text = f"<{type(second).__name__} while printing the exception>"
    return {
        "type": str(kind.__name__)[:200],
        "bases": bases,
        "message": text[:MAX_TEXT],
        "errno": error.errno if isinstance(error, OSError) and type(error.errno) is int else None,
        "builtin": _is_plain(error),
    }


def _is_plain(error: BaseException) -> bool:
    """Whether an exception consists of a built-in class and its arguments."""
    return vars(builtins).get(type(error).__name__) is type(error) and not vars(error) and error.__cause__ is None

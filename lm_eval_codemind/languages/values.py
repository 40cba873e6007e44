"""Values written as Python literals, the form of labels and inputs in every language."""

import cmath
from collections.abc import Callable
from typing import Any

from lm_eval_codemind.answers.literals import Arguments

# Bits of a number. Every Python reads its decimal form: the limit is 4300 digits by default, and never below 640.
_LONG_INT = 2000


def render(value: Any) -> str:
    """Return the Python expression for a value of a literal. Arguments without a constructor have no brackets.

    Raises:
        TypeError: If the value has another type.
    """
    if isinstance(value, Arguments):
        keywords = [f"{name}={render(item)}" for name, item in value.keywords]
        text = ", ".join([*map(render, value.positional), *keywords])
        return f"{value.constructor}({text})" if value.constructor else text
    if value is ...:
        return "..."
    if isinstance(value, (float, complex)) and not cmath.isfinite(value):
        return f"{type(value).__name__}('{value!r}')"
    if isinstance(value, int) and value.bit_length() >= _LONG_INT:
        # Python limits the digits of decimal integers that it writes and reads. Hexadecimal integers have no limit.
        return hex(value)
    if value is None or isinstance(value, (int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, frozenset):
        return f"frozenset({in_brackets(value, render) if value else ''})"
    if isinstance(value, (list, tuple, dict, set)):
        return in_brackets(value, render)
    raise TypeError(f"not the value of a literal: {type(value).__name__}")


def in_brackets(value: Any, text: Callable[[Any], str], order: Callable[[list[str]], list[str]] = list) -> str:
    """Return the Python expression for a list, a tuple, a dict or a set.

    Args:
        order: Returns the expressions for the items of a set in the order in which they are written.
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{text(key)}: {text(item)}' for key, item in value.items())}}}"
    items = list(map(text, value))
    if isinstance(value, list):
        return f"[{', '.join(items)}]"
    if isinstance(value, tuple):
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return f"{{{', '.join(order(items))}}}" if items else "set()"

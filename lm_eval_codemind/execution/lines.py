"""The lines of a printed output, as ``answers/lines.py`` defines them.

The rule is stated twice, since the sandbox's processes see this directory only. A test compares both.
"""

from __future__ import annotations


def printed_lines(text: str) -> list[str]:
    r"""Return the lines of an output without white space at their ends, and without empty lines at its end.

    Only ``\n`` ends a line: a form feed, or another character that :meth:`str.splitlines` splits at, stands inside one.
    White space in front of a line is part of it.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines

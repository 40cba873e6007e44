"""The lines of a printed output, as ``answers/lines.py`` defines them.

The rule is stated twice, since the sandbox's processes see this directory only. A test compares both.
"""

from __future__ import annotations


def printed_lines(text: str) -> list[str]:
    """Return the lines of an output as they are compared."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines

"""The definition of a line for the comparison of printed outputs.

``execution/judge.py`` repeats this rule, because the sandbox's processes cannot import this package.
"""


def printed_lines(text: str) -> list[str]:
    r"""Return the lines of an output without trailing white space and without trailing empty lines.

    Only ``\n`` ends a line. A form feed, or another character that :meth:`str.splitlines` splits at, is part of a line.
    Leading white space is part of a line too.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines

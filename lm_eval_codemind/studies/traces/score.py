"""Published scores of whole executions.

CoCoNUT (arXiv 2501.16456) has several calls of each program. x is 1 if the lines of a call are right::

    mean = mean over programs of (mean of x over the program's calls)
    hard = mean over programs of (x = 1 for all of its calls)

In the published table the labels are collapsed and the answers are not: an answer is right if it equals the label
without repeats.

CES (arXiv 2510.15079) gives each loop two bits, variables and iterables, and each chain of ``if``, ``elif`` and
``else`` two bits, conditions and branches. The third bit is the output. A program is coherent if no construct has an
incoherent pattern: a wrong bit in front of a right output, and for conditions also a wrong condition with a right
branch.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby


def collapsed(lines: Iterable[int]) -> list[int]:
    """Return the numbers of lines without repeats: of equal numbers in a row one is kept."""
    return [line for line, _ in groupby(lines)]


def coherent(loop: bool, first: bool, second: bool, output: bool) -> bool:
    """Whether the bits of a construct are coherent: 111, 000, 100, 110, and of loops 010.

    The first bit is that of the loop variables, or the conditions; the second that of the iterables, or the branches.
    """
    if output:
        return first and second
    return first or loop or not second


def program_mean(rights: Sequence[float]) -> float:
    """Return the mean of x over the calls of a program."""
    return sum(rights) / len(rights)


def program_hard(rights: Sequence[float]) -> float:
    """Return 1 if x is 1 for all calls of a program, else 0."""
    return float(all(right == 1 for right in rights))

"""Do two verdicts about the same problems go together? Pure functions; association says nothing about causes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lm_eval_codemind.statistics import Correlation, Estimate, bootstrap, of_equal_problems, proportion, spearman

# How many groups the paper's tool takes: those of the smallest values.
GROUPS = 10


@dataclass(frozen=True)
class Association:
    """The association of two verdicts.

    Attributes:
        phi: The correlation of the verdicts, with its bootstrap interval.
        p: Two-sided p value of Fisher's exact test of no association.
        given_right: The share of problems that the second has right among those that the first has right.
        given_wrong: The same among those that the first has wrong.
    """

    phi: Estimate
    p: float
    given_right: float
    given_wrong: float


def associate(first: Sequence[bool], second: Sequence[bool]) -> Association:
    """Return the association of two verdicts on the same problems, in the same order.

    a, b, c, d are the numbers of problems that both, only the first, only the second and neither has right::

        phi = (ad - bc) / sqrt((a + b)(c + d)(a + c)(b + d))
        P(second | first right) = a / (a + b)                       P(second | first wrong) = c / (c + d)

    A value is NaN if one of its margins is 0.
    """
    from scipy import stats

    a, b, c, d = counted(first, second).values()
    # Fisher's test conditions on the margins: where one is empty, there is nothing to test.
    varies = min(a + b, c + d, a + c, b + d) > 0
    p = float(stats.fisher_exact([[a, b], [c, d]]).pvalue) if varies else math.nan
    return Association(phi(first, second), p, proportion(a, a + b).value, proportion(c, c + d).value)


def counted(first: Sequence[bool], second: Sequence[bool]) -> dict[str, int]:
    """Return the numbers of problems that both, only the first, only the second and neither has right."""
    pairs = Counter(zip(first, second, strict=True))
    return {
        "both": pairs[True, True],
        "first_only": pairs[True, False],
        "second_only": pairs[False, True],
        "neither": pairs[False, False],
    }


def phi(first: Sequence[bool], second: Sequence[bool]) -> Estimate:
    """Return phi, the correlation of two verdicts, with its percentile bootstrap interval over problems.

    ``phi = (E[xy] - E[x]E[y]) / sqrt(E[x](1 - E[x])E[y](1 - E[y]))``; NaN where one of the two does not vary. Draws in
    which one does not vary count as 0, no association. Where phi is 1 or -1, the draws in which both vary are equal,
    and the interval is that of :func:`of_equal_problems`.
    """
    rows = [(float(x), float(y), float(x and y)) for x, y in zip(first, second, strict=True)]
    if len(set(first)) < 2 or len(set(second)) < 2:
        return Estimate(math.nan, math.nan, math.nan, len(rows))

    def of_means(means: Any) -> Any:
        x, y, xy = (means[..., column] for column in range(3))
        spread = np.sqrt(np.clip(x * (1 - x) * y * (1 - y), 0, None))
        return np.divide(xy - x * y, spread, out=np.zeros_like(spread), where=spread > 1e-12)

    estimate = bootstrap(rows, of_means, lowest=-1.0)
    if abs(estimate.value) < 1 - 1e-12:
        return estimate
    value = float(np.sign(estimate.value))
    return Estimate(value, *of_equal_problems(value, len(rows), -1.0), len(rows))


def grouped(values: Sequence[float], solved: Sequence[bool]) -> list[tuple[int, int, int]]:
    """Return the problems grouped by their rounded value of a measure: the groups of the smallest values, ascending.

    A group is the value, how many of its problems are solved, and how many there are.
    """
    counts: dict[int, list[bool]] = {}
    for value, verdict in zip(values, solved, strict=True):
        counts.setdefault(round(value), []).append(bool(verdict))
    return [(value, sum(counts[value]), len(counts[value])) for value in sorted(counts)[:GROUPS]]


def spearman_of_groups(values: Sequence[float], solved: Sequence[bool]) -> Correlation:
    """Return Spearman's correlation of a measure's value with the success rate of the problems that have this value.

    The form in which the paper reports RQ4 (its tool takes the ten smallest values). A group of one problem weighs as
    much as one of a hundred, so this is another quantity than the correlation over problems, and usually far larger.
    """
    groups = grouped(values, solved)
    return spearman([value for value, _, _ in groups], [right / n for _, right, n in groups])

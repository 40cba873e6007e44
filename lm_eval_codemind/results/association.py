"""Do two verdicts about the same problems go together? Pure functions; association says nothing about causes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lm_eval_codemind.statistics import CONFIDENCE, Correlation, Estimate, bootstrap, proportion, spearman

# How many groups the paper's tool takes: those of the smallest values.
GROUPS = 10


@dataclass(frozen=True)
class Association:
    """The association of two verdicts: on how many problems both are right, one of them or neither; and statistics.

    Attributes:
        phi: The correlation of the verdicts, with its bootstrap interval.
        odds_ratio: The sample odds ratio, ``both * neither / (first_only * second_only)``, with the exact interval that
            belongs to Fisher's test (of the conditional odds ratio).
        p: Two-sided p value of Fisher's exact test of no association.
        given_right: The share of problems that the second has right among those that the first has right.
        given_wrong: The same among those that the first has wrong.
        difference: The first share minus the second, with Newcombe's interval.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    phi: Estimate
    odds_ratio: Estimate
    p: float
    given_right: Estimate
    given_wrong: Estimate
    difference: Estimate

    @property
    def n(self) -> int:
        """The number of problems."""
        return self.both + self.first_only + self.second_only + self.neither


def associate(first: Sequence[bool], second: Sequence[bool]) -> Association:
    """Return the association of two verdicts on the same problems, in the same order.

    a, b, c, d are the numbers of problems that both, only the first, only the second and neither has right::

        phi = (ad - bc) / sqrt((a + b)(c + d)(a + c)(b + d))        odds ratio = ad / (bc)
        P(second | first right) = a / (a + b)                       P(second | first wrong) = c / (c + d)

    A value is NaN if one of its margins is 0.

    Raises:
        ValueError: If the two differ in length.
    """
    from scipy import stats
    from scipy.stats.contingency import odds_ratio

    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} verdicts do not form pairs; give both for every problem")
    pairs = list(zip(map(bool, first), map(bool, second), strict=True))
    a, b, c, d = (pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    # Fisher's test conditions on the margins: where one is empty, there is nothing to test.
    odds, p = Estimate(math.nan, math.nan, math.nan, len(pairs)), math.nan
    if min(a + b, c + d, a + c, b + d) > 0:
        table = [[a, b], [c, d]]
        result, ends = stats.fisher_exact(table), odds_ratio(table).confidence_interval(CONFIDENCE)
        odds, p = Estimate(float(result.statistic), float(ends.low), float(ends.high), len(pairs)), float(result.pvalue)
    given_right, given_wrong = proportion(a, a + b), proportion(c, c + d)
    difference = difference_of_proportions(given_right, given_wrong)
    return Association(a, b, c, d, phi(first, second), odds, p, given_right, given_wrong, difference)


def phi(first: Sequence[bool], second: Sequence[bool]) -> Estimate:
    """Return phi, the correlation of two verdicts, with its percentile bootstrap interval over problems.

    ``phi = (E[xy] - E[x]E[y]) / sqrt(E[x](1 - E[x])E[y](1 - E[y]))``; NaN where one of the two does not vary. Draws in
    which one does not vary count as 0, no association.
    """
    rows = [(float(x), float(y), float(x and y)) for x, y in zip(first, second, strict=True)]
    if len(set(first)) < 2 or len(set(second)) < 2:
        return Estimate(math.nan, math.nan, math.nan, len(rows))

    def of_means(means: Any) -> Any:
        x, y, xy = (means[..., column] for column in range(3))
        spread = np.sqrt(np.clip(x * (1 - x) * y * (1 - y), 0, None))
        return np.divide(xy - x * y, spread, out=np.zeros_like(spread), where=spread > 1e-12)

    return bootstrap(rows, of_means)


def difference_of_proportions(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent proportions with Newcombe's interval (Stat. Med. 17, 1998, method 10).

    With (l, u) the Wilson intervals of p1 and p2::

        [d - sqrt((p1 - l1)^2 + (u2 - p2)^2),  d + sqrt((u1 - p1)^2 + (p2 - l2)^2)],   d = p1 - p2
    """
    d = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(d, d - below, d + above, first.n + second.n)


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

"""Standard errors of means over items that come in clusters, such as several documents about one problem."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import nan, sqrt


def clustered_mean_stderr(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the standard error of a mean over clustered values.

    With n values, G clusters and psi_i = (x_i - mean) / n:

    ``SE = sqrt(G / (G - 1) * sum over clusters of (sum of psi_i over the cluster) ** 2)``

    If every cluster has one value, this is the usual ``s / sqrt(n)``.

    Args:
        values: The values.
        clusters: Value by value, the cluster that it belongs to.

    Returns:
        Not a number for fewer than two clusters.
    """
    mean = sum(values) / len(values) if values else nan
    return clustered_stderr_of([(value - mean) / len(values) for value in values], clusters)


def clustered_stderr_of(influences: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the standard error of a statistic from the influence of each item on it.

    The equation is that of :func:`clustered_mean_stderr`, with psi_i the influence of item i.

    Returns:
        Not a number for fewer than two clusters.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    for influence, cluster in zip(influences, clusters, strict=True):
        sums[cluster] += influence
    if len(sums) < 2:
        return nan
    return sqrt(len(sums) / (len(sums) - 1) * sum(total * total for total in sums.values()))

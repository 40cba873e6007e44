"""Standard errors, intervals, correlations and paired tests: pure functions on numbers."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Coverage of all intervals.
CONFIDENCE = 0.95
_NORMAL = NormalDist()
# The normal quantile of that coverage.
_Z = _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
# The probability with which a test finds the smallest difference that it is said to find.
POWER = 0.8
# Resamples of a bootstrap and the seed it starts from, so that the same samples give the same interval.
RESAMPLES = 2000
SEED = 20240214
# Both ends of an interval that would rest on fewer than two problems. Not a number, and tables name it.
TOO_FEW = float("nan")
# Of more rows than the first number the draws are made in blocks, of more than the second they are not kept for the
# next bootstrap. Blocks of this size give the same product as all draws at once, to the last bit.
_ONE_BLOCK, _KEPT, _BLOCK = 1 << 12, 1 << 14, 200


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval, and the number of samples it rests on."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation: rho, its confidence interval and p value (two-sided), and the number of pairs."""

    rho: float
    low: float
    high: float
    p: float
    n: int


@dataclass(frozen=True)
class Comparison:
    """A paired comparison of two sets of scores.

    Attributes:
        difference: Mean of the first minus mean of the second.
        low: Lower end of the confidence interval of the difference.
        high: Upper end of it.
        p: Two-sided p value of "no difference".
        test: ``McNemar`` (both sets hold only 0 and 1) or ``paired bootstrap``.
        n: Number of pairs.
    """

    difference: float
    low: float
    high: float
    p: float
    test: str
    n: int


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
    return clustered_stderr_of(_influences(values), clusters)


def _influences(values: Sequence[float]) -> list[float]:
    """Return the influence of each value on the mean."""
    mean = sum(values) / len(values) if values else math.nan
    return [(value - mean) / len(values) for value in values]


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
        return math.nan
    return math.sqrt(len(sums) / (len(sums) - 1) * sum(total * total for total in sums.values()))


def systematic_stderr(values: Sequence[float], drawn: Sequence[Sequence[float]]) -> float:
    """Return the standard error of the mean of a systematic draw; see :func:`systematic_stderr_of`.

    Args:
        values: The values.
        drawn: Value by value, its place in the order of the draw and the share of all items that was drawn.
    """
    return systematic_stderr_of(_influences(values), drawn)


def systematic_stderr_of(influences: Sequence[float], drawn: Sequence[Sequence[float]]) -> float:
    """Return the standard error of a statistic of a systematic draw from a finite population.

    Of N items in an order every (N / n)-th is drawn, so that neighbours in the draw resemble each other. With f = n / N
    and psi_i the influence of the i-th of them in this order, for a mean (y_i - mean) / n (Wolter, Introduction to
    Variance Estimation, 2007, section 8.2, estimator v_2):

    ``SE = sqrt((1 - f) * n / (2 (n - 1)) * sum over i > 1 of (psi_i - psi_(i-1)) ** 2)``

    It is the error of the statistic as an estimate of what all N items would give. Of an item with several responses
    psi_i is the sum of their influences.

    Args:
        influences: The influence of each response.
        drawn: Response by response, the place of its item in the order of the draw and the share f.

    Returns:
        Not a number for fewer than two items.
    """
    of_place: dict[float, float] = defaultdict(float)
    for influence, (place, _) in zip(influences, drawn, strict=True):
        of_place[place] += influence
    n = len(of_place)
    if n < 2:
        return math.nan
    steps = math.fsum((of_place[after] - of_place[before]) ** 2 for before, after in pairwise(sorted(of_place)))
    return math.sqrt((1 - drawn[0][1]) * n / (2 * (n - 1)) * steps)


# Tables and pages ask for the same proportion many times.
@lru_cache(maxsize=10_000)
def proportion(successes: int, n: int) -> Estimate:
    """Return a proportion with its Wilson score interval; all NaN if ``n`` is 0.

    With p = successes / n and z the normal quantile of the coverage, the interval is

        (p + z²/2n ± z √(p(1 - p)/n + z²/4n²)) / (1 + z²/n)
    """
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    p, square = successes / n, _Z**2 / n
    middle, half = p + square / 2, math.sqrt(square * (p * (1 - p) + square / 4))
    # Of no success and of nothing else an end is 0 or 1, whatever rounding makes of it.
    low = (middle - half) / (1 + square) if successes else 0.0
    high = (middle + half) / (1 + square) if successes < n else 1.0
    return Estimate(p, low, high, n)


def mean(scores: Sequence[float]) -> Estimate:
    """Return the mean of scores with its interval: Wilson's where all scores are 0 or 1, else the bootstrap's."""
    if is_binary(scores):
        return proportion(int(sum(scores)), len(scores))
    return bootstrap([(score,) for score in scores], lambda means: means[..., 0])


def ratio(problems: Sequence[tuple[float, float]]) -> Estimate:
    """Return ``sum of a_i / sum of b_i`` over problems (a_i, b_i) with its interval.

    If all b_i are equal, this is the mean of ``a_i / b_i`` and has its interval, else it has the bootstrap's.
    """
    if len({b for _, b in problems}) <= 1:
        return mean([a / b for a, b in problems])
    return bootstrap(problems, lambda means: means[..., 0] / means[..., 1])


def weighted_mean(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """Return the weighted mean of independent estimates with its interval (Zou and Donner, Stat. Med. 27, 2008).

    With estimates v_i in [l_i, u_i] and weights w_i that are divided by their sum, the mean is V = Σ w_i v_i, in

        [V - √Σ w_i² (v_i - l_i)²,  V + √Σ w_i² (u_i - v_i)²]

    A single estimate keeps its interval. All NaN if there are no estimates.
    """
    total = sum(weights)
    if not total:
        return Estimate(math.nan, math.nan, math.nan, 0)
    parts = [(weight / total, one) for weight, one in zip(weights, estimates, strict=True)]
    value = math.fsum(share * one.value for share, one in parts)
    if any(one.low is TOO_FEW for one in estimates):
        return Estimate(value, TOO_FEW, TOO_FEW, sum(one.n for one in estimates))
    below = math.sqrt(math.fsum((share * (one.value - one.low)) ** 2 for share, one in parts))
    above = math.sqrt(math.fsum((share * (one.high - one.value)) ** 2 for share, one in parts))
    return Estimate(value, value - below, value + above, sum(one.n for one in estimates))


def systematic_mean(values: Sequence[float], drawn: Sequence[Sequence[float]]) -> Estimate:
    """Return the mean of a systematic draw with its interval, 1.96 times :func:`systematic_stderr` to either side.

    The interval is about the mean over all items, drawn or not. Where all values are equal it is that of
    :func:`of_equal_problems`.
    """
    n, error = len(values), systematic_stderr(values, drawn)
    value = sum(values) / n if n else math.nan
    return _by_error(value, error, n)


def _by_error(value: float, error: float, n: int) -> Estimate:
    """Return an estimate in [0, 1] with the interval of its standard error; of equal values it is not normal."""
    if error < 1e-12:
        return Estimate(value, *of_equal_problems(value, n, 0.0), n)
    return Estimate(value, max(0.0, value - 1.96 * error), min(1.0, value + 1.96 * error), n)


def adjusted_mean(scores: Sequence[float], difficulties: Sequence[float], mean: float, total: int) -> Estimate:
    """Return the mean score of all problems that a regression on difficulty predicts from some of them.

    Let b be the slope of the scores y of n problems on their difficulties d, D the mean difficulty of all N problems, e
    the residuals, s² = Σ e² / (n - 2), and w = 1 / n + (D - mean(d)) (d - mean(d)) / Σ (d - mean(d))². Then

        Y   = mean(y) + b (D - mean(d))
        SE² = n / (n - 2) Σ e² (w - 1 / N)² + (N - n) s² / N²

    of which the second term is what the other problems add (Valliant, Dorfman and Royall, Finite Population Sampling
    and Inference, 2000, chapter 5).

    The interval is 1.96 SE to either side; where all scores are equal it is that of :func:`of_equal_problems`. It holds
    if scores depend on difficulty as the line says, whichever problems were answered.

    Args:
        scores: Of the answered problems.
        difficulties: Of the answered problems.
        mean: D.
        total: N.

    Returns:
        All NaN for fewer than ten problems, or if they are equally difficult.
    """
    n, y, d = len(scores), np.asarray(scores, dtype=float), np.asarray(difficulties, dtype=float)
    if n < 10 or np.ptp(d) < 1e-12:
        return Estimate(math.nan, math.nan, math.nan, n)
    spread, away = float(((d - d.mean()) ** 2).sum()), mean - float(d.mean())
    slope = float(((d - d.mean()) * y).sum()) / spread
    residuals = y - y.mean() - slope * (d - d.mean())
    weights = 1 / n + away * (d - d.mean()) / spread - 1 / total
    others = (total - n) * float((residuals**2).sum()) / (n - 2) / total**2
    error = math.sqrt(n / (n - 2) * float((residuals**2 * weights**2).sum()) + others)
    return _by_error(min(1.0, max(0.0, float(y.mean()) + slope * away)), error, n)


def is_binary(scores: Sequence[float]) -> bool:
    """Whether all scores are 0 or 1."""
    return all(score in (0, 1) for score in scores)


def bootstrap(rows: Sequence[Sequence[float]], of_means: Callable[[Any], Any], lowest: float = 0.0) -> Estimate:
    """Return a function of column means with its percentile bootstrap interval (Efron, 1979).

    Every R score is such a function: R_IER and R_DSR are the mean of one column, and R_SR = mean(pass) exp(mean(S_SR))
    uses two. Each resample draws rows with replacement, one row per problem. The interval lies between two quantiles of
    the resamples. The seed is fixed, so equal rows give equal intervals. If all resamples are equal, the interval comes
    from :func:`of_equal_problems`.

    Args:
        rows: One row per problem, all of the same length.
        of_means: Maps an array whose last axis holds the means of the columns to an array without that axis.
        lowest: The lowest value of the function: 0, or -1 for a difference. Its highest is 1.

    Returns:
        All NaN if there are no rows.
    """
    n = len(rows)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    table = np.asarray(rows, dtype=float)
    value = float(of_means(table.mean(axis=0)))
    return Estimate(value, *_ends(of_means(_resampled(table)), value, n, lowest), n)


def _resampled(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of the columns in each draw of rows, shape (RESAMPLES, columns); of one column, (RESAMPLES,).

    The product of the rows' counts in the draws with the table gives the sums. It is made of some draws at a time.
    """
    n = len(table)
    blocks = _kept(n) if n <= _KEPT else _draws(n)
    return np.concatenate([counts.astype(float, copy=False) @ table / n for counts in blocks])


@lru_cache(maxsize=4)
def _kept(n: int) -> list[NDArray[Any]]:
    return list(_draws(n))


def _draws(n: int) -> Iterator[NDArray[Any]]:
    """Yield the count of each row in each draw, shape (draws, n), all from one stream of random numbers.

    Of many rows the counts are bytes: a row comes once in a draw on average, and never 256 times.
    """
    random = np.random.default_rng(SEED)
    draws = RESAMPLES if n <= _ONE_BLOCK else _BLOCK
    for _ in range(RESAMPLES // draws):
        cells = random.integers(0, n, (draws, n))
        cells += n * np.arange(draws)[:, None]
        yield (
            np.bincount(cells.ravel(), minlength=draws * n)
            .reshape(draws, n)
            .astype(float if n <= _ONE_BLOCK else np.uint8)
        )


def _ends(resampled: NDArray[np.float64], value: float, n: int, lowest: float) -> tuple[float, float]:
    """Return the ends of the percentile interval of a statistic, from its values in the draws."""
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, 1 - (1 - CONFIDENCE) / 2])
    return of_equal_problems(value, n, lowest) if np.ptp(resampled) < 1e-12 else (float(low), float(high))


def of_equal_problems(value: float, n: int, lowest: float) -> tuple[float, float]:
    """Return the ends of the interval of a statistic v that is the same in all n problems: resampling shows no error.

    Up to w of all problems may still be different, the upper end of Wilson's interval for 0 of n. With z the normal
    quantile of the coverage, the interval is [v - w, v + w] inside of the statistic's range, with

        w = z² / (n + z²)
    """
    most = proportion(0, n).high
    return min(value, max(lowest, value - most)), max(value, min(1.0, value + most))


def spearman(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """Return Spearman's rank correlation of two measures of the same problems.

    The interval is Bonett and Wright's (Psychometrika 65, 2000), with z the normal quantile:

        tanh(artanh(rho) ± z √((1 + rho²/2) / (n - 3)))

    The result is NaN if there are fewer than four pairs or if one side is constant.

    Raises:
        ValueError: If the two differ in length.
    """
    from scipy import stats

    if len(x) != len(y):
        raise ValueError(f"a correlation needs pairs, but there are {len(x)} and {len(y)} values")
    n = len(x)
    if n < 4 or len(set(x)) < 2 or len(set(y)) < 2:
        return Correlation(math.nan, math.nan, math.nan, math.nan, n)
    result = stats.spearmanr(x, y)
    rho, p = float(result.statistic), float(result.pvalue)
    if abs(rho) >= 1:
        return Correlation(rho, rho, rho, p, n)
    half = _Z * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return Correlation(rho, math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half), p, n)


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare two models on the same problems.

    Scores that are all 0 or 1 are compared by McNemar's exact test: b + c problems are solved by exactly one model, and
    b of them by the first. If the models are equally good, b is binomial with probability 1/2. Other scores are
    compared by a paired bootstrap of the mean difference d: p = 2 min(P(d* ≤ 0), P(d* ≥ 0)), which lies between
    2 / (resamples + 1) and 1. The interval of the difference is the bootstrap's in both cases.

    Args:
        first: Scores of the first model, one per problem.
        second: Scores of the second model on the same problems, in the same order.

    Raises:
        ValueError: If the two differ in length.
    """
    return compare_all([(first, second)])[0]


def compare_all(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> list[Comparison]:
    """Return what :func:`compare` does for each pair of models, in less time.

    Raises:
        ValueError: If the scores of a pair differ in length.
    """
    for first, second in pairs:
        if len(first) != len(second):
            raise ValueError(f"a paired test needs pairs, but there are {len(first)} and {len(second)} scores")
    differences = [np.asarray(first, dtype=float) - np.asarray(second, dtype=float) for first, second in pairs]
    means = [np.empty(0)] * len(pairs)
    together: dict[int, list[int]] = defaultdict(list)
    for place, of_pair in enumerate(differences):
        if np.array_equal(of_pair, np.rint(of_pair)):
            together[len(of_pair)].append(place)
        else:
            means[place] = _resampled(of_pair)
    # Sums of whole numbers are exact in any order, so that one product gives what each pair's own would.
    for n, places in together.items():
        columns = _resampled(np.stack([differences[place] for place in places], axis=1)) if n else np.empty((0, 0))
        for place, column in zip(places, columns.T, strict=False):
            means[place] = column
    return [_compared(*pair, *parts) for pair, *parts in zip(pairs, differences, means, strict=True)]


def _compared(
    first: Sequence[float], second: Sequence[float], differences: NDArray[np.float64], means: NDArray[np.float64]
) -> Comparison:
    n = len(differences)
    if n == 0:
        return Comparison(math.nan, math.nan, math.nan, math.nan, "none", 0)
    low, high = _ends(means, float(differences.mean()), n, -1.0)
    if is_binary(first) and is_binary(second):
        p = _mcnemar(int((differences > 0).sum()), int((differences < 0).sum()))
        return Comparison(float(differences.mean()), low, high, p, "McNemar", n)
    below, above = int((means <= 0).sum()), int((means >= 0).sum())
    p = min(1.0, 2 * (min(below, above) + 1) / (RESAMPLES + 1))
    return Comparison(float(differences.mean()), low, high, p, "paired bootstrap", n)


def _mcnemar(only_first: int, only_second: int) -> float:
    """Return the p value of McNemar's exact test: min(1, 2 P(X ≤ min(b, c))) with X binomial(b + c, 1/2)."""
    discordant = only_first + only_second
    ways = total = 1
    for k in range(min(only_first, only_second)):
        ways = ways * (discordant - k) // (k + 1)
        total += ways
    return min(1.0, 2 * total / (1 << discordant))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values corrected for the number of tests by Holm's step-down method (Scand. J. Statist. 6, 1979).

    With the m values in rising order p(1) … p(m):  p'(i) = min(1, max over j ≤ i of (m - j + 1) p(j)).

    NaN, a test that could not be made, stays NaN and is not counted.
    """
    order = sorted((i for i, p in enumerate(p_values) if not math.isnan(p)), key=lambda i: p_values[i])
    corrected = [math.nan] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected


def smallest_difference(discordance: float, n: int, tests: int = 1) -> float:
    """Return the smallest difference of two means that a paired test of n problems finds with a probability of 0.8.

    With psi the mean squared difference of the scores of a problem (of verdicts: the share that exactly one model
    solves), and m tests of which the first of Holm's steps asks for 0.05 / m (Connor, Biometrics 43, 1987):

        delta = (z(1 - 0.05 / 2m) + z(0.8)) sqrt(psi / n)

    Returns:
        Not a number if no score differs, as nothing tells how often scores would.
    """
    return _quantiles(tests) * math.sqrt(discordance / n) if n and discordance else math.nan


def problems_needed(discordance: float, difference: float, tests: int = 1) -> float:
    """Return how many problems a paired test needs to find a difference with a probability of 0.8.

    It is the equation of :func:`smallest_difference`, solved for n. Not a number if there is no difference.
    """
    return math.ceil(_quantiles(tests) ** 2 * discordance / difference**2) if difference else math.nan


def _quantiles(tests: int) -> float:
    return _NORMAL.inv_cdf(1 - (1 - CONFIDENCE) / (2 * tests)) + _NORMAL.inv_cdf(POWER)

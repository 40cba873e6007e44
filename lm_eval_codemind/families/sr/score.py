"""Specification reasoning: does a test in the specification help a model write correct code?

From the specification S the model writes C_S ("no test"), from S and one test t of the suite T it writes C_{S+t} ("with
test"); both are validated on all of T. Equations 3 and 4 of arXiv 2402.09664:

``S_SR(L, S, T) = (1 - Pass(C_S, T)) * Pass(C_{S+t}, T)``

``R_SR(L, B) = Pass_B * exp(mean of S_SR over B)``, Pass_B being the share of benchmark B passed with no test.

A pair here is ``(Pass(C_S, T), Pass(C_{S+t}, T))`` of one problem. With one response a setting, as in the paper, each
is 0 or 1. With several, each is the share of responses that pass: as the responses under the two settings are
drawn independently of each other, the product is then an unbiased estimate of S_SR's expectation.
"""

from collections.abc import Sequence
from math import exp, sqrt

Pair = tuple[float, float]


def s_sr(without_test: float, with_test: float) -> float:
    """Return S_SR of one problem (equation 3): 1 if only the code written with the test passes.

    Args:
        without_test: Pass(C_S, T), in [0, 1].
        with_test: Pass(C_{S+t}, T), in [0, 1].
    """
    return (1.0 - without_test) * with_test


def mean_s_sr(pairs: Sequence[Pair]) -> float:
    """Return the mean of S_SR over a benchmark, the exponent of equation 4.

    Raises:
        ValueError: If there are no pairs.
    """
    return _mean([s_sr(*pair) for pair in pairs])


def r_sr(pairs: Sequence[Pair]) -> float:
    """Return R_SR over a benchmark (equation 4): ``mean(without) * exp(mean(S_SR))``.

    May exceed 1: the factor rewards problems that the test alone made solvable.

    Raises:
        ValueError: If there are no pairs.
    """
    return _mean([without for without, _ in pairs]) * exp(mean_s_sr(pairs))


def gained(pairs: Sequence[Pair]) -> float:
    """Return the share of the problems unsolved without the test that are solved with it.

    ``gained = sum of (1 - Pass(C_S, T)) * Pass(C_{S+t}, T) / sum of (1 - Pass(C_S, T))`` over the benchmark. The first
    study of CodeMind (arXiv 2402.09664 v1) calls this R_SR. Not a number where everything is solved without the test.
    """
    unsolved = sum(1.0 - without for without, _ in pairs)
    return sum(s_sr(*pair) for pair in pairs) / unsolved if unsolved else float("nan")


def gained_stderr(pairs: Sequence[Pair]) -> float:
    """Return the standard error of :func:`gained`, a ratio of means, by the delta method.

    With u the share not solved without the test and S the scores, g = mean(S) / mean(u) has the variance
    ``Var(S - g * u) / (n * mean(u)**2)``. Not a number for fewer than two pairs, or where everything is solved.
    """
    ratio = gained(pairs)
    if len(pairs) < 2 or ratio != ratio:
        return float("nan")
    rest = [s_sr(*pair) - ratio * (1.0 - pair[0]) for pair in pairs]
    return sqrt(max(_covariance(rest, rest), 0.0) / len(pairs)) / _mean([1.0 - without for without, _ in pairs])


def mean_s_sr_stderr(pairs: Sequence[Pair]) -> float:
    """Return the standard error of :func:`mean_s_sr`; not a number for fewer than two pairs."""
    scores = [s_sr(*pair) for pair in pairs]
    return sqrt(_covariance(scores, scores) / len(pairs)) if len(pairs) > 1 else float("nan")


def r_sr_stderr(pairs: Sequence[Pair]) -> float:
    """Return the standard error of R_SR by the delta method; not a number for fewer than two pairs.

    With x the passes without test, p and m the means of x and S, R = p * exp(m) has the gradient (exp(m), p * exp(m)),
    so ``Var(R) = exp(2m) / n * (Var(x) + 2 * p * Cov(x, S) + p**2 * Var(S))``.
    """
    if len(pairs) < 2:
        return float("nan")
    passes = [without for without, _ in pairs]
    scores = [s_sr(*pair) for pair in pairs]
    p, m = _mean(passes), _mean(scores)
    variance = _covariance(passes, passes) + 2 * p * _covariance(passes, scores) + p * p * _covariance(scores, scores)
    return exp(m) * sqrt(max(variance, 0.0) / len(pairs))


def _mean(values: Sequence[float]) -> float:
    if not values:
        raise ValueError("SR scores of no problems are not defined")
    return sum(values) / len(values)


def _covariance(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the sample covariance, with n - 1 in the denominator as in the harness's own standard errors."""
    a, b = _mean(first), _mean(second)
    return sum((x - a) * (y - b) for x, y in zip(first, second, strict=True)) / (len(first) - 1)

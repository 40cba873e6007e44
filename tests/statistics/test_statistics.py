"""Estimates and tests against values from scipy, from equations worked out by hand, and from published tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lm_eval_codemind.statistics import (
    RESAMPLES,
    SEED,
    Estimate,
    bootstrap,
    clustered_mean_stderr,
    clustered_stderr_of,
    compare,
    compare_all,
    holm,
    mean,
    proportion,
    spearman,
    weighted_mean,
)


def first_mean(means):
    return means[..., 0]


def test_wilson_interval_of_a_textbook_example():
    # 81 of 263 and 0 of 20: Newcombe (Statistics in Medicine 17, 1998), table I, method 3.
    for estimate, low, high in ((proportion(81, 263), 0.2553, 0.3662), (proportion(0, 20), 0.0, 0.1611)):
        assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


@given(st.integers(0, 400), st.integers(0, 400))
def test_interval_of_a_proportion_and_mcnemar_s_test_are_those_of_scipy(right, wrong):
    estimate = proportion(right, right + wrong)
    tested = compare([1.0] * right + [0.0] * wrong, [0.0] * right + [1.0] * wrong)
    if right + wrong:
        binomial = stats.binomtest(right, right + wrong, 0.5)
        interval = binomial.proportion_ci(method="wilson")
        assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high), rel=1e-12)
        assert tested.p == pytest.approx(binomial.pvalue, rel=1e-9)


def test_no_samples_give_nan_instead_of_an_error():
    none = compare([], [])
    assert (none.n, none.test, proportion(0, 0).n, bootstrap([], first_mean).n) == (0, "none", 0, 0)
    values = (none.difference, none.p, proportion(0, 0).value, mean([]).value, weighted_mean([], []).value)
    assert all(map(math.isnan, values))


def test_verdicts_have_wilson_s_interval_and_other_scores_the_bootstrap_s():
    assert mean([1, 0, 1]) == proportion(2, 3)
    assert mean([1, 0, 0.5]) == bootstrap([(1,), (0,), (0.5,)], first_mean)
    assert (mean([0.5]).n, mean([0.5]).value) == (1, 0.5)


def test_bootstrap_of_a_function_of_several_means():
    rows = [(1, 0), (0, 1), (1, 1), (0, 0)] * 10

    def statistic(means):
        return means[..., 0] * np.exp(means[..., 1])

    estimate = bootstrap(rows, statistic)
    assert estimate == bootstrap(rows, statistic)
    assert estimate.value == pytest.approx(0.5 * math.exp(0.5))
    # Drawn one by one, the slow way.
    generator, table = np.random.default_rng(1), np.array(rows)
    values = [statistic(table[generator.integers(0, 40, 40)].mean(axis=0)) for _ in range(4000)]
    assert [estimate.low, estimate.high] == pytest.approx(list(np.quantile(values, [0.025, 0.975])), abs=0.03)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_problems_have_an_interval(value):
    """At 0 and 1 it is Wilson's; it narrows with the number of problems."""
    few, many = (bootstrap([(value,)] * n, first_mean) for n in (10, 1000))
    assert few.low <= many.low <= value <= many.high <= few.high and few.low < few.high
    assert many.high - many.low < 0.01
    if value in (0, 1):
        wilson = proportion(int(10 * value), 10)
        assert [few.low, few.high] == pytest.approx([wilson.low, wilson.high])


def test_equal_differences_have_an_interval():
    same = compare([1.0, 0.0] * 20, [1.0, 0.0] * 20)
    assert same.difference == 0 and same.low == -same.high < 0 and same.p == 1
    gap = bootstrap([(0.0,)] * 40, first_mean, lowest=-1.0)
    assert (gap.low, gap.high) == (same.low, same.high)


def test_the_smallest_p_value_of_the_bootstrap_is_two_in_two_thousand_and_one():
    first, second = [0.9, 0.8, 0.7, 0.6, 0.5], [0.1, 0.2, 0.3, 0.4, 0.45]
    for better, worse in ((first, second), (second, first)):
        assert compare(better, worse).p == pytest.approx(2 / 2001)
    assert compare(first, first).p == 1 and compare(first, second).n == 5


def test_the_bootstrap_s_p_value_is_near_that_of_a_t_test_and_its_interval_scipy_s():
    generator = np.random.default_rng(11)
    first = generator.normal(0.5, 0.1, 300)
    for shift in (0.004, 0.008, 0.012):
        second = first + generator.normal(0, 0.1, 300)
        second += first.mean() - second.mean() + shift
        expected = stats.ttest_rel(first, second).pvalue
        for one, other, sign in ((first, second, -1), (second, first, 1)):
            result = compare(list(one), list(other))
            assert result.p == pytest.approx(expected, abs=0.03)
            assert result.difference == pytest.approx(sign * shift)
            ends = stats.bootstrap((one - other,), np.mean, method="percentile", rng=3).confidence_interval
            assert (result.low, result.high) == pytest.approx((ends.low, ends.high), abs=0.001)


@pytest.mark.parametrize(("only_first", "only_second"), [(1, 0), (0, 1), (5, 1), (1, 5), (3, 3), (12, 4)])
def test_mcnemar_against_scipy(only_first, only_second):
    first = [1.0] * only_first + [0.0] * only_second + [1.0, 0.0]
    second = [0.0] * only_first + [1.0] * only_second + [1.0, 0.0]
    expected = stats.binomtest(only_first, only_first + only_second, 0.5).pvalue
    result = compare(first, second)
    assert (result.test, result.p) == ("McNemar", pytest.approx(expected))
    assert result.difference == pytest.approx((only_first - only_second) / len(first))
    assert result.low < result.difference < result.high
    # One set of scores that are not verdicts is enough for the other test.
    for one, other in (([*first, 0.5], [*second, 0.0]), ([*first, 0.0], [*second, 0.5])):
        assert compare(one, other).test == "paired bootstrap"


def test_scores_that_do_not_pair_are_refused():
    with pytest.raises(ValueError, match="2 and 1 scores"):
        compare([1.0, 0.0], [1.0])
    with pytest.raises(ValueError, match="3 and 2"):
        spearman([1, 2, 3], [1, 2])


def test_spearman_by_its_formula():
    x, y = list(range(10)), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]
    # All ten ranks differ by one: rho = 1 - 6 * 10 / (10 * 99).
    rho = 1 - 60 / 990
    result = spearman(x, y)
    half = 1.959963985 * math.sqrt((1 + rho * rho / 2) / 7)
    assert (result.rho, result.n) == (pytest.approx(rho), 10)
    assert result.low == pytest.approx(math.tanh(math.atanh(rho) - half))
    assert result.high == pytest.approx(math.tanh(math.atanh(rho) + half))
    assert result.p == pytest.approx(stats.spearmanr(x, y).pvalue)
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]).rho == pytest.approx(0.8)
    assert spearman([1, 1, 2, 2], [1, 1, 2, 2]).rho == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [2, 4, 6, 8]).rho == 1
    turned = spearman([1, 2, 3, 4], [4, 3, 2, 1])
    assert (turned.rho, turned.low, turned.high) == pytest.approx((-1, -1, -1))
    # Too few pairs, or nothing that varies.
    for few in (([1, 2, 3], [1, 3, 2]), ([1, 2], [1, 2]), ([1, 2, 3, 4], [5] * 4), ([1] * 4, [1, 2, 3, 4])):
        assert math.isnan(spearman(*few).rho)


@pytest.mark.proof
def test_spearman_interval_covers_the_truth_as_often_as_it_says():
    generator = np.random.default_rng(3)
    pearson = 0.5
    truth = 6 / math.pi * math.asin(pearson / 2)
    hits = 0
    for _ in range(400):
        x, y = generator.multivariate_normal([0, 0], [[1, pearson], [pearson, 1]], 60).T
        result = spearman(list(x), list(y))
        hits += result.low <= truth <= result.high
    assert 0.92 <= hits / 400 <= 0.98


def test_holm_of_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, math.nan, 0.5])[::2] == pytest.approx([0.02, 0.5])


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_a_p_value_nor_changes_their_order(p_values):
    corrected = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    pairs = sorted(zip(p_values, corrected, strict=True))
    assert [q for _, q in pairs] == sorted(q for _, q in pairs)


def test_clusters_by_hand():
    # Mean 1/2; deviations / 4: 1/8, -1/8, 1/8, -1/8. Sums: a 0, b 1/8, c -1/8. G / (G - 1) = 3 / 2.
    assert clustered_mean_stderr([1, 0, 1, 0], ["a", "a", "b", "c"]) == pytest.approx(math.sqrt(1.5 * 2 / 64))
    assert clustered_stderr_of([0.5, -0.5], ["a", "b"]) == pytest.approx(math.sqrt(2 * 0.5))
    assert math.isnan(clustered_stderr_of([0.5, -0.5], ["a", "a"])) and math.isnan(clustered_mean_stderr([], []))


def test_a_weighted_mean_of_two_by_hand():
    one, other = Estimate(0.5, 0.3, 0.6, 10), Estimate(0.8, 0.7, 1.0, 20)
    pooled = weighted_mean([one, other], [1, 3])
    assert pooled.value == pytest.approx(0.25 * 0.5 + 0.75 * 0.8)
    assert pooled.low == pytest.approx(pooled.value - math.hypot(0.25 * 0.2, 0.75 * 0.1))
    assert pooled.high == pytest.approx(pooled.value + math.hypot(0.25 * 0.1, 0.75 * 0.2))
    assert pooled.n == 30


@pytest.mark.proof
def test_the_interval_of_a_weighted_mean_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)
    rates, sizes = (0.95, 0.8, 0.6), (40, 120, 30)
    truth = sum(rate * size for rate, size in zip(rates, sizes, strict=True)) / sum(sizes)
    covered = 0
    for _ in range(1000):
        parts = [proportion(int(rng.binomial(n, rate)), n) for rate, n in zip(rates, sizes, strict=True)]
        pooled = weighted_mean(parts, sizes)
        covered += pooled.low <= truth <= pooled.high
    assert 0.93 < covered / 1000 < 0.975


@pytest.mark.parametrize("n", [5, 340, 5_395])
def test_the_bootstrap_is_that_of_all_draws_at_once(n):
    """Of many rows the draws are made in blocks; the ends are those of one table of all draws, to the last bit."""
    rows = np.random.default_rng(n).random((n, 2))
    draws = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    counts = np.stack([np.bincount(draw, minlength=n) for draw in draws]).astype(float)
    means = counts @ rows / n
    low, high = np.quantile(means[:, 0] * np.exp(means[:, 1]), [0.025, 0.975])
    estimate = bootstrap(list(map(tuple, rows)), lambda means: means[..., 0] * np.exp(means[..., 1]))
    assert (estimate.low, estimate.high) == (pytest.approx(low, rel=1e-12), pytest.approx(high, rel=1e-12))


def test_pairs_that_are_compared_together_have_the_values_of_each():
    draw = np.random.default_rng(2)
    scores = [draw.integers(0, 2, 60).astype(float).tolist() for _ in range(4)] + [draw.random(60).tolist()]
    pairs = [(one, other) for one in scores for other in scores] + [(scores[0][:7], scores[1][:7]), ([], [])]
    together = compare_all(pairs)
    assert list(map(repr, together)) == [repr(compare(*pair)) for pair in pairs]
    assert {one.test for one in together} == {"McNemar", "paired bootstrap", "none"}

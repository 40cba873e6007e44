import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lm_eval_codemind.statistics import bootstrap, compare, holm, mean, proportion, spearman, weighted_mean


def test_wilson_interval_of_a_textbook_example() -> None:
    # 81 of 263: Newcombe (Statistics in Medicine 17, 1998), table I, method 3.
    estimate = proportion(81, 263)
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (0.2553, 0.3662)
    # 0 of 20, same table.
    assert [round(x, 4) for x in (proportion(0, 20).low, proportion(0, 20).high)] == [0.0, 0.1611]


def test_no_samples_give_nan_instead_of_an_error() -> None:
    assert math.isnan(proportion(0, 0).value)
    assert math.isnan(mean([]).value)
    assert bootstrap([], lambda means: means[..., 0]).n == 0
    assert math.isnan(compare([], []).p)


def test_bootstrap_agrees_with_scipys() -> None:
    scores = list(np.random.default_rng(7).beta(2, 5, 120))
    ours = mean(scores)
    of_scipy = stats.bootstrap(
        (scores,), np.mean, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours.low == pytest.approx(of_scipy.low, abs=0.005)
    assert ours.high == pytest.approx(of_scipy.high, abs=0.005)


def test_bootstrap_of_a_function_of_several_means() -> None:
    rows = [(1, 0), (0, 1), (1, 1), (0, 0)] * 10

    def statistic(means):
        return means[..., 0] * np.exp(means[..., 1])

    estimate = bootstrap(rows, statistic)
    assert estimate == bootstrap(rows, statistic)
    assert estimate.value == pytest.approx(0.5 * math.exp(0.5))
    # Drawn one by one, the slow way.
    generator = np.random.default_rng(1)
    table = np.array(rows)
    values = [statistic(table[generator.integers(0, 40, 40)].mean(axis=0)) for _ in range(4000)]
    assert [estimate.low, estimate.high] == pytest.approx(list(np.quantile(values, [0.025, 0.975])), abs=0.03)


def test_spearman_interval_covers_the_truth_as_often_as_it_says() -> None:
    generator = np.random.default_rng(3)
    pearson = 0.5
    truth = 6 / math.pi * math.asin(pearson / 2)
    hits = 0
    for _ in range(400):
        x, y = generator.multivariate_normal([0, 0], [[1, pearson], [pearson, 1]], 60).T
        result = spearman(list(x), list(y))
        hits += result.low <= truth <= result.high
    assert 0.92 <= hits / 400 <= 0.98


def test_spearman_where_nothing_can_be_said() -> None:
    assert math.isnan(spearman([1, 1, 1, 1], [1, 2, 3, 4]).rho)
    assert math.isnan(spearman([1, 2], [1, 2]).rho)
    assert spearman([1, 2, 3, 4], [2, 4, 6, 8]).rho == 1
    with pytest.raises(ValueError, match="3 and 2"):
        spearman([1, 2, 3], [1, 2])


def test_mcnemar_is_the_exact_binomial_test_of_the_discordant_pairs() -> None:
    # 10 problems only the first solves, 2 only the second: P(X <= 2) * 2 for X ~ B(12, 1/2) = 158 / 4096.
    first = [1.0] * 10 + [0.0] * 2 + [1.0] * 30 + [0.0] * 8
    second = [0.0] * 10 + [1.0] * 2 + [1.0] * 30 + [0.0] * 8
    result = compare(first, second)
    assert result.test == "McNemar"
    assert result.p == pytest.approx(2 * (1 + 12 + 66) / 4096)
    assert result.difference == pytest.approx(8 / 50)
    assert result.low < 8 / 50 < result.high
    assert compare(first, first).p == 1


def test_holm_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, math.nan, 0.5])[::2] == pytest.approx([0.02, 0.5])


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_a_p_value_nor_changes_their_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    pairs = sorted(zip(p_values, corrected, strict=True))
    assert [q for _, q in pairs] == sorted(q for _, q in pairs)


def test_a_weighted_mean_of_one_estimate_is_that_estimate() -> None:
    one = proportion(7, 20)
    made = weighted_mean([one], [3.0])
    assert (made.value, made.low, made.high) == pytest.approx((one.value, one.low, one.high))
    assert math.isnan(weighted_mean([], []).value)


def test_the_interval_of_a_weighted_mean_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    rates, sizes = (0.95, 0.8, 0.6), (40, 120, 30)
    truth = sum(rate * size for rate, size in zip(rates, sizes, strict=True)) / sum(sizes)
    covered = 0
    for _ in range(1000):
        parts = [proportion(int(rng.binomial(n, rate)), n) for rate, n in zip(rates, sizes, strict=True)]
        pooled = weighted_mean(parts, sizes)
        covered += pooled.low <= truth <= pooled.high
    assert 0.93 < covered / 1000 < 0.975


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_problems_have_an_interval(value: float) -> None:
    """At 0 and 1 it is Wilson's; it narrows with the number of problems."""
    few, many = (bootstrap([(value,)] * n, lambda means: means[..., 0]) for n in (10, 1000))
    assert few.low <= many.low <= value <= many.high <= few.high and few.low < few.high
    assert many.high - many.low < 0.01
    if value in (0, 1):
        wilson = proportion(int(10 * value), 10)
        assert [few.low, few.high] == pytest.approx([wilson.low, wilson.high])


def test_equal_differences_have_an_interval() -> None:
    same = compare([1.0, 0.0] * 20, [1.0, 0.0] * 20)
    assert same.difference == 0 and same.low == -same.high < 0
    gap = bootstrap([(0.0,)] * 40, lambda means: means[..., 0], lowest=-1.0)
    assert (gap.low, gap.high) == (same.low, same.high)

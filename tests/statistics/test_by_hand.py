"""Scores and statistics against values from scipy, from equations worked out by hand, and from published tables."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from lm_eval_codemind.families.input.score import s_input
from lm_eval_codemind.families.runtime.score import Item, averaged_over, clustered_stderr, score
from lm_eval_codemind.families.sr.score import gained, gained_stderr, r_sr_stderr
from lm_eval_codemind.families.verdict.score import balanced, both, distance
from lm_eval_codemind.results.association import associate
from lm_eval_codemind.statistics import (
    Estimate,
    clustered_mean_stderr,
    clustered_stderr_of,
    compare,
    mean,
    proportion,
    spearman,
    weighted_mean,
)
from lm_eval_codemind.studies.traces.score import coherent, collapsed, program_hard, program_mean


def test_the_smallest_p_value_of_the_bootstrap_is_two_in_two_thousand_and_one() -> None:
    first = [0.9, 0.8, 0.7, 0.6, 0.5]
    second = [0.1, 0.2, 0.3, 0.4, 0.45]
    for better, worse in ((first, second), (second, first)):
        assert compare(better, worse).p == pytest.approx(2 / 2001)
    assert compare(first, first).p == 1
    assert compare(first, second).n == 5


def test_the_bootstrap_s_p_value_is_near_that_of_a_t_test() -> None:
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
def test_mcnemar_against_scipy(only_first: int, only_second: int) -> None:
    first = [1.0] * only_first + [0.0] * only_second + [1.0, 0.0]
    second = [0.0] * only_first + [1.0] * only_second + [1.0, 0.0]
    expected = stats.binomtest(only_first, only_first + only_second, 0.5).pvalue
    result = compare(first, second)
    assert (result.test, result.p) == ("McNemar", pytest.approx(expected))
    assert result.difference == pytest.approx((only_first - only_second) / len(first))
    # One set of scores that are not verdicts is enough for the other test.
    for one, other in (([*first, 0.5], [*second, 0.0]), ([*first, 0.0], [*second, 0.5])):
        assert compare(one, other).test == "paired bootstrap"


def test_a_comparison_needs_pairs() -> None:
    with pytest.raises(ValueError, match="2 and 1 scores"):
        compare([1.0, 0.0], [1.0])
    none = compare([], [])
    assert (none.n, none.test) == (0, "none") and math.isnan(none.difference)


def test_spearman_by_its_formula() -> None:
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
    assert math.isnan(spearman([1, 2, 3], [1, 3, 2]).rho)
    assert math.isnan(spearman([1, 2, 3, 4], [5, 5, 5, 5]).rho)
    assert spearman([1, 1, 2, 2], [1, 1, 2, 2]).rho == pytest.approx(1)
    turned = spearman([1, 2, 3, 4], [4, 3, 2, 1])
    assert (turned.rho, turned.low, turned.high) == pytest.approx((-1, -1, -1))


def test_clusters_by_hand() -> None:
    # Mean 1/2; deviations / 4: 1/8, -1/8, 1/8, -1/8. Sums: a 0, b 1/8, c -1/8. G / (G - 1) = 3 / 2.
    assert clustered_mean_stderr([1, 0, 1, 0], ["a", "a", "b", "c"]) == pytest.approx(math.sqrt(1.5 * 2 / 64))
    assert clustered_stderr_of([0.5, -0.5], ["a", "b"]) == pytest.approx(math.sqrt(2 * 0.5))
    assert math.isnan(clustered_stderr_of([0.5, -0.5], ["a", "a"]))
    assert math.isnan(clustered_mean_stderr([], []))


def test_a_weighted_mean_of_two_by_hand() -> None:
    one, other = Estimate(0.5, 0.3, 0.6, 10), Estimate(0.8, 0.7, 1.0, 20)
    pooled = weighted_mean([one, other], [1, 3])
    assert pooled.value == pytest.approx(0.25 * 0.5 + 0.75 * 0.8)
    assert pooled.low == pytest.approx(pooled.value - math.hypot(0.25 * 0.2, 0.75 * 0.1))
    assert pooled.high == pytest.approx(pooled.value + math.hypot(0.25 * 0.1, 0.75 * 0.2))
    assert pooled.n == 30


def test_verdicts_have_wilson_s_interval_and_other_scores_the_bootstrap_s() -> None:
    assert mean([1, 0, 1]) == proportion(2, 3)
    assert mean([1, 0, 0.5]) != proportion(1, 3)
    assert (proportion(0, 0).n, mean([0.5]).n, mean([0.5]).value) == (0, 1, 0.5)


def test_an_association_has_scipy_s_interval() -> None:
    first = [True] * 45 + [False] * 55
    second = [True] * 35 + [False] * 10 + [True] * 15 + [False] * 40
    result = associate(first, second)
    ends = stats.contingency.odds_ratio([[35, 10], [15, 40]]).confidence_interval(0.95)
    assert (result.odds_ratio.low, result.odds_ratio.high) == pytest.approx((ends.low, ends.high))
    assert (result.given_right.n, result.given_wrong.n, result.difference.n, result.phi.n) == (45, 55, 100, 100)
    corrected = np.corrcoef(first, second)[0, 1]
    table = np.array([first, second], dtype=float)
    drawn = (table[:, np.random.default_rng(n).integers(0, 100, 100)] for n in range(2000))
    phis = [np.corrcoef(draw)[0, 1] for draw in drawn if draw.std(axis=1).all()]
    assert result.phi.value == pytest.approx(corrected)
    assert (result.phi.low, result.phi.high) == pytest.approx(tuple(np.quantile(phis, [0.025, 0.975])), abs=0.04)


ITEMS = [
    Item("a", True, True, True, True, True, True),
    Item("a", True, False, True, True, False, True),
    Item("b", False, False, True, False, False, True),
    Item("b", True, True, False, False, True, False),
    Item("c", False, False, False, True, True, False),
    Item("c", False, False, None, False, True, False),
    Item("d", True, True, True, False, False, True),
]


@pytest.mark.parametrize(
    "metric", ["coverage", "coverage_f1", "coverage_balanced", "state", "state_executed", "path_executed", "ic"]
)
def test_standard_errors_are_those_of_the_infinitesimal_jackknife(metric: str) -> None:
    """The influence of an item is the derivative of the metric by its weight, here from repeated items."""
    many = 4000

    def weighted(place: int, extra: int) -> float:
        return score(metric, ITEMS * many + [ITEMS[place]] * extra)

    base = weighted(0, 0)
    influences = [(weighted(place, 1) - base) * many for place in range(len(ITEMS))]
    expected = clustered_stderr_of(influences, [item.program for item in ITEMS])
    assert clustered_stderr(metric, ITEMS) == pytest.approx(expected, rel=1e-3)


def test_metrics_leave_items_out() -> None:
    counts = {"coverage": 7, "coverage_balanced": 7, "state_executed": 4, "path_executed": 3, "coverage_f1": 7}
    assert {metric: averaged_over(metric, ITEMS) for metric in counts} == counts
    hidden = [item for item in ITEMS if not item.executed]
    assert math.isnan(score("state_executed", hidden)) and math.isnan(score("coverage_balanced", hidden))
    silent = [item for item in hidden if item.said_executed is not True]
    assert score("coverage_f1", silent) == 0
    assert math.isnan(clustered_stderr("state_executed", hidden))


def test_what_a_test_gains() -> None:
    pairs = [(0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (0.5, 1.0), (0.25, 0.5)]
    unsolved, product_of_both = 1 + 1 + 0 + 0.5 + 0.75, 1 + 0 + 0 + 0.5 + 0.75 * 0.5
    assert gained(pairs) == pytest.approx(product_of_both / unsolved)
    generator = np.random.default_rng(2)
    table = np.array(pairs * 40)
    draws = [gained([tuple(row) for row in table[generator.integers(0, 200, 200)]]) for _ in range(600)]
    assert gained_stderr([tuple(row) for row in table]) == pytest.approx(np.std(draws), rel=0.1)
    assert math.isnan(gained([(1.0, 0.0)])) and math.isnan(gained_stderr([(1.0, 0.0)] * 3))
    assert math.isnan(gained_stderr(pairs[:1])) and not math.isnan(gained_stderr(pairs[:2]))
    assert not math.isnan(r_sr_stderr([(1.0, 1.0), (0.0, 1.0)]))


def test_coherence_of_ces_pattern_by_pattern() -> None:
    fine = {True: {"111", "000", "100", "110", "010"}, False: {"111", "000", "100", "110"}}
    for loop, *bits in product((True, False), repeat=4):
        pattern = "".join(str(int(bit)) for bit in bits)
        assert coherent(loop, *bits) == (pattern in fine[loop]), (loop, pattern)


def test_coconut_s_scores() -> None:
    assert collapsed([1, 1, 2, 3, 3, 1]) == [1, 2, 3, 1] and collapsed([]) == []
    assert program_mean([1, 0, 1, 0]) == 0.5
    assert [program_hard(rights) for rights in ([1, 1], [1, 0], [0.5, 1])] == [1, 0, 0]


def test_verdicts() -> None:
    assert balanced(1, 0.5) == 0.75 and both(0.5, 0.5) == 0.25 and both(1, 0) == 0
    assert distance(5, {2, 9}) == 3 and distance(8, {2, 9}) == 1 and distance(4, [4]) == 0
    assert distance(None, [4]) == math.inf


@pytest.mark.parametrize(
    ("recorded", "computed", "right"),
    [(True, None, True), (False, None, False), (False, "[1, 2]", True), (False, "(1, 2)", False)],
)
def test_an_input_is_right_if_it_gives_the_output(recorded: bool, computed: str | None, right: bool) -> None:
    assert s_input(recorded, computed, "[1,2]", printed=False) is right

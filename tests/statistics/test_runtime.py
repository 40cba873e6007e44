import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.families.runtime.score import Item, averaged_over, clustered_stderr, ic, score
from lm_eval_codemind.statistics import clustered_stderr_of


def test_ic_of_all_sixteen_patterns():
    """Worked out by hand: the answers count in order, up to the first wrong one, and nothing may be right after it."""
    by_hand = {"1111": 1.0, "1110": 0.5, "1100": 0.25, "1000": 0.125}
    for pattern in product((True, False), repeat=4):
        assert ic(*pattern) == by_hand.get("".join(str(int(right)) for right in pattern), 0.0)


# Program, executed, goes on, said executed, state, path, output.
ITEMS = [
    Item("a", True, True, True, True, True, True),
    Item("a", True, False, True, True, False, True),
    Item("a", False, False, True, False, False, True),
    Item("b", True, True, False, False, True, False),
    Item("b", False, False, False, True, True, False),
    Item("c", False, False, None, False, True, False),
]


@pytest.mark.parametrize(("metric", "expected"), [
    ("coverage", 3 / 6),
    ("coverage_f1", 4 / 6),  # TP 2, FP 1, FN 1
    ("coverage_balanced", (2 / 3 + 1 / 3) / 2), ("state", 3 / 6), ("state_executed", 2 / 3), ("path", 4 / 6),
    ("path_executed", 2 / 2), ("output", 3 / 6),
    ("ic", (1 + 0 + 0 + 0 + 1 / 2 + 0) / 6),  # 1111, 1101, 0001, 0010, 1110, 0010
])  # fmt: skip
def test_scores_worked_out_by_hand(metric, expected):
    assert score(metric, ITEMS) == pytest.approx(expected)


def test_clustered_standard_error_by_hand():
    """State: mean 1/2, sums of deviations a: 1/2, b: 0, c: -1/2."""
    assert clustered_stderr("state", ITEMS) == pytest.approx(math.sqrt(3 / 2 * (0.25 + 0.25)) / 6)


@pytest.mark.parametrize(
    "metric", ["coverage", "coverage_f1", "coverage_balanced", "state", "state_executed", "path_executed", "ic"]
)
def test_standard_errors_are_those_of_the_infinitesimal_jackknife(metric):
    """The influence of an item is the derivative of the metric by its weight, here from repeated items."""
    many = 4000

    def weighted(place: int, extra: int) -> float:
        return score(metric, ITEMS * many + [ITEMS[place]] * extra)

    base = weighted(0, 0)
    influences = [(weighted(place, 1) - base) * many for place in range(len(ITEMS))]
    expected = clustered_stderr_of(influences, [item.program for item in ITEMS])
    assert clustered_stderr(metric, ITEMS) == pytest.approx(expected, rel=1e-3)


def test_metrics_leave_items_out():
    counts = {"coverage": 6, "coverage_balanced": 6, "state_executed": 3, "path_executed": 2, "coverage_f1": 6}
    assert {metric: averaged_over(metric, ITEMS) for metric in counts} == counts
    hidden = [item for item in ITEMS if not item.executed]
    assert math.isnan(score("state_executed", hidden)) and math.isnan(score("coverage_balanced", hidden))
    silent = [item for item in hidden if item.said_executed is not True]
    assert score("coverage_f1", silent) == 0
    assert math.isnan(clustered_stderr("state_executed", hidden))
    assert math.isnan(clustered_stderr("state", ITEMS[:3]))  # one program


_items = st.lists(
    st.builds(
        lambda executed, goes_on, *rest: Item("p", executed, executed and goes_on, *rest),
        *(st.booleans(), st.booleans(), st.sampled_from([True, False, None]), *[st.booleans()] * 3),
    ),
    min_size=3,
    max_size=30,
)


@given(_items, st.booleans())
def test_answers_that_never_change_are_worth_half_of_balanced_coverage(items, said):
    constant = [Item(i.program, i.executed, i.goes_on, said, i.state, i.path, i.output) for i in items]
    if len({item.executed for item in items}) == 2:
        assert score("coverage_balanced", constant) == pytest.approx(0.5)

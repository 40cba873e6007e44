import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.families.runtime.score import Item, clustered_stderr, ic, score


def test_ic_of_all_sixteen_patterns() -> None:
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


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("coverage", 3 / 6),
        ("coverage_f1", 4 / 6),  # TP 2, FP 1, FN 1
        ("coverage_balanced", (2 / 3 + 1 / 3) / 2),
        ("state", 3 / 6),
        ("state_executed", 2 / 3),
        ("path", 4 / 6),
        ("path_executed", 2 / 2),
        ("output", 3 / 6),
        ("ic", (1 + 0 + 0 + 0 + 1 / 2 + 0) / 6),  # 1111, 1101, 0001, 0010, 1110, 0010
    ],
)
def test_scores_worked_out_by_hand(metric: str, expected: float) -> None:
    assert score(metric, ITEMS) == pytest.approx(expected)


def test_clustered_standard_error_by_hand() -> None:
    """State: mean 1/2, sums of deviations a: 1/2, b: 0, c: -1/2."""
    assert clustered_stderr("state", ITEMS) == pytest.approx(math.sqrt(3 / 2 * (0.25 + 0.25)) / 6)


def test_one_program_has_no_standard_error() -> None:
    assert math.isnan(clustered_stderr("state", ITEMS[:3]))


_items = st.lists(
    st.builds(
        lambda executed, goes_on, *rest: Item("p", executed, executed and goes_on, *rest),
        st.booleans(),
        st.booleans(),
        st.sampled_from([True, False, None]),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    min_size=3,
    max_size=30,
)


@given(_items)
def test_standard_errors_are_the_jackknife_s_for_clusters_of_one(items: list[Item]) -> None:
    """With every item its own program a mean's error is the usual one, s / sqrt(n)."""
    alone = [Item(str(number), *(vars(item)[name] for name in vars(item) if name != "program"))
             for number, item in enumerate(items)]  # fmt: skip
    values = [float(item.state) for item in alone]
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    assert clustered_stderr("state", alone) == pytest.approx(math.sqrt(variance / len(values)))


@given(_items, st.booleans())
def test_answers_that_never_change_are_worth_half_of_balanced_coverage(items: list[Item], said: bool) -> None:
    constant = [Item(i.program, i.executed, i.goes_on, said, i.state, i.path, i.output) for i in items]
    if len({item.executed for item in items}) == 2:
        assert score("coverage_balanced", constant) == pytest.approx(0.5)

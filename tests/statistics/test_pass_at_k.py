from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.harness.pass_at_k import pass_at_k, pass_at_reported_k


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_is_the_share_of_draws_with_a_right_one(verdicts: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(verdicts)))
    draws = list(combinations(verdicts, k))
    assert pass_at_k(len(verdicts), sum(verdicts), k) == pytest.approx(
        float(Fraction(sum(any(draw) for draw in draws), len(draws)))
    )


def test_agrees_with_the_estimator_of_human_eval() -> None:
    # The product form of openai/human-eval's estimate_pass_at_k.
    numpy = pytest.importorskip("numpy")
    for n, c, k in [(200, 3, 10), (200, 150, 100), (200, 0, 1), (10, 10, 10), (100, 1, 100)]:
        product = 1.0 if n - c < k else 1.0 - numpy.prod(1.0 - k / numpy.arange(n - c + 1, n + 1))
        assert pass_at_k(n, c, k) == pytest.approx(product)


@pytest.mark.parametrize(("n", "c", "k"), [(1, 2, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4), (0, 0, 1)])
def test_refuses(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="not defined"):
        pass_at_k(n, c, k)


def test_reported() -> None:
    assert pass_at_reported_k([True]) == {}
    assert pass_at_reported_k([True, False]) == {"pass@1": 0.5, "pass@2": 1.0}
    assert list(pass_at_reported_k([False] * 7)) == ["pass@1", "pass@2", "pass@5", "pass@7"]
    assert pass_at_reported_k([True, False, False], largest=2) == {
        "pass@1": pytest.approx(1 / 3),
        "pass@2": pytest.approx(2 / 3),
    }
    assert pass_at_reported_k([True, False], largest=1) == {}

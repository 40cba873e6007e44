import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.families.dsr.score import s_dsr, shorter, similarity


@pytest.mark.parametrize(
    ("passed", "original", "transformed", "answer", "score"),
    [
        (False, 10, 40, 10, 0.0),  # Pass = 0 gives 0, whatever the lengths.
        (False, 10, 40, 0, 0.0),
        (True, 10, 40, 10, 1.0),  # floor(10 / 40) = 0: 10 * 1 / max(10, 10).
        (True, 10, 40, 5, 1.0),  # Shorter than C: 10 * 1 / max(5, 10).
        (True, 10, 40, 20, 0.5),  # floor(20 / 40) = 0: 10 / 20.
        (True, 10, 40, 39, 10 / 39),  # One line shorter than C+: floor(39 / 40) = 0: 10 / 39.
        (True, 10, 40, 40, 0.0),  # As long as C+: floor(40 / 40) = 1: 10 * 0 / 40.
        (True, 10, 40, 80, 0.0),  # floor(80 / 40) = 2 would give 10 * (-1) / 80: cut off at 0.
        (True, 12, 12, 12, 0.0),  # C+ no longer than C: 12 * (1 - floor(12 / 12)) / 12.
        (True, 12, 12, 11, 1.0),
        (True, 1, 2, 1, 1.0),  # The shortest counts.
    ],
)
def test_values_worked_by_hand(passed: bool, original: int, transformed: int, answer: int, score: float) -> None:
    assert s_dsr(passed, original, transformed, answer) == pytest.approx(score)


@given(st.booleans(), st.integers(1, 500), st.integers(1, 500), st.integers(0, 2000))
def test_bounds(passed: bool, original: int, transformed: int, answer: int) -> None:
    score = s_dsr(passed, original, transformed, answer)
    assert 0 <= score <= 1
    assert (score > 0) == shorter(passed, transformed, answer)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 300))
def test_a_longer_answer_never_scores_more(original: int, growth: int, answer: int) -> None:
    transformed = original + growth
    assert s_dsr(True, original, transformed, answer + 1) <= s_dsr(True, original, transformed, answer)


@pytest.mark.parametrize("counts", [(0, 3, 1), (3, 0, 1), (3, 4, -1)])
def test_counts_that_no_program_has(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="not defined"):
        s_dsr(True, *counts)


@pytest.mark.parametrize(
    ("answer", "original", "value"),
    [("abc", "abc", 1.0), ("", "", 1.0), ("", "abcd", 0.0), ("kitten", "sitting", 4 / 7), ("ab", "ba", 0.0)],
)
def test_similarity(answer: str, original: str, value: float) -> None:
    assert similarity(answer, original) == pytest.approx(value)

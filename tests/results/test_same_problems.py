"""A family and the one its problems come from, on facts made by hand."""

import pytest

from lm_eval_codemind.results.associations import on_same_problems
from tests.results.test_associations import observed


def test_only_common_problems_count() -> None:
    unrolled = observed("m", "ier_unrolled", {"a": True, "b": True, "c": False, "x": True})
    plain = observed("m", "ier", {"a": True, "b": False, "c": False, "y": True})
    (row, total) = on_same_problems([*unrolled, *plain, *observed("n", "ier", {"a": True})]).records()
    assert (row["benchmark"], total["benchmark"], row["model"], row["n"]) == ("sample", "all", "m", 3)
    assert (row["metric"], row["metric_same"]) == ("r_ier", "r_ier_same")
    assert (row["score"], row["score_same"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert row["difference"] == pytest.approx(1 / 3) and row["low"] <= row["difference"] <= row["high"]


def test_without_the_other_family_there_is_nothing() -> None:
    assert not on_same_problems(observed("m", "ier_unrolled", {"a": True})).rows

"""The equations of dependent execution reasoning."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.metrics import mean_stderr

from lm_eval_codemind.families.der.score import mean_s_der, mean_s_der_stderr, r_der, r_der_common

predicted = st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12)


def test_a_mean_over_the_programs_that_pass() -> None:
    assert r_der([1.0, 0.0, 1.0, 1.0]) == 0.75
    assert mean_s_der([1.0, 0.0, 1.0, 1.0], 4) == 0.375
    assert mean_s_der([], 3) == 0.0


def test_not_defined_where_nothing_passes() -> None:
    assert isnan(r_der([])) and isnan(mean_s_der([], 0))
    assert mean_s_der_stderr([1.0], 1) == 0.5
    assert isnan(mean_s_der_stderr([], 0)) and isnan(mean_s_der_stderr([1.0], 0)) and isnan(mean_s_der_stderr([], 1))


@given(predicted, st.integers(0, 12))
def test_the_mean_and_its_error_are_those_with_the_failures_written_out(right: list[float], failed: int) -> None:
    values = [*right, *[0.0] * failed]
    if values:
        assert mean_s_der(right, failed) == pytest.approx(sum(values) / len(values))
    if len(values) > 1:
        assert mean_s_der_stderr(right, failed) == pytest.approx(mean_stderr(values))


def test_models_are_compared_on_what_all_solve() -> None:
    values, n = r_der_common({"one": {"a": 1.0, "b": 0.0, "c": 1.0}, "other": {"c": 0.0, "a": 1.0, "d": 1.0}})
    assert (values, n) == ({"one": [1.0, 1.0], "other": [1.0, 0.0]}, 2)
    assert r_der_common({"one": {"a": 1.0}, "other": {}}) == ({"one": [], "other": []}, 0)
    assert r_der_common({}) == ({}, 0)

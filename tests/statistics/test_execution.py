"""Scores of executions: their definitions by hand, and the laws that hold for all answers."""

from math import isnan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.families.execution.score import (
    lucky,
    prefix,
    right_for_the_right_reason,
    right_reason_stderr,
    trace,
)
from lm_eval_codemind.families.execution.trace import right_for_the_right_reason as aggregation
from lm_eval_codemind.statistics import clustered_mean_stderr


@pytest.mark.parametrize(
    ("matches", "steps", "share", "right"),
    [
        ([True, True], 2, 1.0, True),
        ([True, False], 2, 0.5, False),
        ([False, True, True], 3, 0.0, False),
        ([True], 4, 0.25, False),
        ([True, True, False], 2, 1.0, False),
        ([], 3, 0.0, False),
    ],
)
def test_definition(matches: list[bool], steps: int, share: float, right: bool) -> None:
    assert (prefix(matches, steps), trace(matches, steps)) == (share, right)


@given(st.lists(st.booleans()), st.integers(1, 30))
def test_a_right_trace_has_a_full_prefix(matches: list[bool], steps: int) -> None:
    assert 0 <= prefix(matches, steps) <= 1
    assert not trace(matches, steps) or prefix(matches, steps) == 1
    assert prefix([*matches, True], steps) >= prefix(matches, steps)


def test_the_right_reason_by_hand() -> None:
    traces, outputs = [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]
    assert right_for_the_right_reason(traces, outputs) == 0.5
    assert [lucky(*pair) for pair in zip(traces, outputs, strict=True)] == [0, 1, 0, 0]
    # Influences 1/4, -1/4, 0, 0, and four problems.
    expected = sqrt(4 / 3 * 2 / 16)
    assert right_reason_stderr(traces, outputs, ["a", "b", "c", "d"]) == pytest.approx(expected)
    assert isnan(right_for_the_right_reason([1.0], [0.0])) and isnan(right_reason_stderr([1.0], [0.0], ["a"]))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1))
def test_with_all_outputs_right_it_is_a_mean(rows: list[tuple[bool, int]]) -> None:
    traces, problems = [float(right) for right, _ in rows], [str(problem) for _, problem in rows]
    ones = [1.0] * len(rows)
    assert right_for_the_right_reason(traces, ones) == pytest.approx(sum(traces) / len(traces))
    error, expected = right_reason_stderr(traces, ones, problems), clustered_mean_stderr(traces, problems)
    assert error == pytest.approx(expected) or (isnan(error) and isnan(expected))


def test_the_aggregation_counts_each_response() -> None:
    records = [
        {"problem_id": "a", "trace": [1.0, 0.0], "output": [1.0, 1.0]},
        {"problem_id": "b", "trace": [1.0, 1.0], "output": [0.0, 1.0]},
    ]
    assert aggregation(records) == pytest.approx(2 / 3) and aggregation(records).size == 3
    assert aggregation.stderr(records) > 0

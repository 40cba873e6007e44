import dataclasses

import pytest

from lm_eval_codemind.data import build
from lm_eval_codemind.data.build import short_digest, with_complexity
from lm_eval_codemind.problems import Problem

PROBLEM = Problem(
    "made_0", "made", "function", "python", "def f(n):\n    return [i for i in range(n)]\n", "f", "f(3)", "[0, 1, 2]"
)
TRANSFORMED = "def f(n):\n    if n & 1:\n        pass\n    return [i for i in range(n)]\n"


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = {"code": {"made": {"made_0": 3}}, "transformed": {"made": {"made_0": [7, short_digest(TRANSFORMED)]}}}
    monkeypatch.setattr(build.shipped, "load", {build.LOOP_LENGTHS: lengths}.__getitem__)


def test_columns_are_measured_or_looked_up() -> None:
    measured = with_complexity(dataclasses.replace(PROBLEM, transformed=TRANSFORMED))
    assert measured.complexity is not None
    assert (measured.complexity.cc, measured.complexity.loc, measured.complexity.ll) == (2, 2, 3)
    assert measured.transformed_complexity is not None
    assert (measured.transformed_complexity.cc, measured.transformed_complexity.ll) == (3, 7)
    assert measured.output_type == "List"


def test_another_transformed_program_has_another_loop_length() -> None:
    measured = with_complexity(dataclasses.replace(PROBLEM, transformed=TRANSFORMED + "\n"))
    assert measured.transformed_complexity is not None
    assert measured.transformed_complexity.ll is None


def test_a_problem_that_was_not_measured_has_no_loop_length() -> None:
    measured = with_complexity(dataclasses.replace(PROBLEM, problem_id="made_1", code="def f(:"))
    assert measured.complexity is None
    assert measured.transformed_complexity is None
    measured = with_complexity(dataclasses.replace(PROBLEM, problem_id="made_1"))
    assert measured.complexity is not None
    assert measured.complexity.ll is None

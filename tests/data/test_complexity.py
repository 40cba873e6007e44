import dataclasses

import pytest

from lm_eval_codemind.data import build
from lm_eval_codemind.data.build import short_digest, with_complexity
from lm_eval_codemind.problems import Problem

PROBLEM = Problem(
    "made_0", "made", "function", "python", "def f(n):\n    return [i for i in range(n)]\n", "f", "f(3)", "[0, 1, 2]"
)
TRANSFORMED = "def f(n):\n    if n & 1:\n        pass\n    return [i for i in range(n)]\n"


def test_columns_are_measured_or_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = {"code": {"made": {"made_0": 3}}, "transformed": {"made": {"made_0": [7, short_digest(TRANSFORMED)]}}}
    monkeypatch.setattr(build.shipped, "load", {build.LOOP_LENGTHS: lengths}.__getitem__)
    measured = with_complexity(dataclasses.replace(PROBLEM, transformed=TRANSFORMED))
    assert measured.complexity is not None
    assert (measured.complexity.cc, measured.complexity.loc, measured.complexity.ll) == (2, 2, 3)
    assert measured.transformed_complexity is not None
    assert (measured.transformed_complexity.cc, measured.transformed_complexity.ll) == (3, 7)
    assert measured.output_type == "List"
    # Another transformed program has another loop length.
    other = with_complexity(dataclasses.replace(PROBLEM, transformed=TRANSFORMED + "\n"))
    assert other.transformed_complexity is not None and other.transformed_complexity.ll is None
    # A problem that was not measured has none.
    other = with_complexity(dataclasses.replace(PROBLEM, problem_id="made_1"))
    assert other.complexity is not None and other.complexity.ll is None
    broken = with_complexity(dataclasses.replace(PROBLEM, problem_id="made_1", code="def f(:"))
    assert broken.complexity is None and broken.transformed_complexity is None

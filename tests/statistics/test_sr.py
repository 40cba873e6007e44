"""Equations 3 and 4 against Table II of the paper; standard errors against the bootstrap and the harness."""

import math
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.metrics import mean_stderr

from lm_eval_codemind.families.sr.score import (
    Pair,
    gained,
    gained_stderr,
    mean_s_sr,
    mean_s_sr_stderr,
    r_sr,
    r_sr_stderr,
    s_sr,
)
from lm_eval_codemind.families.views import views
from lm_eval_codemind.questions import Key

# Model, problems, passed with no test, problems with S_SR = 1, R_SR in percent as published.
TABLE_II = [
    ("HumanEval", "CodeLlama-Instruct-13b", 164, 76, 4, 47.49),
    ("HumanEval", "CodeLlama-Instruct-34b", 164, 76, 5, 47.78),
    ("HumanEval", "DeepSeekCoder-Instruct-33b", 164, 117, 15, 78.17),
    ("HumanEval", "StarCoder2", 164, 76, 8, 48.66),
    ("HumanEval", "GPT-4-Turbo", 164, 147, 6, 92.97),
    ("ClassEval", "CodeLlama-Base-13b", 410, 106, 69, 30.59),
    ("ClassEval", "DeepSeekCoder-Instruct-33b", 410, 213, 69, 61.47),
    ("ClassEval", "StarCoder2", 410, 141, 26, 36.64),
    ("ClassEval", "GPT-4-Turbo", 410, 252, 30, 66.13),
]


def pairs_of(problems: int, passed: int, gained: int) -> list[Pair]:
    """Pass vectors with so many passes without a test, and so many problems passed only with one, in any order."""
    pairs: list[Pair] = [(1.0, 1.0)] * passed + [(0.0, 1.0)] * gained + [(0.0, 0.0)] * (problems - passed - gained)
    random.Random(0).shuffle(pairs)
    return pairs


@pytest.mark.parametrize(("benchmark", "model", "problems", "passed", "gained", "published"), TABLE_II)
def test_table_ii(benchmark, model, problems, passed, gained, published):
    pairs = pairs_of(problems, passed, gained)
    assert 100 * r_sr(pairs) == pytest.approx(published, abs=0.01)
    assert mean_s_sr(pairs) == pytest.approx(gained / problems)


def test_s_sr_is_one_only_where_the_test_made_the_difference():
    assert [s_sr(a, b) for a, b in ((0, 0), (0, 1), (1, 0), (1, 1))] == [0, 1, 0, 0]
    # Losing a problem with the test costs nothing.
    assert r_sr([(1.0, 0.0), (0.0, 0.0)]) == r_sr([(1.0, 1.0), (0.0, 0.0)]) == 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=50))
def test_bounds(pairs):
    rate = sum(without for without, _ in pairs) / len(pairs)
    assert 0 <= mean_s_sr(pairs) <= 1
    assert rate <= r_sr(pairs) <= rate * math.e + 1e-9


@pytest.mark.parametrize(("problems", "passed", "gained"), [(164, 117, 15), (410, 106, 69), (410, 252, 30)])
def test_delta_method_agrees_with_the_bootstrap(problems, passed, gained):
    pairs = pairs_of(problems, passed, gained)
    generator = random.Random(1)
    draws = [r_sr(generator.choices(pairs, k=problems)) for _ in range(2000)]
    mean = sum(draws) / len(draws)
    deviation = math.sqrt(sum((draw - mean) ** 2 for draw in draws) / (len(draws) - 1))
    assert r_sr_stderr(pairs) == pytest.approx(deviation, rel=0.06)


def test_standard_error_of_the_mean_is_the_harness_s():
    pairs = pairs_of(164, 76, 8)
    assert mean_s_sr_stderr(pairs) == pytest.approx(mean_stderr([s_sr(*pair) for pair in pairs]))


@pytest.mark.parametrize(("family", "metric"), [
    ("sr", "r_sr"), ("sr", "s_sr"), ("translation", "r_sr"), ("translation", "s_sr"), ("repair", "repaired_by_test"),
])  # fmt: skip
def test_metrics_by_the_suite_alone_have_the_interval_of_its_pairs(family, metric):
    """The same pairs give the same interval, whether the witnesses decide or the suite alone."""
    view, pairs, failed = views()[family], pairs_of(60, 20, 9), [(0.0, 0.0)] * 60

    def samples(witnessed: list[Pair], by_suite: list[Pair]) -> list[Any]:
        return [
            SimpleNamespace(
                key=Key("b", str(number), ("no_test", "with_test")[half]),
                scores={
                    f"{view.paired}{kind}": {"passed": passes[number][half]}
                    for kind, passes in (("", witnessed), ("_suite", by_suite))
                },
            )
            for number in range(60)
            for half in (0, 1)
        ]

    found = view.estimate(samples(failed, pairs), f"{metric}_suite")
    assert found == view.estimate(samples(pairs, failed), metric)
    expected = r_sr(pairs) if metric == "r_sr" else mean_s_sr(pairs)
    assert found.value == pytest.approx(expected) and found.low < expected < found.high and found.n == 60


def test_too_few_pairs():
    assert r_sr_stderr([(1.0, 1.0)] * 5) == r_sr_stderr([(0.0, 0.0)] * 5) == 0  # nothing varies
    assert math.isnan(r_sr_stderr([(1.0, 1.0)])) and not math.isnan(r_sr_stderr([(1.0, 1.0), (0.0, 1.0)]))
    assert math.isnan(mean_s_sr_stderr([(1.0, 1.0)]))
    with pytest.raises(ValueError, match="no problems"):
        r_sr([])


def test_what_a_test_gains():
    pairs = [(0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (0.5, 1.0), (0.25, 0.5)]
    unsolved, product_of_both = 1 + 1 + 0 + 0.5 + 0.75, 1 + 0 + 0 + 0.5 + 0.75 * 0.5
    assert gained(pairs) == pytest.approx(product_of_both / unsolved)
    generator = np.random.default_rng(2)
    table = np.array(pairs * 40)
    draws = [gained([tuple(row) for row in table[generator.integers(0, 200, 200)]]) for _ in range(600)]
    assert gained_stderr([tuple(row) for row in table]) == pytest.approx(np.std(draws), rel=0.1)
    assert math.isnan(gained([(1.0, 0.0)])) and math.isnan(gained_stderr([(1.0, 0.0)] * 3))
    assert math.isnan(gained_stderr(pairs[:1])) and not math.isnan(gained_stderr(pairs[:2]))

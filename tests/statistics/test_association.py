"""Associations: against values worked out by hand, scipy, and the authors' own figures."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lm_eval_codemind.results.association import associate, grouped, phi, spearman_of_groups
from tests.run_files import read_rows

# Forty made-up problems: 16 that both solve, 6 and 4 that one solves, 14 that none does.
FIRST = [True] * 16 + [True] * 6 + [False] * 4 + [False] * 14
SECOND = [True] * 16 + [False] * 6 + [True] * 4 + [False] * 14


def test_forty_problems_by_hand():
    table = associate(FIRST, SECOND)
    # (16 * 14 - 6 * 4) / sqrt(22 * 18 * 20 * 20) = 200 / 397.995
    assert table.phi.value == pytest.approx(0.502519, abs=1e-6)
    assert table.phi.low < table.phi.value < table.phi.high
    assert (table.given_right, table.given_wrong) == pytest.approx((16 / 22, 4 / 18))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_against_scipy_and_numpy(pairs):
    first, second = ([pair[i] for pair in pairs] for i in range(2))
    result = associate(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert math.isnan(result.phi.value) and math.isnan(result.p)
        return
    assert result.phi.value == pytest.approx(float(np.corrcoef(first, second)[0, 1]), abs=1e-9)
    table = [[pairs.count((one, other)) for other in (True, False)] for one in (True, False)]
    assert result.p == pytest.approx(stats.fisher_exact(table).pvalue)
    turned = associate(second, first)
    assert turned.p == pytest.approx(result.p) and turned.phi.value == pytest.approx(result.phi.value)


def test_the_same_verdicts_correlate_fully():
    assert phi(FIRST, FIRST).value == pytest.approx(1)
    assert phi(FIRST, [not one for one in FIRST]).value == pytest.approx(-1)


@pytest.mark.parametrize("n", [10, 12, 40])
def test_verdicts_that_correlate_fully_are_not_certain_to(n):
    """The others may differ as often as Wilson's interval says that what was never seen may be."""
    first = [number % 2 == 0 for number in range(n)]
    most = 1.959964**2 / (n + 1.959964**2)
    same, opposed = phi(first, first), phi(first, [not one for one in first])
    assert (same.value, same.low, same.high) == pytest.approx((1, 1 - most, 1), abs=1e-6)
    assert (opposed.value, opposed.low, opposed.high) == pytest.approx((-1, -1, -1 + most), abs=1e-6)


def test_groups_of_the_smallest_values():
    values = [3, 1.2, 1, 2, 2.4, *range(20, 40)]
    groups = grouped(values, [True, False, True, True, True, *[False] * 20])
    assert groups == [(1, 1, 2), (2, 2, 2), (3, 1, 1), *((value, 0, 1) for value in range(20, 27))]
    assert spearman_of_groups([1, 2, 3, 4], [True, True, True, True]).rho != 1  # nothing varies: not a number


def test_phi_has_a_bootstrap_interval():
    first = [True] * 45 + [False] * 55
    second = [True] * 35 + [False] * 10 + [True] * 15 + [False] * 40
    result = associate(first, second)
    assert result.phi.n == 100
    corrected = np.corrcoef(first, second)[0, 1]
    table = np.array([first, second], dtype=float)
    drawn = (table[:, np.random.default_rng(n).integers(0, 100, 100)] for n in range(2000))
    phis = [np.corrcoef(draw)[0, 1] for draw in drawn if draw.std(axis=1).all()]
    assert result.phi.value == pytest.approx(corrected)
    assert (result.phi.low, result.phi.high) == pytest.approx(tuple(np.quantile(phis, [0.025, 0.975])), abs=0.04)


@pytest.mark.parametrize("model", ["gpt-4-turbo", "deepseek-coder-33b-instruct"])
def test_the_authors_own_values_give_the_authors_own_figures(model, shared_data):
    published = json.loads((shared_data / "recorded" / "exerscope_analyses.json").read_text(encoding="utf-8"))
    rows = read_rows(shared_data / "recorded" / f"ier_{model}.jsonl.gz")
    verdicts = {row["problem_id"]: bool(row["published_verdict"]) for row in rows}
    for measure, groups, left_out, unlisted in (
        ("cc", "groups", (), 0),
        # Five methods of ClassEval are in their groups, and their loop lengths are not in their file.
        ("loops", "loop_groups", ("atcoder_", "codeforces_"), 5),
    ):
        values = {name: value for name, value in published[measure].items() if not name.startswith(left_out)}
        common = [name for name in values if name in verdicts]
        assert len(common) > 1200
        bins = grouped([values[name] for name in common], [verdicts[name] for name in common])
        expected = published["rho"][model][groups]
        assert [value for value, _, _ in bins] == [value for value, _, _ in expected]
        assert sum(n for _, _, n in expected) - sum(n for _, _, n in bins) == unlisted
        rho = spearman_of_groups([values[name] for name in common], [verdicts[name] for name in common]).rho
        assert round(rho, 4) == published["rho"][model][measure]

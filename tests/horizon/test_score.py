"""The horizon: its fit against scipy, its ends, and simulated models."""

import csv
import itertools
import math
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.optimize import minimize

from lm_eval_codemind.data.facts.horizon import BOUNDS
from lm_eval_codemind.families.horizon.score import State, draws_of, horizon, horizon_of, logistic_fit

ROOT = Path(__file__).parents[2]


def simulated(per_link: float, per_level: int, seed: int) -> tuple[list[float], list[float]]:
    """Return states and scores of a model that follows each link of 16 characters with a probability."""
    random = Random(seed)
    states = [bound * random.uniform(0.9, 1.1) for bound in BOUNDS for _ in range(per_level)]
    return states, [float(random.random() < per_link ** (state / 16)) for state in states]


def test_the_fit_maximises_what_its_equation_says():
    states, rights = simulated(0.97, 40, 1)
    x = np.log2(states) - math.log2(math.sqrt(16 * 2048))
    weights = np.array([Random(number).choice([0, 1, 2]) for number in range(len(states))])

    def loss(numbers: np.ndarray) -> float:
        p = 1 / (1 + np.exp(-(numbers[0] + numbers[1] * x)))
        terms = np.where(np.array(rights) > 0, np.log(p), np.log(1 - p))
        return float(-(weights * terms).sum() + 0.02 * (numbers**2).sum() / 2)

    best = minimize(loss, [0.0, 0.0], tol=1e-10).x
    fitted = logistic_fit(states, rights, weights)
    assert fitted == pytest.approx(best, abs=1e-4)
    assert logistic_fit(states, rights, np.stack([weights, weights])) == pytest.approx(np.stack([best, best]), abs=1e-4)
    # At the horizon the fit gives one half.
    crossing = math.log2(horizon_of(fitted)) - math.log2(math.sqrt(16 * 2048))
    assert fitted[0] + fitted[1] * crossing == pytest.approx(0, abs=1e-9)


def test_nothing_is_extrapolated():
    states = [float(bound) for bound in BOUNDS for _ in range(20)]
    for rights, value, words in (
        ([1.0] * 160, 2048, "beyond 2,048"),
        ([0.0] * 160, 16, "below 16"),
        # Without a fall: what is right in the middle says which end.
        ([float(number % 4 != 0) for number in range(160)], 2048, "beyond 2,048"),
        ([float(number % 4 == 0) for number in range(160)], 16, "below 16"),
    ):
        estimate = horizon(states, rights)
        assert (estimate.value, format(State(estimate.value))) == (value, words)
    steps = horizon(states, [float(state <= 128) for state in states])
    assert (
        128 < steps.low <= steps.value <= steps.high < 256
        and format(State(504.4), ".3f") == "504"
        and str(State(504.4)) == "504.4"
    )
    assert math.isnan(horizon([], []).value)


def test_without_the_last_level_there_is_no_horizon():
    """``--limit 40`` asks the first level only; the penalty alone would put the horizon of any such model near 220."""
    states = [float(bound) for bound in BOUNDS for _ in range(40)]
    rights = [1.0] * 320
    for asked in (slice(40), slice(280), slice(40, 320)):
        assert math.isnan(horizon(states[asked], rights[asked]).value)
    assert horizon(states[:281], rights[:281]).value == 2048


def test_the_curve_of_a_model_that_follows_links_is_not_a_logistic_one():
    """As the README says: from the probability of each answer, what the fit gives and where it is one half."""
    states = [bound * (0.9 + 0.2 * place / 39) for bound in BOUNDS for place in range(40)]
    found = {0.95: (216, 181), 0.98: (549, 477), 0.99: (1103, 1048)}
    for per_link, (half, fitted) in found.items():
        right = [per_link ** (state / 16) for state in states]
        assert horizon_of(logistic_fit(states, right, np.ones(320))) == pytest.approx(fitted, abs=1)
        assert per_link ** (half / 16) == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.proof) for seed in range(1, 5))])
def test_models_that_follow_links_better_have_further_horizons(seed):
    """The intervals at 320 questions do not overlap."""
    estimates = [horizon(*simulated(per_link, 40, seed)) for per_link in (0.95, 0.98, 0.99)]
    for nearer, further in itertools.pairwise(estimates):
        assert nearer.value < further.value and nearer.high < further.low


def test_the_interval_holds_95_percent_of_the_resamples():
    states, rights = simulated(0.95, 20, 1)
    drawn, estimate = horizon_of(draws_of(states, rights)), horizon(states, rights)
    assert np.mean(drawn < estimate.low) == pytest.approx(0.025, abs=0.002)
    assert np.mean(drawn > estimate.high) == pytest.approx(0.025, abs=0.002)


@pytest.mark.proof
def test_half_a_run_has_a_wider_interval():
    """As the README says: about 1.4 times as wide, on the scale of doublings."""

    def width(per_level: int) -> float:
        estimates = [horizon(*simulated(0.98, per_level, seed)) for seed in range(8)]
        return sum(math.log2(one.high / one.low) for one in estimates) / len(estimates)

    whole, half = width(40), width(20)
    assert 0.5 < whole < 0.9 and 1.2 < half / whole < 1.7


def test_recorded_verdicts_fall_with_the_state():
    """What the README says of the table that ``utils/compare/horizon.py`` writes."""
    with (ROOT / "docs/replication/horizon_cruxeval.csv").open() as file:
        rows = list(csv.DictReader(file))
    slopes, states, lines = ([float(row[name]) for row in rows] for name in ("slope", "rho_state", "rho_lines"))
    assert all(float(row["low"]) <= float(row["slope"]) <= float(row["high"]) < 0 for row in rows)
    assert all(state < line for state, line in zip(states, lines, strict=True))
    models = {re.sub(r"(_cot)?_temp.*", "", row["setting"]) for row in rows}
    ends = [*(min(slopes), max(slopes)), *(min(states), max(states)), *(min(lines), max(lines))]
    page = " ".join((ROOT / "tasks/horizon/README.md").read_text(encoding="utf-8").split())
    for text in (
        f"{len(rows)} settings of {len(models)} models",
        f"between {ends[0]:.2f} and {ends[1]:.2f} logits",
        f"rho is {ends[2]:.2f} to {ends[3]:.2f} for the state, and {ends[4]:.2f} to {ends[5]:.2f} for the lines",
    ):
        assert text in page

"""The horizon: the state at which half of the answers are right."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_codemind.data.facts.horizon import BOUNDS, STATES
from lm_eval_codemind.statistics import CONFIDENCE, RESAMPLES, SEED, Estimate

_STEPS, _EXACT = 60, 1e-9
_PENALTY = 0.02


def logistic_fit(states: Sequence[float], rights: Sequence[float], weights: Any) -> NDArray[np.float64]:
    """Return intercept and slope of a logistic regression of right answers on the logarithm of the state.

    With x_i = log2(state_i) - m, m the mean of the logarithms of the lowest and the highest bound, y_i the score of
    question i and w_i its weight, the two numbers a and b maximise

        Σ w_i (y_i log p_i + (1 - y_i) log(1 - p_i)) - λ (a² + b²) / 2,    p_i = 1 / (1 + exp(-(a + b x_i)))

    λ = 0.02 keeps the numbers finite where all answers are right, all are wrong, or all right ones have less state than
    all wrong ones. Newton's method from a = b = 0, each step at most 2 in each number.

    Args:
        states: Characters, above 0.
        rights: Scores, between 0 and 1.
        weights: The weight of each question, of shape (n,); or several such rows, of shape (draws, n).

    Returns:
        The numbers, of shape (2,) or (draws, 2). The slope is in logits for a doubling of the state.
    """
    x = np.log2(np.asarray(states, dtype=float)) - _middle()
    y = np.asarray(rights, dtype=float)
    w = np.atleast_2d(np.asarray(weights, dtype=float))
    powers = np.stack([np.ones_like(x), x, x * x], axis=1)
    fitted = np.zeros((len(w), 2))
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(fitted @ powers[:, :2].T)))
        gradient = (w * (y - p)) @ powers[:, :2] - _PENALTY * fitted
        curvature = (w * p * (1 - p)) @ powers[:, [0, 1, 1, 2]]
        curvature = curvature.reshape(-1, 2, 2) + _PENALTY * np.eye(2)
        step = np.clip(np.linalg.solve(curvature, gradient[..., None])[..., 0], -2, 2)
        fitted += step
        if np.abs(step).max() < _EXACT:
            break
    return fitted if np.ndim(weights) == 2 else fitted[0]


def _middle() -> float:
    return float(np.log2(BOUNDS[0] * BOUNDS[-1])) / 2


def horizon_of(fitted: Any) -> Any:
    """Return the state at which a fit gives one half: ``2 ** (m - a / b)``, inside of the levels.

    It is the highest bound if the fit gives more than one half there, and the lowest bound if it gives less than one
    half there: nothing is extrapolated. A fit that rises with the state has one of the two, by what it gives in the
    middle.

    Args:
        fitted: What :func:`logistic_fit` returns.
    """
    a, b = np.moveaxis(np.asarray(fitted, dtype=float), -1, 0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        crossing = 2.0 ** (_middle() - a / b)
    ends = np.where(a > 0, BOUNDS[-1], BOUNDS[0])
    return np.where(b < 0, np.clip(crossing, BOUNDS[0], BOUNDS[-1]), ends)


def horizon(states: Sequence[float], rights: Sequence[float]) -> Estimate:
    """Return the horizon with its interval, a percentile bootstrap over questions (Efron, 1979).

    All NaN if no question is of the first or of the last level, as after ``--limit``: levels that were not asked say
    nothing. The ends of the range stand for "below" and "beyond", see :func:`horizon_of`.
    """
    n = len(states)
    if not reaches_the_ends(states):
        return Estimate(math.nan, math.nan, math.nan, 0)
    value = float(horizon_of(logistic_fit(states, rights, np.ones(n))))
    low, high = np.quantile(horizon_of(draws_of(states, rights)), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Estimate(value, float(low), float(high), n)


def reaches_the_ends(states: Sequence[float]) -> bool:
    """Whether there are questions of the first level and of the last one."""
    return bool(states) and min(states) <= STATES[0][-1] and max(states) >= STATES[-1][0]


def draws_of(states: Sequence[float], rights: Sequence[float]) -> NDArray[np.float64]:
    """Return the fits to resamples of the questions, of shape (draws, 2). Equal questions give equal fits."""
    n = len(states)
    draws = np.random.default_rng(SEED).multinomial(n, [1 / n] * n, size=RESAMPLES)
    return logistic_fit(states, rights, draws)


class State(float):
    """A state as a horizon: readers see ``504``, ``beyond 2,048`` or ``below 16``, and files the number."""

    def __format__(self, spec: str) -> str:
        """Return the state as readers see it."""
        if self >= BOUNDS[-1]:
            return f"beyond {BOUNDS[-1]:,}"
        return f"below {BOUNDS[0]}" if self <= BOUNDS[0] else f"{float(self):,.0f}"

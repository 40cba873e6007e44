"""Ranks that admit ties, and the smallest difference between models that some problems show."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.results.observations import ALL, Observation, by_model, by_problem, by_view
from lm_eval_codemind.statistics import CONFIDENCE, smallest_difference


def ranks(compared: Table, observations: Sequence[Observation]) -> Table:
    """Return the ranks that each model may have within a family, the best model first.

    Of m models, b are significantly better than a model and w significantly worse, by the paired test with Holm's
    correction. Its ranks are

        1 + b, …, m - w

    So two models that the test cannot separate share a rank, and with a probability of 95 % all true ranks are among
    those shown (Mogstad et al., Review of Economic Studies 91, 2024).

    Args:
        compared: The table of comparisons.
        observations: What it was made of.
    """
    rows: list[dict[str, Any]] = []
    for view, of_view in by_view(observations):
        scores = {model: by_problem(own, view.scores[0]) for model, own in by_model(of_view).items()}
        pairs = [
            row
            for row in compared.rows
            if (row["family"], row["score_name"], row["benchmark"]) == (view.title, view.scores[0], ALL)
        ]
        better: Counter[str] = Counter()
        worse: Counter[str] = Counter()
        for row in (row for row in pairs if row["p_corrected"] < 1 - CONFIDENCE):
            above, below = (row["first"], row["second"]) if row["difference"] > 0 else (row["second"], row["first"])
            worse[above] += 1
            better[below] += 1
        for model in sorted(scores, key=lambda model: -fmean(scores[model])):
            first, last = 1 + better[model], len(scores) - worse[model]
            known = [row["detectable"] for row in pairs if model in (row["first"], row["second"])]
            known = [value for value in known if not math.isnan(value)] or [_alone(scores[model])]
            rows.append(
                {
                    "family": view.title,
                    "model": model,
                    "rank": str(first) if first >= last else f"{first} to {last}",
                    "score": fmean(scores[model]),
                    "detectable": median(known),
                    "n": len(scores[model]),
                }
            )
    return described("ranks", rows)


def _alone(scores: list[float]) -> float:
    """Return the smallest difference to a model with the same spread of scores that has nothing in common with them."""
    mean = fmean(scores)
    return smallest_difference(2 * fmean((score - mean) ** 2 for score in scores), len(scores))

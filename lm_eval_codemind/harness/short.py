"""Short forms: some of a task's questions, drawn evenly over their difficulty, so that their mean is the task's."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from lm_eval_codemind.data.difficulties import difficulties
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.family import Family, seed_option
from lm_eval_codemind.harness.provenance import SHORT_SEED
from lm_eval_codemind.questions import PLACE, Question

ALL = "all"
"""The value of the option with which a short form asks all questions of its task."""
_USUAL_SEED = 0
# The draws of a part that is sorted by the second axis.
_DRAWS = 8
# A difficulty is a mean over models of unlike skill, which blurs it: the variance of a single model's answers around it
# is smaller by this factor (CRUXEval's recordings: 0.69 for outputs, 0.76 for inputs).
_SHARPER = 0.7
# The difficulty of a problem that nobody has estimated, and its place on the second axis.
_UNKNOWN = (0.5, 0.0)

_Item = TypeVar("_Item")


def short_form(
    questions: Sequence[Question], family: Family, requests: int, options: Mapping[str, Any]
) -> tuple[list[Question], dict[str, Any]]:
    """Return the questions of a short form in their order, and what the results record of the draw.

    That is the number of all questions, the seed, and half the width of a 95 % interval for a model of middling skill.

    Raises:
        UserError: If the seed is unusable, or there are fewer questions than wanted.
    """
    if options.get(SHORT_SEED) == ALL:
        return list(questions), {"of": len(questions), "seed": ALL, "half_width": 0.0}
    seed = seed_option(options, SHORT_SEED, _USUAL_SEED)
    if not 0 < requests <= len(questions):
        raise UserError(
            f"a short form of {len(questions)} questions cannot ask {requests}; set `requests` in the task's "
            f"dataset_kwargs to a number from 1 to {len(questions)}"
        )
    axes = {
        question.key: difficulties(family.asks_for, question.key.benchmark).get(question.key.problem_id, _UNKNOWN)
        for question in questions
    }
    ordered = in_order(questions, requests, family.stratum, lambda question: axes[question.key])
    picked = draw(ordered, requests, seed)
    share = requests / len(questions)
    places = {question.key: place for place, question in enumerate(picked)}
    drawn = [
        replace(question, fields={**question.fields, PLACE: [float(places[question.key]), share]})
        for question in questions
        if question.key in places
    ]
    variance = _SHARPER * math.fsum(wrong * (1 - wrong) for wrong, *_ in axes.values()) / len(axes)
    half_width = 1.96 * math.sqrt((1 - share) * variance / requests)
    return drawn, {"of": len(questions), "seed": seed, "half_width": round(half_width, 4)}


def in_order(
    items: Sequence[_Item],
    requests: int,
    stratum: Callable[[_Item], tuple[str, ...]],
    axes: Callable[[_Item], Sequence[float]],
) -> list[_Item]:
    """Return items by stratum, within it by difficulty, and within parts of similar difficulty by the second axis.

    The parts go up and down that axis in turn, so that neighbours are similar in everything.
    """
    strata: dict[tuple[str, ...], list[_Item]] = defaultdict(list)
    for item in items:
        strata[stratum(item)].append(item)
    width = math.ceil(_DRAWS * len(items) / requests)
    ordered = []
    for name in sorted(strata):
        members = sorted(strata[name], key=lambda item: axes(item)[0])
        for number, start in enumerate(range(0, len(members), width)):
            part = members[start : start + width]
            ordered += sorted(part, key=lambda item: axes(item)[1], reverse=number % 2 == 1)
    return ordered


def draw(ordered: Sequence[_Item], n: int, seed: int) -> list[_Item]:
    """Return n of N items, spread evenly over their order; each is drawn with the probability n / N.

    Items are shuffled within blocks of 2 N / n. Then every (N / n)-th is taken, from a random start.
    """
    random, step = Random(seed), len(ordered) / n
    shuffled = sorted(range(len(ordered)), key=lambda place: (int(place / (2 * step)), random.random()))
    start = random.random() * step
    return [ordered[shuffled[min(int(start + step * number), len(ordered) - 1)]] for number in range(n)]

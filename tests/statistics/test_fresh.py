"""The gap between published and fresh inputs: its definition, and what it says of simulated models."""

import random

import pytest

from lm_eval_codemind.families.fresh.task import contamination_gap, r_ier_fresh, r_ier_original
from lm_eval_codemind.families.ier import score as scores

Records = list[dict[str, object]]


def records(verdicts: list[tuple[float, float]]) -> Records:
    return [
        {"problem_id": str(number), "item": item, "right": right}
        for number, pair in enumerate(verdicts)
        for item, right in zip(("original", "fresh_1"), pair, strict=True)
    ]


def test_definition():
    assert scores.contamination_gap(1.0, [1.0, 0.0, 0.0, 0.0]) == 0.75
    assert scores.r_fresh([1.0, 0.0]) == 0.5
    some = records([(1, 1), (1, 0), (0, 1), (1, 0)])
    assert (r_ier_original(some), r_ier_fresh(some), contamination_gap(some)) == (0.75, 0.5, 0.25)


def test_only_complete_problems_count():
    some = [*records([(1, 1)]), {"problem_id": "a", "item": "original", "right": 1.0}]
    some += [{"problem_id": "b", "item": "fresh_1", "right": 0.0}]
    assert (r_ier_original(some), r_ier_fresh(some)) == (1.0, 1.0)


def test_questions_about_a_problem_are_one_observation():
    once = records([(1, 0), (0, 0), (1, 1), (0, 0)])
    again = [{**record, "item": "fresh_2"} for record in once if record["item"] == "fresh_1"]
    assert contamination_gap.stderr([*once, *again]) == pytest.approx(contamination_gap.stderr(once))


def test_a_model_that_remembers_has_its_score_as_gap():
    # A fresh output is never the published one.
    chance = random.Random(1)
    some = records([(float(chance.random() < 0.6), 0.0) for _ in range(400)])
    assert contamination_gap(some) == r_ier_original(some) > 0


STEPS = [random.Random(0).randrange(2, 200) for _ in range(800)]


def skill(steps: int) -> float:
    return 1 / (1 + (steps / 40) ** 1.5)


def simulated(seed: int, memory: float) -> tuple[float, float]:
    """Return the gap and its standard error of a model that knows a share of the published outputs by heart."""
    chance = random.Random(f"simulation {seed}")
    verdicts = []
    for steps in STEPS:
        known = chance.random() < memory
        original = known or chance.random() < skill(steps)
        verdicts.append((float(original), float(chance.random() < skill(steps))))
    some = records(verdicts)
    return contamination_gap(some), contamination_gap.stderr(some)


@pytest.mark.parametrize("memory", [0.0, 0.3])
def test_a_mixture_of_skill_and_memory_is_estimated_within_its_interval(memory):
    # Where it does not remember, it is right with the probability of its skill: the gap is memory times failure.
    truth = memory * (1 - sum(map(skill, STEPS)) / len(STEPS))
    runs = [simulated(seed, memory) for seed in range(100)]
    assert sum(abs(gap - truth) <= 1.96 * error for gap, error in runs) >= 93

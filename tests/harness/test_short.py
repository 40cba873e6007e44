"""Short forms: draws that are fair, standard errors that hold, and estimates that do on recorded responses."""

import math
import re
from collections import Counter

import numpy as np
import pytest

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.ier.task import IER, short_dataset
from lm_eval_codemind.families.ier.task import dataset as full_dataset
from lm_eval_codemind.families.runtime.items import aggregation
from lm_eval_codemind.harness.aggregations import Value, mean_stderr
from lm_eval_codemind.harness.short import ALL, draw, in_order, short_form
from lm_eval_codemind.questions import Question
from lm_eval_codemind.statistics import systematic_stderr
from make_difficulties import second_axis, settings_of

DRAWS = 200


def test_every_item_is_drawn_equally_often_and_none_twice():
    drawn = [draw(range(50), 12, seed) for seed in range(4000)]
    assert all(len(set(items)) == 12 for items in drawn)
    counts = Counter(item for items in drawn for item in items)
    # 12 / 50 of 4,000 draws, within five standard deviations.
    assert all(abs(counts[item] - 960) < 5 * math.sqrt(960 * 0.76) for item in range(50))
    assert draw(range(5), 5, 1) == sorted(draw(range(5), 5, 1)) or set(draw(range(5), 5, 1)) == set(range(5))


def test_draws_are_spread_over_the_order():
    for seed in range(50):
        parts = Counter(item // 100 for item in draw(range(800), 200, seed))
        assert all(22 <= parts[part] <= 28 for part in range(8))


def test_the_standard_error_is_that_of_the_draws_from_a_finite_population():
    random = np.random.default_rng(1)
    skill = np.sort(random.uniform(0, 1, 800))
    scores = (random.uniform(0, 1, 800) < skill).astype(float)
    means, errors = [], []
    for seed in range(1500):
        values = [float(scores[place]) for place in draw(range(800), 200, seed)]
        means.append(np.mean(values))
        errors.append(systematic_stderr(values, [(place, 0.25) for place in range(200)]))
    assert np.mean(means) == pytest.approx(scores.mean(), abs=3 * np.std(means) / math.sqrt(1500))
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(means), rel=0.06)
    # What a simple draw of the population has is a third more.
    assert np.std(means) < 0.8 * math.sqrt(0.75 * scores.var() / 200)


def test_all_items_leave_no_error_and_one_has_none():
    assert systematic_stderr([0.0, 1.0, 1.0], [(place, 1.0) for place in range(3)]) == 0
    assert math.isnan(systematic_stderr([1.0], [(0, 0.5)]))


def test_the_mean_of_drawn_documents_has_the_error_of_the_draw():
    drawn = [Value.of(float(place % 3 == 0), f"p{place}", [float(place), 0.2]) for place in range(12)]
    assert mean_stderr(drawn[::-1]) == systematic_stderr(drawn, [value.drawn for value in drawn])
    # By hand: eight steps of 1 between neighbours, n = 12, f = 1/5.
    steps = sum(drawn[place] != drawn[place + 1] for place in range(11))
    assert mean_stderr(drawn) == pytest.approx(math.sqrt(0.8 * steps / (2 * 12 * 11)))


@pytest.mark.parametrize("responses", [1, 4])
def test_runtime_metrics_have_the_error_of_the_draw(responses):
    record = {"program": "p", "run": "0", "setting": "state", "executed": True, "goes_on": True}
    right = np.random.default_rng(2).random((12, responses)) < 0.4
    records = [
        {**record, "line": place, "right": list(row), "said_executed": [None] * responses, "drawn": [float(place), 0.2]}
        for place, row in enumerate(right)
    ]
    # v_2 of the questions: their mean counts, however many responses each has.
    steps = np.diff(right.mean(axis=1) / 12)
    expected = math.sqrt(0.8 * 12 / (2 * 11) * (steps**2).sum())
    assert aggregation("state_executed").stderr(records[::-1]) == pytest.approx(expected)


@pytest.fixture
def questions() -> list[Question]:
    return [Question.from_document(row) for row in full_dataset(benchmark="sample", setting="steps")["test"]]


def test_a_short_form_asks_questions_of_the_full_task_and_another_seed_others(questions):
    drawn, record = short_form(questions, IER, 8, {})
    assert record["of"] == len(questions) and 0 < record["half_width"] < 0.4
    keys = [question.key for question in questions]
    assert [key for key in keys if key in {question.key for question in drawn}] == [question.key for question in drawn]
    assert sorted(question["drawn"][0] for question in drawn) == list(range(8))
    assert {question["drawn"][1] for question in drawn} == {8 / len(questions)}
    others = {frozenset(q.key for q in short_form(questions, IER, 8, {"short_seed": seed})[0]) for seed in range(10)}
    assert len(others) > 5
    assert len(short_form(questions, IER, 8, {"short_seed": ALL})[0]) == len(questions)


def test_a_short_form_that_cannot_be_asked_says_so(questions):
    with pytest.raises(UserError, match="cannot ask 99"):
        short_form(questions, IER, 99, {})
    with pytest.raises(UserError, match="short_seed"):
        short_form(questions, IER, 8, {"short_seed": "x"})


def test_results_record_the_draw():
    suite: dict = {}
    rows = short_dataset(benchmark="sample", setting="steps", requests=8, suite=suite, short_seed=3)["test"]
    assert suite["family"] == "ier_short" and suite["short"]["seed"] == 3 and suite["options"] == {"short_seed": 3}
    assert len(rows) == suite["questions"] == 8


def family_of(name: str) -> str:
    """Return the family of a model of CRUXEval's site, which all its sizes and settings share."""
    return re.split(r"[-_]", name)[0]


@pytest.mark.proof
@pytest.mark.parametrize(("asked", "error", "ninth"), [("output", 1.7, 3.5), ("input", 1.85, 3.8)])
def test_two_hundred_requests_estimate_recorded_models_of_other_families(built, shared_data, asked, error, ninth):
    """The difficulties are estimated without all models of the family. The truth is what all 800 answers give."""
    folder = shared_data / "cruxeval_recordings"
    wrong = settings_of(folder, asked)
    families = [family_of(path.name) for path in sorted(folder.glob(f"*_{asked}.jsonl.gz"))]
    errors, covered = [], []
    for number, family in enumerate(families):
        others = wrong[[other != family for other in families]]
        axes = list(zip(np.nanmean(others, axis=0), second_axis(others), strict=True))
        ordered = in_order(range(800), 200, lambda _: (), axes.__getitem__)
        random, inside = np.random.default_rng(number), 0
        shares = np.nan_to_num(1 - wrong[number], nan=0.5)
        for seed in range(DRAWS):
            answers = (random.uniform(0, 1, 800) < shares).astype(float)
            values = answers[draw(ordered, 200, seed)].tolist()
            off = abs(np.mean(values) - answers.mean())
            inside += off <= 1.96 * systematic_stderr(values, [(place, 0.25) for place in range(200)])
            errors.append(100 * off)
        covered.append(inside / DRAWS)
    assert np.mean(errors) <= error and np.quantile(errors, 0.9) <= ninth
    assert 0.93 <= np.mean(covered) <= 0.97

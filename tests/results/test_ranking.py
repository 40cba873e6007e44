"""Ranks that admit ties, by simulation and on recorded models, and the power of comparisons."""

import math
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from lm_eval_codemind.families.table import corrected, described
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.short import draw, in_order
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.analysis import comparisons, hardest
from lm_eval_codemind.results.associations import associations
from lm_eval_codemind.results.observations import ALL, observe
from lm_eval_codemind.results.ranking import ranks
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.statistics import adjusted_mean, compare_all, problems_needed, smallest_difference
from make_difficulties import second_axis, settings_of

IER = views()["ier"]


def ranked(scores: np.ndarray) -> dict[str, tuple[int, int]]:
    """Return the first and the last rank of each model, named by its number, from scores (models, problems)."""
    names = [str(number) for number in range(len(scores))]
    pairs = list(combinations(range(len(scores)), 2))
    results = compare_all([(scores[one], scores[other]) for one, other in pairs])
    rows = [
        {
            "family": IER.title,
            "score_name": IER.scores[0],
            "benchmark": ALL,
            "first": names[one],
            "second": names[other],
            **vars(result),
            "detectable": math.nan,
        }
        for (one, other), result in zip(pairs, results, strict=True)
    ]
    observations = [
        SimpleNamespace(view=IER, model=name, key=Key("sample", str(number)), scores={IER.scores[0]: float(score)})
        for name, of_model in zip(names, scores, strict=True)
        for number, score in enumerate(of_model)
    ]
    table = ranks(described("comparisons", corrected(rows)), observations)
    return {row["model"]: tuple(map(int, (row["rank"].split(" to ") * 2)[:2])) for row in table.rows}


def separated(ranges: dict[str, tuple[int, int]], above: str, below: str) -> bool:
    """Whether one model is ranked above another."""
    return ranges[above][1] < ranges[below][0]


def answers(random: np.random.Generator, skills: list[float], n: int) -> np.ndarray:
    """Return verdicts of models, whose mean share of right ones is their skill, on problems that differ."""
    share = np.clip(np.array(skills)[:, None] + random.uniform(-0.3, 0.3, n), 0, 1)
    return (random.uniform(0, 1, share.shape) < share).astype(float)


@pytest.mark.proof
def test_equal_models_are_split_in_at_most_one_of_twenty_rankings():
    random = np.random.default_rng(3)
    split = 0
    for _ in range(300):
        # Four equal models, and one that may or may not be told from them.
        ranges = ranked(answers(random, [0.5, 0.5, 0.5, 0.5, 0.62], 200))
        split += any(separated(ranges, *pair) or separated(ranges, *pair[::-1]) for pair in combinations("0123", 2))
    assert split / 300 <= 0.05


def test_models_that_differ_are_ranked_in_their_order():
    ranges = ranked(answers(np.random.default_rng(4), [0.35, 0.5, 0.65], 800))
    assert ranges == {"2": (1, 1), "1": (2, 2), "0": (3, 3)}


def test_models_that_cannot_be_separated_share_a_rank():
    random = np.random.default_rng(5)
    for _ in range(20):
        scores = answers(random, list(np.linspace(0.4, 0.6, 6)), 150)
        ranges = ranked(scores)
        pairs = list(combinations(range(6), 2))
        ps = corrected([vars(one) for one in compare_all([(scores[a], scores[b]) for a, b in pairs])])
        for (one, other), row in zip(pairs, ps, strict=True):
            first, second = ranges[str(one)], ranges[str(other)]
            overlap = first[0] <= second[1] and second[0] <= first[1]
            assert overlap or row["p_corrected"] < 0.05


def answered(task: str, family: str, benchmark: str, scores: np.ndarray, problems: Sequence[int]) -> TaskRun:
    """Return a task whose questions a model answers with these scores; ``problems`` says which one each is about."""
    samples = [
        Sample(
            doc={"benchmark": benchmark, "problem_id": f"p{problem}", "item": str(number)}, doc_id=number, target="",
            prompts=(), responses=(), answers=(), filter="f", scores={views()[family].metric: float(score)}, raw={},
        )
        for number, (score, problem) in enumerate(zip(scores, problems, strict=True))
    ]  # fmt: skip
    config = {"metadata": {"suite": {"family": family, "benchmark": benchmark}}}
    return TaskRun(task, config, (), len(samples), len(samples), Path(task), lambda file, without: iter(samples))


def test_questions_about_one_problem_do_not_count_as_several_problems():
    """A program's branches are right or wrong together. The difference stays the one of the shares of questions."""
    random = np.random.default_rng(11)
    right = {model: answers(random, [skill], 40)[0] for model, skill in {"a": 0.7, "b": 0.5}.items()}

    def compared(questions: Sequence[int]) -> dict[str, Any]:
        problems = np.repeat(range(40), questions)
        runs = [
            Run(Path(), model, model, (answered("t", "branches", "sample", scores[problems], problems),), {})
            for model, scores in right.items()
        ]
        observations = observe(runs)
        table = comparisons(observations, by_benchmark=False)
        assert {row["n"] for row in ranks(table, observations).rows} == {40}
        (row,) = table.rows
        assert row["n"] == 40 and row["difference"] == pytest.approx(row["first_score"] - row["second_score"])
        assert row["first_score"] == pytest.approx(np.repeat(right["a"], questions).mean())
        return row

    single = compared([1] * 40)
    assert {**compared([3] * 40), "first": "a"} == single
    assert 0.01 < compared([1, 3] * 20)["p"] < 1


@pytest.mark.parametrize(("family", "benchmark", "titles"), [
    ("cruxeval_output", "cruxeval", {
        "codemind_cruxeval_output_direct_02": "CRUXEval-O direct, codemind_cruxeval_output_direct_02",
        "codemind_cruxeval_output_direct_08": "CRUXEval-O direct, codemind_cruxeval_output_direct_08",
    }),
    ("ier", "humaneval", {
        "my_codemind_ier_humaneval": "IER, my_codemind_ier_humaneval", "codemind_ier_humaneval": "IER",
    }),
])  # fmt: skip
def test_tasks_that_ask_the_same_questions_stand_apart(family, benchmark, titles):
    """Model a is better at the first task, and model b at the second."""
    random, skills = np.random.default_rng(9), {"a": (0.9, 0.3), "b": (0.3, 0.6)}
    scores = {
        (model, task): (random.uniform(0, 1, 200) < skill).astype(float)
        for model, of_model in skills.items()
        for task, skill in zip(titles, of_model, strict=True)
    }
    runs = [
        Run(
            Path(),
            model,
            model,
            tuple(answered(t, family, benchmark, scores[model, t], range(200)) for t in titles),
            {},
        )
        for model in skills
    ]
    observations = observe(runs)
    compared = comparisons(observations)
    rows = {row["family"]: row for row in compared.rows if row["benchmark"] == ALL}
    ranged = {(row["family"], row["model"]): row for row in ranks(compared, observations).rows}
    assert set(rows) == set(titles.values())
    for (task, title), (best, other) in zip(titles.items(), ("ab", "ba"), strict=True):
        one, two = scores["a", task], scores["b", task]
        only = int(np.sum(one > two)), int(np.sum(two > one))
        assert rows[title]["n"] == 200 and rows[title]["difference"] == pytest.approx(one.mean() - two.mean())
        assert rows[title]["p"] == pytest.approx(stats.binomtest(only[0], sum(only)).pvalue)
        assert [ranged[title, model]["rank"] for model in (best, other)] == ["1", "2"]
        for model in "ab":
            row = ranged[title, model]
            assert row["score"] == pytest.approx(scores[model, task].mean()) and row["n"] == 200
    assert {row["models"] for row in hardest(observations).rows} == {2}
    assert {(row["first"], row["second"]) for row in associations(observations).rows} == {
        pair for pair in product(titles.values(), repeat=2) if len(set(pair)) == 2
    }
    # The task that a package names for the benchmark is what the overlap counts.
    assert {o.view.title for o in observations if o.view.variant.in_overlap} == {"IER"} & set(rows)


@pytest.mark.parametrize("n", [200, 800])
def test_a_difference_is_found_with_the_probability_that_is_said(n):
    random = np.random.default_rng(6)
    size = smallest_difference(0.4, n)
    only_first = random.binomial(n, 0.2 + size / 2, 2000)
    only_second = random.binomial(n - only_first, (0.2 - size / 2) / (0.8 - size / 2))
    both = only_first + only_second
    # The exact test with one half, for all draws at once.
    found = 2 * stats.binom.cdf(np.minimum(only_first, only_second), both, 0.5) < 0.05
    # The exact test is a little more careful than the normal quantiles.
    assert 0.72 <= np.mean(found) <= 0.83
    assert problems_needed(0.4, size) == pytest.approx(n, abs=1)
    assert smallest_difference(0.4, n, tests=10) > size
    assert math.isnan(smallest_difference(0.0, n)) and math.isnan(problems_needed(0.4, 0.0))


@pytest.mark.proof
def test_recorded_models_five_points_apart_are_hardly_ever_misordered_by_two_hundred_requests(built, shared_data):
    right = 1 - np.nan_to_num(settings_of(shared_data / "cruxeval_recordings", "output"), nan=0.5)
    axes = list(zip(1 - right.mean(axis=0), second_axis(1 - right), strict=True))
    ordered = in_order(range(800), 200, lambda _: (), axes.__getitem__)
    random, wrong, pairs = np.random.default_rng(7), 0, 0
    for seed in range(20):
        drawn = draw(ordered, 200, seed)
        scores = (random.uniform(0, 1, right.shape) < right).astype(float)[:, drawn]
        ranges = ranked(scores)
        means = right.mean(axis=1)
        for one, other in combinations(range(len(right)), 2):
            above, below = (one, other) if means[one] > means[other] else (other, one)
            if 0.05 <= means[above] - means[below] < 0.15:
                pairs += 1
                wrong += separated(ranges, str(below), str(above))
    assert pairs > 1000 and wrong / pairs <= 0.02


@pytest.mark.parametrize("easiest", [True, False])
def test_the_score_of_a_part_that_is_too_easy_or_too_hard_is_adjusted(easiest):
    random, inside, off = np.random.default_rng(8), 0, []
    difficulties = np.sort(random.uniform(0.1, 0.9, 800))
    part = slice(0, 300) if easiest else slice(500, 800)
    for _ in range(200):
        scores = (random.uniform(0, 1, 800) > difficulties).astype(float)
        found = adjusted_mean(scores[part].tolist(), difficulties[part].tolist(), float(difficulties.mean()), 800)
        inside += found.low <= scores.mean() <= found.high
        off.append(found.value - scores.mean())
        assert abs(scores[part].mean() - scores.mean()) > 0.1
    assert abs(np.mean(off)) < 0.02 and inside / 200 >= 0.93


def test_too_few_or_equally_hard_problems_adjust_nothing():
    assert math.isnan(adjusted_mean([1.0] * 9, [0.1 * k for k in range(9)], 0.5, 100).value)
    assert math.isnan(adjusted_mean([1.0] * 20, [0.5] * 20, 0.5, 100).value)


def test_equal_scores_do_not_prove_that_all_others_are_equal():
    found = adjusted_mean([1.0] * 30, [k / 30 for k in range(30)], 0.5, 100)
    assert found.value == found.high == 1 and 0.8 < found.low < 0.9

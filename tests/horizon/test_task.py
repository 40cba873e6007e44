"""The task on made-up programs: questions, options, scores by level, what results show, and stored seeds."""

import dataclasses
import gzip
from typing import Any

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind.commands import export
from lm_eval_codemind.data.facts import horizon as facts
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.errors import MissingExtra, UserError
from lm_eval_codemind.families.horizon import task
from lm_eval_codemind.families.horizon.task import HORIZON, LEVELS, load_rungs
from lm_eval_codemind.harness import location
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.results.analysis import findings
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.plots import plots
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.results.verification import _comparable
from lm_eval_codemind.rewards import reward
from lm_eval_codemind.workshop.proof import horizon as workshop
from tests.cli import said
from tests.results.harness import evaluate

TASK = "codemind_horizon_made_up"


def rung(level: int, number: int, links: int, argument: int = 31) -> facts.Rung:
    code = f"def main_solution(n):\n    return n * {level * 1000 + number}\n"
    state = facts.BOUNDS[level - 1]
    name = f"made_up_{level}_{number}"
    output, call = str(argument * (level * 1000 + number)), f"main_solution({argument})"
    problem = Problem(name, facts.BENCHMARK, "function", "python", code, "main_solution", call, output)
    return facts.Rung(**vars(problem), level=level, state=state, steps=2, links=links)


RUNGS = facts.Rungs(
    tuple(rung(level, number, number // 4 * 2) for level in range(1, 9) for number in range(8)), {"codeio_7_1": "why"}
)
TRAINING = facts.Rungs(tuple(rung(level, 0, 0, 37) for level in range(1, 9)), {})


@pytest.fixture
def made(tmp_path, monkeypatch) -> list[int]:
    """Seeds for evaluation are made of :data:`RUNGS`, others of :data:`TRAINING`; the list has those that were made."""
    seeds: list[int] = []

    def make(problems: Any, seed: int, template: str) -> facts.Rungs:
        assert {problem.benchmark for problem in problems} == {"sample"} and "### Problem" in template
        seeds.append(seed)
        return RUNGS if seed < 10 else TRAINING

    (tmp_path / "data").mkdir()
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(task.making, "horizon", make)
    return seeds


@pytest.fixture
def manager(tmp_path, made) -> TaskManager:
    """Has the task on the sample's data, which needs no network."""
    own = tmp_path / "tasks" / f"{TASK}.yaml"
    own.parent.mkdir()
    yaml = task_directory() / "horizon" / "codemind_horizon.yaml"
    own.write_text(f"include: {yaml}\ntask: {TASK}\ndataset_kwargs:\n  benchmark: sample\n  setting: steps\n")
    return TaskManager(include_path=[str(task_directory()), str(own.parent)], include_defaults=False)


def test_questions_and_options(made):
    suite: dict[str, Any] = {}
    rows = task.dataset(benchmark="sample", setting="steps", suite=suite, horizon_seed=7)["test"]
    assert len(rows) == 64 and [row["level"] for row in rows] == [level for level in range(1, 9) for _ in range(8)]
    assert {(row["state"], row["links"]) for row in rows if row["level"] == 3} == {(64, 0), (64, 2)}
    assert suite["horizon"]["left_out"] == {"codeio_7_1": "why"} and suite["horizon"]["horizon_seed"] == 7
    assert "MIT" in suite["licence"] and "Apache-2.0" in suite["licence"]
    fewer = task.dataset(benchmark="sample", setting="steps", suite={}, horizon_seed=7, per_level=4)["test"]
    assert [row["links"] for row in fewer] == [0, 0, 2, 2] * 8
    assert made == [7], "a seed is made once"
    for name, value in (("horizon_seed", -1), ("per_level", 1), ("per_level", 41), ("horizon_seed", "x")):
        with pytest.raises(UserError, match=f"{name} is .* must be a whole number"):
            task.dataset(benchmark="sample", setting="steps", **{name: value})


@pytest.mark.proof
def test_a_stored_seed_has_its_bytes(made, tmp_path):
    assert load_rungs("sample", 2) == load_rungs("sample", 2) == RUNGS
    (file,) = (tmp_path / "data" / "horizon").iterdir()
    assert facts.loaded(gzip.decompress(file.read_bytes()).decode()) == RUNGS and "-2." in file.name
    file.write_bytes(b"damaged")
    assert load_rungs("sample", 2) == RUNGS and made == [2, 2]


def test_scores_by_level_and_the_report(manager, tmp_path):
    for model, answer, right in (
        ("oracle", lambda doc: doc["target"], lambda level: 1.0),
        ("silent", lambda doc: "", lambda level: 0.0),
        ("short", lambda doc: doc["target"] if doc["level"] <= 4 else "", lambda level: float(level <= 4)),
    ):
        results = evaluate(tmp_path / model, model, answer, [TASK], manager)["results"][TASK]
        levels = [results[f"{name},strict-match"] for name in LEVELS]
        assert levels == [right(level) for level in range(1, 9)]
        value = results["horizon,strict-match"]
        assert {"oracle": value == 2048, "silent": value == 16, "short": 128 < value < 256}[model]
    observations = observe(read_runs([tmp_path / model for model in ("oracle", "silent", "short")]))
    tables = {table.name: table for table in findings(observations)}
    rows = {row["model"]: row for row in tables["horizon"].rows}
    assert 128 < rows["short"]["low"] <= rows["short"]["horizon"] <= rows["short"]["high"] < 256
    assert [row[1] for row in tables["horizon"].shown()] == ["beyond 2,048", "below 16", f"{rows['short']['horizon']}"]
    assert "oracle,2048.0,2048.0,2048.0,16.0,64" in tables["horizon"].to_csv()
    at_levels = [row for row in tables["horizon_levels"].rows if row["model"] == "short"]
    assert [(row["state"], row["value"]) for row in at_levels[3:5]] == [("128", 1.0), ("256", 0.0)]
    (figure,) = plots([tables["horizon"]])
    drawing = figure.svg(figure.series)
    for text in ("oracle, horizon: beyond 2,048 [beyond 2,048, beyond 2,048], n = 64, baseline below 16", "1,024"):
        assert text in drawing
    # Seven doublings lie between the ends.
    places = [figure.place(state) for state in (16, 32, 181.02, 2048)]
    assert places == ["3.00%", "16.14%", "49.00%", "95.00%"]
    (figure,) = plots([tables["horizon_levels"]])
    assert figure.series == ["oracle", "silent", "short"] and len(figure.marks) == 24
    drawing = figure.svg(figure.series)
    assert "state 2,048" in drawing
    cited = said("cite", tmp_path / "short")
    value, low, high = (f"{rows['short'][name]}" for name in ("horizon", "low", "high"))
    assert f"horizon {value} characters of state (95% interval {low} to {high})" in cited
    assert "at most 8,192 tokens each" in cited
    printed = said("compare", tmp_path / "oracle", tmp_path / "short")
    assert "beyond 2,048" in printed and "Scores by state" in printed


def test_rows_for_training(manager, made, tmp_path, monkeypatch):
    folders = [str(task_directory()), str(tmp_path / "tasks")]
    monkeypatch.setattr(
        location,
        "task_manager",
        lambda options: TaskManager(include_path=folders, include_defaults=False, metadata=dict(options)),
    )
    with pytest.raises(UserError, match="horizon_seed is 3, and the seeds 0 to 9 are for evaluation"):
        export._rows_of_tasks([TASK], {"horizon_seed": 3}, False)
    rows = export._rows_of_tasks([TASK], {"horizon_seed": 11}, False)
    assert len(rows) == 8 and sorted(made) == [0, 11]
    assert {row["seed"] for row in rows} == {11} and all("Apache-2.0" in row["licence"] for row in rows)
    assert [reward(row, row["target"]) for row in rows] == [1.0] * 8 and reward(rows[0], rows[1]["target"]) == 0.0


def test_tokens_of_a_level():
    """A response that knows its tokens hands them to the answer, which the table averages."""

    class Counted(str):
        tokens = 41

    (question,) = HORIZON.questions(RUNGS.problems[0], "steps")
    answer = HORIZON.read(Counted("<output>\n1\n</output>"), question, "strict-match")
    assert (answer.text.strip(), answer.details) == ("1", {"tokens": 41})
    unknown = HORIZON.read("<output>\n1\n</output>", question, "strict-match")
    # A log has no tokens, and verifies all the same.
    assert unknown.details == {} and _comparable([answer]) == _comparable([unknown]) != _comparable([Answer("2")])


def test_without_the_extra_one_message_says_what_to_install(monkeypatch):
    find_spec = workshop.importlib.util.find_spec
    for module in ("reasoning_gym", "time_machine"):
        monkeypatch.setattr(
            workshop.importlib.util, "find_spec", lambda name, m=module: None if name == m else object()
        )
        with pytest.raises(MissingExtra, match=r"run `pip install 'lm-eval-codemind\[horizon\]'`"):
            workshop.make_horizon([], 0, "")
    monkeypatch.setattr(workshop.importlib.util, "find_spec", find_spec)


def test_levels_of_states():
    assert [facts.level_of(state) for state in (14, 15, 17, 18, 29, 35, 1843, 1844, 2252, 2253)] == [
        *(None, 1, 1, None, 2, 2, None, 8, 8, None)
    ]
    for level, (bound, states) in enumerate(zip(facts.BOUNDS, facts.STATES, strict=True), start=1):
        near = [state for state in range(1, 3000) if 10 * abs(state - bound) <= bound]
        assert list(states) == near and {facts.level_of(state) for state in states} == {level}
    assert dataclasses.replace(RUNGS.problems[0], links=3).source == facts.CHAIN

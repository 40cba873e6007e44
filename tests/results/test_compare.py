"""The overall scores of groups, the comparison of two models, and their commands."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from lm_eval.tasks import TaskManager

from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.results.analysis import overall, summary
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.statistics import compare
from tests.cli import refused, said
from tests.results.conftest import TASK
from tests.results.harness import evaluate

TASKS = ["codemind_ier_sample", "codemind_ier_sample_java"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a run of a group of two tasks of different sizes, partly right."""
    folder = tmp_path_factory.mktemp("grouped")
    metrics = [{"metric": "r_ier", "weight_by_size": True}]
    group = {"group": "codemind_ier_both", "task": TASKS, "aggregate_metric_list": metrics}
    (folder / "group.yaml").write_text(json.dumps(group))
    manager = TaskManager(include_path=[str(task_directory()), str(folder)], include_defaults=False)

    def answer(doc: dict[str, Any]) -> str:
        return str(doc["target"]) if doc["language"] == "java" or doc["kind"] == "script" else "no idea"

    evaluate(folder, "org/grouped", answer, ["codemind_ier_both"], manager)
    return folder


def test_the_overall_score_of_a_group_is_the_harness_s(grouped):
    runs = read_runs([grouped])
    scores = summary(runs)
    (row,) = overall(runs, scores).rows
    raw = runs[0].raw["results"]
    assert row["group"] == "codemind_ier_both" and row["tasks"] == 2
    assert row["value"] == raw["codemind_ier_both"]["r_ier,strict-match"]
    parts = {part["task"]: part for part in scores.rows if part["metric"] == "r_ier"}
    assert row["low"] < row["value"] < row["high"]
    # It is surer than its less certain part, and between the two.
    assert row["high"] - row["low"] < max(part["high"] - part["low"] for part in parts.values())
    assert min(part["value"] for part in parts.values()) < row["value"] < max(part["value"] for part in parts.values())
    shown = said("show", grouped, "-n", "0")
    assert re.search(rf"r_ier +codemind_ier_both +org/grouped +{row['value']:.1%}", shown), shown


def test_a_task_in_no_group_stands_for_itself(output):
    runs = read_runs([output])
    rows = overall(runs, summary(runs)).rows
    assert [(row["group"], row["model"]) for row in rows] == [(TASK, "org/right"), (TASK, "org/scripts")]
    assert [row["value"] for row in rows] == [run.tasks[0].main_metrics["r_ier"].value for run in runs]


def test_views_report_what_the_table_of_tasks_tells_users_to_report():
    page = (ROOT / "docs" / "tasks.md").read_text()
    rows = dict(re.findall(r"^\| `codemind_(\w+)` \| .* \| (`[^|]*`) \|", page, flags=re.MULTILINE))
    assert len(rows) >= 10
    for name, cell in rows.items():
        metrics = re.findall(r"`([^`,]+)", cell)
        if name == "own":  # Its tasks are of several families.
            reported = [view.reported[0] for family, view in views().items() if family.startswith("own_")]
        else:
            reported = list(views()[name.removesuffix("_humaneval")].reported[: len(metrics)])
        assert sorted(reported) == sorted(metrics), name


def test_groups_have_the_metrics_to_report():
    groups = {
        path.stem: yaml.safe_load(path.read_text().replace("!function", ""))
        for path in task_directory().rglob("codemind_*.yaml")
    }
    checked = 0
    for name, view in views().items():
        group = groups.get(f"codemind_{name}", {})
        if "aggregate_metric_list" in group:
            assert set(view.reported) <= {one["metric"] for one in group["aggregate_metric_list"]}, name
            checked += 1
    assert checked >= 10


def test_two_models_are_compared_problem_by_problem(output):
    right, scripts = output / "org__right", output / "org__scripts"
    header, _, *rows = said("compare", right, scripts).splitlines()
    assert header.split()[:5] == ["Family", "Score", "Benchmark", "org/right", "org/scripts"]
    (run,) = read_runs([scripts])
    verdicts = [s.scores["r_ier"] for s in run.tasks[0].read_samples() if s.filter == "strict-match"]
    expected = compare([1.0] * len(verdicts), verdicts)
    cells = rows[0].split()
    assert cells[:5] == ["IER", "S_IER", "all", "100.0%", f"{np.mean(verdicts):.1%}"]
    assert cells[5:8] == [f"{value:.1%}" for value in (expected.difference, expected.low, expected.high)]
    assert cells[-1] == "24"


def test_runs_that_cannot_be_compared_are_named(output, grouped, tmp_path):
    assert "several models" in refused("compare", output, output / "org__right")
    (file,) = (output / "org__right").glob("results_*.json")
    (samples,) = (output / "org__right").glob("samples_*.jsonl")
    raw = json.loads(file.read_text())
    raw["configs"][TASK]["metadata"]["version"] = 0.1
    (tmp_path / file.name).write_text(json.dumps(raw))
    (tmp_path / samples.name).write_text(samples.read_text())
    outdated = refused("compare", output / "org__scripts", tmp_path)
    assert "has version" in outdated and "not comparable" in outdated
    for command in ("show", "report"):
        assert "has version" in refused(command, output / "org__scripts", tmp_path)
    # The same model under other settings is labelled by path, and what differs is said.
    raw["configs"][TASK]["metadata"] = json.loads(file.read_text())["configs"][TASK]["metadata"]
    raw["configs"][TASK]["metadata"]["suite"]["prompts_sha256"] = "0" * 64
    (tmp_path / file.name).write_text(json.dumps(raw))
    twice = said("compare", output / "org__right", tmp_path)
    assert f"note: {TASK}: prompts: " in twice and str(tmp_path) in twice and " 0.0%" in twice
    assert str(tmp_path / "none") in refused("compare", output / "org__right", tmp_path / "none")

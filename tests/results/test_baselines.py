"""The baselines that the report shows with the scores."""

import math
from pathlib import Path

import pytest

from lm_eval_codemind.families.views import views
from lm_eval_codemind.results.analysis import summary
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from tests.results.harness import evaluate

TASK = "codemind_runtime_sample"


def test_a_task_that_nobody_has_measured_has_no_baseline() -> None:
    view = views()["runtime"]
    assert view.baseline(TASK, "coverage_balanced") == 0.5
    assert math.isnan(view.baseline(TASK, "answered")) and math.isnan(view.baseline("codemind_of_a_user", "right"))


@pytest.mark.parametrize("task", ["humaneval", "classeval", "cruxeval", "avatar", "sample"])
def test_baselines_of_runtime_behaviour_are_low(task: str) -> None:
    """What needs no execution: at most 65 % of coverage, at most 60 % of the path, few states and outputs."""
    view = views()["runtime"]
    best = {
        metric: view.baseline(f"codemind_runtime_{task}", metric)
        for metric in ("coverage_balanced", "path_executed", "state_executed", "output")
    }
    assert best["coverage_balanced"] <= 0.65 and best["path_executed"] <= 0.6
    assert best["state_executed"] <= 0.08 and best["output"] <= 0.11


def test_the_summary_shows_them(tmp_path: Path) -> None:
    evaluate(tmp_path, "org/silent", lambda document: "", [TASK])
    runs = read_runs([tmp_path])
    rows = {row["metric"]: row for row in summary(runs, observe(runs)).records()}
    assert rows["coverage_balanced"]["baseline"] == 0.5 and rows["coverage_balanced"]["value"] == 0
    assert 0 < rows["path_executed"]["baseline"] < 0.55

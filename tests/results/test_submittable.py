"""Every family whose results can be submitted, from one fresh run of its sample: verified, reported, submitted.

DER, which is a second run after another one, has its test with its others.
"""

import json
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from lm_eval_codemind.families.view import View
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.sandbox.java import jdk
from tests.cli import codemind, said
from tests.results.harness import evaluate
from tests.results.test_verification import add_a_character, change_results, change_sample

pytestmark = pytest.mark.proof

MODEL = "org/all"


def view_of_name(task: str) -> View | None:
    """Return the view of the variant with the longest name that the name of a task begins with."""
    names = [name for name in views() if task.startswith(f"codemind_{name}_")]
    return views()[max(names, key=len)] if names else None


def submittable() -> list[str]:
    """Return the sample's tasks of the families whose results can be submitted, but those with a first stage."""
    tasks = []
    for file in sorted(task_directory().rglob("codemind_*_sample*.yaml")):
        view = view_of_name(file.stem)
        if view is not None and view.variant.submittable and "first_stage" not in file.read_text(encoding="utf-8"):
            tasks.append(file.stem)
    return tasks


def has_jdk() -> bool:
    with suppress(jdk.JavaUnavailable):
        return bool(jdk.find())
    return False


JAVA = has_jdk()
TASKS = [task for task in submittable() if JAVA or "java" not in task]
ONE_OF_EACH = list({view_of_name(task).name: task for task in TASKS}.values())


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with right answers, but for about every fourth problem."""
    folder = tmp_path_factory.mktemp("submittable")

    def answer(doc: dict[str, str]) -> str:
        return "I do not know." if len(doc["problem_id"]) % 4 == 1 else doc["target"]

    evaluate(folder, MODEL, answer, TASKS, confirm_run_unsafe_code=True)
    return folder


def test_a_fresh_run_of_every_family_verifies(directory):
    result = codemind("verify", directory)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{MODEL}: equal ({len(TASKS)} tasks, ")
    assert "note" not in result.stdout


@pytest.mark.parametrize("task", ONE_OF_EACH)
def test_one_altered_character_is_named_in_every_family(directory, tmp_path, task):
    (results,) = directory.rglob("results_*.json")
    (samples,) = directory.rglob(f"samples_{task}_2*.jsonl")
    raw = json.loads(results.read_text())
    for part in ("results", "configs", "n-samples", "versions"):
        raw[part] = {task: raw[part][task]}
    (tmp_path / results.name).write_text(json.dumps(raw))
    (tmp_path / samples.name).write_bytes(samples.read_bytes())
    problem = change_sample(tmp_path, 3, add_a_character)
    metric = view_of_name(task).metric

    def lower(raw: dict) -> None:
        raw["results"][task][f"{metric},{raw['configs'][task]['filter_list'][0]['name']}"] -= 1e-9

    change_results(tmp_path, lower)
    result = codemind("verify", tmp_path)
    assert result.exit_code == 1
    assert any(problem in line and "the response is changed" in line for line in result.stdout.splitlines())
    assert f"{task}: {metric}," in result.stdout


def test_a_fresh_run_of_every_family_is_reported(directory, tmp_path):
    said("report", directory, "-o", tmp_path / "report.html", "--tables", tmp_path / "tables")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(task in page for task in TASKS)


def test_a_fresh_run_of_every_family_is_submitted(directory, tmp_path):
    output = tmp_path / "submission"
    said("submit", directory, "--model", MODEL, "--dataset", "org/codemind", "-o", output)
    (results,) = directory.rglob("results_*.json")
    of_run = json.loads(results.read_text())["results"]
    entries = yaml.safe_load((output / ".eval_results" / "codemind.yaml").read_text(encoding="utf-8"))
    shown = {entry["dataset"]["task_id"]: entry["value"] for entry in entries}
    assert set(shown) == set(TASKS)
    for task, value in shown.items():
        metric = view_of_name(task).metric
        assert value in [of_run[task][name] for name in of_run[task] if name.startswith(f"{metric},")]
        # Some problems are not answered, so that a figure that says nothing would show.
        assert 0 < value < 1, task
    (bundle,) = output.glob("*.tar.gz")
    with tarfile.open(bundle) as archive:
        names = archive.getnames()
    assert all(any(f"samples_{task}_2" in name for name in names) for task in TASKS)

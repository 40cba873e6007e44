import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind.families.ier.task import IER
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.reference import OracleLM
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.results.verification import Verification, sealed_responses, verify
from tests.cli import codemind, refused, said
from tests.results.conftest import TASK
from tests.run_files import change_results

Change = Callable[[dict[str, Any]], None]


def change_sample(run: Path, line: int, change: Change) -> str:
    """Change a row of the run's sample file, and return the name of its problem."""
    (file,) = run.glob("samples_*.jsonl")
    lines = file.read_text().splitlines()
    row = json.loads(lines[line])
    change(row)
    lines[line] = json.dumps(row, ensure_ascii=False)
    file.write_text("\n".join(lines) + "\n")
    return str(row["doc"]["problem_id"])


def suite_of(raw: dict[str, Any]) -> dict[str, Any]:
    suite: dict[str, Any] = raw["configs"][TASK]["metadata"]["suite"]
    return suite


def verified(run: Path, again: Run) -> Verification:
    """Compare a run, which may be changed, with a rescoring of it as it was."""
    return verify(*read_runs([run]), again)


def test_a_fresh_run_is_equal_and_every_response_is_sealed(output):
    models = ("org/right", "org/scripts")
    result = codemind("verify", output)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        line
        for name in models
        for line in (f"{name}: equal (1 task, 6 metrics, 48 samples)", "  prompts: ours (codemind_ier_sample)")
    ]
    assert [len(sealed_responses(run.tasks[0])) for run in read_runs([output])] == [24, 24]


def add_a_character(row: dict[str, Any]) -> None:
    row["resps"][0][0] += " "


def change_the_label(row: dict[str, Any]) -> None:
    row["doc"]["output"] = row["doc"]["output"][:-1] + "9"


def change_the_program(row: dict[str, Any]) -> None:
    row["doc"]["code"] = row["doc"]["code"].replace(" ", "  ", 1)


def change_the_prompt(row: dict[str, Any]) -> None:
    row["arguments"]["gen_args_0"]["arg_0"] += "x"


def change_the_score(row: dict[str, Any]) -> None:
    row["r_ier"] = 1.0 - row["r_ier"]


def change_the_answer(row: dict[str, Any]) -> None:
    row["filtered_resps"] = [[Answer("42").to_json()]]


def change_the_target(row: dict[str, Any]) -> None:
    row["target"] += "x"


CHANGES = [
    (add_a_character, "the response is changed since the run"),
    (change_the_label, "output is"),
    (change_the_program, "code is"),
    (change_the_prompt, "the prompt is changed since the run"),
    (change_the_score, "r_ier is"),
    (change_the_answer, "the answer is"),
    (change_the_target, "the target is"),
]


@pytest.mark.parametrize("line", [0, 23, 47])
@pytest.mark.parametrize(("change", "what"), CHANGES)
def test_one_altered_value_of_a_sample_is_named(run, again, line, change, what):
    problem = change_sample(run, line, change)
    texts = [str(difference) for difference in verified(run, again).differences]
    assert any(problem in text and what in text for text in texts), texts


def test_differences_and_circumstances_are_printed(run):
    def change(raw: dict[str, Any]) -> None:
        suite_of(raw)["data_sha256"] = "0123"
        raw["lm_eval_version"] = "0.4.12"
        raw["results"][TASK]["r_ier,strict-match"] += 1e-12

    change_results(run, change)
    problem = change_sample(run, 5, add_a_character)
    output = refused("verify", run)
    assert f"{TASK}: r_ier,strict-match is 0.2083" in output
    assert problem in output and "the response is changed since the run" in output
    assert "data_sha256: 0123, " in output and "lm-eval: 0.4.12, " in output


def test_a_run_that_was_renamed_is_equal(run, again):
    """What the page on results says of the limits of a verification: nobody knows who wrote the responses."""
    change_results(run, lambda raw: raw.update(model_name="another/model"))
    assert read_runs([run])[0].model == "another/model"
    assert not verified(run, again).differences


def test_samples_left_out_are_noticed(run, again):
    (file,) = run.glob("samples_*.jsonl")
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert any("the list of samples is changed" in str(each) for each in verified(run, again).differences)
    file.unlink()
    assert "--log_samples" in refused("verify", run)


def test_a_task_with_fewer_questions_than_it_has_is_noticed(run, again):
    change_results(run, lambda raw: raw["n-samples"][TASK].update(original=23))
    (difference,) = verified(run, again).differences
    assert str(difference) == f"{TASK}: the number of questions in the task is 23, should be 24"


def test_the_score_of_a_group_must_be_the_mean_of_its_tasks(run, again):
    key = "r_ier,strict-match"
    score = again.tasks[0].main_metrics["r_ier"].value

    def add_group(raw: dict[str, Any], value: float) -> None:
        raw["group_subtasks"] = {"mine": [TASK]}
        raw["results"]["mine"] = {key: value}

    change_results(run, lambda raw: add_group(raw, score))
    assert not verified(run, again).differences
    change_results(run, lambda raw: add_group(raw, 0.99))
    (difference,) = verified(run, again).differences
    assert str(difference) == f"mine: r_ier is 0.99, should be {score!r}"


def test_a_run_without_digests_of_its_responses_is_noted(run, again):
    change_results(run, lambda raw: suite_of(raw).pop("responses"))
    verification = verified(run, again)
    assert verification.equal and "recorded no digest for 24 responses" in "\n".join(verification.notes)


def test_two_tasks_with_the_same_prompts_are_both_sealed(tmp_path):
    config = f"include: {task_directory()}/ier/codemind_ier_sample.yaml\ntask: codemind_ier_again\nrepeats: 2\n"
    (tmp_path / "again.yaml").write_text(config)
    manager = TaskManager(include_path=[str(task_directory()), str(tmp_path)], include_defaults=False)
    tasks = ["codemind_ier_sample", "codemind_ier_again"]
    results = lm_eval.simple_evaluate(model=OracleLM(), tasks=tasks, task_manager=manager, bootstrap_iters=0)
    assert results is not None
    seals = [results["configs"][task]["metadata"]["suite"].get("responses") for task in tasks]
    assert all(seals)
    assert seals[0] != seals[1]


@pytest.mark.parametrize(("task", "metadata"), [
    ("codemind_ier_sample", "prompts"),
    pytest.param("codemind_dsr_sample", {"transform_seed": 5}, marks=pytest.mark.proof),
    pytest.param("codemind_sr_sample", {"hint_seed": 7}, marks=pytest.mark.proof),
], ids=["prompts", "transform_seed", "hint_seed"])  # fmt: skip
def test_a_run_with_other_documents_verifies(task, metadata, tmp_path):
    if metadata == "prompts":
        shutil.copytree(IER.templates, tmp_path / "mine" / "ier")
        for file in (tmp_path / "mine" / "ier").glob("*.txt"):
            file.write_text(file.read_text().replace("### Problem", "### My problem", 1))
        metadata = {"prompts": str(tmp_path / "mine")}
    arguments = ["run", "--model", "codemind-oracle", "--tasks", task, "--output_path", str(tmp_path / "run")]
    arguments += ["--metadata", ",".join(f"{name}={value}" for name, value in metadata.items()), "--log_samples"]
    said(*arguments, "--confirm_run_unsafe_code")
    said("verify", tmp_path / "run")


def test_a_run_of_a_task_of_the_user_verifies(tmp_path):
    """The directory of the task is recorded; where it has moved, it is asked for."""
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    config = f"include: {task_directory()}/ier/codemind_ier_sample.yaml\ntask: my_ier_sample\nrepeats: 2\n"
    (tasks / "my.yaml").write_text(config)
    run = tmp_path / "run"
    arguments = ["run", "--model", "codemind-oracle", "--tasks", "my_ier_sample", "--include_path", tasks]
    said(*arguments, "--output_path", run, "--log_samples", "--limit", "3")
    assert "equal (1 task" in said("verify", run)
    moved = tasks.rename(tmp_path / "moved")
    assert "my_ier_sample: no tasks of this suite; name the directory" in refused("verify", run)
    assert "equal (1 task" in said("verify", run, "--include_path", moved)

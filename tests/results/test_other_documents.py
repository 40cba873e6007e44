"""Runs whose documents are not the tasks' default ones: their responses are sealed, and they verify."""

import shutil

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind.families.ier.task import IER
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.reference import OracleLM
from tests.cli import said


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
    pytest.param("codemind_dsr_sample", {"transform_seed": 5}, marks=pytest.mark.slow),
    ("codemind_sr_sample", {"hint_seed": 7}),
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

"""The data set's repository on the Hub: its files, its card, and ``eval.yaml``, which makes it a benchmark."""

from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.location import task_directory

# The Hub asks for the framework's name; https://huggingface.co/docs/hub/eval-results
FRAMEWORK = "lm-evaluation-harness"
SPLIT = "test"


def eval_yaml(tasks: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of ``eval.yaml``, which declares the data set as a benchmark with its tasks.

    The benchmark of a task is a configuration of the data set.
    """
    return {
        "name": "CodeMind",
        "description": (
            "Code reasoning of language models: predicting what a program computes (IER), using a test in a "
            "specification (SR), simplifying a transformed program (DSR) and predicting what its own program computes "
            "(DER). Run with lm-eval-codemind."
        ),
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": task, "config": benchmark, "split": SPLIT} for task, benchmark in tasks.items()],
    }


def official_tasks() -> dict[str, str]:
    """Return the tasks of the default groups, in the order of their families: name -> benchmark.

    The default group of a family that can be submitted is called ``codemind_NAME``. The YAML files of groups
    and tasks are the only list of them.
    """
    tasks = {}
    groups = {file.stem: file for file in task_directory().rglob("codemind_*.yaml")}
    for view in views().values():
        group = groups.get(f"codemind_{view.name}")
        if group is None or not view.variant.submittable:
            continue
        members = read_yaml(group)["task"]
        # A family with one task only has no group: the file of that name is the task.
        for name in members if isinstance(members, list) else []:
            task = read_yaml(group.parent / f"{name}.yaml")
            tasks[name] = str(task["dataset_kwargs"]["benchmark"])
    return tasks

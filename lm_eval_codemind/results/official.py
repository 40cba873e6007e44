"""The tasks of the default groups, which are the official ones."""

import yaml

from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.views import views


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
        members = yaml.safe_load(group.read_text(encoding="utf-8"))["task"]
        # A family with one task only has no group: the file of that name is the task.
        for name in members if isinstance(members, list) else []:
            task = yaml.safe_load((group.parent / f"{name}.yaml").read_text(encoding="utf-8"))
            tasks[name] = str(task["dataset_kwargs"]["benchmark"])
    return tasks

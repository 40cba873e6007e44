"""The table of extras names the tasks that stop in an environment without extras, and no others."""

import importlib.util
import re
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lm_eval_codemind.harness import stages
from lm_eval_codemind.harness.contract import dataset_arguments
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.languages import python

ROOT = Path(__file__).parents[2]


def documented() -> dict[str, str]:
    """Return task -> extra, as the table says."""
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    table = page.split("| tasks | extra |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`codemind_.*`) \| `([\w,]+)` \|$", table, re.MULTILINE)
    return {task: extra for tasks, extra in rows for task in re.findall(r"`(\w+)`", tasks)}


def installed_without_extras() -> set[str]:
    """Return the names of the distributions that the base installation installs."""
    waiting: list[tuple[str, frozenset[str]]] = [("lm-eval-codemind", frozenset())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            texts = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, texts):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""}):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return {str(name) for name, _ in seen}


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Hide the packages of the extras that no package of the base installation needs; give their names."""
    base, providers = installed_without_extras(), packages_distributions()
    needed = {module for module, names in providers.items() if base & set(map(canonicalize_name, names))}
    hidden, usual = {*python._EXTRAS, "reasoning_gym"} - needed, importlib.util.find_spec

    def find_spec(name: str, *package: str) -> object:
        return None if name in hidden else usual(name, *package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    return hidden


def test_the_table_of_extras(built, without_extras):
    assert {"cryptography", "gensim", "docx"} <= without_extras
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    stopping = {}
    for task in manager.all_subtasks:
        # Their data is on the Hub, and they execute no program of a benchmark; or users bring their programs.
        if task.startswith(("codemind_lcb_", "codemind_own_")):
            continue
        try:
            # The task itself, or the one whose programs it asks about.
            manager.load([dataset_arguments(manager, task).get(stages.TASK, task)])
        except (RuntimeError, ValueError) as error:
            (extras,) = re.findall(r"pip install 'lm-eval-codemind\[([\w,]+)\]'", str(error)) or [str(error)]
            stopping[task] = extras
    assert stopping == documented()

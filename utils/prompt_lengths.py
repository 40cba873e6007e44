"""Print docs/prompt_lengths.csv: median and longest prompt of each benchmark and family, in characters.

    python utils/prompt_lengths.py > docs/prompt_lengths.csv

Prompts are measured without the few-shot example.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low
from typing import Any

from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness import stages
from lm_eval_codemind.harness.contract import dataset_arguments
from lm_eval_codemind.harness.location import task_directory

# Prefixes of the names of tasks whose data needs files besides the pinned archives.
OTHERS = ("codemind_cruxeval_", "codemind_lcb_")


@dataclass(frozen=True)
class Task:
    """A task of the suite with what it asks.

    Attributes:
        name: Its name.
        benchmark: Name of its benchmark.
        family: Name of its family.
        documents: Its documents.
    """

    name: str
    benchmark: str
    family: str
    documents: tuple[Mapping[str, Any], ...]

    @property
    def published(self) -> bool:
        """Whether it asks about what others published, as it is."""
        return benchmarks()[self.benchmark].labels == "published" or "_published" in self.name


def tasks() -> list[Task]:
    """Return all tasks of the suite as the harness loads them.

    The samples, tasks about a model's code, and those of :data:`OTHERS` are left out.
    """
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    names = sorted(name for name in manager.all_subtasks if "_sample" not in name and not name.startswith(OTHERS))
    names = [name for name in names if stages.TASK not in dataset_arguments(manager, name)]
    rows = []
    for name in names:
        task = manager.load([name])["tasks"][name]
        suite = task.config.metadata["suite"]
        rows.append(Task(name, suite["benchmark"], suite["family"], tuple(task.eval_docs)))
    return rows


def table(measured: list[Task]) -> str:
    """Return the lengths as CSV: a row for each benchmark of each family, both in the order of the registries."""
    lengths: dict[tuple[str, str], list[int]] = {}
    for task in measured:
        lengths.setdefault((task.family, task.benchmark), []).extend(len(row["prompt"]) for row in task.documents)
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(("family", "benchmark", "median", "longest"))
    for name, view in views().items():
        for key, benchmark in benchmarks().items():
            if sizes := lengths.get((name, key)):
                writer.writerow((view.title, benchmark.title, median_low(sizes), max(sizes)))
    return content.getvalue()


if __name__ == "__main__":
    print(table(tasks()), end="")

"""Print the README's table of prompt lengths: the median and the longest of each benchmark and family, in characters.

python utils/prompt_lengths.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median_low
from typing import Any

from lm_eval.tasks import TaskManager

from lm_eval_codemind.benchmarks import benchmarks
from lm_eval_codemind.families import families
from lm_eval_codemind.harness.location import task_directory


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
        """Whether it asks about what the artifact published, as it is."""
        return benchmarks()[self.benchmark].labels == "published"


def tasks() -> list[Task]:
    """Return all tasks of the suite as the harness loads them, less those on the packaged sample."""
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    names = sorted(name for name in manager.all_subtasks if not name.endswith("_sample"))
    found = []
    for name in names:
        task = manager.load([name])["tasks"][name]
        suite = task.config.metadata["suite"]
        found.append(Task(name, suite["benchmark"], suite["family"], tuple(task.eval_docs)))
    return found


def table(measured: list[Task]) -> Iterator[str]:
    """Yield the lines of the table: a row a benchmark, a column a family, in the order of the registries."""
    lengths: dict[tuple[str, str], list[int]] = {}
    for task in measured:
        lengths.setdefault((task.benchmark, task.family), []).extend(len(row["prompt"]) for row in task.documents)
    rows = [name for name in benchmarks() if any(benchmark == name for benchmark, _ in lengths)]
    columns = [name for name in families() if any(family == name for _, family in lengths)]
    yield "| benchmark | " + " | ".join(families()[name].title for name in columns) + " |"
    yield "|---|" + "---:|" * len(columns)
    for row in rows:
        cells = [_cell(lengths.get((row, column), [])) for column in columns]
        yield f"| {benchmarks()[row].title} | " + " | ".join(cells) + " |"


def _cell(lengths: list[int]) -> str:
    return f"{median_low(lengths):,} / {max(lengths):,}" if lengths else ""


if __name__ == "__main__":
    print("\n".join(table(tasks())))

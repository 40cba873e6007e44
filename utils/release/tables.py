"""Fill the tables of the documentation that are computed: ``python utils/release/tables.py TABLE ...``.

- ``requests``: the last column of the table in docs/tasks.md, as `codemind plan` counts them. Tasks with a second
  stage have a "+": it asks about the programs that the model writes.
- ``baselines``: the best baseline of each metric in that table, in docs/metrics.md, out of
  what ``utils/prove/baselines.py`` writes into the families' folders.
- ``lengths``: the median and the longest prompt of each benchmark and family in characters, docs/prompt_lengths.csv.
- ``seeds``: the fresh inputs that seeds give, in docs/training.md.

Needs the data of all benchmarks (`codemind data build`) but LiveCodeBench.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from typing import Any

import click
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.data.facts.fresh import EVALUATION_SEEDS, SHIPPED_SEED
from lm_eval_codemind.families.fresh.task import load_fresh
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness import stages
from lm_eval_codemind.harness.contract import dataset_arguments
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.planning import Plan, plan

ROOT = Path(__file__).parents[2]
TASKS, METRICS = ROOT / "docs" / "tasks.md", ROOT / "docs" / "metrics.md"
# Begins the names of tasks of which nothing is measured here: the data set is on the Hub and has no pinned revision,
# the questions are built from a package that may not be installed, or users bring their own.
UNPINNED = ("codemind_lcb_", "codemind_horizon", "codemind_own")
# Benchmark -> number of seeds that are tried.
SEEDS = {"sample": 5}
_FIRST = ("humaneval", "cruxeval", "classeval", "avatar")
_NAME = re.compile(r"`([\w@]+)(?:,[\w-]+)?`")


def replaced(page: str, lines: Iterable[str]) -> str:
    """Return a page with new lines in place of the table that begins with the first of them."""
    table, old = list(lines), page.splitlines()
    start = old.index(table[0])
    end = next((place for place in range(start, len(old)) if not old[place].startswith("|")), len(old))
    return "\n".join([*old[:start], *table, *old[end:]]) + "\n"


def task_rows(page: str) -> Iterator[tuple[list[str], list[str], str]]:
    """Yield the groups, the metrics and the last cell of each row of the table of tasks."""
    for line in page.splitlines():
        if line.startswith("| `codemind_"):
            cells = line.strip("| ").split("|")
            groups = [name for name in _NAME.findall(cells[0]) if name.startswith("codemind_")]
            yield groups, _NAME.findall(cells[2]), cells[-1].strip()


def requests(group: str) -> str:
    """Return how many requests a group sends, as the table shows it."""
    return shown_requests(plan(["--tasks", group]))


def shown_requests(counted: Plan) -> str:
    """Return how many requests a plan has; a plus says that a second stage follows."""
    return f"{sum(task.requests for task in counted.tasks):,}" + ("+" if counted.later else "")


def published_requests() -> dict[str, str]:
    """Return the requests of each group in the table of tasks."""
    rows = task_rows(TASKS.read_text(encoding="utf-8"))
    return {group: count for groups, _, cell in rows for group, count in zip(groups, cell.split(" / "), strict=True)}


def with_requests(page: str) -> str:
    """Return docs/tasks.md with the last column counted anew."""
    lines = page.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("| `codemind_") and not line[3:].startswith(UNPINNED):
            ((groups, _, _),) = task_rows(line)
            lines[place] = f"{line.rstrip('| ').rpartition('|')[0]}| {' / '.join(map(requests, groups))} |"
    return "\n".join(lines) + "\n"


def baselines_table(page: str) -> Iterator[str]:
    """Yield the lines of the table of baselines."""
    baselines = dict(sorted(row for view in views().values() for row in view.baselines.items()))
    rows = list(task_rows(page))
    known = [group for groups, _, _ in rows for group in groups]
    by_group: dict[str, dict[str, str]] = {}
    for task in baselines:
        group = max((name for name in known if f"{task}_".startswith(f"{name}_")), key=len, default="")
        rest = task.removeprefix(group).strip("_")
        if group and "sample" not in rest and not rest.startswith(("direct_", "short_", "together_")):
            by_group.setdefault(group, {})[task] = rest
    yield "| group | metric | the best baseline |"
    yield "|---|---|---|"
    for groups, metrics, _ in rows:
        for metric in metrics:
            cells = {
                group: [
                    f"{rest and f'{rest}: '}{100 * baselines[task][metric][1]:.1f} ({baselines[task][metric][0]})"
                    for task, rest in sorted(by_group.get(group, {}).items(), key=lambda row: _place(row[1]))
                    if metric in baselines[task]
                ]
                for group in groups
            }
            if not any(cells.values()) and not groups[0].startswith(UNPINNED):
                raise ValueError(f"{' '.join(groups)}: {metric} has no baseline: see utils/prove/baselines.py")
            yield from (f"| `{group}` | `{metric}` | {', '.join(cell)} |" for group, cell in cells.items() if cell)


def _place(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def with_baselines(page: str) -> str:
    """Return docs/metrics.md with the table of baselines made anew."""
    return replaced(page, baselines_table(TASKS.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Task:
    """A task of the suite, with its benchmark, its family and its documents."""

    name: str
    benchmark: str
    family: str
    documents: tuple[Mapping[str, Any], ...]

    @property
    def published(self) -> bool:
        """Whether it asks about what others published, as it is."""
        return benchmarks()[self.benchmark].labels == "published" or "_published" in self.name


def tasks() -> list[Task]:
    """Return all tasks but the samples, those about a model's code, and those of :data:`UNPINNED`."""
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    names = sorted(name for name in manager.all_subtasks if "_sample" not in name and not name.startswith(UNPINNED))
    rows = []
    for name in names:
        if stages.TASK not in dataset_arguments(manager, name):
            task = manager.load([name])["tasks"][name]
            suite = task.config.metadata["suite"]
            rows.append(Task(name, suite["benchmark"], suite["family"], tuple(task.eval_docs)))
    return rows


def lengths_table(measured: Iterable[Task]) -> Iterator[str]:
    """Yield the lines of the table of prompt lengths as CSV; families and benchmarks in the order of the registries."""
    lengths: dict[tuple[str, str], list[int]] = {}
    for task in measured:
        lengths.setdefault((task.family, task.benchmark), []).extend(len(row["prompt"]) for row in task.documents)
    yield "family,benchmark,median,longest\n"
    for name, view in views().items():
        for key, benchmark in benchmarks().items():
            if sizes := lengths.get((name, key)):
                titles = [f'"{title}"' if "," in title else title for title in (view.title, benchmark.title)]
                yield f"{','.join(titles)},{median_low(sizes)},{max(sizes)}\n"


def fresh_inputs(benchmark: str, seed: int) -> set[tuple[str, str]]:
    """Return the fresh inputs of a seed, each with the name of its problem."""
    fresh = load_fresh(benchmark, seed, 1)
    return {(problem_id, run.input) for problem_id, inputs in fresh.items() for run in inputs.runs}


def seeds_table(seeds_of: Mapping[str, int]) -> Iterator[str]:
    """Yield the lines of the table of fresh inputs, without those of the packaged evaluation."""
    yield "| benchmark | rows per seed | seeds | rows | distinct rows | new in the last seed |"
    yield "|---|---:|---:|---:|---:|---:|"
    first = EVALUATION_SEEDS[-1] + 1
    for benchmark, seeds in seeds_of.items():
        packaged = fresh_inputs(benchmark, SHIPPED_SEED)
        packaged |= {(problem.problem_id, problem.input) for problem in load_benchmark(benchmark)}
        by_seed = [fresh_inputs(benchmark, seed) - packaged for seed in range(first, first + seeds)]
        rows, distinct = sum(map(len, by_seed)), len(set().union(*by_seed))
        new = len(by_seed[-1].difference(*by_seed[:-1])) / len(by_seed[-1])
        yield f"| {benchmark} | {rows / seeds:.0f} | {seeds} | {rows} | {distinct} | {100 * new:.0f} % |"


TABLES: Mapping[str, tuple[Path, Callable[[str], str]]] = {
    "requests": (TASKS, with_requests),
    "baselines": (METRICS, with_baselines),
    "lengths": (ROOT / "docs" / "prompt_lengths.csv", lambda page: "".join(lengths_table(tasks()))),
    "seeds": (ROOT / "docs" / "training.md", lambda page: replaced(page, seeds_table(SEEDS))),
}


@click.command()
@click.argument("tables", nargs=-1, required=True, type=click.Choice(list(TABLES)))
def main(tables: tuple[str, ...]) -> None:
    """Fill tables."""
    for name in tables:
        file, fill = TABLES[name]
        file.write_text(fill(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

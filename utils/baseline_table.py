"""Fill the table of baselines in docs/metrics.md: of each metric in the README's table of tasks, the best one.

    python utils/baseline_table.py

The baselines are those of ``lm_eval_codemind/families/baselines.json``, which ``utils/baselines.py`` writes.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "metrics.md"
_BASELINES = ROOT / "lm_eval_codemind" / "families" / "baselines.json"
_HEADING = "| group | metric | the best baseline |"
_FIRST = ("humaneval", "cruxeval", "classeval", "avatar")
_NAME = re.compile(r"`([\w@]+)(?:,[\w-]+)?`")


def rows(readme: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the groups and the metrics of each row of the README's table of tasks."""
    for line in readme.splitlines():
        if line.startswith("| `codemind_"):
            cells = line.strip("| ").split("|")
            yield [name for name in _NAME.findall(cells[0]) if name.startswith("codemind_")], _NAME.findall(cells[2])


def _place(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def table(readme: str) -> Iterator[str]:
    """Yield the lines of the table.

    Raises:
        ValueError: If a metric of the README has no baseline. The message names it.
    """
    baselines = json.loads(_BASELINES.read_text(encoding="utf-8"))
    named = list(rows(readme))
    known = [group for groups, _ in named for group in groups]
    by_group: dict[str, dict[str, str]] = {}
    for task in baselines:
        group = max((name for name in known if f"{task}_".startswith(f"{name}_")), key=len, default="")
        rest = task.removeprefix(group).strip("_")
        if group and "sample" not in rest and not rest.startswith("direct_"):
            by_group.setdefault(group, {})[task] = rest
    yield _HEADING
    yield "|---|---|---|"
    for groups, metrics in named:
        for metric in metrics:
            cells = {
                group: [
                    f"{rest and f'{rest}: '}{100 * baselines[task][metric][1]:.1f} ({baselines[task][metric][0]})"
                    for task, rest in sorted(by_group.get(group, {}).items(), key=lambda row: _place(row[1]))
                    if metric in baselines[task]
                ]
                for group in groups
            }
            if not any(cells.values()):
                raise ValueError(f"{' '.join(groups)}: {metric} has no baseline: see utils/baselines.py")
            yield from (f"| `{group}` | `{metric}` | {', '.join(cell)} |" for group, cell in cells.items() if cell)


def filled(page: str) -> str:
    """Return the page with the table of the baselines now."""
    lines = page.splitlines()
    start = lines.index(_HEADING)
    end = next((place for place in range(start, len(lines)) if not lines[place].startswith("|")), len(lines))
    lines[start:end] = table((ROOT / "README.md").read_text(encoding="utf-8"))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

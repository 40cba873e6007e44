"""Fill the column of requests in the README's table of tasks, as `codemind plan` counts them.

    python utils/count_requests.py

Needs the data of all benchmarks (`codemind data build`). Tasks with a second stage have a "+": it asks about the
programs that the model writes.
"""

import re
from pathlib import Path

from lm_eval_codemind.harness.planning import plan

README = Path(__file__).parents[1] / "README.md"
_HEADING = "requests"
_GROUP = re.compile(r"`(codemind_\w+)`")


def requests(group: str) -> str:
    """Return the requests of a group as the table shows them."""
    counted = plan(["--tasks", group])
    total = sum(task.requests for task in counted.tasks)
    return f"{total:,}" + ("+" if counted.later else "")


def published() -> dict[str, str]:
    """Return the requests that the README shows, by group."""
    lines = README.read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split("|") for line in lines if line.startswith("| `codemind_")]
    cells = [(_GROUP.findall(row[0]), row[-1].strip().split(" / ")) for row in rows]
    return {group: count for groups, counts in cells for group, count in zip(groups, counts, strict=True)}


def filled(text: str) -> str:
    """Return the README with the numbers of requests, in the last column of the table of tasks."""
    lines = text.splitlines()
    (heading,) = (place for place, line in enumerate(lines) if line.startswith("| group |"))
    columns = lines[heading].strip("|").split("|")
    before = [column.strip() for column in columns if column.strip() != _HEADING]
    lines[heading] = f"| {' | '.join([*before, _HEADING])} |"
    lines[heading + 1] = "|" + "---|" * len(before) + "--:|"
    for place in range(heading + 2, len(lines)):
        if not lines[place].startswith("|"):
            break
        cells = [cell.strip() for cell in lines[place].strip("|").split("|")][: len(before)]
        counts = " / ".join(requests(group) for group in _GROUP.findall(cells[0]))
        lines[place] = f"| {' | '.join([*cells, counts])} |"
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")

"""The CSV files of docs/replication, and the tables that scripts print as Markdown."""

import csv
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "replication"
Table = list[list[str]]
LIST = ["item", "detail"]
_BLOCK = re.compile(r"(?:^\|.*\n?)+|(?:^- .*\n?)+", re.MULTILINE)


def documented() -> list[Table]:
    """Return the tables of the documentation."""
    return [read(path.stem) for path in sorted(FOLDER.glob("*.csv"))]


def read(name: str) -> Table:
    """Return the rows of a table, the headings first."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def lines() -> str:
    """Return the rows of all tables as lines of a table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for table in documented() for row in table)


def undocumented(text: str) -> list[Table]:
    """Return the tables and lists of a Markdown text that the documentation does not have."""
    known = documented()
    return [table for table in tables(text) if table not in known]


def tables(text: str) -> list[Table]:
    """Return the tables and lists of a Markdown text; the rows of a list have what is before and after a colon."""
    return [_table(block) if block.startswith("|") else _list(block) for block in _BLOCK.findall(text)]


def _table(block: str) -> Table:
    rows = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()
    ]
    return [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def _list(block: str) -> Table:
    items = [line.removeprefix("- ").partition(": ") for line in block.splitlines()]
    return [LIST, *([item, detail] for item, _, detail in items)]

"""The CSV files of docs/replication, and the tables that scripts print as Markdown."""

from __future__ import annotations

import csv
from pathlib import Path

from table_csv import tables

FOLDER = Path(__file__).parents[2] / "docs" / "replication"
Table = list[list[str]]


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


def undocumented_rows(text: str) -> Table:
    """Return the rows of a Markdown text that no table of the documentation with the same headings has."""
    known = documented()
    return [
        row
        for table in tables(text)
        for row in table
        if not any(row in other for other in known if other[0] == table[0])
    ]

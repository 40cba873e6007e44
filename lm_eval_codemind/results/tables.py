"""A table: named columns and rows of plain values, written as CSV, JSON or text."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Format = Literal["text", "percent", "number", "count", "p"]


@dataclass(frozen=True)
class Column:
    """A column: its name in files, its heading for readers and how its values are shown."""

    name: str
    heading: str
    kind: Format = "text"


@dataclass(frozen=True)
class Table:
    """A table of an analysis.

    Attributes:
        name: File stem, such as ``correlations``.
        title: Heading.
        note: What the numbers are and how they were computed, for readers.
        columns: The columns.
        rows: One tuple a row, as long as ``columns``; a number that does not exist is NaN.
    """

    name: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    def where(self, keep: Callable[[dict[str, Any]], bool]) -> Table:
        """Return the table with those rows only for which ``keep``, given a dict by column name, says so."""
        names = [column.name for column in self.columns]
        rows = tuple(row for row in self.rows if keep(dict(zip(names, row, strict=True))))
        return Table(self.name, self.title, self.note, self.columns, rows)

    def head(self, n: int) -> Table:
        """Return the table with its first n rows."""
        return Table(self.name, self.title, self.note, self.columns, self.rows[:n])

    def without(self, *names: str) -> Table:
        """Return the table without the columns of those names."""
        kept = [i for i, column in enumerate(self.columns) if column.name not in names]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return Table(self.name, self.title, self.note, tuple(self.columns[i] for i in kept), rows)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts by column name, NaN as None."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, map(_plain, row), strict=True)) for row in self.rows]

    def to_csv(self) -> str:
        """Return the table as CSV with a header line; numbers in full precision, NaN as an empty field."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([["" if _plain(value) is None else value for value in row] for row in self.rows])
        return buffer.getvalue()

    def to_json(self) -> str:
        """Return the table as a JSON object with its title, its note and its rows as records."""
        content = {"name": self.name, "title": self.title, "note": self.note, "rows": self.records()}
        return json.dumps(content, indent=1, allow_nan=False) + "\n"

    def shown(self) -> list[list[str]]:
        """Return the rows as readers see them."""
        return [
            [show(value, column.kind) for value, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]

    def to_text(self) -> str:
        """Return the table as aligned text for a terminal."""
        return _aligned([column.heading for column in self.columns], self.shown(), [c.kind for c in self.columns])


def show(value: Any, kind: Format) -> str:
    """Return a value as readers see it: 0.7151 as ``71.5%`` for a percentage, a tiny p as ``<0.001``, NaN as a dash."""
    if _plain(value) is None:
        return "–"  # noqa: RUF001
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if kind == "percent":
        return f"{value:.1%}"
    if kind == "number":
        return f"{value:.3f}"
    if kind == "p":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    return str(value)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: NaN as null, what is infinite (odds with nothing against them) by its name."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[Format]) -> str:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if kind == "text" else cell.rjust(width)
            for cell, width, kind in zip(cells, widths, kinds, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, rows)])

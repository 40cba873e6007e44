"""A table of results: rows with names, written as text, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.statistics import TOO_FEW, Estimate, holm

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["text", "percent", "number", "count", "p"]
_FORMATS: Mapping[Format, str] = {"text": ".0f", "percent": ".1%", "number": ".3f", "count": ".0f", "p": ".3f"}


@dataclass(frozen=True)
class Column:
    """The heading of a column and how its values are shown."""

    heading: str
    kind: Format = "text"


_TEXTS: Mapping[str, Any] = read_yaml(resources.files(__package__).joinpath("tables.yaml"))


@dataclass(frozen=True)
class Table:
    """A table of an analysis.

    Attributes:
        name: File stem, such as ``correlations``.
        title: Heading.
        note: What the numbers are and how they were computed, for readers.
        rows: Name of the column -> value, with the same names in each row. A number that does not exist is NaN.
        formats: Headings and formats of columns by name. The default is the name, and the type of the first value.
    """

    name: str
    title: str
    note: str
    rows: Sequence[Mapping[str, Any]]
    formats: Mapping[str, Column] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Column]:
        """The columns by name; empty for a table without rows."""
        first = self.rows[0] if self.rows else {}
        return {name: self._column(name, value) for name, value in first.items()}

    def _column(self, name: str, value: Any) -> Column:
        kind: Format = "text" if isinstance(value, str) else "count" if isinstance(value, int) else "number"
        usual = Column(name.replace("_", " ").capitalize(), kind)
        return self.formats.get(name) or _COLUMNS.get(name) or usual

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a data frame, each value with its own type."""
        # Takes most of a second, and only who asks for a frame needs it.
        import pandas as pd

        return pd.DataFrame(list(self.rows), dtype=object)

    def where(self, keep: Callable[[Mapping[str, Any]], bool]) -> Table:
        """Return the table with the rows for which ``keep`` is true."""
        return replace(self, rows=[row for row in self.rows if keep(row)])

    def head(self, n: int) -> Table:
        """Return the table with its first n rows."""
        return replace(self, rows=self.rows[:n])

    def without(self, *names: str) -> Table:
        """Return the table without some columns, by name."""
        return replace(self, rows=[{key: row[key] for key in row if key not in names} for row in self.rows])

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as JSON values: NaN as None, infinity as a text."""
        return [{name: _plain(value) for name, value in row.items()} for row in self.rows]

    def to_csv(self) -> str:
        """Return the table as CSV with a header line; numbers in full precision, NaN as an empty field."""
        return csv_text(list(self.columns), [row.values() for row in self.rows])

    def to_json(self) -> str:
        """Return the table as a JSON object with its title, its note and its rows as records."""
        content = {"name": self.name, "title": self.title, "note": self.note, "rows": self.records()}
        return json.dumps(content, indent=1, allow_nan=False) + "\n"

    def shown(self) -> list[list[str]]:
        """Return the rows as readers see them."""
        columns = self.columns
        return [[show(value, columns[name].kind) for name, value in row.items()] for row in self.rows]

    def to_text(self) -> str:
        """Return the table as aligned text for a terminal."""
        columns = list(self.columns.values())
        rows = [[column.heading for column in columns], *self.shown()]
        widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        aligned = [
            [
                cell.ljust(width) if column.kind == "text" else cell.rjust(width)
                for cell, width, column in zip(row, widths, columns, strict=True)
            ]
            for row in rows
        ]
        return "\n".join("  ".join(cells).rstrip() for cells in aligned)


def _columns(texts: Mapping[str, Any]) -> dict[str, Column]:
    return {name: Column(*parts) for name, parts in texts.get("columns", {}).items()}


def csv_text(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV with a header line; NaN and None as an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    # Only NaN is another value than itself.
    writer.writerows(["" if value is None or value != value else str(value) for value in row] for row in rows)
    return text.getvalue()


def in_words(name: str) -> str:
    """Return what pages call a metric, a score or a measure: in words, and its name in brackets if it is another."""
    words = _TEXTS["words"].get(name, name)
    return words if words == name else f"{words} ({name})"


# The columns of several tables, by their name in files.
_COLUMNS = _columns(_TEXTS)


def described(name: str, rows: Sequence[Mapping[str, Any]], **words: str) -> Table:
    """Return a table whose title, note and columns ``tables.yaml`` describes. ``words`` fill the places in the note."""
    texts = _TEXTS[name]
    return Table(name, texts["title"], texts["note"].format(**words), rows, _columns(texts))


def interval(estimate: Estimate, name: str, low: str = "low", high: str = "high") -> dict[str, float]:
    """Return the columns of an estimate: its value under a name, and the ends of its interval."""
    return {name: estimate.value, low: estimate.low, high: estimate.high}


def corrected(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with ``p_corrected`` after ``p``: the p value with Holm's correction for the number of rows."""
    after = list(rows[0]).index("p") + 1 if rows else 0
    parts = [(list(row.items()), p) for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True)]
    return [dict([*items[:after], ("p_corrected", p), *items[after:]]) for items, p in parts]


def show(value: Any, kind: Format) -> str:
    """Return a value as readers see it: 0.7151 as ``71.5%`` for a percentage, a tiny p as ``<0.001``, NaN as a dash."""
    if value is TOO_FEW:
        return "too few"
    value = _plain(value)
    if value is None:
        return "–"  # noqa: RUF001
    if isinstance(value, str):
        return value
    if kind == "p" and value < 0.001:
        return "<0.001"
    return format(value, _FORMATS[kind])


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: NaN as null, infinite odds by name."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)

"""Cells of the tables in HTML pages. Numbers are named in words, and link to the samples behind them."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from lm_eval_codemind.families.table import Table, in_words, show
from lm_eval_codemind.results.analysis import PROPERTIES
from lm_eval_codemind.results.observations import ALL, Observation, distinct, grouped
from lm_eval_codemind.results.provenance import effort
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.statistics import TOO_FEW

Row = Mapping[str, Any]

# The verdicts about a sample. The page's script knows their indices.
VERDICTS = ("correct", "partly correct", "incorrect")
_INCORRECT = 2

# The heading of the lower end of an interval; the upper end is in the next column.
_LOW = "95% from"
# Columns whose texts are names of metrics, scores and measures.
_NAMES = ("metric", "metric_same", "score_name", "measure")
_EFFORT = {"Requests": ",.0f", "Output tokens": ",.0f", "Hours": ".2f", "Billion parameters": ".1f"}
# A longer text may break.
_LONG = 24


@dataclass(frozen=True)
class Cell:
    """A cell of a table: a text, its link, a note below it, and below that a second link, to samples.

    The column is sorted by ``value``.
    """

    text: str
    note: str = ""
    link: str = ""
    value: str = ""
    samples: str = ""
    samples_link: str = ""

    @property
    def long(self) -> bool:
        """Whether the text may break."""
        return len(self.text) > _LONG


def verdict(o: Observation) -> int:
    """Return the index of a sample's verdict in :data:`VERDICTS`."""
    return 0 if o.solved or o.score >= 1 else 1 if o.score > 0 else _INCORRECT


class Samples:
    """The samples behind the numbers of a page.

    Attributes:
        sets: The tasks of each group and family, by its name or title.
    """

    def __init__(self, runs: Sequence[Run], observations: Sequence[Observation]) -> None:
        self.sets: dict[str, list[str]] = {}
        for run in runs:
            for group in run.groups:
                self.sets.setdefault(group.name, list(group.tasks))
        families = grouped(observations, lambda o: o.view.title)
        self.sets |= {title: distinct(o.task for o in of_family) for title, of_family in families.items()}
        self._counts: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
        for o in observations:
            for model in ("", o.model):
                self._counts[model, o.task][verdict(o)] += 1

    def count(self, model: str, name: str, verdicts: Sequence[int] = range(len(VERDICTS))) -> int:
        """Return the number of samples of a model, or of all models if it is empty, under a task, group or family."""
        counts = [self._counts[model, task] for task in self.sets.get(name, [name]) if (model, task) in self._counts]
        return sum(count[of_verdict] for count in counts for of_verdict in verdicts)

    def link(self, row: Row, column: str = "model") -> str:
        """Return the fragment of the samples that a row is about; the model is in ``column``. Empty without samples."""
        name, model = _subject(row), row.get(column, "")
        if not self.count(model, name):
            return ""
        about = [text.format(row[key]) for key, text in PROPERTIES.items() if key in row]
        benchmark = row.get("benchmark", ALL)
        return fragment(
            model=model,
            task=name,
            benchmark="" if benchmark == ALL else benchmark,
            property=about[0] if about else "",
            search=row.get("problem_id", ""),
        )

    def score(self, row: Row | None, page: str = "", wrong: bool = True) -> Cell:
        """Return a score with its interval and links to all its samples and, with ``wrong``, to the incorrect ones.

        The row is one of the summary or of the overall table; None where there is no score. ``page`` has the samples of
        this model alone; by default they are on the same page.
        """
        if row is None:
            return Cell("")
        name = _subject(row)
        shown, interval = show(row["value"], "percent"), "not defined" if math.isnan(row["value"]) else ""
        if row["low"] is TOO_FEW:
            interval = "too few problems"
        if not math.isnan(row["low"]):
            interval = f"{row['low']:.1%} to {row['high']:.1%}"
        if row.get("effective") != row.get("original"):
            interval += f" ({row['effective']} of {row['original']})"
        if not self.count(row["model"], name):
            return Cell(shown, interval, value=_sorted_by(row["value"]))
        model = "" if page else row["model"]
        incorrect = self.count(row["model"], name, [_INCORRECT]) if wrong else 0
        return Cell(
            shown,
            interval,
            page + fragment(model=model, task=name),
            _sorted_by(row["value"]),
            f"{incorrect:,} {VERDICTS[_INCORRECT]}" if incorrect else "",
            page + fragment(model=model, task=name, outcome=VERDICTS[_INCORRECT]),
        )


def effort_cells(runs: Sequence[Run], task: str | None = None) -> dict[str, Cell]:
    """Return the requests, tokens and hours of runs as cells, by heading; an unknown number has no text."""
    return {
        heading: Cell("" if math.isnan(value) else format(value, _EFFORT[heading]), value=_sorted_by(value))
        for heading, value in effort(runs, task).items()
    }


def fragment(**wanted: str) -> str:
    """Return the fragment of an address that asks a report for samples; the script reads it."""
    return "#" + urlencode({name: text for name, text in wanted.items() if text}, errors="replace")


def grid(table: Table, cell: Callable[[str, Row], Mapping[str, str]] = lambda name, row: {}) -> dict[str, Any]:
    """Return a table for a page: intervals below their values, and no column without a value.

    ``cell`` returns the parts of a :class:`Cell` that a column of a row has in addition to its text.
    """
    columns, lines, none = list(table.columns.items()), table.shown(), ("", show(math.nan, "number"))
    lows = [k for k, (_, column) in enumerate(columns) if column.heading == _LOW]
    ends = {k + step for k in lows for step in (0, 1)}
    used = [k for k, _ in enumerate(columns) if k not in ends and any(line[k] not in none for line in lines)]

    def cell_of(row: Row, line: Sequence[str], k: int) -> Cell:
        name, _ = columns[k]
        parts = cell(name, row)
        if k + 1 in lows and line[k + 1] not in none:
            parts = {**parts, "note": f"{line[k + 1]} to {line[k + 2]}"}
        return Cell(in_words(line[k]) if name in _NAMES else line[k], **parts)

    return {
        "title": table.title,
        "columns": [(in_words(columns[k][1].heading), columns[k][1].kind != "text") for k in used],
        "rows": [[cell_of(row, line, k) for k in used] for row, line in zip(table.rows, lines, strict=True)],
    }


def _subject(row: Row) -> str:
    return str(row.get("task") or row.get("group") or row.get("family", ""))


def _sorted_by(value: float) -> str:
    return "" if math.isnan(value) else repr(value)

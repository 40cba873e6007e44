"""Which figures the tables of the analyses give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lm_eval_codemind.results.analysis import ALL
from lm_eval_codemind.results.figures import Figure, Mark
from lm_eval_codemind.results.tables import Table

Record = dict[str, Any]


def plots(tables: Sequence[Table]) -> list[Figure]:
    """Return the figures of all tables that have one; a figure's name starts with its table's."""
    figures: list[Figure] = []
    for table in tables:
        draw = _DRAWN.get(table.name)
        if draw is not None:
            figures += draw(table)
    return figures


def _by_family(
    table: Table,
    row: str,
    value: str,
    axis: str,
    low: str = "low",
    high: str = "high",
    suffix: str = "",
    start: float = 0.0,
    percent: bool = True,
) -> Iterable[Figure]:
    records = [_numbers(record) for record in table.records() if record.get("benchmark", ALL) == ALL]
    for family in dict.fromkeys(str(record["family"]) for record in records):
        marks = tuple(
            Mark(str(r[row]), str(r["model"]), r[value], r[low], r[high], r["n"])
            for r in records
            if r["family"] == family
        )
        name = f"{table.name}-{family}{suffix}".lower().replace(" ", "_")
        yield Figure(name, f"{family}: {axis}", axis, start, 1.0, percent, marks)


def _output_types(table: Table) -> Iterable[Figure]:
    for match in ("type", "value"):
        yield from _by_family(
            table, "type", f"{match}_match", f"{match} match", f"{match}_low", f"{match}_high", f"-{match}"
        )


def _overlap(table: Table) -> Iterable[Figure]:
    records = [_numbers(record) for record in table.records() if record["benchmark"] == ALL]
    marks = tuple(
        Mark(str(r["solved_under"]), str(r["model"]), r["share"], r["low"], r["high"], r["n"]) for r in records
    )
    if marks:
        yield Figure("overlap", "Problems by the tasks that solve them", "share of problems", 0.0, 1.0, True, marks)


def _numbers(record: Record) -> Record:
    return {name: float("nan") if value is None else value for name, value in record.items()}


_DRAWN: dict[str, Callable[[Table], Iterable[Figure]]] = {
    "correlations": lambda table: _by_family(
        table,
        "measure",
        "rho",
        "Spearman's rho with the score",
        start=-1.0,
        percent=False,
    ),
    "constructs": lambda table: _by_family(table, "construct", "score", "mean score"),
    "loop_length": lambda table: _by_family(table, "iterations", "score", "mean score by loop iterations"),
    "output_types": _output_types,
    "overlap": _overlap,
}

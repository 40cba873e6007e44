"""Which figures the tables of the analyses give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lm_eval_codemind.results.analysis import ALL
from lm_eval_codemind.results.figures import Figure, Mark, svg
from lm_eval_codemind.results.tables import Table
from lm_eval_codemind.results.upset import UpSet, upset_svg

Record = dict[str, Any]


Drawing = Figure | UpSet


def draw(figure: Drawing, series: Sequence[str], standalone: bool = False) -> str:
    """Return a figure as SVG; see :func:`~lm_eval_codemind.results.figures.svg`."""
    return upset_svg(figure, standalone) if isinstance(figure, UpSet) else svg(figure, series, standalone)


def plots(tables: Sequence[Table]) -> list[Drawing]:
    """Return the figures of all tables that have one; a figure's name starts with its table's."""
    figures: list[Drawing] = []
    for table in tables:
        of_table = _DRAWN.get(table.name)
        if of_table is not None:
            figures += of_table(table)
    return figures


def _by_score(
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
    """Draw one figure for each family, score and program of a table, all benchmarks together."""
    records = [_numbers(record) for record in table.records() if record.get("benchmark", ALL) == ALL]
    for what in dict.fromkeys(_subject(record) for record in records):
        marks = tuple(
            Mark(str(r[row]), str(r["model"]), r[value], r[low], r[high], r["n"])
            for r in records
            if _subject(r) == what
        )
        name = re.sub(r"[^a-z0-9+]+", "_", f"{' '.join(what)}{suffix}".lower())
        yield Figure(f"{table.name}-{name}", f"{': '.join(what)}", axis, start, 1.0, percent, marks)


def _subject(record: Record) -> tuple[str, ...]:
    return tuple(str(record[name]) for name in ("family", "score_name", "program") if name in record)


def _output_types(table: Table) -> Iterable[Figure]:
    for match in ("type", "value"):
        yield from _by_score(
            table, "type", f"{match}_match", f"{match} match", f"{match}_low", f"{match}_high", f"-{match}"
        )


def _overlap(table: Table) -> Iterable[Drawing]:
    records = [_numbers(record) for record in table.records() if record["benchmark"] == ALL]
    marks = tuple(
        Mark(str(r["solved_under"]), str(r["model"]), r["share"], r["low"], r["high"], r["n"]) for r in records
    )
    if marks:
        yield Figure("overlap", "Problems by the tasks that solve them", "share of problems", 0.0, 1.0, True, marks)
    for model in dict.fromkeys(str(r["model"]) for r in records):
        of_model = [(_sets(r), int(r["problems"])) for r in records if r["model"] == model and r["problems"]]
        names = dict.fromkeys(name for r in records if r["model"] == model for name in sorted(_sets(r)))
        name = f"overlap-upset_{re.sub(r'[^a-z0-9]+', '_', model.lower())}"
        counts = sorted(of_model, key=lambda one: (-one[1], sorted(one[0])))
        yield UpSet(name, f"{model}: problems solved under exactly these tasks", tuple(names), tuple(counts))


def _sets(record: Record) -> frozenset[str]:
    return frozenset(record["solved_under"].split(" + ")) - {"none"}


def _numbers(record: Record) -> Record:
    return {name: float("nan") if value is None else value for name, value in record.items()}


_DRAWN: dict[str, Callable[[Table], Iterable[Drawing]]] = {
    "correlations": lambda table: _by_score(
        table,
        "measure",
        "rho",
        "Spearman's rho",
        start=-1.0,
        percent=False,
    ),
    "constructs": lambda table: _by_score(table, "construct", "score", "mean score"),
    "loop_length": lambda table: _by_score(table, "iterations", "score", "mean score by loop iterations"),
    "output_types": _output_types,
    "overlap": _overlap,
}

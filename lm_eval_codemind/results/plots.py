"""Which figures the tables of the analyses give."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.data.facts.horizon import BOUNDS
from lm_eval_codemind.families.table import Table, in_words
from lm_eval_codemind.results.figures import DoublingFigure, Figure, Mark, Scatter, UpSet
from lm_eval_codemind.results.observations import ALL, distinct


def plots(tables: Sequence[Table]) -> list[Figure | Scatter | UpSet]:
    """Return the figures of all tables that have one; a figure's name starts with its table's."""
    figures: list[Figure | Scatter | UpSet] = []
    for table in tables:
        match table.name:
            case "overall":
                figures += _overall(table)
            case "correlations":
                figures += _by_score(
                    table, "measure", "rho", "complexity of program {program} and {score_name}", "Spearman's rho"
                )
            case "constructs":
                figures += _by_score(table, "construct", "score", "{score_name} by construct", "mean score")
            case "loop_length":
                figures += _by_score(table, "iterations", "score", "{score_name} by loop iterations", "mean score")
            case "output_types":
                for match in ("type", "value"):
                    figures += _by_score(
                        table, "type", f"{match}_match", f"{match} match by output type", "share", match
                    )
            case "overlap":
                figures += _overlap(table)
            case "complexity":
                figures += _complexity(table)
            case "written":
                figures += _written(table)
            case "lines_simplified":
                marks = [
                    Mark(f"{lines}, {row['programs']}", row["model"], row[lines], n=row["n"])
                    for lines in ("C", "C+", "C'")
                    for row in table.rows
                ]
                figures.append(_from_zero(table.name, table.title, "mean lines", marks))
            case "reval_average":
                points = [(row["model"], row["average"], row["ic"]) for row in table.rows]
                figures.append(Scatter(table.name, table.title, "average of the four accuracies", "IC", points))
            case "horizon":
                axis = "characters of state with 95% interval; grey line: baseline"
                marks = _marks(table.rows, "horizon", "model", "horizon", "low", "high", "n", "baseline")
                title = "State at which half of the answers are right"
                figures.append(DoublingFigure(table.name, title, axis, marks, steps=BOUNDS))
            case "horizon_levels":
                axis = "accuracy with 95% interval; grey line: baseline"
                marks = _marks(table.rows, "state {state}", "model", "value", "low", "high", "n", "baseline")
                figures.append(Figure(table.name, table.title, axis, marks))
    return figures


def _overall(table: Table) -> Iterable[Figure]:
    """Draw the metrics that lie between 0 and 1, and apart from them those that can be negative."""
    axis = "score with 95% interval; grey line: baseline"
    negative = {row["metric"] for row in table.rows if min(row["value"], row["low"]) < 0}
    marks: dict[bool, list[Mark]] = {False: [], True: []}
    for row in table.rows:
        name = f"{row['group']}\n{in_words(row['metric'])}"
        mark = Mark(name, row["model"], row["value"], row["low"], row["high"], None, row["baseline"])
        marks[row["metric"] in negative].append(mark)
    if marks[False]:
        yield Figure("overall", "Overall scores", axis, marks[False])
    if marks[True]:
        yield Figure("overall-differences", "Differences of scores", axis, marks[True], -1.0)


def _by_score(table: Table, row: str, value: str, title: str, axis: str, part: str = "") -> Iterable[Figure]:
    """Draw one figure for each family, score and program of a table, all benchmarks together."""
    subjects: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for record in table.rows:
        if record["benchmark"] == ALL:
            subject = tuple(str(record[name]) for name in ("family", "score_name", "program") if name in record)
            subjects.setdefault(subject, []).append(dict(record))
    low, high = (f"{part}_{end}" if part else end for end in ("low", "high"))
    for subject, records in subjects.items():
        marks = [Mark(in_words(str(r[row])), str(r["model"]), r[value], r[low], r[high], r["n"]) for r in records]
        names = {**records[0], "score_name": in_words(records[0].get("score_name", ""))}
        words = f"{names['family']}: {title.format(**names)}"
        negative = value == "rho"
        yield Figure(_name(table.name, *subject, part), words, axis, marks, -1.0 if negative else 0.0, not negative)


def _complexity(table: Table) -> Iterable[Figure]:
    axis = "median, with the middle half of the programs"
    for measure in distinct(row["measure"] for row in table.rows):
        rows = [row for row in table.rows if row["measure"] == measure]
        parts = ("median", "lower_quartile", "upper_quartile", "n")
        marks = [Mark(row["benchmark"], "programs", *(row[part] for part in parts)) for row in rows]
        yield _from_zero(_name(table.name, measure), f"{measure} of the programs, by benchmark", axis, marks)


def _written(table: Table) -> Iterable[Figure]:
    axis = "mean of the model's program minus the given one, with 95% interval"
    for measure in distinct(row["measure"] for row in table.rows):
        rows = [row for row in table.rows if row["measure"] == measure]
        marks = _marks(rows, "{family}, {benchmark}", "model", "difference", "low", "high", "n")
        most = _largest(marks)
        name, title = _name(table.name, measure), f"{measure} of written programs minus that of the given ones"
        yield Figure(name, title, axis, marks, -most, percent=False, stop=most)


def _from_zero(name: str, title: str, axis: str, marks: Sequence[Mark]) -> Figure:
    return Figure(name, title, axis, marks, percent=False, stop=_largest(marks))


def _largest(marks: Sequence[Mark]) -> float:
    """Return the largest distance from zero of what is drawn; 1 if all is zero."""
    ends = [abs(end) for mark in marks for end in (mark.value, mark.low, mark.high) if not math.isnan(end)]
    return max(ends, default=0.0) or 1.0


def _marks(rows: Sequence[Mapping[str, Any]], name: str, *columns: str) -> list[Mark]:
    """Return a mark for each row, under a name that has its columns in braces; the other columns are the mark's own."""
    return [Mark(name.format(**row), *(row[column] for column in columns)) for row in rows]


def _overlap(table: Table) -> Iterable[UpSet]:
    rows = [row for row in table.rows if row["benchmark"] == ALL]
    for model in distinct(row["model"] for row in rows):
        counts = [
            (frozenset(row["solved_under"].split(" + ")) - {"none"}, int(row["problems"]))
            for row in rows
            if row["model"] == model
        ]
        families = distinct(name for members, _ in counts for name in sorted(members))
        bars = sorted((one for one in counts if one[1]), key=lambda one: (-one[1], sorted(one[0])))
        yield UpSet(_name("overlap", model), f"{model}: problems solved under exactly these tasks", families, bars)


def _name(table: str, *words: str) -> str:
    return f"{table}-" + "_".join(re.sub(r"[^a-z0-9+]+", "_", word.lower()) for word in words if word)

"""A leaderboard: a static site of submitted runs, with a report for each."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.families.table import Table, in_words
from lm_eval_codemind.families.view import View
from lm_eval_codemind.families.views import short_name, views
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.results.analysis import comparisons, findings, overall, summary
from lm_eval_codemind.results.cells import Row, Samples, effort_cells, grid
from lm_eval_codemind.results.observations import ALL, distinct, observe
from lm_eval_codemind.results.pages import render_page
from lm_eval_codemind.results.plots import plots
from lm_eval_codemind.results.ranking import ranks
from lm_eval_codemind.results.report import embedded, make_report, render_html
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.samples import TaskRun


@dataclass(frozen=True)
class Submitted:
    """A verified run with the name and the date that it was submitted under."""

    model: str
    date: str
    run: Run


@dataclass(frozen=True)
class _Entry(Submitted):
    """A row of the site's tables: the label of its run, and the file of its report."""

    label: str
    report: str

    @property
    def was(self) -> str:
        """What the run called the model, if it is another name."""
        return "" if self.run.model == self.model else self.run.model


def write_site(submitted: Sequence[Submitted], directory: Path, title: str) -> Path:
    """Write the site of some submitted runs and return its index.

    ``index.html`` holds an overall table, a chart, the comparison of two models, and a table for each task;
    ``reports/`` a report for each run; ``results.csv``, ``results.json`` and ``overall.csv`` the scores. All links are
    relative, so that the site works as files and from any static host.

    Raises:
        OSError: If a file cannot be written. Each file is written whole or not at all.
    """
    entries = _entries(submitted)
    files: dict[Path, str] = {}
    for entry in entries:
        run = replace(entry.run, label=entry.model)
        page = render_html(make_report([run], observe([run])), f"{entry.model}: CodeMind report")
        files[directory / entry.report] = page
    runs = [entry.run for entry in entries]
    observations = observe(runs)
    samples = Samples(runs, observations)
    scores = summary(runs)
    scores_overall = overall(runs, scores)
    pairs = comparisons(observations).where(lambda row: row["benchmark"] == ALL)
    tables = [ranks(pairs, observations), *findings(observations)]
    results = replace(scores, rows=[_result(row, entries) for row in scores.rows])
    index = directory / "index.html"
    files[index] = render_page(
        "leaderboard",
        title=title,
        overall=_board(
            "overall", "Overall", scores_overall.rows, entries, samples, lambda row: (row["group"], row["metric"])
        ),
        charts=_charts(scores_overall, [entry.label for entry in entries]),
        boards=_boards(scores.rows, entries, samples),
        findings=[{"name": table.name, "note": table.note, **grid(table)} for table in tables],
        families=distinct(row["family"] for row in scores_overall.rows),
        models=[entry.label for entry in entries],
        note=scores_overall.note,
        data=_embedded_json([_pair(row, samples) for row in pairs.records()]),
    )
    files[directory / "results.json"] = json.dumps(results.records(), indent=1) + "\n"
    files[directory / "results.csv"] = results.to_csv()
    files[directory / "overall.csv"] = scores_overall.to_csv()
    for path, content in files.items():
        write_whole(path, content)
    return index


def _entries(submitted: Sequence[Submitted]) -> list[_Entry]:
    """Return the rows; a model that was submitted several times is labelled with the date."""
    names = [one.model for one in submitted]
    entries: list[_Entry] = []
    for one in submitted:
        stem = re.sub(r"[^\w.-]+", "__", one.model)
        report, number = f"reports/{stem}.html", 2
        while any(entry.report == report for entry in entries):
            report, number = f"reports/{stem}-{number}.html", number + 1
        label = one.model if names.count(one.model) == 1 else f"{one.model} @ {one.date}"
        entries.append(_Entry(one.model, one.date, replace(one.run, label=label), label, report))
    return entries


def _result(row: Row, entries: Sequence[_Entry]) -> Row:
    """Return a row of the summary with where it comes from, as ``results.json`` has it."""
    entry = next(entry for entry in entries if entry.label == row["model"])
    source = {"model": entry.model, "model_was": entry.was, "recorded": entry.run.recorded, "date": entry.date}
    return {**row, **source, "report": entry.report, "suite": _suite_version(entry.run.task(row["task"]))}


def _pair(row: Row, samples: Samples) -> Row:
    """Return a comparison with the numbers of problems that the two models have."""
    sizes = {f"{side}_n": samples.count(row[side], row["family"]) for side in ("first", "second")}
    return {**row, "score_name": in_words(row["score_name"]), **sizes}


def _boards(rows: Sequence[Row], entries: Sequence[_Entry], samples: Samples) -> list[dict[str, Any]]:
    known = {task.task: (task, view) for entry in entries for task, view in entry.run.known_tasks}
    boards = []
    for task in sorted(distinct(row["task"] for row in rows), key=lambda name: _order(*known[name])):
        of_task = [row for row in rows if row["task"] == task]
        boards.append(_board(task, _title(*known[task]), of_task, entries, samples, lambda row: ("", row["metric"])))
    return boards


def _board(
    name: str,
    title: str,
    rows: Sequence[Row],
    entries: Sequence[_Entry],
    samples: Samples,
    column: Callable[[Row], tuple[str, str]],
) -> dict[str, Any]:
    """Return a table with a row for each model, the best in the first column on top."""
    columns = {column(row): row["family"] for row in rows}
    cells = {(row["model"], column(row)): row for row in rows}
    first = dict(reversed(columns.keys()))
    lines: list[dict[str, Any]] = []
    for entry in entries:
        if any(row["model"] == entry.label for row in rows):
            task = entry.run.task(name)
            scores = {
                key: samples.score(cells.get((entry.label, key)), entry.report, first[key[0]] == key[1])
                for key in columns
            }
            lines.append(
                {
                    "entry": entry,
                    "cells": [(columns[key], cell) for key, cell in scores.items()],
                    "efforts": effort_cells([entry.run], task.task if task else None),
                    "problems": task.effective if task else None,
                    "suite": _suite_version(task or entry.run.tasks[0]),
                }
            )
    # A score that is not defined comes last.
    lines.sort(key=lambda line: (-float(line["cells"][0][1].value or "-inf"), line["entry"].label))
    efforts = [heading for heading in lines[0]["efforts"] if any(line["efforts"][heading].text for line in lines)]
    return {
        "id": name,
        "title": title,
        "family": next(iter(columns.values())),
        "columns": [(of, in_words(metric), family) for (of, metric), family in columns.items()],
        "efforts": efforts,
        "rows": lines,
    }


def _charts(table: Table, series: Sequence[str]) -> list[dict[str, Any]]:
    charts = []
    for family in distinct(row["family"] for row in table.rows):
        figures = plots([replace(table, rows=[row for row in table.rows if row["family"] == family])])
        charts += [{"family": family, **embedded(replace(figure, title=family), series)} for figure in figures]
    return charts


def _title(task: TaskRun, view: View) -> str:
    name = short_name(task, view)
    benchmark = benchmarks().get(name)
    return f"{view.title} on {benchmark.title if benchmark else name}"


def _order(task: TaskRun, view: View) -> tuple[int, int]:
    name, names = short_name(task, view), list(benchmarks())
    return list(views()).index(view.name), names.index(name) if name in names else len(names)


def _suite_version(task: TaskRun | None) -> str:
    return str(task.suite.get("version", "")) if task else ""


def _embedded_json(content: Any) -> Markup:
    """Return JSON for an HTML script element. No character in it can end the element."""
    return Markup(json.dumps(content, allow_nan=False).replace("<", "\\u003c"))

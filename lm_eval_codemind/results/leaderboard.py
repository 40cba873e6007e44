"""A leaderboard: a static site of submitted runs, one table a task, each row leading to its run's report."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_codemind.catalogue import benchmarks
from lm_eval_codemind.questions.samples import TaskRun
from lm_eval_codemind.results.analysis import findings, summary
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.pages import render_page
from lm_eval_codemind.results.report import make_report, render_html
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.results.tables import Table, show
from lm_eval_codemind.views import View, short_name, views


@dataclass(frozen=True)
class Submitted:
    """A verified run with the name and the date that it was submitted under."""

    model: str
    date: str
    run: Run

    @property
    def was(self) -> str:
        """What the run calls its model, where that is another name; else empty."""
        return "" if self.run.model == self.model else self.run.model


def write_site(submitted: Sequence[Submitted], directory: Path, title: str) -> list[Path]:
    """Write the site of some submitted runs and return its files.

    ``index.html`` holds a table a task, ``reports/`` a report a run, ``results.csv`` and ``results.json`` the scores.
    All links are relative, so that the site works as files and from any static host.

    Args:
        submitted: The runs.
        directory: Where to write; files of the same names are replaced.
        title: The title of the index.
    """
    reports = directory / "reports"
    reports.mkdir(parents=True, exist_ok=True)
    records, written, names = [], [], _file_names(submitted)
    for one, name in zip(submitted, names, strict=True):
        run = Run(one.run.path, one.model, one.model, one.run.tasks, one.run.raw)
        observations = observe([run])
        page = reports / name
        page.write_text(render_html(make_report([run], observations), f"{one.model}: CodeMind report"), "utf-8")
        written.append(page)
        records += [
            record
            | {
                "model_was": one.was,
                "recorded": one.run.recorded,
                "date": one.date,
                "report": f"reports/{name}",
                "suite": _suite_version(run.task(record["task"])),
            }
            for record in summary([run], observations).records()
        ]
    tasks = {task.task: (task, view) for one in submitted for task, view in one.run.known_tasks}
    index = directory / "index.html"
    page_of_all = render_page("leaderboard", title=title, tables=_tables(records, tasks), findings=_findings(submitted))
    index.write_text(page_of_all, encoding="utf-8")
    (directory / "results.json").write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    (directory / "results.csv").write_text(_csv(records), encoding="utf-8")
    return [index, *written, directory / "results.json", directory / "results.csv"]


def _tables(records: Sequence[dict[str, Any]], tasks: Mapping[str, tuple[TaskRun, View]]) -> list[dict[str, Any]]:
    tables = []
    for task in sorted(dict.fromkeys(record["task"] for record in records), key=lambda name: _order(*tasks[name])):
        of_task = [record for record in records if record["task"] == task]
        metrics = list(dict.fromkeys(record["metric"] for record in of_task))
        rows = []
        for report in dict.fromkeys(record["report"] for record in of_task):
            of_run = {record["metric"]: record for record in of_task if record["report"] == report}
            first = next(iter(of_run.values()))
            rows.append(
                {
                    "model": first["model"],
                    "was": first["model_was"],
                    "recorded": first["recorded"],
                    "report": report,
                    "problems": first["effective"],
                    "date": first["date"],
                    "suite": first["suite"],
                    "cells": [_cell(of_run.get(metric)) for metric in metrics],
                }
            )
        # A score that is not defined comes last.
        rows.sort(key=lambda row: (-float(row["cells"][0]["value"] or "-inf"), row["model"]))
        tables.append({"id": task, "title": _title(*tasks[task]), "metric": task, "metrics": metrics, "rows": rows})
    return tables


def _findings(submitted: Sequence[Submitted]) -> list[Table]:
    """Return the tables over all models that only one family has; a model that was submitted twice counts by date."""
    names = [one.model for one in submitted]
    labels = [one.model if names.count(one.model) == 1 else f"{one.model} @ {one.date}" for one in submitted]
    runs = [
        Run(one.run.path, label, one.model, one.run.tasks, one.run.raw)
        for one, label in zip(submitted, labels, strict=True)
    ]
    return findings(observe(runs))


def _cell(record: dict[str, Any] | None) -> dict[str, str]:
    if record is None:
        return {"value": "", "shown": "", "interval": ""}
    if record["value"] is None:
        return {"value": "", "shown": show(None, "percent"), "interval": "not defined"}
    interval = "" if record["low"] is None else f"{record['low']:.1%} to {record['high']:.1%}"
    return {"value": repr(record["value"]), "shown": show(record["value"], "percent"), "interval": interval}


def _title(task: TaskRun, view: View) -> str:
    name = short_name(task.task, view, task.suite)
    benchmark = benchmarks().get(name)
    return f"{view.title} on {benchmark.title if benchmark else name}"


def _order(task: TaskRun, view: View) -> tuple[int, int]:
    name, names = short_name(task.task, view, task.suite), list(benchmarks())
    return list(views()).index(view.name), names.index(name) if name in names else len(names)


def _suite_version(task: TaskRun | None) -> str:
    return str(task.suite.get("version", "")) if task else ""


def _file_names(submitted: Sequence[Submitted]) -> list[str]:
    names: list[str] = []
    for one in submitted:
        stem = re.sub(r"[^\w.-]+", "__", one.model)
        name, number = f"{stem}.html", 2
        while name in names:
            name, number = f"{stem}-{number}.html", number + 1
        names.append(name)
    return names


def _csv(records: Sequence[dict[str, Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return buffer.getvalue()

"""The report: one HTML file with scores, analyses and all samples. It needs no network and no server."""

import base64
import gzip
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from lm_eval_codemind.families.views import Part, Table, short_name, show
from lm_eval_codemind.languages import CONSTRUCTS, get_language, languages
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.analysis import MEASURES, analyses
from lm_eval_codemind.results.figures import Figure, UpSet, legend_mark
from lm_eval_codemind.results.observations import ALL, Observation, distinct
from lm_eval_codemind.results.pages import render_page
from lm_eval_codemind.results.plots import plots
from lm_eval_codemind.results.provenance import provenance
from lm_eval_codemind.results.runs import Run

# Samples whose part lists lie in one chunk, and characters of text in one chunk.
_BLOCK = 500
_CHUNK = 400_000
# Rows of an analysis that the page itself shows; files and the CSV button give all.
_ROWS_SHOWN = 400


@dataclass(frozen=True)
class Report:
    """The content of a report: the runs, and the tables and figures made from their observations."""

    runs: Sequence[Run]
    observations: Sequence[Observation]
    tables: Sequence[Table]
    figures: Sequence[Figure | UpSet]

    @property
    def series(self) -> list[str]:
        """Labels of the runs, which give the figures' series."""
        return [run.label for run in self.runs]


def make_report(runs: Sequence[Run], observations: Sequence[Observation]) -> Report:
    """Return the report of some runs: all analyses and figures."""
    tables = [*analyses(runs, observations), *(table for table in provenance(runs) if table.rows)]
    return Report(runs, observations, tables, plots(tables))


def render_html(report: Report, title: str = "CodeMind report") -> str:
    """Return the report as HTML.

    Texts of models and data sets are in the page as compressed JSON without markup, and the page's script shows
    them as text only; a content security policy forbids every other script and every connection.

    Args:
        report: What to show.
        title: The page's title.
    """
    tables = {table.name: table for table in report.tables}
    own_places = ("overall", "summary", "comparisons", "runs", "tasks", "readings", "lengths")
    return render_page(
        "report",
        title=title,
        facts=_facts(tables["runs"]),
        overall=_section(tables["overall"], report),
        compared=_section(tables["comparisons"], report) if "comparisons" in tables else None,
        summary=tables["summary"],
        overview=pivot(tables["overall"].rows, "group"),
        grids=_grids(report),
        sections=[_section(table, report) for table in report.tables if table.name not in own_places],
        runs=[tables[name] for name in ("runs", "tasks", "readings", "lengths") if name in tables],
        recorded={run.label for run in report.runs if run.recorded},
        n_samples=len(report.observations),
        chunks=list(_chunks(report)),
    )


def _facts(runs: Table) -> str:
    """Return when and with what the runs were made, in one line."""
    dates = sorted(row["date"] for row in runs.rows)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    versions = [f"{name} {', '.join(distinct(row[key] for row in runs.rows))}" for key, name in _VERSIONS.items()]
    return f"{len(runs.rows)} run{'s' if len(runs.rows) > 1 else ''}, {when}; {', '.join(versions)}"


_VERSIONS = {"suite": "lm-eval-codemind", "lm_eval": "lm-eval"}


def pivot(rows: Iterable[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Return scores with models down and, across, the values of a column with their metrics.

    The baselines, where there are any, are a separate row.
    """
    cells = {(row["model"], (row[name], row["metric"])): row for row in rows}
    models, columns = distinct(model for model, _ in cells), list(dict.fromkeys(key for _, key in cells))
    baselines: dict[tuple[str, str], list[float]] = {column: [] for column in columns}
    for (_, column), row in cells.items():
        baselines[column] += [] if math.isnan(row["baseline"]) else [row["baseline"]]
    return {
        "columns": columns,
        "rows": [(model, [_score_cell(cells.get((model, column))) for column in columns]) for model in models],
        "baselines": [_range(values) for values in baselines.values()] if any(baselines.values()) else [],
    }


def _range(values: Sequence[float]) -> str:
    """Return a baseline; of a group it may differ between models that were asked other numbers of questions."""
    ends = dict.fromkeys(show(value, "percent") for value in (min(values), max(values))) if values else {}
    return " to ".join(ends)


def _score_cell(row: Mapping[str, Any] | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    interval = "" if math.isnan(row["low"]) else f"{row['low']:.1%} to {row['high']:.1%}"
    limited = row.get("effective") != row.get("original")
    return show(row["value"], "percent"), interval + (f" ({row['effective']} of {row['original']})" if limited else "")


def _grids(report: Report) -> list[dict[str, Any]]:
    """Return the metrics to report, family by family."""
    known = {task.task: (task, view) for run in report.runs for task, view in run.known_tasks}
    summary = next(table for table in report.tables if table.name == "summary")
    grids = []
    for family in distinct(row["family"] for row in summary.rows):
        rows = [row for row in summary.rows if row["family"] == family]
        rows = [row for row in rows if row["metric"] in known[row["task"]][1].reported]
        names = {row["task"]: short_name(known[row["task"]][0], known[row["task"]][1]) for row in rows}
        cells = [{**row, "task": names[row["task"]]} for row in rows]
        grids.append({"family": family, **pivot(cells, "task")})
    return grids


def _section(table: Table, report: Report) -> dict[str, Any]:
    figures = [figure for figure in report.figures if figure.name.partition("-")[0] == table.name]
    pooled = table.where(lambda row: row.get("benchmark", ALL) == ALL)
    shown = pooled.without("benchmark") if pooled.rows else table
    label = f"{len(shown.rows)} rows"
    if len(shown.rows) > _ROWS_SHOWN:
        shown = shown.head(_ROWS_SHOWN)
        label = f"The first {_ROWS_SHOWN} rows"
    if pooled.rows and len(pooled.rows) < len(table.rows):
        label += ", all benchmarks together"
    return {"table": shown, "label": label, "figures": [embedded(figure, report.series) for figure in figures]}


def embedded(figure: Figure | UpSet, series: Sequence[str]) -> dict[str, Any]:
    """Return a figure for a page: its title, its drawing, and its legend if it has one.

    Args:
        figure: The figure.
        series: All series of the page.
    """
    legend = [(name, Markup(legend_mark(name, series))) for name in figure.series]
    return {"title": figure.title, "svg": Markup(figure.svg(series)), "legend": legend}


class _Texts:
    """Texts, each once, in the order of their first use, cut into chunks of about the same size."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self.chunks: list[list[str]] = []
        self.starts: list[int] = []
        self._size = _CHUNK

    def place(self, text: str) -> int:
        """Return the number of a text, which is added if it is new."""
        if text in self._places:
            return self._places[text]
        if self._size + len(text) > _CHUNK:
            self.chunks.append([])
            self.starts.append(len(self._places))
            self._size = 0
        self._places[text] = len(self._places)
        self.chunks[-1].append(text)
        self._size += len(text)
        return self._places[text]


def _chunks(report: Report) -> Iterable[tuple[str, Markup]]:
    yield "tables", _pack({table.name: table.to_csv() for table in report.tables})
    if not report.observations:
        return
    observations = report.observations
    parts = [[part for part in one.view.parts(one.unit) if part.text] for one in observations]
    # In the order of the problems, since a prompt repeats much of the programs and the prompt before it.
    texts = _Texts()
    for of_problem in parts:
        for part in of_problem:
            texts.place(part.text)
    # Code in a language that is not installed is shown without colours.
    used = {part.language for of_problem in parts for part in of_problem if part.language}
    marks = {name: get_language(name).marks for name in sorted(used & languages().keys())}
    yield "index", _pack({**_index(observations, texts.starts), "marks": marks})
    for start in range(0, len(parts), _BLOCK):
        block = [[_reference(part, texts) for part in of_problem] for of_problem in parts[start : start + _BLOCK]]
        yield f"samples-{start // _BLOCK}", _pack(block)
    for number, chunk in enumerate(texts.chunks):
        yield f"texts-{number}", _pack(chunk)


def _reference(part: Part, texts: _Texts) -> list[Any]:
    return [part.title, part.kind, texts.place(part.text), int(part.aside), part.note, part.language]


def _index(observations: Sequence[Observation], starts: Sequence[int]) -> dict[str, Any]:
    """Return the columns that the list and the filters need, with a value for each sample."""
    s_scores = {one.task: one.view.scores[0] for one in observations}
    models, tasks, benchmarks, outcomes = _Numbers(), _Numbers(), _Numbers(), _Numbers()
    problems: dict[Key, int] = {}
    described: list[list[Any]] = []
    columns: dict[str, list[Any]] = {name: [] for name in ("model", "task", "problem", "score", "solved", "outcome")}
    for o in observations:
        key = o.key
        if key not in problems:
            problems[key] = len(problems)
            measures = [getattr(o.complexity, name) if o.complexity else None for name in MEASURES]
            tags = [CONSTRUCTS.index(tag) for tag in o.complexity.constructs] if o.complexity else []
            described.append([key.within_task(), benchmarks[o.benchmark], measures, tags])
        columns["model"].append(models[o.model])
        columns["task"].append(tasks[o.task])
        columns["problem"].append(problems[key])
        columns["score"].append(round(o.score, 6))
        columns["solved"].append(int(o.solved))
        columns["outcome"].append(outcomes[o.view.outcome(o.unit)])
    return {
        "models": list(models),
        "tasks": list(tasks),
        "benchmarks": list(benchmarks),
        "outcomes": list(outcomes),
        # The S score's name, task by task.
        "scores": [s_scores[task] for task in tasks],
        "constructs": list(CONSTRUCTS),
        "measures": list(MEASURES.values()),
        "problems": described,
        "block": _BLOCK,
        "texts": list(starts),
        **columns,
    }


class _Numbers(dict[str, int]):
    """Numbers names in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


def _pack(content: Any) -> Markup:
    """Return content as base64 of gzip of JSON: characters that no HTML parser can take for markup."""
    data = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    return Markup(base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii"))

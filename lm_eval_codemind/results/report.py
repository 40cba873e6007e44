"""The report: one HTML file with scores, analyses and all samples. It needs no network and no server."""

import base64
import gzip
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Any

from markupsafe import Markup

from lm_eval_codemind.errors import count as counted
from lm_eval_codemind.families.table import Table, in_words, show
from lm_eval_codemind.families.view import Part
from lm_eval_codemind.families.views import short_name
from lm_eval_codemind.languages import get_language, languages
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.analysis import analyses, properties
from lm_eval_codemind.results.cells import VERDICTS, Row, Samples, effort_cells, grid, verdict
from lm_eval_codemind.results.figures import Figure, Scatter, UpSet, legend_mark
from lm_eval_codemind.results.observations import ALL, Observation, distinct
from lm_eval_codemind.results.pages import render_page
from lm_eval_codemind.results.plots import plots
from lm_eval_codemind.results.programs import MEASURES
from lm_eval_codemind.results.provenance import provenance
from lm_eval_codemind.results.runs import Run

# Samples whose part lists lie in one chunk, and characters of text in one chunk.
_BLOCK = 500
_CHUNK = 400_000
# Characters of text that a report may hold: so many for each sample, and at least so many in all. In a larger one the
# longest texts are cut, each to no less than it may have for a sample.
_TEXT, _TEXTS_AT_LEAST = 4_000, 8_000_000
# Rows of an analysis that the page itself shows; files and the CSV button give all.
_ROWS_SHOWN = 400
# Tables with their own places in the page.
_PLACED = ("overall", "summary", "comparisons", "ranks", "runs", "tasks", "readings", "lengths")
# The analyses that tell least come last, in this order.
_LAST = ("output_types", "constructs", "loop_length", "overlap", "associations", "outputs", "correlations")
# An analysis of fewer problems, and a correlation nearer to 0, tell nothing; nor do associations that chance explains.
_FEWEST, _WEAKEST, _LEVEL = 20, 0.1, 0.05
# Columns with a number or a name that leads to samples -> the column with their model.
_LEADS = dict.fromkeys(("value", "score", "rho", "type_match", "value_match", "problem_id"), "model")
_LEADS |= {"first_score": "first", "second_score": "second"}


@dataclass(frozen=True)
class Report:
    """The content of a report: the runs, and the tables and figures made from their observations."""

    runs: Sequence[Run]
    observations: Sequence[Observation]
    tables: Sequence[Table]
    figures: Sequence[Figure | Scatter | UpSet]

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
    """
    tables = {table.name: table for table in report.tables}
    samples = Samples(report.runs, report.observations)
    placed = {name: _section(tables[name], report, samples) for name in _PLACED if name in tables}
    analysed = sorted(
        (table for table in report.tables if table.name not in _PLACED),
        key=lambda table: (bool(nothing_in(table)), _LAST.index(table.name) if table.name in _LAST else -1),
    )
    return render_page(
        "report",
        title=title,
        facts=_facts(tables["runs"]),
        overall=placed.get("overall"),
        ranked=placed.get("ranks"),
        compared=placed.get("comparisons"),
        summary=placed["summary"],
        overview=_overview(report, tables["overall"], samples) if "overall" in tables else None,
        grids=_grids(report, tables["summary"], samples),
        sections=[_section(table, report, samples) for table in analysed],
        runs=[placed[name] for name in ("runs", "tasks", "readings", "lengths") if name in placed],
        recorded={run.label for run in report.runs if run.recorded},
        n_samples=len(report.observations),
        chunks=list(_chunks(report)),
    )


def _facts(runs: Table) -> str:
    """Return when and with what the runs were made, in one line."""
    dates = sorted(row["date"] for row in runs.rows)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    suite, harness = (", ".join(distinct(row[column] for row in runs.rows)) for column in ("suite", "lm_eval"))
    return f"{counted(len(runs.rows), 'run')}, {when}; lm-eval-codemind {suite}, lm-eval {harness}"


def _overview(report: Report, overall: Table, samples: Samples) -> dict[str, Any]:
    block = _pivot(overall.rows, lambda row: str(row["group"]), samples)
    took = {model: effort_cells([run for run in report.runs if run.label == model]) for model, _ in block["rows"]}
    known = [heading for heading in effort_cells(report.runs) if any(cells[heading].text for cells in took.values())]
    return {
        **block,
        "efforts": known,
        "rows": [(model, [*cells, *(took[model][heading] for heading in known)]) for model, cells in block["rows"]],
    }


def _grids(report: Report, summary: Table, samples: Samples) -> list[dict[str, Any]]:
    known = {task.task: (task, view) for run in report.runs for task, view in run.known_tasks}
    rows = [row for row in summary.rows if row["metric"] in known[row["task"]][1].reported]

    def name_of(row: Row) -> str:
        return short_name(*known[row["task"]])

    return [
        {"family": family, **_pivot([row for row in rows if row["family"] == family], name_of, samples)}
        for family in distinct(row["family"] for row in summary.rows)
    ]


def _pivot(rows: Iterable[Row], name: Callable[[Row], str], samples: Samples) -> dict[str, Any]:
    """Return scores with models down and, across, names with their metrics.

    The first metric of a name leads to the incorrect samples. The baselines, where there are any, are a separate row.
    """
    cells = {(row["model"], (name(row), row["metric"])): row for row in rows}
    models, columns = distinct(model for model, _ in cells), list(dict.fromkeys(key for _, key in cells))
    first = dict(reversed(columns))
    baselines: dict[tuple[str, str], list[float]] = {column: [] for column in columns}
    for (_, column), row in cells.items():
        baselines[column] += [] if math.isnan(row["baseline"]) else [row["baseline"]]
    return {
        "columns": [(of, in_words(metric)) for of, metric in columns],
        "rows": [
            (
                model,
                [samples.score(cells.get((model, (of, metric))), wrong=first[of] == metric) for of, metric in columns],
            )
            for model in models
        ],
        "baselines": [_range(values) for values in baselines.values()] if any(baselines.values()) else [],
    }


def _range(values: Sequence[float]) -> str:
    """Return a baseline; of a group it may differ between models that were asked other numbers of questions."""
    ends = dict.fromkeys(show(value, "percent") for value in (min(values), max(values))) if values else {}
    return " to ".join(ends)


def _section(table: Table, report: Report, samples: Samples) -> dict[str, Any]:
    figures = [figure for figure in report.figures if figure.name.partition("-")[0] == table.name]
    pooled = table.where(_is_pooled)
    shown = pooled.without("benchmark") if pooled.rows else table
    label = f"{len(shown.rows)} rows"
    if len(shown.rows) > _ROWS_SHOWN:
        shown = shown.head(_ROWS_SHOWN)
        label = f"The first {_ROWS_SHOWN} rows"
    if pooled.rows and len(pooled.rows) < len(table.rows):
        label += ", all benchmarks together"

    def cell(name: str, row: Row) -> dict[str, str]:
        if name not in _LEADS:
            return {}
        column, note = _LEADS[name], ""
        if column != "model":
            note = f"on {row['n']:,} of its {samples.count(row[column], row['family']):,} problems"
        return {"link": samples.link(row, column), "note": note}

    return {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "nothing": nothing_in(table),
        "grid": grid(shown, cell),
        "label": label,
        "figures": [embedded(figure, report.series) for figure in figures],
    }


def _is_pooled(row: Row) -> bool:
    return bool(row.get("benchmark", ALL) == ALL)


def nothing_in(table: Table) -> str:
    """Return why an analysis tells nothing; empty if it tells something."""
    rows = [row for row in table.rows if _is_pooled(row)] or table.rows
    if max(row.get("n", _FEWEST) for row in rows) < _FEWEST:
        return f"fewer than {_FEWEST} problems"
    if all(row.get("p_corrected", 0) >= _LEVEL or abs(row.get("rho", 1)) < _WEAKEST for row in rows):
        return "no association that chance does not explain"
    return ""


def embedded(figure: Figure | Scatter | UpSet, series: Sequence[str]) -> dict[str, Any]:
    """Return a figure for a page with these series: its title, its drawing, and its legend if it shows some of them."""
    legend = [(name, Markup(legend_mark(name, series))) for name in figure.series if name in series]
    return {"title": figure.title, "svg": Markup(figure.svg(series)), "legend": legend}


def longest_text(lengths: Iterable[int], samples: int) -> int | None:
    """Return how many characters of a text a report may hold, so that all its texts keep their bound; None for all."""
    ascending = sorted(lengths)
    left = max(_TEXTS_AT_LEAST, _TEXT * samples)
    for number, length in enumerate(ascending):
        texts = len(ascending) - number
        if length * texts > left:
            return max(_TEXT, left // texts)
        left -= length
    return None


def shortened_text(text: str, longest: int | None) -> str:
    """Return a text, or its head and its tail with a notice between them if it is too long."""
    if longest is None or len(text) <= longest:
        return text
    head, tail = text[: longest - longest // 2], text[len(text) - longest // 2 :]
    notice = f"[{len(text) - longest:,} of {len(text):,} characters are left out here; the file of samples has them]"
    return f"{head}\n{notice}\n{tail}"


def _in_chunks(texts: Iterable[str]) -> list[list[str]]:
    """Return texts in chunks of about the same size."""
    chunks: list[list[str]] = []
    size = _CHUNK
    for text in texts:
        if size + len(text) > _CHUNK:
            chunks.append([])
            size = 0
        chunks[-1].append(text)
        size += len(text)
    return chunks


def _chunks(report: Report) -> Iterable[tuple[str, Markup]]:
    yield "tables", _pack({table.name: table.to_csv() for table in report.tables})
    if not report.observations:
        return
    observations = report.observations
    parts = [[part for part in one.view.parts(one.unit) if part.text] for one in observations]
    # Each once, in the order of the problems, since a prompt repeats much of the programs and the prompt before it.
    texts = distinct(part.text for of_problem in parts for part in of_problem)
    places = {text: place for place, text in enumerate(texts)}
    longest = longest_text(map(len, texts), len(observations))
    chunks = _in_chunks(shortened_text(text, longest) for text in texts)
    # Code in a language that is not installed is shown without colours.
    used = {part.language for of_problem in parts for part in of_problem if part.language}
    marks = {name: get_language(name).marks for name in sorted(used & languages().keys())}
    starts = [0, *accumulate(map(len, chunks))][:-1]
    yield "index", _pack({**_index(report, starts), "marks": marks})
    for start in range(0, len(parts), _BLOCK):
        block = [[_reference(part, places) for part in of_problem] for of_problem in parts[start : start + _BLOCK]]
        yield f"samples-{start // _BLOCK}", _pack(block)
    for number, chunk in enumerate(chunks):
        yield f"texts-{number}", _pack(chunk)


def _reference(part: Part, places: Mapping[str, int]) -> list[Any]:
    return [part.title, part.kind, places[part.text], int(part.aside), part.note, part.language]


def _index(report: Report, starts: Sequence[int]) -> dict[str, Any]:
    """Return the columns that the list and the filters need, with a value for each sample."""
    observations = report.observations
    s_scores = {one.task: one.view.scores[0] for one in observations}
    # Names are numbered in the order in which they are first asked for.
    models, tasks, benchmarks, outcomes, categories = (defaultdict[str, int](count().__next__) for _ in range(5))
    problems: dict[Key, Observation] = {}
    for o in observations:
        problems.setdefault(o.key, o)
    numbers = {key: number for number, key in enumerate(problems)}
    columns: dict[str, list[Any]] = {
        "model": [models[o.model] for o in observations],
        "task": [tasks[o.task] for o in observations],
        "problem": [numbers[o.key] for o in observations],
        "score": [round(o.score, 6) for o in observations],
        "verdict": [verdict(o) for o in observations],
        "outcome": [outcomes[o.view.outcome(o.unit)] for o in observations],
        "properties": [[categories[name] for name in properties(o)] for o in observations],
    }
    described = [
        [key.within_task(), benchmarks[o.benchmark], [getattr(o.complexity, name, None) for name in MEASURES]]
        for key, o in problems.items()
    ]
    sets = Samples(report.runs, observations).sets
    return {
        "models": list(models),
        "tasks": list(tasks),
        "sets": [[name, [tasks[task] for task in members if task in tasks]] for name, members in sets.items()],
        "benchmarks": list(benchmarks),
        "verdicts": VERDICTS,
        "outcomes": list(outcomes),
        # The S score's name, task by task.
        "scores": [s_scores[task] for task in tasks],
        "categories": list(categories),
        "measures": [in_words(name) for name in MEASURES.values()],
        "problems": described,
        "block": _BLOCK,
        "texts": starts,
        **columns,
    }


def _pack(content: Any) -> Markup:
    """Return content as base64 of gzip of JSON: characters that no HTML parser can take for markup."""
    data = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    return Markup(base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii"))

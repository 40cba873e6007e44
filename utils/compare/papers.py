"""Tables and figures of the studies' papers, made again from recordings, next to what the studies published.

    python utils/compare/papers.py RECORDED RESULTS -o docs/replication

RECORDED holds the recordings of the studies, and beside it RESULTS what ``recorded.py`` made of them. Data is read from
``$CODEMIND_DATA``. What is published as numbers is in RECORDED or in ``papers.yaml``; of a figure that is only a plot
nothing stands beside ours.
"""

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
import yaml

from lm_eval_codemind.commands import DIRECTORY
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.dsr.published import dataset as published_simplified
from lm_eval_codemind.families.dsr.task import dataset as simplified
from lm_eval_codemind.families.table import Table
from lm_eval_codemind.harness.location import task_manager
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.languages import measured
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results import programs
from lm_eval_codemind.results.analysis import findings
from lm_eval_codemind.results.observations import Observation, observe
from lm_eval_codemind.results.rescoring import replay
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.statistics import compare, spearman

Row = Sequence[str]
# Of each benchmark the name that the studies give its problems in front.
_STUDIED = {
    "humaneval": ("HumanEval",),
    "cruxeval": ("sample",),
    "classeval": ("ClassEval",),
    "avatar": ("atcoder", "codeforces"),
}
_REVAL = ("codemind_runtime_published_humaneval", "codemind_runtime_published_classeval")
# REval's answers about lines for which nothing was executed.
_SAME_ANSWERS = {"YES, Nil, -1": "YES", "NO, Nil, -1": "NO"}
# The languages of the first study's programs: Python's benchmark and Java's.
_TWO_LANGUAGES = {"avatar": ("avatar", "avatar_java"), "codenet": ("codenet_python", "codenet_java")}
# Groups of families that were asked about the same programs by one study.
_GROUPS = {
    "RE2-Bench, its rules": "RE2-Bench {} as published",
    "RE2-Bench, proven labels": "RE2-Bench {}",
}


def complexity(observations: Sequence[Observation], recorded: Path) -> Iterator[Row]:
    """Yield the distributions of Figure 2, with those of the values that the authors publish for each program."""
    analyses = json.loads((recorded / "exerscope_analyses.json").read_text(encoding="utf-8"))
    published = {"CC": analyses["cc"], "LL": analyses["loops"]}
    ends = ("mean", "lowest", "lower_quartile", "median", "upper_quartile", "highest")
    yield ["benchmark", "measure", "programs", *map(_heading, ends), "programs, published", *(
        f"{_heading(end)}, published" for end in ends
    )]  # fmt: skip
    for row in _sorted(programs.complexity(observations), "benchmark"):
        known = published.get(row["measure"], {})
        values = [value for name, value in known.items() if name.startswith(_STUDIED.get(row["benchmark"], ()))]
        theirs = [fmean(values), *np.quantile(values, (0, 0.25, 0.5, 0.75, 1))] if values else []
        cells = [f"{len(values)}", *map(_number, theirs)] if values else [""] * (len(ends) + 1)
        yield [row["benchmark"], row["measure"], f"{row['n']}", *(_number(row[end]) for end in ends), *cells]


def written(observations: Sequence[Observation], recorded: Path) -> Iterator[Row]:
    """Yield the comparison of Figure 5 of the first study: programs of models against the given ones."""
    given = {
        (name, problem.problem_id.removeprefix("MBPP_")): measured("python", problem.code)
        for name in ("humaneval", "mbpp")
        for problem in load_benchmark(name)
    }
    pairs = defaultdict(list)
    for row in map(json.loads, read_lines(recorded / "v1_der_gpt-4.jsonl.gz")):
        pair = given[row["benchmark"], str(row["problem_id"])], measured("python", row["code"])
        if None not in pair:
            pairs["DER", row["benchmark"], "gpt-4"].append(pair)
    yield ["family", "benchmark", "model", "measure", "programs", "written", "given", "difference", "p"]
    for row in (
        row
        for table in (programs.written_programs(observations), programs.compared_programs(pairs))
        for row in _sorted(table, "benchmark", "model")
    ):
        what = [row[name] for name in ("family", "benchmark", "model", "measure")]
        yield [*what, f"{row['n']}", _number(row["written"]), _number(row["given"]), _difference(row), _p(row["p"])]


def in_two_languages(observations: Sequence[Observation], recorded: Path) -> Iterator[Row]:
    """Yield the scores on the same problems in Python and in Java, by value and by the authors' lists."""
    heads = ("problems", "Python", "Java", "difference", "p")
    yield ["benchmark", "model", *heads, *(f"{head}, published" for head in heads)]
    for row in _sorted(programs.between_languages(observations), "benchmark", "model"):
        scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for record in map(json.loads, read_lines(recorded / f"v1_ier_{row['model']}.jsonl.gz")):
            problem = record["problem_id"].partition("_s")[0]
            scores[record["benchmark"]][problem].append(float(record["published_verdict"]))
        python, java = (scores[name] for name in _TWO_LANGUAGES[row["benchmark"]])
        both = [problem for problem in python if problem in java]
        sides = [[fmean(side[problem]) for problem in both] for side in (python, java)]
        theirs = vars(compare(*sides))
        cells = [f"{row['n']}", *_shares(row["first_score"], row["second_score"]), _difference(row, 100), _p(row["p"])]
        cells += [f"{len(both)}", *_shares(*map(fmean, sides)), _difference(theirs, 100), _p(theirs["p"])]
        yield [row["benchmark"], row["model"], *cells]


def orders(observations: Sequence[Observation], recorded: Path, tables: Path) -> Iterator[Row]:
    """Yield how alike two questions order the models, by published results and by ours."""
    yield ["study", "first", "second", "models, published", "rho, published", "models", "rho"]
    ours = {(row["first"], row["second"]): row for row in programs.orders(observations).rows}
    tasks = ("output", "input", "loop", "branch")
    for first, second in combinations(tasks, 2):
        published, proven = (
            ours.get((form.format(first), form.format(second))) or ours[form.format(second), form.format(first)]
            for form in _GROUPS.values()
        )
        yield ["RE2-Bench", first, second, *_rho(published), *_rho(proven)]
    with (tables / "cruxeval_site.csv").open(encoding="utf-8", newline="") as file:
        settings = [row for row in csv.DictReader(file) if row["temperature"] == "0.2" and row["form"] == "direct"]
    sides = {
        rule: [{row["model"]: float(row[rule]) for row in settings if row["question"] == name} for name in tasks[:2]]
        for rule in ("recorded pass@1", "pass@1")
    }
    yield ["CRUXEval", "output", "input", *(cell for side in sides.values() for cell in _rho(_correlated(*side)))]
    cells = json.loads((recorded / "published_v1.json").read_text(encoding="utf-8"))["cells"]
    columns = {"IER": ("ier", "RIER"), "SR, with test": ("sr", "WithTest"), "DER": ("der", "RDER")}
    means = {name: _of_table(cells, *column) for name, column in columns.items()}
    for (first, one), (second, other) in combinations(means.items(), 2):
        yield ["CodeMind, first study", first, second, *_rho(_correlated(one, other)), "", ""]


def _of_table(cells: Sequence[Mapping[str, Any]], task: str, column: str) -> dict[str, float]:
    """Return the mean of each model on HumanEval and MBPP in the first study's table."""
    values: dict[str, list[float]] = defaultdict(list)
    for cell in cells:
        if cell["task"] == task and cell["dataset"] in ("humaneval", "mbpp") and cell["kind"] in (None, "synthesis"):
            values[cell["model"]].append(cell["published"][column])
    return {model: fmean(both) for model, both in values.items() if len(both) == 2}


def _correlated(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, Any]:
    models = [model for model in one if model in other]
    return vars(spearman([one[model] for model in models], [other[model] for model in models]))


def lines() -> Iterator[Row]:
    """Yield the mean lines of C and C+, and of the C+ that the authors publish for ClassEval."""
    yield ["benchmark", "programs", "C", "C+", "programs, published", "C, published", "C+, published"]
    for name in _STUDIED:
        cells = [""] * 3
        if name == "classeval":
            cells = _lengths(published_simplified(benchmark="published_classeval")["test"])
        yield [name, *_lengths(simplified(benchmark=name)["test"]), *cells]


def _lengths(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    means = (fmean(document[column] for document in documents) for column in ("loc", "loc_transformed"))
    return [f"{len(documents)}", *map(_number, means)]


def consistency() -> Iterator[Row]:
    """Yield REval's average of the four accuracies and IC: published, and of answers that never change."""
    parts = ("coverage", "state", "path", "output")
    yield ["model", *parts, "average of the four", "average, published", "IC, published", "average", "IC"]
    published: Mapping[str, Sequence[float]] = yaml.safe_load(
        Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    )["reval"]
    for model, (*accuracies, average, ic) in published.items():
        cells = [*map(str, accuracies), f"{fmean(accuracies):.3f}", str(average), str(ic)]
        yield [model, *cells, "", ""]
    for name, said in _SAME_ANSWERS.items():
        row = _scored(said)
        yield [f"always {name}, no output", *[""] * 7, _number(row["average"]), _number(row["ic"])]


def _scored(said: str) -> Mapping[str, Any]:
    """Return the row of the table of averages for a model that always gives the same answers."""
    answers = {"coverage": said, "state": "Nil", "path": "-1", "output": ""}
    loaded = task_manager().load(list(_REVAL))["tasks"]
    documents = {task: list(loaded[task].eval_docs) for task in _REVAL}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "responses.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for document in (document for of_task in documents.values() for document in of_task):
                key = Key.of(document).recorded()
                response = f"{answers[key.setting]}\n[/ANSWER]"
                out.write(json.dumps({**key._asdict(), "response": response, "model": said}) + "\n")
        numbers = {task: range(len(of_task)) for task, of_task in documents.items()}
        replay([str(file)], {"model": said}, {task: list(each) for task, each in numbers.items()}, Path(folder))
        (table,) = (t for t in findings(observe(read_runs([Path(folder)]))) if t.name == "reval_average")
    (row,) = table.rows
    return row


def _sorted(table: Table, *columns: str) -> list[Mapping[str, Any]]:
    """Return the rows of a table in an order that does not depend on where its runs lie."""
    return sorted(table.rows, key=lambda row: [row[column] for column in columns])


def _heading(end: str) -> str:
    return {"lower_quartile": "25 %", "upper_quartile": "75 %"}.get(end, end)


def _number(value: float) -> str:
    return f"{value:.2f}"


def _shares(*values: float) -> list[str]:
    return [f"{100 * value:.2f}" for value in values]


def _difference(row: Mapping[str, Any], times: int = 1) -> str:
    value, low, high = (times * row[name] for name in ("difference", "low", "high"))
    return f"{value:+.2f} ({low:+.2f} to {high:+.2f})"


def _p(value: float) -> str:
    return f"{value:.3f}"


def _rho(row: Mapping[str, Any]) -> list[str]:
    interval = "" if row["low"] != row["low"] else f" ({row['low']:+.2f} to {row['high']:+.2f})"
    return [f"{row['n']}", f"{row['rho']:+.2f}{interval}"]


def tables(recorded: Path, results: Path, documented: Path) -> dict[str, Callable[[], Iterable[Row]]]:
    """Return the tables by the names of their files: functions that give the rows, the headings first."""
    observations = observe(read_runs([results]))
    return {
        "papers_complexity": lambda: complexity(observations, recorded),
        "papers_written": lambda: written(observations, recorded),
        "papers_languages": lambda: in_two_languages(observations, recorded),
        "papers_orders": lambda: orders(observations, recorded, documented),
        "papers_lines": lines,
        "papers_reval": consistency,
    }


@click.command()
@click.argument("recorded", type=DIRECTORY)
@click.argument("results", type=DIRECTORY)
@click.option("-o", "--output_path", required=True, type=DIRECTORY, help="Directory of the CSV files.")
def main(recorded: Path, results: Path, output_path: Path) -> None:
    """Write the tables."""
    for name, rows in tables(recorded, results, output_path).items():
        with (output_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())
        click.echo(f"{name}.csv")


if __name__ == "__main__":
    main()

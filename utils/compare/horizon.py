"""Do recorded verdicts fall with the state that a program writes? The answers of CRUXEval's leaderboard site.

    python utils/compare/horizon.py RECORDINGS > docs/replication/horizon_cruxeval.csv

RECORDINGS has a file ``MODEL[_cot]_tempT_output.jsonl.gz`` for each setting, as for ``cruxeval.py``. The package's
tracer measures the state of the programs; six write a value that has no literal, and are left out. The regression is
that of the task's metric ``horizon``; its slope is in logits for a doubling of the state. The last columns are
Spearman's correlations of the score with the state, and with the lines of code.
"""

import ast
import csv
import json
import sys
from pathlib import Path

import click
import numpy as np

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.horizon.score import draws_of, logistic_fit
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.languages.python.units import units
from lm_eval_codemind.sandbox import shared_sandbox
from lm_eval_codemind.statistics import spearman
from lm_eval_codemind.workshop.python.tracing import read_trace, result_of, state_written, tracing_job

COLUMNS = ("setting", "programs", "accuracy", "slope", "low", "high", "rho_state", "rho_lines")


def measures() -> dict[str, tuple[int, int]]:
    """Return the state that each of CRUXEval's programs writes on its input, at least 1, and its lines of code."""
    problems = load_benchmark("cruxeval")
    jobs = [tracing_job(problem.code, problem.input, "", max_steps=20_000, max_value=100_000) for problem in problems]
    measured = {}
    for problem, outcome in zip(problems, shared_sandbox().run(jobs), strict=True):
        state = state_written(read_trace(result_of(outcome), units(ast.parse(problem.code))))
        if state is not None:
            measured[problem.problem_id] = max(state, 1), get_language("python").lines(problem.code)
    return measured


def row(path: Path, written: dict[str, tuple[int, int]]) -> dict[str, object]:
    """Return the fit of one setting. A program's score is the share of its judged answers that are right."""
    records = {record["problem_id"]: record["verdicts"] for record in map(json.loads, read_lines(path))}
    verdicts = {name: [bool(verdict) for verdict in records.get(name, ()) if verdict is not None] for name in written}
    points = [(*written[name], sum(judged) / len(judged)) for name, judged in verdicts.items() if judged]
    lengths, lines_of_code, rights = zip(*points, strict=True)
    low, high = np.quantile(draws_of(lengths, rights)[:, 1], [0.025, 0.975])
    slope = logistic_fit(lengths, rights, np.ones(len(points)))[1]
    numbers = {"slope": slope, "low": low, "high": high}
    numbers |= {"rho_state": spearman(lengths, rights).rho, "rho_lines": spearman(lines_of_code, rights).rho}
    setting = path.name.removesuffix("_output.jsonl.gz")
    accuracy = f"{sum(rights) / len(rights):.3f}"
    shown = {name: f"{value:.2f}" for name, value in numbers.items()}
    return {"setting": setting, "programs": len(points), "accuracy": accuracy, **shown}


@click.command()
@click.argument("recordings", type=click.Path(exists=True, path_type=Path))
def main(recordings: Path) -> None:
    """Write a row for each setting, and on standard error how many slopes are below 0 with their interval."""
    written = measures()
    rows = [row(path, written) for path in sorted(recordings.glob("*_output.jsonl.gz"))]
    table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    below = sum(float(str(fitted["high"])) < 0 for fitted in rows)
    click.echo(f"{below} of {len(rows)} slopes have an interval below 0", err=True)


if __name__ == "__main__":
    main()

"""Fresh inputs of the shipped seed, made and proven for the package, and others counted, executed again or compared.

    python utils/prove/prove_fresh.py make [--benchmark NAME ...] [--seed N] [--ship]
    python utils/prove/prove_fresh.py check [--benchmark NAME ...] [--seed N]
    python utils/prove/prove_fresh.py difficulty [--benchmark NAME ...] [--seed N] RESPONSES.jsonl.gz ...

``make`` prints how many problems have a fresh input and why the others have none; ``--ship`` writes what is packaged.
``check`` executes the fresh inputs under other dates, hash seeds and directories, and says which outputs differ.
``difficulty`` fits a logistic model of recorded IER verdicts on the published inputs. The model sees steps, lengths of
input and output, the type of the output, and the measures of the program but for loop length, which steps stand for.
The command prints the means that the model predicts for the published inputs and for the fresh ones.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from scipy.optimize import minimize

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.fresh import REASONS, SHIPPED_SEED, Fresh, Run, records_of
from lm_eval_codemind.families.fresh.task import load_fresh
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.fresh import make_fresh
from lm_eval_codemind.proof.prove import prove_labels
from ship import save

NAMES = ("humaneval", "cruxeval", "classeval", "avatar", "sample")
# On the squares of weights; keeps them finite where all verdicts of a type are alike.
PENALTY = 0.5

_benchmarks = click.option("--benchmark", "names", multiple=True, type=click.Choice(NAMES), help="All by default.")
_seed = click.option("--seed", default=SHIPPED_SEED, show_default=True)


@click.group()
def main() -> None:
    """Make, check and compare fresh inputs."""


@main.command()
@_benchmarks
@_seed
@click.option("--ship", is_flag=True, help="Write the package's files.")
def make(names: tuple[str, ...], seed: int, ship: bool) -> None:
    """Make fresh inputs and print how they compare with the original ones."""
    for name in names or NAMES:
        problems = _problems(name)
        fresh = make_fresh(problems, seed)
        _describe(name, problems, fresh)
        if ship:
            save(f"fresh_inputs/{name}.json.gz", records_of(fresh, problems))


@main.command()
@_benchmarks
@_seed
def check(names: tuple[str, ...], seed: int) -> None:
    """Execute fresh inputs again and name those whose output differs."""
    for name in names or NAMES:
        asked = [_with_run(problem, fresh.runs[0]) for problem, fresh in _pairs(name, seed)]
        proofs = prove_labels(asked, {})
        differ = [each.problem_id for each in asked if proofs[each.problem_id].output != each.output]
        click.echo(f"{name}: {len(asked)} executed again, {len(differ)} differ {' '.join(differ)}")


@main.command()
@_benchmarks
@_seed
@click.argument("responses", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def difficulty(names: tuple[str, ...], seed: int, responses: tuple[Path, ...]) -> None:
    """Compare the means that a model of recorded verdicts predicts for published and fresh inputs."""
    pairs = {
        (name, problem.problem_id): (problem, fresh) for name in names or NAMES for problem, fresh in _pairs(name, seed)
    }
    for path in responses:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        rows = [row for row in rows if (row["benchmark"], row["problem_id"]) in pairs]
        asked = [pairs[row["benchmark"], row["problem_id"]] for row in rows]
        right = np.array([bool(row["published_verdict"]) for row in rows])
        own = [(problem, Run(problem.input, problem.output, fresh.steps)) for problem, fresh in asked]
        other = [(problem, fresh.runs[0]) for problem, fresh in asked]
        columns = sorted({column for each in own for column in _features(*each)})
        tables = [
            np.array([[_features(*each).get(column, 0.0) for column in columns] for each in side])
            for side in (own, other)
        ]
        weights = _fitted(tables[0], right)
        click.echo(f"{path.name}: {len(rows)} verdicts")
        for name in dict.fromkeys(problem.benchmark for problem, _ in asked):
            chosen = [problem.benchmark == name for problem, _ in asked]
            means = [100 * float(_predicted(table[chosen], weights).mean()) for table in tables]
            click.echo(
                f"  {name}: {100 * right[chosen].mean():.1f} right, predicted {means[0]:.2f} original, "
                f"{means[1]:.2f} fresh, difference {means[0] - means[1]:+.2f} of {sum(chosen)}"
            )


def _features(problem: Problem, run: Run) -> Mapping[str, float]:
    """Return what the model of difficulty sees of a question: counts as logarithms, and 1 for each name."""
    measures = problem.complexity
    assert measures is not None and run.output is not None
    counts = {"steps": run.steps, "input": len(run.input), "output": len(run.output)}
    counts |= {"cc": measures.cc, "loc": measures.loc, "dep": measures.dep, "nc": measures.nc}
    names = (f"benchmark {problem.benchmark}", f"type {problem.output_type}")
    return {name: math.log1p(count) for name, count in counts.items()} | dict.fromkeys(names, 1.0)


def _predicted(table: np.ndarray, weights: np.ndarray) -> np.ndarray:
    chances: np.ndarray = 1 / (1 + np.exp(-table @ weights))
    return chances


def _fitted(table: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression with a small penalty on their squares."""

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = table @ weights
        value = np.logaddexp(0, logits).sum() - logits @ right + PENALTY * weights @ weights / 2
        return value, table.T @ (_predicted(table, weights) - right) + PENALTY * weights

    result = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 5_000})
    return np.asarray(result.x)


def _problems(name: str) -> list[Problem]:
    return [problem for problem in load_benchmark(name) if problem.category != "excluded"]


def _pairs(name: str, seed: int) -> list[tuple[Problem, Fresh]]:
    """Return the problems that have a fresh input, each with it."""
    fresh = load_fresh(name, seed, 1)
    return [(each, fresh[each.problem_id]) for each in _problems(name) if fresh[each.problem_id].runs]


def _with_run(problem: Problem, run: Run) -> Problem:
    """Return a problem with a fresh input in place of the published one, and no label to agree with."""
    published = "" if problem.kind == "script" else None
    return dataclasses.replace(problem, input=run.input, output=run.output, cases=(), published_output=published)


def _describe(name: str, problems: Sequence[Problem], fresh: Mapping[str, Fresh]) -> None:
    reasons = Counter(each.reason or "fresh" for each in fresh.values())
    counts = ", ".join(f"{reason} {reasons[reason]}" for reason in ("fresh", *REASONS) if reasons[reason])
    click.echo(f"{name}: {len(problems)} problems, {counts}")
    asked = [(problem, fresh[problem.problem_id]) for problem in problems if fresh[problem.problem_id].runs]
    for what, own, other in (
        ("steps", [each.steps for _, each in asked], [each.runs[0].steps for _, each in asked]),
        ("input", [len(problem.input) for problem, _ in asked], [len(each.runs[0].input) for _, each in asked]),
        (
            "output",
            [len(problem.output or "") for problem, _ in asked],
            [len(each.runs[0].output or "") for _, each in asked],
        ),
    ):
        medians = statistics.median(own), statistics.median(other)
        click.echo(f"  {what}: median {medians[0]:g} original, {medians[1]:g} fresh")


if __name__ == "__main__":
    main()

"""Fresh inputs of the shipped seed, made and proven for the package, and others counted or executed again.

    PYTHON utils/prove_fresh.py make [--benchmark NAME ...] [--seed N] [--ship]
    PYTHON utils/prove_fresh.py check [--benchmark NAME ...] [--seed N]

``make`` prints how many problems have a fresh input and why the others have none; ``--ship`` writes what is packaged.
``check`` executes the fresh inputs under other dates, hash seeds and directories, and says which outputs differ.
"""

from __future__ import annotations

import dataclasses
import statistics

import click

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.facts.fresh import SHIPPED_SEED, Fresh, describe, records_of, save_records
from lm_eval_codemind.families.fresh import load_fresh
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.fresh import make_fresh
from lm_eval_codemind.proof.prove import prove_labels

NAMES = ("humaneval", "cruxeval", "classeval", "avatar", "sample")

_benchmarks = click.option("--benchmark", "names", multiple=True, type=click.Choice(NAMES), help="All by default.")
_seed = click.option("--seed", default=SHIPPED_SEED, show_default=True)


@click.group()
def main() -> None:
    """Make and check fresh inputs."""


@main.command()
@_benchmarks
@_seed
@click.option("--ship", is_flag=True, help="Write the package's files.")
def make(names: tuple[str, ...], seed: int, ship: bool) -> None:
    """Make fresh inputs and print how they compare with the original ones."""
    for name in names or NAMES:
        problems = _problems(name)
        found = make_fresh(problems, seed)
        _describe(name, problems, found)
        if ship:
            save_records(name, records_of(found, problems))


@main.command()
@_benchmarks
@_seed
def check(names: tuple[str, ...], seed: int) -> None:
    """Execute fresh inputs again and name those whose output differs."""
    for name in names or NAMES:
        found = load_fresh(name, seed, 1)
        asked = [_with_fresh(each, found[each.problem_id]) for each in _problems(name) if found[each.problem_id].runs]
        proofs = prove_labels(asked, {})
        differ = [each.problem_id for each in asked if proofs[each.problem_id].output != each.output]
        click.echo(f"{name}: {len(asked)} executed again, {len(differ)} differ {' '.join(differ)}")


def _problems(name: str) -> list[Problem]:
    return [problem for problem in load_benchmark(name) if problem.category != "excluded"]


def _with_fresh(problem: Problem, found: Fresh) -> Problem:
    """Return a problem with its fresh input in place of the published one, and no label to agree with."""
    (run, *_) = found.runs
    published = "" if problem.kind == "script" else None
    return dataclasses.replace(problem, input=run.input, output=run.output, cases=(), published_output=published)


def _describe(name: str, problems: list[Problem], found: dict[str, Fresh]) -> None:
    counts = ", ".join(f"{reason} {number}" for reason, number in describe(found))
    click.echo(f"{name}: {len(problems)} problems, {counts}")
    asked = [problem for problem in problems if found[problem.problem_id].runs]
    rows = [(problem, found[problem.problem_id], found[problem.problem_id].runs[0]) for problem in asked]
    for what, own, other in (
        ("steps", [each.steps for _, each, _ in rows], [run.steps for *_, run in rows]),
        ("input", [len(problem.input) for problem, *_ in rows], [len(run.input) for *_, run in rows]),
        ("output", [len(problem.output or "") for problem, *_ in rows], [len(run.output or "") for *_, run in rows]),
    ):
        medians = statistics.median(own), statistics.median(other)
        click.echo(f"  {what}: median {medians[0]:g} original, {medians[1]:g} fresh")


if __name__ == "__main__":
    main()

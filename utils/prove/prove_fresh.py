"""Fresh inputs of the shipped seed, made and proven for the package, and executed again.

    python utils/prove/prove_fresh.py make [--benchmark NAME ...] [--seed N] [--ship]
    python utils/prove/prove_fresh.py check [--benchmark NAME ...] [--seed N]

``make`` prints how many problems have a fresh input and why the others have none; ``--ship`` writes what is packaged.
``check`` executes the fresh inputs under other dates, hash seeds and directories, and says which outputs differ.
"""

import dataclasses
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

import click

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.fresh import REASONS, SHIPPED_SEED, Fresh, Run, records_of
from lm_eval_codemind.families.fresh.task import load_fresh
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.proof.fresh import make_fresh
from lm_eval_codemind.workshop.proof.prove import prove_labels
from ship import save

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


def _problems(name: str) -> list[Problem]:
    return [problem for problem in load_benchmark(name) if problem.category != "excluded"]


def _pairs(name: str, seed: int) -> list[tuple[Problem, Fresh]]:
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
    runs = [(Run(problem.input, problem.output, each.steps), each.runs[0]) for problem, each in asked]
    for what, size in (
        ("steps", lambda run: run.steps),
        ("input", lambda run: len(run.input)),
        ("output", lambda run: len(run.output or "")),
    ):
        medians = [statistics.median(map(size, side)) for side in zip(*runs, strict=True)]
        click.echo(f"  {what}: median {medians[0]:g} original, {medians[1]:g} fresh")


if __name__ == "__main__":
    main()

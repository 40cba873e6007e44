"""Make the fresh inputs of the shipped seed, prove their outputs, and write what the package ships.

    python utils/prove/prove_fresh.py [--benchmark NAME ...]

It prints how many problems have a fresh input, why the others have none, and how fresh inputs compare with the original
ones.
"""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

import click

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.fresh import REASONS, SHIPPED_SEED, Fresh, Run, records_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.proof.fresh import make_fresh
from options import benchmarks_of
from ship import save

NAMES = ("humaneval", "cruxeval", "classeval", "avatar", "sample")


@click.command()
@benchmarks_of(NAMES)
def main(names: tuple[str, ...]) -> None:
    """Make fresh inputs and describe them."""
    for name in names:
        problems = [problem for problem in load_benchmark(name) if problem.category != "excluded"]
        fresh = make_fresh(problems, SHIPPED_SEED)
        _describe(name, problems, fresh)
        save(f"fresh_inputs/{name}.json.gz", records_of(fresh, problems))


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

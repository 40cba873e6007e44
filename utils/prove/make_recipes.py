"""Draw C+ for every problem, verify it in the sandbox, and write the recipes that the package ships.

    python utils/prove/make_recipes.py --upstream DIR [--benchmark NAME ...] [--workers N]

Recipes must be made again whenever a rule of workshop/transforms changes: what was verified is what the rules
made then. Rules that were dropped because a program behaved differently are printed and recorded. For the published
ClassEval the artifact's own C+ are run, and those that fail their tests are marked.
"""

import logging
import time
from collections.abc import Sequence
from pathlib import Path

import click

from lm_eval_codemind.data.catalogue import benchmarks, fixed_form, get_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import TRANSFORM_SEED, Problem, digest
from lm_eval_codemind.sandbox import Sandbox
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import read_proven
from lm_eval_codemind.workshop.facts.recipes import Recipe, load_recipes
from lm_eval_codemind.workshop.facts.sr_exceptions import depends_on_version
from lm_eval_codemind.workshop.proof.make_recipes import transform_all
from options import UPSTREAM, WORKERS
from ship import record_of, save


def read(name: str, upstream: Path) -> list[Problem]:
    """Return the proven problems of a benchmark."""
    problems = read_proven(name, Upstream(upstream))
    # Of buggy programs nobody is asked about those that do not return from the call that reveals the bug.
    return [problem for problem in problems if not (fixed_form(name) and problem.category == "excluded")]


def judge_published(problems: Sequence[Problem], sandbox: Sandbox) -> dict[str, Recipe]:
    """Return recipes without steps for published C+, by problem id. They record whether C+ passes the tests."""
    chosen = [problem for problem in problems if problem.transformed]
    outcomes = sandbox.run(
        kind_of(problem).suite_job(problem, problem.transformed, limits=limits_of(problem)) for problem in chosen
    )
    return {
        problem.problem_id: Recipe(
            (),
            digest(problem.transformed.encode()),
            usable=outcome.passed and not depends_on_version(problem.problem_id),
        )
        for problem, outcome in zip(chosen, outcomes, strict=True)
    }


@click.command()
@UPSTREAM
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), help="Those that have any.")
@WORKERS
def main(upstream: Path, names: tuple[str, ...], workers: int) -> None:
    """Make the recipes of the chosen benchmarks."""
    logging.basicConfig(level=logging.WARNING)
    for name in names or [name for name in benchmarks() if load_recipes(name)]:
        problems = read(name, upstream)
        start = time.perf_counter()
        with Sandbox(workers=workers) as sandbox:
            if get_benchmark(name).labels == "published":
                recipes = judge_published(problems, sandbox)
            else:
                recipes = transform_all(problems, TRANSFORM_SEED, sandbox)
        save(f"recipes/{name}.json", {problem_id: record_of(recipe) for problem_id, recipe in recipes.items()})
        dropped = sum(len(recipe.dropped) for recipe in recipes.values())
        unusable = [problem_id for problem_id, recipe in recipes.items() if not recipe.usable]
        seconds = time.perf_counter() - start
        print(f"{name}: {len(recipes)} recipes in {seconds:.0f} s, {dropped} rules dropped, unusable: {unusable}")


if __name__ == "__main__":
    main()

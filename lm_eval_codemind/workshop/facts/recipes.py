"""Generation of C+ from the packaged recipes.

A recipe names rules and sites. It gives the same C+ byte for byte, without execution. The digest of the verified C+
shows whether the result is the same. ``recipes/`` has one JSON file per benchmark.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.problems import TRANSFORM_SEED, Problem
from lm_eval_codemind.workshop.python.kinds import workshop_kind
from lm_eval_codemind.workshop.transforms.composer import RecipeError, Step, recreate
from lm_eval_codemind.workshop.transforms.program import Program


@dataclass(frozen=True)
class Recipe:
    """The steps that generate C+ of one problem.

    Attributes:
        steps: Rules and sites, the argument of :func:`~lm_eval_codemind.workshop.transforms.composer.recreate`.
        sha256: The digest of C+.
        dropped: Rules that are left out because they changed the program's behaviour.
        usable: Whether C (for a published C+: C+) passes the tests. If not, the question would have no correct answer.
    """

    steps: tuple[Step, ...]
    sha256: str
    dropped: tuple[str, ...] = ()
    usable: bool = True

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Recipe:
        """Return the recipe that ``utils/prove/ship.py`` wrote."""
        steps = (step.split(":") for step in record["steps"].split())
        lists = {"steps": tuple((rule, int(site)) for rule, site in steps), "dropped": tuple(record.get("dropped", ()))}
        return cls(**{**record, **lists})


def load_recipes(benchmark: str) -> dict[str, Recipe]:
    """Return the packaged recipes of a benchmark, by problem id; empty if there are none."""
    records = shipped.load(f"recipes/{benchmark}.json")
    return {problem_id: Recipe.from_json(record) for problem_id, record in records.items()}


def program_for_rules(problem: Problem) -> Program:
    """Return a problem's program in the form that the transformation rules expect.

    Names that its tests use are public. In a class only the problem's method is transformed. In a module only the
    problem's function and the functions that it needs are transformed.
    """
    kind = workshop_kind(problem)
    return Program(
        problem.code,
        script=kind.printed,
        public=kind.public_names(problem),
        focus=kind.focus(problem),
    )


def seed_of(problem: Problem, transform_seed: int) -> str:
    """Return the random seed for a problem's rules, sites, names and numbers."""
    return f"{transform_seed}/{problem.problem_id}"


def apply_recipe(problem: Problem, recipe: Recipe, transform_seed: int) -> Problem:
    """Return the problem with the columns ``transformed`` and ``transformations``, without executing its program.

    Raises:
        RecipeError: If the result differs from the verified C+ in any byte.
    """
    try:
        result = recreate(program_for_rules(problem), seed_of(problem, transform_seed), recipe.steps)
    except RecipeError as error:
        raise RecipeError(f"{problem.problem_id}: {error}") from error
    if result.digest != recipe.sha256:
        raise RecipeError(
            f"{problem.problem_id}: the C+ that Python {platform.python_version()} makes here (SHA-256 "
            f"{result.digest}) is not the one that was verified ({recipe.sha256}); report this with "
            "your Python version, and use another one meanwhile"
        )
    return dataclasses.replace(problem, transformed=result.code, transformations=result.rules)


def transformed(problems: Sequence[Problem], benchmark: str) -> list[Problem]:
    """Return a benchmark's problems with C+ from their recipes; unchanged if C+ is published or there is no recipe.

    Raises:
        RecipeError: If the result of a recipe differs from the verified C+.
    """
    recipes = load_recipes(benchmark)
    return [
        problem
        if problem.transformed or problem.problem_id not in recipes
        else apply_recipe(problem, recipes[problem.problem_id], TRANSFORM_SEED)
        for problem in problems
    ]


def load_failing(benchmark: str) -> list[str]:
    """Return the names of the problems whose program fails its tests, according to the packaged recipes."""
    return [problem_id for problem_id, recipe in load_recipes(benchmark).items() if not recipe.usable]

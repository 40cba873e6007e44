"""C+ of every problem, made by the shipped recipes.

A recipe names the rules and their sites, so that C+ is made again byte by byte and nothing is executed. The digest of
the C+ that was verified shows whether it is the same. Recipes are JSON files, one a benchmark, in ``recipes/``.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.problems import TRANSFORM_SEED, Problem
from lm_eval_codemind.transforms import Program, RecipeError, Step, Transformation, recreate


@dataclass(frozen=True)
class Recipe:
    """How C+ of one problem is made.

    Attributes:
        steps: Rules and sites, as :func:`~lm_eval_codemind.transforms.recreate` takes them.
        sha256: The digest of C+.
        dropped: Rules that were left out because the program behaved differently with them.
        usable: Whether C, or of published programs C+, passes the tests; if not, no model can be asked to.
    """

    steps: tuple[Step, ...]
    sha256: str
    dropped: tuple[str, ...] = ()
    usable: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain values."""
        steps = " ".join(f"{rule}:{site}" for rule, site in self.steps)
        record: dict[str, Any] = {"steps": steps, "sha256": self.sha256}
        if self.dropped:
            record["dropped"] = list(self.dropped)
        if not self.usable:
            record["usable"] = False
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Recipe:
        """Return the recipe that :meth:`to_json` wrote."""
        steps = (step.split(":") for step in record["steps"].split())
        return cls(
            tuple((rule, int(site)) for rule, site in steps),
            record["sha256"],
            tuple(record.get("dropped", ())),
            record.get("usable", True),
        )


def load_recipes(benchmark: str) -> dict[str, Recipe]:
    """Return the shipped recipes of a benchmark, by problem id; empty where none are shipped."""
    records = shipped.load(f"recipes/{benchmark}.json")
    return {problem_id: Recipe.from_json(record) for problem_id, record in records.items()}


def save_recipes(benchmark: str, recipes: Mapping[str, Recipe]) -> None:
    """Write the recipes of a benchmark into the package."""
    shipped.save(f"recipes/{benchmark}.json", {name: recipe.to_json() for name, recipe in recipes.items()})


def program_for_rules(problem: Problem) -> Program:
    """Return a problem's program as the rules see it.

    Names that its tests use are public. Only what the problem is about is transformed: of a class the method, of a
    module the function and those it needs.
    """
    kind = python_kind(problem)
    return Program(
        problem.code,
        script=kind.printed,
        public=kind.public_names(problem),
        focus=kind.focus(problem),
    )


def seed_of(problem: Problem, transform_seed: int) -> str:
    """Return what a problem's rules, sites, names and numbers are drawn by."""
    return f"{transform_seed}/{problem.problem_id}"


def apply_recipe(problem: Problem, recipe: Recipe, transform_seed: int) -> Problem:
    """Return the problem with the columns ``transformed`` and ``transformations``; nothing is executed.

    Raises:
        RecipeError: If the result is not, byte by byte, what was verified.
    """
    try:
        made = recreate(program_for_rules(problem), seed_of(problem, transform_seed), recipe.steps)
    except RecipeError as error:
        raise RecipeError(f"{problem.problem_id}: {error}") from error
    if made.digest != recipe.sha256:
        raise RecipeError(
            f"{problem.problem_id}: the C+ that Python {platform.python_version()} makes here (SHA-256 {made.digest}) "
            f"is not the one that was verified ({recipe.sha256}); report this with your Python version, and use "
            "another one meanwhile"
        )
    return with_transformation(problem, made)


def with_transformation(problem: Problem, made: Transformation) -> Problem:
    """Return the problem with a C+."""
    return dataclasses.replace(problem, transformed=made.code, transformations=made.rules)


def transformed(problems: Sequence[Problem], benchmark: str) -> list[Problem]:
    """Return the problems of a benchmark with their shipped C+; unchanged those with a published one or no recipe.

    Raises:
        RecipeError: If a recipe does not give what was verified.
    """
    recipes = load_recipes(benchmark)
    return [
        problem
        if problem.transformed or problem.problem_id not in recipes
        else apply_recipe(problem, recipes[problem.problem_id], TRANSFORM_SEED)
        for problem in problems
    ]


def failing_records(benchmark: str, problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Return a record, ``fails``, for each problem whose program fails its tests: it cannot be asked about."""
    failing = set(load_failing(benchmark))
    return {problem.problem_id: {"fails": True} for problem in problems if problem.problem_id in failing}


def load_failing(benchmark: str) -> list[str]:
    """Return the problems whose program fails its tests, by the shipped recipes."""
    return [problem_id for problem_id, recipe in load_recipes(benchmark).items() if not recipe.usable]

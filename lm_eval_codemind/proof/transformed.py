"""C+ of every problem: the shipped recipes, making new ones, and proving them by execution.

A recipe names the rules and their sites, so that C+ is made again byte by byte without executing anything; the digest
of what was verified tells whether it was. Recipes are JSON files, one a benchmark, in ``recipes/``.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tqdm.auto import tqdm

from lm_eval_codemind.benchmarks import limits_of
from lm_eval_codemind.execution import Sandbox
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.equivalence import FURTHER_INPUTS, Equivalence
from lm_eval_codemind.proof.shipped import one_a_line
from lm_eval_codemind.proof.sr_exceptions import depends_on_version
from lm_eval_codemind.proof.turns import Turns
from lm_eval_codemind.transforms import (
    Program,
    RecipeError,
    Step,
    Transformation,
    compose_verified,
    recreate,
    text_digest,
)

logger = logging.getLogger(__name__)

TRANSFORM_SEED = 0
"""The seed of the shipped C+."""

# Somebody waits for a fresh set; the rules were verified on many more inputs when the shipped one was made.
_INPUTS_AT_RUN_TIME = 12


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
    file = files("lm_eval_codemind.proof") / "recipes" / f"{benchmark}.json"
    if not file.is_file():
        return {}
    return {problem_id: Recipe.from_json(record) for problem_id, record in json.loads(file.read_text()).items()}


def dump_recipes(recipes: Mapping[str, Recipe]) -> str:
    """Return recipes as the text of a recipe file, one problem a line."""
    return one_a_line({name: recipe.to_json() for name, recipe in recipes.items()}) + "\n"


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


def transform(problem: Problem, transform_seed: int, equivalence: Equivalence | None = None) -> Recipe:
    """Draw a problem's C+ and verify it; a rule that changes what the program does is dropped, logged and drawn past.

    Args:
        problem: The problem.
        transform_seed: Another one gives another C+.
        equivalence: Compares behaviour; None to trust the rules.
    """
    dropped: list[str] = []

    def differs(code: str) -> bool:
        return equivalence is not None and bool(equivalence.difference(problem, code))

    def drop(rule: str, code: str) -> None:
        assert equivalence is not None
        reason = equivalence.difference(problem, code)
        logger.warning("%s: rule %s is dropped, it changes behaviour: %s", problem.problem_id, rule, reason)
        dropped.append(rule)

    made = compose_verified(lambda: program_for_rules(problem), seed_of(problem, transform_seed), differs, dropped=drop)
    passes = equivalence is None or equivalence.original_passes(problem)
    return Recipe(made.steps, made.digest, tuple(dropped), passes and not depends_on_version(problem.problem_id))


def transform_all(
    problems: Sequence[Problem],
    transform_seed: int,
    sandbox: Sandbox | None,
    progress: bool = True,
    inputs: int = FURTHER_INPUTS,
) -> dict[str, Recipe]:
    """Return verified recipes of problems, by problem id, in their order.

    Args:
        problems: The problems.
        transform_seed: See :func:`transform`.
        sandbox: Where C and C+ are compared; None to trust the rules.
        progress: Whether to show a progress bar.
        inputs: On how many inputs beyond the tests they are compared.
    """
    turns = Turns(sandbox) if sandbox is not None else None
    equivalence = Equivalence(turns, inputs) if turns is not None else None

    def one(problem: Problem) -> Recipe:
        return transform(problem, transform_seed, equivalence)

    made = turns.map(one, problems) if turns is not None else map(one, problems)
    shown = tqdm(made, total=len(problems), desc="tangling", disable=not progress)
    return {problem.problem_id: recipe for problem, recipe in zip(problems, shown, strict=True)}


def apply_recipe(problem: Problem, recipe: Recipe, transform_seed: int) -> Problem:
    """Return the problem with the columns ``transformed`` and ``transformations``; nothing is executed.

    Raises:
        RecipeError: if the result is not, byte by byte, what was verified.
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
        RecipeError: if a recipe does not give what was verified.
    """
    recipes = load_recipes(benchmark)
    return [
        problem
        if problem.transformed or problem.problem_id not in recipes
        else apply_recipe(problem, recipes[problem.problem_id], TRANSFORM_SEED)
        for problem in problems
    ]


def without_failing(problems: Iterable[Problem], benchmark: str) -> list[Problem]:
    """Return the problems but for those whose own program fails its tests, as the shipped recipes tell."""
    failing = set(load_failing(benchmark))
    return [problem for problem in problems if problem.problem_id not in failing]


def load_failing(benchmark: str) -> list[str]:
    """Return the problems whose program fails its tests, as the shipped recipes tell."""
    return [problem_id for problem_id, recipe in load_recipes(benchmark).items() if not recipe.usable]


def judge_published(problems: Sequence[Problem], sandbox: Sandbox) -> dict[str, Recipe]:
    """Return, by problem id, records of published programs C+ without steps, which tell whether they pass the tests."""
    chosen = [problem for problem in problems if problem.transformed]
    outcomes = sandbox.run(
        kind_of(problem).suite_job(problem, problem.transformed, limits=limits_of(problem)) for problem in chosen
    )
    return {
        problem.problem_id: Recipe(
            (),
            text_digest(problem.transformed),
            usable=outcome.passed and not depends_on_version(problem.problem_id),
        )
        for problem, outcome in zip(chosen, outcomes, strict=True)
    }


def freshly_transformed(problems: Sequence[Problem], transform_seed: int, sandbox: Sandbox) -> list[Problem]:
    """Return problems with a C+ of another seed, made and verified now."""
    recipes = transform_all(problems, transform_seed, sandbox, inputs=_INPUTS_AT_RUN_TIME)
    return [apply_recipe(problem, recipes[problem.problem_id], transform_seed) for problem in problems]


def verify_transformed(
    problems: Iterable[Problem], sandbox: Sandbox, report: Callable[[int], None] = lambda inputs: None
) -> dict[str, str]:
    """Return the problems whose C+ does not do what C does, with the difference in words, by problem id.

    Args:
        problems: Problems with their C+.
        sandbox: Where both run.
        report: Called for each problem with the number of further inputs that were compared.
    """
    turns = Turns(sandbox)
    equivalence = Equivalence(turns)

    def one(problem: Problem) -> tuple[str, str]:
        difference = equivalence.difference(problem, problem.transformed)
        report(equivalence.compared_inputs(problem))
        return problem.problem_id, difference

    chosen = [problem for problem in problems if problem.transformed]
    found = tqdm(turns.map(one, chosen), total=len(chosen), desc="comparing")
    return {problem_id: difference for problem_id, difference in found if difference}


__all__ = [
    "TRANSFORM_SEED",
    "Recipe",
    "RecipeError",
    "apply_recipe",
    "dump_recipes",
    "freshly_transformed",
    "judge_published",
    "load_failing",
    "load_recipes",
    "program_for_rules",
    "seed_of",
    "transform",
    "transform_all",
    "transformed",
    "verify_transformed",
    "with_transformation",
    "without_failing",
]

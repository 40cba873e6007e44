"""New recipes for C+, verified by execution."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tqdm.auto import tqdm

from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Sandbox, shared_sandbox
from lm_eval_codemind.workshop.facts.recipes import Recipe, apply_recipe, program_for_rules, seed_of
from lm_eval_codemind.workshop.facts.sr_exceptions import depends_on_version
from lm_eval_codemind.workshop.proof.equivalence import FURTHER_INPUTS, Equivalence, SingleThreadedMap
from lm_eval_codemind.workshop.transforms.composer import compose_verified
from lm_eval_codemind.workshop.transforms.library import PACKAGES

logger = logging.getLogger(__name__)

# Fewer inputs, because a user waits. The rules were verified on many more inputs when the packaged recipes were made.
_INPUTS_AT_RUN_TIME = 12


def transform(problem: Problem, transform_seed: int, equivalence: Equivalence) -> Recipe:
    """Return a random recipe for a problem's C+, verified. A rule that changes the behaviour is left out and logged."""
    dropped: list[str] = []

    def differs(code: str) -> bool:
        return bool(equivalence.difference(problem, code))

    def drop(rule: str, code: str) -> None:
        reason = equivalence.difference(problem, code)
        logger.warning("%s: rule %s is dropped, it changes behaviour: %s", problem.problem_id, rule, reason)
        dropped.append(rule)

    result = compose_verified(
        lambda: program_for_rules(problem), seed_of(problem, transform_seed), differs, dropped=drop
    )
    usable = equivalence.original_passes(problem) and not depends_on_version(problem.problem_id)
    return Recipe(result.steps, result.digest, tuple(dropped), usable)


def transform_all(
    problems: Sequence[Problem], transform_seed: int, sandbox: Sandbox, inputs: int = FURTHER_INPUTS
) -> dict[str, Recipe]:
    """Return verified recipes of problems, by problem id, in the order of the problems."""
    turns = SingleThreadedMap(sandbox)
    equivalence = Equivalence(turns, inputs)
    made = turns.map(lambda problem: transform(problem, transform_seed, equivalence), problems)
    recipes = tqdm(made, total=len(problems), desc="transforming")
    return {problem.problem_id: recipe for problem, recipe in zip(problems, recipes, strict=True)}


def freshly_transformed(problems: Sequence[Problem], transform_seed: int) -> list[Problem]:
    """Return problems with a new, verified C+ of another seed; see :func:`lm_eval_codemind.data.making.transformed`."""
    get_language("python").require([f"import {', '.join(PACKAGES)}"])
    recipes = transform_all(problems, transform_seed, shared_sandbox(), inputs=_INPUTS_AT_RUN_TIME)
    return [apply_recipe(problem, recipes[problem.problem_id], transform_seed) for problem in problems]


@dataclass(frozen=True)
class TransformationCheck:
    """The result of comparing C with C+.

    Attributes:
        programs: The number of problems with a C+.
        inputs: The total number of inputs for the comparison, in addition to the tests.
        differences: Problem id -> description of the difference between C and C+.
    """

    programs: int
    inputs: int
    differences: dict[str, str]


def verify_transformed(problems: Iterable[Problem], sandbox: Sandbox) -> TransformationCheck:
    """Compare the C+ of the problems that have one with C, on all tests and on further inputs."""
    turns = SingleThreadedMap(sandbox)
    equivalence = Equivalence(turns)

    def compare(problem: Problem) -> tuple[str, str, int]:
        difference = equivalence.difference(problem, problem.transformed)
        return problem.problem_id, difference, equivalence.compared_inputs(problem)

    chosen = [problem for problem in problems if problem.transformed]
    comparisons = list(tqdm(turns.map(compare, chosen), total=len(chosen), desc="comparing"))
    differences = {problem_id: difference for problem_id, difference, _ in comparisons if difference}
    return TransformationCheck(len(chosen), sum(inputs for _, _, inputs in comparisons), differences)

"""New recipes for C+, verified by execution."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from tqdm.auto import tqdm

from lm_eval_codemind.catalogue.limits import limits_of
from lm_eval_codemind.execution import Sandbox
from lm_eval_codemind.facts.recipes import Recipe, apply_recipe, program_for_rules, seed_of
from lm_eval_codemind.facts.sr_exceptions import depends_on_version
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.equivalence import FURTHER_INPUTS, Equivalence
from lm_eval_codemind.proof.single_threaded import SingleThreadedMap
from lm_eval_codemind.transforms import compose_verified, text_digest

logger = logging.getLogger(__name__)

# Fewer inputs, because a user waits. The rules were verified on many more inputs when the packaged recipes were made.
_INPUTS_AT_RUN_TIME = 12


def transform(problem: Problem, transform_seed: int, equivalence: Equivalence | None = None) -> Recipe:
    """Return a random recipe for a problem's C+, verified. A rule that changes the behaviour is left out and logged.

    Args:
        problem: The problem.
        transform_seed: The random seed. Another seed gives another C+.
        equivalence: The comparison of behaviour; None to skip the verification.
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
    """Return verified recipes of problems, by problem id, in the order of the problems.

    Args:
        problems: The problems.
        transform_seed: See :func:`transform`.
        sandbox: The sandbox that runs C and C+ for the comparison; None to skip the verification.
        progress: Whether to show a progress bar.
        inputs: The number of inputs for the comparison, in addition to the tests.
    """
    turns = SingleThreadedMap(sandbox) if sandbox is not None else None
    equivalence = Equivalence(turns, inputs) if turns is not None else None

    def one(problem: Problem) -> Recipe:
        return transform(problem, transform_seed, equivalence)

    made = turns.map(one, problems) if turns is not None else map(one, problems)
    shown = tqdm(made, total=len(problems), desc="transforming", disable=not progress)
    return {problem.problem_id: recipe for problem, recipe in zip(problems, shown, strict=True)}


def judge_published(problems: Sequence[Problem], sandbox: Sandbox) -> dict[str, Recipe]:
    """Return recipes without steps for published C+, by problem id. They record whether C+ passes the tests."""
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
    """Return problems with a new, verified C+ of another seed."""
    recipes = transform_all(problems, transform_seed, sandbox, inputs=_INPUTS_AT_RUN_TIME)
    return [apply_recipe(problem, recipes[problem.problem_id], transform_seed) for problem in problems]


def verify_transformed(
    problems: Iterable[Problem], sandbox: Sandbox, report: Callable[[int], None] = lambda inputs: None
) -> dict[str, str]:
    """Return problem id -> description of the difference, for problems whose C+ behaves differently from C.

    Args:
        problems: Problems with their C+.
        sandbox: The sandbox that runs both.
        report: A callback, called for each problem with its number of further inputs.
    """
    turns = SingleThreadedMap(sandbox)
    equivalence = Equivalence(turns)

    def one(problem: Problem) -> tuple[str, str]:
        difference = equivalence.difference(problem, problem.transformed)
        report(equivalence.compared_inputs(problem))
        return problem.problem_id, difference

    chosen = [problem for problem in problems if problem.transformed]
    found = tqdm(turns.map(one, chosen), total=len(chosen), desc="comparing")
    return {problem_id: difference for problem_id, difference in found if difference}

"""Problems whose output an input gives that says nothing: found by executing such inputs."""

from __future__ import annotations

from collections.abc import Iterable

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.execution import Job, Limits, Sandbox, ScriptCase
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem


def computed_outputs(
    problems: Iterable[tuple[Problem, str]], workers: int = 1, limits: Limits | None = None
) -> list[str | None]:
    """Return what programs give on inputs, in order; None where one gives nothing."""
    with Sandbox(workers=workers) as sandbox:
        pairs = list(problems)
        futures = [sandbox.submit(_job(problem, given, limits or Limits())) for problem, given in pairs]
        found: list[str | None] = []
        for (problem, _), future in zip(pairs, futures, strict=True):
            outcome = future.result()
            observation = outcome.observations[0] if outcome.passed and outcome.observations else None
            if observation is None or observation.exception_type:
                found.append(None)
            else:
                found.append(observation.stdout if kind_of(problem).printed else observation.literal)
        return found


def find_plain_inputs(problems: Iterable[Problem], workers: int = 1) -> dict[str, list[str]]:
    """Execute programs on the inputs that say nothing and return those that give the output, by problem.

    Args:
        problems: With proven outputs; others are passed over.
        workers: Programs at a time.
    """
    pairs = [
        (problem, given)
        for problem in problems
        if problem.output is not None and kind_of(problem).masked_input(problem) is not None
        for given in kind_of(problem).plain_inputs(problem)
    ]
    solved: dict[str, list[str]] = {}
    for (problem, given), output in zip(pairs, computed_outputs(pairs, workers), strict=True):
        if output is not None and same_computed(output, problem.output or "", kind_of(problem).printed):
            solved.setdefault(problem.problem_id, []).append(given)
    return solved


def _job(problem: Problem, given: str, limits: Limits) -> Job:
    execution = kind_of(problem).execution(problem, input=given)
    if execution.expression is None:
        return Job.script(execution.module, [ScriptCase(execution.stdin)], limits=limits)
    return Job.evaluate(execution.module, [execution.expression], limits=limits)

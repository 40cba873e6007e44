"""The problems that specification reasoning excludes, because no program passes their tests on every machine.

``proofs/sr_exceptions.json`` has the result of running every canonical solution against its tests: benchmark ->
problem -> ``reason`` (a key of :data:`~lm_eval_codemind.problems.EXCLUSION_REASONS`) and ``detail`` (the explanation).
"""

import dataclasses
from collections.abc import Iterable, Mapping

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.problems import Problem


def load_exceptions() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return the exceptions: benchmark -> problem -> ``reason`` and ``detail``."""
    return shipped.load("proofs/sr_exceptions.json")


def with_exceptions(benchmark: str, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems. Those with an exception are marked as excluded.

    Raises:
        ValueError: If an exception names a problem that the benchmark does not have.
    """
    exceptions = load_exceptions().get(benchmark, {})
    marked = [
        dataclasses.replace(problem, category="excluded", reason=exceptions[problem.problem_id]["reason"], output=None)
        if problem.problem_id in exceptions
        else problem
        for problem in problems
    ]
    unknown = set(exceptions) - {problem.problem_id for problem in marked}
    if unknown:
        raise ValueError(f"{benchmark}: exceptions that name no problem: {', '.join(sorted(unknown))}")
    return marked


def depends_on_version(problem_id: str) -> bool:
    """Whether a problem's program passes all tests of its class only on some versions of Python."""
    owner = problem_id.partition("@")[0]
    return any(
        why["reason"] == "version" and name.partition("@")[0] == owner
        for exceptions in load_exceptions().values()
        for name, why in exceptions.items()
    )

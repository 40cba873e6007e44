"""Proven programs with unrolled loops, generated from recorded decisions of an execution.

``unrolled_runs/`` has one file per benchmark. It contains the decisions of the loops on a problem's input, not the
programs. A problem has no entry if none of its loops runs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.problems import Problem, digest
from lm_eval_codemind.workshop.transforms.unrolling import Unrollable, unrolled

_FIX = "install lm-eval-codemind again"


class UnrolledError(ValueError):
    """A program and its decisions do not give the proven unrolled program."""


def load_unrollings(benchmark: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the packaged records of a benchmark's programs, by problem id; empty if there are none.

    A record has either ``reason``, a key of :data:`~lm_eval_codemind.workshop.transforms.unrolling.REASONS` if the
    program is left out, or ``run``, its executions, and ``digest``, the :func:`program_digest` of the proven unrolled
    program.
    """
    return shipped.load(f"unrolled_runs/{benchmark}.json.gz")


def records(benchmark: str, problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Return a record with the key ``code`` for each problem that has a proven unrolled program.

    Raises:
        UnrolledError: If the program is not the proven one. The message names the problem.
    """
    shipped_runs = load_unrollings(benchmark)
    return {
        problem.problem_id: {"code": unrolled_program(problem, shipped_runs[problem.problem_id])}
        for problem in problems
        if "run" in shipped_runs.get(problem.problem_id, {})
    }


def unrolled_program(problem: Problem, record: Mapping[str, Any]) -> str:
    """Return the proven unrolled program that a record of :func:`load_unrollings` describes.

    Raises:
        UnrolledError: If the program is not the proven one. The message names the problem.
    """
    try:
        text = unrolled(problem.code, record["run"])
    except (Unrollable, LookupError, TypeError) as error:
        message = f"{problem.problem_id}: the recorded loop decisions do not fit its program ({error}); {_FIX}"
        raise UnrolledError(message) from error
    if program_digest(text) != record["digest"]:
        raise UnrolledError(f"{problem.problem_id}: its unrolled program differs from the proven one; {_FIX}")
    return text


def program_digest(text: str) -> str:
    """Return the first twelve characters of the SHA-256 digest of a program."""
    return digest(text.encode())[:12]

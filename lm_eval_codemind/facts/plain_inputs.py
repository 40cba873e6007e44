"""Problems whose output is also the output for a plain input: all values empty, zero or default."""

from collections.abc import Sequence
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem

PLAIN_INPUTS = "proofs/plain_inputs.json"


def records(benchmark: str, problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Return a record with the key ``plain`` for each of these problems of a benchmark."""
    solved = set(load_plain_inputs().get(benchmark, ()))
    return {problem.problem_id: {"plain": True} for problem in problems if problem.problem_id in solved}


def load_plain_inputs() -> dict[str, list[str]]:
    """Return the names of these problems, by benchmark. Benchmarks that were not examined have no entry."""
    return dict(shipped.load(PLAIN_INPUTS))

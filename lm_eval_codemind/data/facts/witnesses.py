"""Witnesses: further inputs with proven outputs, which tell wrong programs that pass a suite from right ones.

``witnesses/`` has one file per benchmark. ``utils/prove/make_witnesses.py`` chooses the inputs, and
:mod:`lm_eval_codemind.workshop.proof.witnesses` proves what the problem's own program does on them.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import Case, Problem, digest

FILES = "witnesses/{}.json.xz"
STEPS = shipped.FOLDER / "witness_steps.xz"
"""The steps of the witnesses' suites, for the sandbox, as :data:`~lm_eval_codemind.data.facts.suites.STEPS`."""


def with_witnesses(name: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a benchmark with their shipped witnesses.

    Raises:
        UserError: If witnesses belong to another program. The message names the problem.
    """
    records = shipped.load(FILES.format(name))
    return [
        _with(problem, records[problem.problem_id]) if problem.problem_id in records else problem
        for problem in problems
    ]


@cache
def witnesses_digest(name: str) -> str:
    """Return the digest of a benchmark's witnesses; empty if it has none."""
    file = shipped.FOLDER / FILES.format(name)
    return digest(file.read_bytes()) if file.is_file() else ""


def record_of(problem: Problem, witnesses: Sequence[Case]) -> dict[str, Any]:
    """Return the witnesses of a problem as JSON values."""
    return {"digest": _digest(problem), "cases": [[case.input, case.output] for case in witnesses]}


def _with(problem: Problem, record: Mapping[str, Any]) -> Problem:
    if record["digest"] != _digest(problem):
        raise UserError(
            f"{problem.benchmark}, {problem.problem_id}: its witnesses were made for another program; "
            "install lm-eval-codemind again"
        )
    return dataclasses.replace(problem, witnesses=tuple(Case(*pair) for pair in record["cases"]))


def _digest(problem: Problem) -> str:
    return digest(problem.code.encode())[:12]

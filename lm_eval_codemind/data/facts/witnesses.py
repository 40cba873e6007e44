"""Witnesses: further inputs with proven outputs, which tell wrong programs that pass a suite from right ones.

There are two sets, in one folder each, with one file per benchmark. Those of the program decide whether a program does
what the problem's own does: ``utils/prove/make_witnesses.py`` chooses inputs of the published types. Those of the
specification are for programs that are written from it: ``utils/prove/make_specified_witnesses.py`` takes inputs that
it allows, on which programs of independent readers agree. :mod:`lm_eval_codemind.workshop.proof.witnesses` proves both.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import Case, Problem, digest

OF_PROGRAM, OF_SPECIFICATION = "witnesses", "specified_witnesses"
"""The sets of witnesses, by their folders."""
STEPS = shipped.FOLDER / "witness_steps.xz"
"""The steps of the witnesses' suites, for the sandbox, as :data:`~lm_eval_codemind.data.facts.suites.STEPS`."""
SPECIFIED_STEPS = shipped.FOLDER / "specified_steps.xz"
"""The steps of the suites of the specification's witnesses."""


def file_of(name: str, kind: str = OF_PROGRAM) -> str:
    """Return the file of a benchmark's witnesses of one set, below the folder of the facts."""
    # The problems of HumanEvalFix are HumanEval's.
    return f"{kind}/{name.removesuffix('fix') if kind == OF_SPECIFICATION else name}.json.xz"


def with_witnesses(name: str, problems: Sequence[Problem], kind: str = OF_PROGRAM) -> list[Problem]:
    """Return the problems of a benchmark with their shipped witnesses of one set.

    Raises:
        UserError: If witnesses belong to another program. The message names the problem.
    """
    records = shipped.load(file_of(name, kind))
    return [
        _with(problem, records[problem.problem_id]) if problem.problem_id in records else problem
        for problem in problems
    ]


@cache
def witnesses_digest(name: str, kind: str = OF_PROGRAM) -> str:
    """Return the digest of a benchmark's witnesses of one set; empty if it has none."""
    file = shipped.FOLDER / file_of(name, kind)
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

"""The complexity columns of built problems; loop lengths come from the shipped measurements."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from importlib.resources import files

from lm_eval_codemind.complexity import complexity_columns
from lm_eval_codemind.problems import Problem

# In proofs/: "code" and "transformed" -> benchmark -> problem id -> loop iterations of C, and of C+, on the input.
LOOP_LENGTHS = "loop_lengths.json"


def with_complexity(problem: Problem) -> Problem:
    """Return the problem with its complexity columns. Nothing is executed."""
    shipped = shipped_loop_lengths()
    code, transformed = (
        shipped.get(program, {}).get(problem.benchmark, {}).get(problem.problem_id)
        for program in ("code", "transformed")
    )
    return dataclasses.replace(problem, **complexity_columns(problem, code, transformed))


@cache
def shipped_loop_lengths() -> dict[str, dict[str, dict[str, int]]]:
    """Return the shipped loop lengths; empty where none are shipped."""
    file = files("lm_eval_codemind.sources") / "proofs" / LOOP_LENGTHS
    if not file.is_file():
        return {}
    lengths: dict[str, dict[str, dict[str, int]]] = json.loads(file.read_text(encoding="utf-8"))
    return lengths

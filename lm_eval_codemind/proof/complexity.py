"""The complexity columns of built problems; loop lengths come from the shipped measurements."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from importlib.resources import files
from typing import Any

from lm_eval_codemind.languages import kind_of, measured
from lm_eval_codemind.problems import Problem, digest

# In proofs/: benchmark -> problem id -> loop iterations of C on the problem's input, by "code"; and, by "transformed",
# those of C+ with the digest of the C+ that they were measured on.
LOOP_LENGTHS = "loop_lengths.json"


def with_complexity(problem: Problem) -> Problem:
    """Return the problem with its complexity columns. Nothing is executed."""
    shipped = shipped_loop_lengths()
    code = shipped.get("code", {}).get(problem.benchmark, {}).get(problem.problem_id)
    transformed, of = shipped.get("transformed", {}).get(problem.benchmark, {}).get(problem.problem_id, (None, ""))
    loops = transformed if of == short_digest(problem.transformed) else None
    return dataclasses.replace(
        problem,
        complexity=measured(problem.language, problem.code, code),
        transformed_complexity=measured(problem.language, problem.transformed, loops),
        output_type="" if problem.output is None else kind_of(problem).output_type(problem.output) or "",
    )


def short_digest(program: str) -> str:
    """Return the first eight hexadecimal digits of the SHA-256 of a program."""
    return digest(program.encode("utf-8"))[:8]


@cache
def shipped_loop_lengths() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the shipped loop lengths; empty where none are shipped."""
    file = files("lm_eval_codemind.proof") / "proofs" / LOOP_LENGTHS
    if not file.is_file():
        return {}
    lengths: dict[str, dict[str, dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
    return lengths

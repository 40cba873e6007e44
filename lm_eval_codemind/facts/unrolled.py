"""Proven programs with unrolled loops, generated from recorded decisions of an execution.

``unrolled_runs/`` has one file per benchmark. It contains the decisions of the loops on a problem's input, not the
programs. A problem has no entry if none of its loops runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem, digest
from lm_eval_codemind.transforms.unrolling import CopyRecord, Unrollable, unrolled

_DIGEST_LENGTH = 12
_FIX = "install lm-eval-codemind again"


class UnrolledError(ValueError):
    """A program and its decisions do not give the proven unrolled program."""


@dataclass(frozen=True)
class Unrolling:
    """The packaged record of one program.

    Attributes:
        run: Its executions; empty if it is left out.
        digest: The first characters of the SHA-256 digest of the proven unrolled program.
        reason: A key of :data:`~lm_eval_codemind.transforms.unrolling.REASONS` if it is left out, otherwise "".
    """

    run: tuple[CopyRecord, ...] = ()
    digest: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        if self.reason:
            return {"reason": self.reason}
        return {"digest": self.digest, "run": [[each.function, each.record] for each in self.run]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Unrolling:
        """Return the record that :meth:`to_json` wrote."""
        run = tuple(CopyRecord(function, entries) for function, entries in record.get("run", ()))
        return cls(run, record.get("digest", ""), record.get("reason", ""))


def load_unrollings(benchmark: str) -> dict[str, Unrolling]:
    """Return the packaged records of a benchmark's programs, by problem id; empty if there are none."""
    records = shipped.load(f"unrolled_runs/{benchmark}.json.gz")
    return {problem_id: Unrolling.from_json(record) for problem_id, record in records.items()}


def records(benchmark: str, problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Return a record with the key ``code`` for each problem that has a proven unrolled program.

    Raises:
        UnrolledError: If the program is not the proven one. The message names the problem.
    """
    shipped_runs = load_unrollings(benchmark)
    return {
        problem.problem_id: {"code": unrolled_program(problem, shipped_runs[problem.problem_id])}
        for problem in problems
        if problem.problem_id in shipped_runs and not shipped_runs[problem.problem_id].reason
    }


def unrolled_program(problem: Problem, unrolling: Unrolling) -> str:
    """Return the proven unrolled program.

    Raises:
        UnrolledError: If the program is not the proven one. The message names the problem.
    """
    try:
        text = unrolled(problem.code, unrolling.run)
    except (Unrollable, LookupError, TypeError) as error:
        message = f"{problem.problem_id}: the recorded loop decisions do not fit its program ({error}); {_FIX}"
        raise UnrolledError(message) from error
    if program_digest(text) != unrolling.digest:
        raise UnrolledError(f"{problem.problem_id}: its unrolled program differs from the proven one; {_FIX}")
    return text


def program_digest(text: str) -> str:
    """Return the first characters of the SHA-256 digest of a program."""
    return digest(text.encode())[:_DIGEST_LENGTH]

"""Programs with their loops unrolled, made from decisions that were recorded by execution, and proven.

A file a benchmark in ``unrolled_runs/`` holds what the loops did on a problem's input, not the programs. A problem
without a loop that runs has no entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem, digest
from lm_eval_codemind.transforms.unrolling import CopyRecord, Unrollable, unrolled

_DIGEST_LENGTH = 12


class UnrolledError(ValueError):
    """A program and its decisions do not give what was proven."""


@dataclass(frozen=True)
class Unrolling:
    """What is shipped about one program.

    Attributes:
        run: Its executions; empty where it is left out.
        digest: The first characters of the SHA-256 digest of the unrolled program that was proven.
        reason: A key of :data:`~lm_eval_codemind.transforms.unrolling.REASONS` where it is left out, else "".
    """

    run: tuple[CopyRecord, ...] = ()
    digest: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        if self.reason:
            return {"reason": self.reason}
        return {"digest": self.digest, "run": [[each.function, each.record] for each in self.run]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Unrolling:
        """Return what :meth:`to_json` wrote."""
        run = tuple(CopyRecord(function, entries) for function, entries in record.get("run", ()))
        return cls(run, record.get("digest", ""), record.get("reason", ""))


def load_unrollings(benchmark: str) -> dict[str, Unrolling]:
    """Return what is shipped about a benchmark's programs, by problem id; empty where nothing is."""
    records = shipped.load(f"unrolled_runs/{benchmark}.json.gz")
    return {problem_id: Unrolling.from_json(record) for problem_id, record in records.items()}


def records(benchmark: str, problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Return a record, ``code``, for each problem that has a proven unrolled program.

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
    """Return the unrolled program that was proven.

    Raises:
        UnrolledError: If the program is not the proven one. The message names the problem.
    """
    try:
        text = unrolled(problem.code, unrolling.run)
    except (Unrollable, LookupError, TypeError) as error:
        raise UnrolledError(
            f"{problem.problem_id}: its program does not go with what its loops did ({error})"
        ) from error
    if program_digest(text) != unrolling.digest:
        raise UnrolledError(f"{problem.problem_id}: its unrolled program is not the one that was proven")
    return text


def program_digest(text: str) -> str:
    """Return the first characters of the SHA-256 digest of a program."""
    return digest(text.encode())[:_DIGEST_LENGTH]

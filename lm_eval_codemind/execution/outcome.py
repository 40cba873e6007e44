"""The result of a job: an :class:`Outcome` with a status from a closed set."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Status(str, Enum):
    """The way a job ended. Only ``PASSED`` is a success, and only a checker that finished can report it."""

    PASSED = "passed"
    """Every check ran to its end and succeeded; for ``evaluate``, every expression was evaluated (or raised)."""
    FAILED = "failed"
    """A check ran and the program's answer was wrong."""
    ERROR = "error"
    """The program raised, exited early, or has no entry point, so that a check couldn't be made."""
    TIMEOUT = "timeout"
    """It used up its processor time or its elapsed time."""
    MEMORY = "memory"
    """It asked for more memory than allowed."""
    OUTPUT = "output"
    """It printed or returned more than allowed."""
    CRASHED = "crashed"
    """Its process died of a signal, or took its server along twice."""
    BLOCKED = "blocked"
    """It tried what the sandbox denies, and didn't handle the refusal."""
    UNFINISHED = "unfinished"
    """The response breaks off in the middle of it, so that it was never executed; no sandbox says so."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class CaseOutcome:
    """The result of one case of a script, or of one expression.

    Attributes:
        literal: The value as a Python literal that ``ast.literal_eval`` reads back, or None where there is none (an
            object without a literal form, an exception, a script). ``nan`` and ``inf`` are written ``float('nan')``,
            sets, frozensets and other plain containers as the expression that makes them.
        type_name: The name of the value's type, ``""`` for scripts and exceptions.
        stdout: What was printed meanwhile.
        exception_type: Name of the exception it raised, or ``""``.
        exception_message: The exception's text.
        status: ``passed`` if it ran to its end (and, for a script, printed what was expected; an exception of an
            expression is an observation, so ``passed`` as well), otherwise how it ended.
    """

    literal: str | None = None
    type_name: str = ""
    stdout: str = ""
    exception_type: str = ""
    exception_message: str = ""
    status: Status = Status.PASSED


@dataclass(frozen=True)
class Outcome:
    """The result of one job. It has only plain values, so JSON can store it without changes.

    Attributes:
        status: From the closed set of :class:`Status`.
        job_id: The job's.
        failed_test: The first check that failed: its name, assertion or case number; ``""`` if none did.
        exception_type: Name of the exception that ended it, or ``""``.
        exception_message: Its text, bounded.
        stdout: What the program printed, up to ``Limits.output_bytes``; for a script that of the last case that ran.
        stderr: Likewise.
        cpu_seconds: Processor time of the candidate's process (of all of them, for a script).
        wall_seconds: Elapsed time from start to verdict.
        tests_run: Checks that ran to their end: assertions are not counted, ``check`` and each test method, case or
            expression is.
        tamper_proof: True if the verdict was reached where the program could not touch it; False if its suite can only
            be judged inside the program's own process, or the program had a hand in a comparison.
        isolation: ``bubblewrap``, ``landlock`` or ``none``.
        observations: For ``script`` and ``evaluate``: one for each case or expression that was reached.
    """

    status: Status
    job_id: str = ""
    failed_test: str = ""
    exception_type: str = ""
    exception_message: str = ""
    stdout: str = ""
    stderr: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    tests_run: int = 0
    tamper_proof: bool = True
    isolation: str = ""
    observations: tuple[CaseOutcome, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the status is ``passed``."""
        return self.status is Status.PASSED

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values, for JSON."""
        record = asdict(self)
        for each in (record, *record["observations"]):
            each["status"] = each["status"].value
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Outcome:
        """Return the outcome that :meth:`to_dict` described.

        Raises:
            ValueError: If a status isn't one of the closed set.
        """
        record = dict(record)
        record["status"] = Status(record["status"])
        record["observations"] = tuple(
            CaseOutcome(**{**observation, "status": Status(observation.get("status", "passed"))})
            for observation in record.get("observations", ())
        )
        return cls(**record)

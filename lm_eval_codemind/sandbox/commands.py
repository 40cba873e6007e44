"""Programs that are started as commands, such as those of an interpreter: the worker that runs their cases."""

import os
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lm_eval_codemind.sandbox import wire
from lm_eval_codemind.sandbox.connection import ending, memory_file
from lm_eval_codemind.sandbox.isolation import Isolation, choose_level
from lm_eval_codemind.sandbox.job import Job, Limits, Outcome, ScriptCase, Status
from lm_eval_codemind.sandbox.judge import script_outcome
from lm_eval_codemind.sandbox.suites import MOST_TEXT
from lm_eval_codemind.sandbox.unit import Unit
from lm_eval_codemind.sandbox.workers import Worker, WorkerPool

PROGRAM = "/proc/self/fd/3"
"""The path at which a command finds its program."""
DENIED = re.compile(
    r"operation not permitted|permission denied|AccessDeniedException|error=1,|error=13,", re.IGNORECASE
)

Explanation = tuple[Status, str, str]
"""Why a program ended as it did: the verdict, the type of the exception and its message."""


class Starter(Unit):
    """A server that starts other programs than Python, one at a time; :mod:`lm_eval_codemind.sandbox.starter` inside.

    ``directories`` are more of the machine that programs may read, each with where bubblewrap shows it. A program may
    use ``own_bytes`` of resident memory beyond the limit of its job, such as an interpreter's own, and gets more
    variables by ``environment``. ``home`` is the directory, inside the sandbox, that it may write in.
    """

    def __init__(
        self, isolation: Isolation, directories: Mapping[str, str], own_bytes: int, environment: Mapping[str, str]
    ) -> None:
        settings = {
            "role": "starter",
            "directories": directories,
            "limits": asdict(Limits()),
            "own_bytes": own_bytes,
            "environment": environment,
        }
        super().__init__(isolation, settings)
        self.home: str = self._first_message()["home"]

    def run(self, program: bytes, command: list[str], stdin: str, limits: Limits) -> dict[str, Any]:
        """Return the report of one run on a file at :data:`PROGRAM`; UnitGone if the server ended meanwhile."""
        files = [
            memory_file("stdin", stdin.encode("utf-8", "surrogateescape")),
            memory_file("program", program, sealed=True),
        ]
        try:
            self._send(wire.packed_message({"command": command, "limits": asdict(limits)}), files)
            report: dict[str, Any] = self._receive(60 + 25 * limits.wall_seconds)
            texts = {name: report[name].encode("latin-1").decode("utf-8", "replace") for name in ("stdout", "stderr")}
            return {**report, **texts}
        finally:
            for descriptor in files:
                os.close(descriptor)


Prepared = tuple[bytes, Callable[[Starter], list[str]], Sequence[ScriptCase]]
"""A job as a starter takes it: the file at :data:`PROGRAM`, the command (it may depend on the starter's directory), and
the cases to run."""


class ProgramPool(WorkerPool):
    """Runs programs as commands. Each worker has a starter of programs, and replaces it when that process ends."""

    def __init__(self, workers: int | None, isolation: str) -> None:
        super().__init__(workers, len(os.sched_getaffinity(0)), choose_level(isolation))

    @abstractmethod
    def _starter(self) -> Starter:
        """Return a new starter."""

    @abstractmethod
    def _prepared(self, job: Job) -> Prepared | Outcome:
        """Return a job made ready, or the outcome of one that isn't to be run."""

    @abstractmethod
    def _explained(self, stderr: str, status: int) -> Explanation:
        """Return why a program ended with a status other than 0."""

    def _attempt(self, worker: Worker, job: Job) -> Outcome:
        prepared = self._prepared(job)
        return prepared if isinstance(prepared, Outcome) else self._run(worker, job, prepared)

    def _run(self, worker: Worker, job: Job, prepared: Prepared) -> Outcome:
        program, command, cases = prepared
        starter = worker.units.get(self._starter)

        def run(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
            together = self._together(starter, job, prepared, cases) if len(cases) > 1 else []
            return together or [self._seen(starter.run(program, command(starter), cases[0]["stdin"], job.limits))]

        outcome = script_outcome({"job_id": job.job_id, "cases": list(map(vars, cases))}, run)
        return Outcome.from_dict({**outcome, "isolation": self._isolation.name})

    def _together(
        self, starter: Starter, job: Job, prepared: Prepared, cases: Sequence[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the outcomes of runs that share a process; none where they can't, or where the first is in doubt.

        The first counts whatever it is, the others if they pass.
        """
        return []

    def _seen(self, report: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a run without a look at what it printed, by the starter's report."""
        status, kind, message = self._verdict(report)
        return {
            "status": status,
            "exception_type": kind[:MOST_TEXT],
            "exception_message": message[:MOST_TEXT],
            **{name: report[name] for name in ("stdout", "stderr")},
            **{f"{name}_seconds": round(report[name], 6) for name in ("cpu", "wall")},
        }

    def _verdict(self, report: dict[str, Any]) -> Explanation:
        """Return how a run ended, by the starter's report. What a program writes to standard error only explains it."""
        if report["reason"] or report["signal"] is not None:
            end = ending(report)
            return Status(end["status"]), "", end["exception_message"]
        # A program may end itself as it likes: what it printed is judged, and its exit status.
        return self._explained(report["stderr"], report["exit"]) if report["exit"] else (Status.PASSED, "", "")

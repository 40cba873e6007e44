"""Programs that are started as commands: the worker that runs their cases, and the runtime for an interpreter."""

import os
import re
import shutil
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_codemind.sandbox.connection import ending, memory_file
from lm_eval_codemind.sandbox.isolation import Isolation, choose_level
from lm_eval_codemind.sandbox.job import Job, Limits, Outcome, ScriptCase, Status
from lm_eval_codemind.sandbox.judge import script_outcome
from lm_eval_codemind.sandbox.runtimes import Runtime
from lm_eval_codemind.sandbox.unit import Unit
from lm_eval_codemind.sandbox.workers import Worker, WorkerPool

PROGRAM = "/proc/self/fd/3"
"""The path at which a command finds its program."""
MAX_MESSAGE = 4000
# Threads that an interpreter may have beyond the limit of a job, besides one for each processor.
_OWN_THREADS = 40
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
            "own_threads": _OWN_THREADS + (os.cpu_count() or 1),
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
            self._send({"command": command, "limits": asdict(limits)}, files)
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

        def run(case: dict[str, Any]) -> dict[str, Any]:
            report = starter.run(program, command(starter), case["stdin"], job.limits)
            status, kind, message = self._verdict(report)
            return {
                "status": status,
                "exception_type": kind[:MAX_MESSAGE],
                "exception_message": message[:MAX_MESSAGE],
                **{name: report[name] for name in ("stdout", "stderr")},
                **{f"{name}_seconds": round(report[name], 6) for name in ("cpu", "wall")},
            }

        outcome = script_outcome({"job_id": job.job_id, "cases": list(map(vars, cases))}, run)
        return Outcome.from_dict({**outcome, "isolation": self._isolation.name})

    def _verdict(self, report: dict[str, Any]) -> Explanation:
        """Return how a run ended, by the starter's report. What a program writes to standard error only explains it."""
        if report["reason"] or report["signal"] is not None:
            end = ending(report)
            return Status(end["status"]), "", end["exception_message"]
        # A program may end itself as it likes: what it printed is judged, and its exit status.
        return self._explained(report["stderr"], report["exit"]) if report["exit"] else (Status.PASSED, "", "")


@dataclass(frozen=True, eq=False)
class Interpreter(Runtime):
    """The runtime of a language whose scripts a program of this machine interprets, such as ``node``.

    Attributes:
        name: The language.
        command: The interpreter, looked up on ``PATH``, and its options. The path of the script is appended.
        error: A pattern that finds the message of an uncaught exception on standard error, with the groups ``type``
            and ``message``. The last match counts.
        own_bytes: Resident memory that the interpreter takes itself.
        environment: Variables that the interpreter needs.
    """

    name: str
    command: Sequence[str]
    _: KW_ONLY
    error: str
    own_bytes: int = 1 << 28
    environment: Mapping[str, str] = field(default_factory=dict)

    def find(self) -> Path:
        """Return the path of the interpreter, without links; a ValueError if it isn't installed."""
        path = shutil.which(self.command[0])
        if path is None:
            raise ValueError(f"programs in {self.name} need {self.command[0]}, and it is not on PATH; install it")
        return Path(path).resolve()

    def directories(self) -> dict[str, str]:
        """Return the directories of the interpreter that are outside the system's directories."""
        folder = self.find().parent
        home = str(folder.parent if folder.name == "bin" else folder)
        return {} if Path(home).is_relative_to("/usr") else {home: home}

    def sandbox(self, workers: int | None = None, hash_seed: int = 0) -> WorkerPool:
        """Return a new sandbox; ``hash_seed`` has no effect. A ValueError if the interpreter isn't installed."""
        return InterpreterSandbox(self, workers)


class InterpreterSandbox(ProgramPool):
    """Runs scripts, each case in a new process of an interpreter; see :meth:`Interpreter.sandbox`."""

    kinds = ("script",)

    def __init__(self, interpreter: Interpreter, workers: int | None = None, isolation: str = "auto") -> None:
        super().__init__(workers, isolation)
        interpreter.find()
        self._interpreter = interpreter
        self._error = re.compile(interpreter.error, re.MULTILINE)
        self._start_workers()

    def _starter(self) -> Starter:
        language = self._interpreter
        return Starter(self._isolation, language.directories(), language.own_bytes, language.environment)

    def _prepared(self, job: Job) -> Prepared:
        command = [str(self._interpreter.find()), *self._interpreter.command[1:], PROGRAM]
        return job.program.encode("utf-8", "replace"), lambda starter: command, job.cases

    def _explained(self, stderr: str, status: int) -> Explanation:
        errors = list(self._error.finditer(stderr))
        if not errors:
            return Status.ERROR, "", f"exited with status {status}"
        error = errors[-1]
        verdict = Status.BLOCKED if DENIED.search(error.group()) else Status.ERROR
        return verdict, error["type"], error["message"] or ""

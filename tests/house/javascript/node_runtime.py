"""The runtime of a language whose scripts a program of this machine interprets, on the sandbox's own parts."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from lm_eval_codemind.sandbox.commands import DENIED, PROGRAM, Explanation, Prepared, ProgramPool, Starter
from lm_eval_codemind.sandbox.job import Job, Status
from lm_eval_codemind.sandbox.runtimes import Runtime
from lm_eval_codemind.sandbox.workers import WorkerPool


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

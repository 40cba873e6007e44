"""The pool for programs in Java, with the face of :class:`lm_eval_codemind.sandbox.Sandbox`."""

import contextlib
import dataclasses
import queue
import re
import secrets
from collections.abc import Sequence
from typing import Any

from lm_eval_codemind.sandbox import commands
from lm_eval_codemind.sandbox.java import jdk, machine
from lm_eval_codemind.sandbox.java.compiler import COMPILED, ERROR, MEMORY, TIMEOUT, Compiled, Compiler
from lm_eval_codemind.sandbox.job import Job, Outcome, ScriptCase, Status
from lm_eval_codemind.sandbox.judge import passes
from lm_eval_codemind.sandbox.runtimes import Runtime
from lm_eval_codemind.sandbox.suites import MOST_TEXT
from lm_eval_codemind.sandbox.unit import UnitGone
from lm_eval_codemind.sandbox.workers import SandboxClosed, Units, Worker, WorkerPool

COMPILE_ERROR = "compile error"
"""What ``Outcome.exception_type`` says of a program that the compiler refuses; no exception can be called so."""

# A compilation may take the processor time of its job, or this: a compiler that has just started is slow.
_COMPILE_SECONDS = 3.0
# Resident memory beyond the heap: code, classes, stacks, and what the virtual machine itself takes.
_OWN_BYTES = 1 << 30
_UNCAUGHT = re.compile(r'^Exception in thread "[^\n]*?" (?P<type>[\w.$]+)(?:: (?P<message>[^\n]*))?$', re.MULTILINE)
_CAUSE = re.compile(r"^Caused by: (?P<type>[\w.$]+)(?:: (?P<message>[^\n]*))?$", re.MULTILINE)
_NO_MEMORY = (
    "java.lang.OutOfMemoryError",
    "unable to create native thread",
    "There is insufficient memory for the Java Runtime",
    "Could not reserve enough space",
)


class JavaSandbox(commands.ProgramPool):
    """Compiles and runs programs that aren't trusted, several at a time.

    A resident compiler, itself in the sandbox, compiles a program once. The cases of a ``script`` share a virtual
    machine as long as they pass there, with classes loaded anew by ``ScriptRepeater``. The tests of a ``function`` are
    a class ``MainSuite`` that ``SuiteRunner`` starts in the program's machine; ``entry_point`` is the class they are
    about. A future outcome raises JavaUnavailable if the JDK doesn't work.

    Args:
        java: The JDK; None for the one of ``JAVA_HOME`` or ``PATH``.
        runtime: The Java that runs programs; None for the JDK's own.
        hash_seed: Sandboxes with an odd and with an even one give objects different identity hashes.

    Raises:
        JavaUnavailable: If there is no JDK.
        IsolationUnavailable: As for :class:`lm_eval_codemind.sandbox.Sandbox`.
    """

    kinds = ("script", "function")
    source_error = COMPILE_ERROR

    def __init__(
        self,
        workers: int | None = None,
        isolation: str = "auto",
        *,
        java: jdk.Jdk | None = None,
        runtime: jdk.Jdk | None = None,
        hash_seed: int = 0,
    ) -> None:
        self.java = java or jdk.find()
        self.runtime = runtime or self.java
        super().__init__(workers, isolation)
        # One resident compiler, and one more for each eight workers.
        self._compilers = [Units() for _ in range(1 + self.workers // 8)]
        self._idle: queue.LifoQueue[Units] = queue.LifoQueue()
        for compiler in self._compilers:
            self._idle.put(compiler)
        self._hashes = machine.HASHES[hash_seed % 2]
        self._start_workers()

    def _machine(self) -> machine.Machine:
        return machine.prepare(self.java, self.runtime)

    def _stop_workers(self) -> None:
        for compiler in self._compilers:
            compiler.close()
        super()._stop_workers()

    def _starter(self) -> commands.Starter:
        return commands.Starter(self._isolation, self._machine().directories(), _OWN_BYTES, {})

    def _prepared(self, job: Job) -> commands.Prepared | Outcome:
        compiled = self._compiled(job)
        if compiled.status != COMPILED or not (job.entry_point or compiled.main_class):
            return self._not_run(job, compiled)
        java = self._machine()
        cases = job.cases
        if job.kind == "function":
            # The program can't know what the suite prints in the end.
            token = secrets.token_hex(16)
            cases = (ScriptCase(token, token),)
            classes = f"{java.inside(self._isolation)}/suites:{commands.PROGRAM}"
            options = [*machine.FOR_SUITES, "-cp", classes, machine.RUNNER, *compiled.main_class.split()]
        else:
            options = ["-cp", commands.PROGRAM, job.entry_point or compiled.main_class]

        def command(starter: commands.Starter) -> list[str]:
            return [*java.run_command(job.limits, starter.home), *self._hashes, *options]

        return compiled.jar, command, cases

    def _compiled(self, job: Job) -> Compiled:
        place = self._idle.get()
        try:
            for _ in range(2):
                if self._closed:
                    raise SandboxClosed("the sandbox was closed before the job had an outcome")
                with contextlib.suppress(UnitGone):
                    compiler = place.get(lambda: Compiler(self._isolation, self._machine()))
                    return compiler.compile(job, max(job.limits.cpu_seconds, _COMPILE_SECONDS))
            return Compiled(ERROR, "the compiler ended, and that of a second try as well")
        finally:
            self._idle.put(place)

    def _not_run(self, job: Job, compiled: Compiled) -> Outcome:
        """Return the outcome of a program that there is nothing to run of."""
        status = {TIMEOUT: Status.TIMEOUT, MEMORY: Status.MEMORY}.get(compiled.status, Status.ERROR)
        if compiled.status == COMPILED:
            return self._ended(job, status, "the program has no `public static void main(String[])`")
        return self._ended(job, status, compiled.message[:MOST_TEXT], COMPILE_ERROR)

    def _together(
        self,
        starter: commands.Starter,
        job: Job,
        prepared: commands.Prepared,
        cases: Sequence[dict[str, Any]],
    ) -> list[dict[str, Any]]:
        program, command, _ = prepared
        *options, _, _, main_class = command(starter)
        inputs = [case["stdin"] for case in cases]
        classes = f"{self._machine().inside(self._isolation)}/suites"
        # No program prints it by chance.
        end = secrets.token_hex(16)
        lengths = [str(len(text.encode("utf-8", "surrogateescape"))) for text in inputs]
        options += ["-cp", f"{commands.PROGRAM}:{classes}", machine.REPEATER, main_class, end]
        report = starter.run(program, [*options, *lengths], "".join(inputs), job.limits)
        *printed, rest = report["stdout"].split(end)
        ended = {**report, "exit": 0, "signal": None, "reason": "", "stderr": "", "cpu": 0.0, "wall": 0.0}
        seen = [self._seen({**ended, "stdout": text}) for text in printed]
        is_whole = len(seen) == len(inputs)
        if not is_whole:
            # A program may end its machine.
            seen.append(self._seen({**report, "stdout": rest}))
        # What the machine prints at its end may belong to the first run.
        if printed and (rest if is_whole else not passes(seen[0], cases[0])):
            return []
        seen[0].update({f"{name}_seconds": round(report[name], 6) for name in ("cpu", "wall")})
        return seen

    def _run(self, worker: Worker, job: Job, prepared: commands.Prepared) -> Outcome:
        outcome = super()._run(worker, job, prepared)
        if job.kind == "script":
            return outcome
        failed = "" if outcome.passed else "the suite"
        return dataclasses.replace(outcome, tamper_proof=False, observations=(), stdout="", failed_test=failed)

    def _explained(self, stderr: str, status: int) -> commands.Explanation:
        uncaught = list(_UNCAUGHT.finditer(stderr))
        trace = stderr[uncaught[-1].start() :] if uncaught else stderr
        first_lines = [trace.split("\n", 1)[0], *(cause.group() for cause in _CAUSE.finditer(trace))]
        verdict = Status.ERROR
        if any(mark in line for mark in _NO_MEMORY for line in (first_lines if uncaught else [stderr])):
            verdict = Status.MEMORY
        elif uncaught and any(commands.DENIED.search(line) for line in first_lines):
            verdict = Status.BLOCKED
        if not uncaught:
            return verdict, "", f"exited with status {status}"
        return verdict, uncaught[-1]["type"], uncaught[-1]["message"] or ""


class _Java(Runtime):
    name = "java"

    def sandbox(self, workers: int | None = None, hash_seed: int = 0) -> WorkerPool:
        return JavaSandbox(workers, hash_seed=hash_seed)


JAVA = _Java()

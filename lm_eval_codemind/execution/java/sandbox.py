"""The pool for programs in Java, with the face of :class:`lm_eval_codemind.execution.Sandbox`."""

from __future__ import annotations

import functools
import os
import queue
import re
import secrets
import signal
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any

from .. import isolation as levels
from ..job import MAX_SOURCE_BYTES, Job, Limits, ScriptCase
from ..lines import printed_lines
from ..outcome import CaseOutcome, Outcome, Status
from ..unit import UnitGone
from ..workers import JobQueue, SandboxClosed, Worker, WorkerPool, started
from . import jdk, machine, units
from .units import Compiled, Compiler, Runner

COMPILE_ERROR = "compile error"
"""What ``Outcome.exception_type`` says of a program that the compiler refuses; no exception can be called so."""

_DEFAULT_LIMITS = asdict(Limits())
# A compilation may take the processor time of its job, or this: a compiler that has just started is slow.
_COMPILE_SECONDS = 3.0
_MAX_MESSAGE = 4000
# The class files of the program, as its virtual machine finds them.
_JAR = "/proc/self/fd/3"
_UNCAUGHT = re.compile(r'^Exception in thread "[^\n]*?" (?P<type>[\w.$]+)(?:: (?P<message>[^\n]*))?$', re.MULTILINE)
_CAUSE = re.compile(r"^Caused by: (?P<type>[\w.$]+)(?:: (?P<message>[^\n]*))?$", re.MULTILINE)
_NO_MEMORY = (
    "java.lang.OutOfMemoryError",
    "unable to create native thread",
    "There is insufficient memory for the Java Runtime",
    "Could not reserve enough space",
)
_DENIED = re.compile(r"Operation not permitted|Permission denied|AccessDeniedException|error=1,|error=13,")


class JavaSandbox(WorkerPool):
    """Compiles and runs programs that aren't trusted, several at a time.

    A resident compiler, itself in the sandbox, compiles a program once. Each case of a ``script`` runs in a new virtual
    machine. The tests of a ``function`` are a class ``MainSuite`` that is compiled with the program and
    started in its virtual machine by ``SuiteRunner``; ``entry_point`` is the class they are about. The program could
    tamper with these tests, and the outcome says so.

    Args:
        workers: Programs at a time; None for the number of processors this process may use.
        isolation: As for :class:`lm_eval_codemind.execution.Sandbox`.
        release: The version of Java that programs are compiled for; 0 for the JDK's own.
        java: The JDK; None for the one of ``JAVA_HOME`` or ``PATH``.
        runtime: The Java that runs programs; None for the JDK's own.
        hash_seed: Sandboxes with an odd and with an even one give objects different identity hashes.

    Raises:
        JavaUnavailable: If there is no JDK.
        IsolationUnavailable: If the level can't be had on this machine, or, for ``auto``, no level can.
    """

    def __init__(
        self,
        workers: int | None = None,
        isolation: str = "auto",
        *,
        release: int = 0,
        java: jdk.Jdk | None = None,
        runtime: jdk.Jdk | None = None,
        hash_seed: int = 0,
    ) -> None:
        self.java = java or jdk.find()
        self.runtime = runtime or self.java
        super().__init__(workers, len(os.sched_getaffinity(0)), isolation)
        made = functools.partial(machine.prepare, self.java, self.runtime)
        self._compilers = _Compilers(self._isolation, made, release, 1 + self.workers // 8)
        hashes = machine.identity_hashes(hash_seed)
        self._start_workers(lambda: _Worker(self._jobs, self._isolation, made, self._compilers, hashes))

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the future outcome of a job; jobs start in the order they were submitted.

        The future raises :class:`StartFailed` if no server comes up, and :class:`.jdk.JavaUnavailable` if the JDK
        doesn't work, and nothing else: a program that does whatever is an outcome.

        Raises:
            SandboxClosed: If the sandbox is closed.
            ValueError: If the job is of another kind than ``script`` and ``function``.
        """
        if job.kind not in ("script", "function"):
            raise ValueError(f"job {job.job_id!r}: kind is {job.kind!r}, and Java has only script and function")
        return super().submit(job)

    def server_pids(self) -> list[int]:
        """Return the processes the sandbox has started, not those below them."""
        return [*self._compilers.pids(), *super().server_pids()]

    def _stop_workers(self) -> None:
        self._compilers.close()
        super()._stop_workers()
        # One that a worker was starting meanwhile.
        self._compilers.close()


class _Compilers:
    """The resident compilers: one, and one more for each eight workers. One that ends is replaced."""

    def __init__(self, isolation: levels.Isolation, made: Any, release: int, count: int) -> None:
        self._isolation = isolation
        self._made = made
        self._release = release
        self._closed = False
        self._all: set[Compiler] = set()
        self._places: queue.LifoQueue[Compiler | None] = queue.LifoQueue()
        for _ in range(count):
            self._places.put(None)

    def pids(self) -> list[int]:
        return [pid for compiler in list(self._all) for pid in compiler.pids()]

    def compile(self, job: Job) -> Compiled:
        """Return what a compiler makes of a job's program and suite.

        Raises:
            StartFailed: If no compiler comes up.
        """
        compiler = self._places.get()
        try:
            for _ in range(2):
                if self._closed:
                    raise SandboxClosed("the sandbox was closed before the job had an outcome")
                if compiler is None:
                    compiler = self._start()
                try:
                    return compiler.compile(job, max(job.limits.cpu_seconds, _COMPILE_SECONDS), self._release)
                except UnitGone:
                    self._drop(compiler)
                    compiler = None
            return Compiled(units.ERROR, "the compiler ended, and that of a second try as well")
        finally:
            self._places.put(compiler)

    def _start(self) -> Compiler:
        compiler: Compiler = started(lambda: Compiler(self._isolation, self._made()))
        self._all.add(compiler)
        return compiler

    def _drop(self, compiler: Compiler) -> None:
        compiler.close()
        self._all.discard(compiler)

    def close(self) -> None:
        self._closed = True
        for compiler in list(self._all):
            self._drop(compiler)


class _Worker(Worker):
    """One thread with its own starter of virtual machines, which it replaces when it ends."""

    def __init__(
        self,
        jobs: JobQueue,
        isolation: levels.Isolation,
        made: Any,
        compilers: _Compilers,
        hashes: tuple[str, ...],
    ) -> None:
        super().__init__("codemind-java", jobs, isolation)
        self._made = made
        self._compilers = compilers
        self._hashes = hashes
        self._runner: Runner | None = None

    def pids(self) -> list[int]:
        runner = self._runner
        return [] if runner is None else runner.pids()

    def _close_servers(self) -> None:
        runner = self._runner
        if runner is not None:
            runner.close()

    def _outcome(self, job: Job) -> Outcome:
        level = self._isolation.name
        if len(job.program) > MAX_SOURCE_BYTES:
            message = f"a program of {len(job.program)} characters, more than {MAX_SOURCE_BYTES}"
            return Outcome(Status.ERROR, job.job_id, "", COMPILE_ERROR, message, isolation=level)
        if job.limits.processes:
            message = f"Limits.processes is {job.limits.processes}, and programs in Java may start none"
            return Outcome(Status.BLOCKED, job.job_id, exception_message=message, isolation=level)
        compiled = self._compilers.compile(job)
        if compiled.status != units.COMPILED or not (job.entry_point or compiled.main_class):
            return _not_run(job, compiled, level)
        for _ in range(2):
            if self._stopped:
                break
            try:
                return self._cases(job, compiled)
            except UnitGone:
                if self._runner is not None:
                    self._runner.close()
                self._runner = None
        return self._lost(job)

    def _cases(self, job: Job, compiled: Compiled) -> Outcome:
        if self._runner is None:
            self._runner = started(lambda: Runner(self._isolation, self._made(), _DEFAULT_LIMITS))
            if self._stopped:
                self._runner.close()
        runner = self._runner
        runner.load(compiled.jar)
        cases = job.cases
        if job.kind == "function":
            # The program can't know what the suite prints in the end.
            token = secrets.token_hex(16)
            cases = (ScriptCase(token, token),)
            command = [
                *machine.FOR_SUITES,
                "-cp",
                f"{runner.suites}:{_JAR}",
                machine.RUNNER,
                *compiled.main_class.split(),
            ]
        else:
            opened = machine.OPENED if compiled.reflective else ()
            command = [*opened, "-cp", _JAR, job.entry_point or compiled.main_class]
        request = {"command": [*self._hashes, *command], "limits": asdict(job.limits)}
        cpu = wall = 0.0
        run = 0
        observations: list[CaseOutcome] = []
        seen: dict[str, Any] = {}
        for number, case in enumerate(cases):
            report = runner.run({**request, "stdin": case.stdin}, 60 + 25 * job.limits.wall_seconds)
            seen = judged(report, case)
            cpu, wall = cpu + report["cpu"], wall + report["wall"]
            keep = ("status", "stdout", "exception_type", "exception_message")
            observations.append(CaseOutcome(**{name: seen[name] for name in keep}))
            run += seen["status"] in (Status.PASSED, Status.FAILED)
            if seen["status"] is not Status.PASSED:
                seen["failed_test"] = f"case {number}"
                break
        if job.kind == "function":
            observations, seen["failed_test"] = [], "the suite" if seen["status"] is not Status.PASSED else ""
            seen["stdout"] = ""
        return Outcome(
            job_id=job.job_id,
            cpu_seconds=round(cpu, 6),
            wall_seconds=round(wall, 6),
            tests_run=run,
            isolation=self._isolation.name,
            tamper_proof=job.kind == "script",
            observations=tuple(observations),
            **seen,
        )


def _not_run(job: Job, compiled: Compiled, level: str) -> Outcome:
    """Return the outcome of a program that there is nothing to run of."""
    status = {units.TIMEOUT: Status.TIMEOUT, units.MEMORY: Status.MEMORY}.get(compiled.status, Status.ERROR)
    if compiled.status == units.COMPILED:
        message = "the program has no `public static void main(String[])`"
        return Outcome(status, job.job_id, exception_message=message, isolation=level)
    return Outcome(status, job.job_id, "", COMPILE_ERROR, compiled.message[:_MAX_MESSAGE], isolation=level)


def judged(report: dict[str, Any], case: ScriptCase) -> dict[str, Any]:
    """Return what one run says: ``status``, ``stdout``, ``stderr``, ``exception_type`` and ``exception_message``.

    The exception is read from standard error, where a program may write what it likes; it explains a status and never
    makes one a success.

    Args:
        report: The starter's report.
        case: What was run.
    """
    stdout, stderr = (report[name].encode("latin-1").decode("utf-8", "replace") for name in ("stdout", "stderr"))
    if report["reason"] == "output":
        return _verdict(Status.OUTPUT, stdout, stderr, message="wrote more than allowed")
    if report["reason"] == "memory":
        return _verdict(Status.MEMORY, stdout, stderr, message="used more memory than allowed")
    if report["reason"]:
        used = "processor time" if report["reason"] == "cpu" else "elapsed time"
        return _verdict(Status.TIMEOUT, stdout, stderr, message=f"{used} used up")
    number = report["signal"]
    if number is not None:
        if number == signal.SIGSYS:
            return _verdict(Status.BLOCKED, stdout, stderr, message="made a system call that is not allowed")
        if number in (signal.SIGXCPU, signal.SIGKILL) and report["cpu"] > 1:
            return _verdict(Status.TIMEOUT, stdout, stderr, message="processor time used up")
        return _verdict(Status.CRASHED, stdout, stderr, message=f"died of {signal.Signals(number).name}")
    if report["exit"] == 0:
        # A program may end itself as it likes: what it printed is judged, and its exit status.
        right = case.stdout is None or printed_lines(stdout) == printed_lines(case.stdout)
        return _verdict(Status.PASSED if right else Status.FAILED, stdout, stderr)
    uncaught = list(_UNCAUGHT.finditer(stderr))
    kind = uncaught[-1]["type"] if uncaught else ""
    message = (uncaught[-1]["message"] or "") if uncaught else f"exited with status {report['exit']}"
    trace = stderr[uncaught[-1].start() :] if uncaught else stderr
    first_lines = [trace.split("\n", 1)[0], *(cause.group() for cause in _CAUSE.finditer(trace))]
    status = Status.ERROR
    if any(mark in line for mark in _NO_MEMORY for line in (first_lines if uncaught else [stderr])):
        status = Status.MEMORY
    elif uncaught and any(_DENIED.search(line) for line in first_lines):
        status = Status.BLOCKED
    return _verdict(status, stdout, stderr, kind, message)


def _verdict(status: Status, stdout: str, stderr: str, kind: str = "", message: str = "") -> dict[str, Any]:
    return {
        "status": status,
        "stdout": stdout,
        "stderr": stderr,
        "exception_type": kind[:_MAX_MESSAGE],
        "exception_message": message[:_MAX_MESSAGE],
    }

"""Threads that take jobs from one queue, and the sandbox that holds them: the same for all languages."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Self, TypeAlias, TypeVar, cast

from . import isolation as levels
from .job import JOB_KINDS, MAX_SOURCE_BYTES, Job, Outcome, Status
from .unit import StartFailed, Unit, UnitGone, UnitHangs

Started = TypeVar("Started", bound=Unit)
JobQueue: TypeAlias = "queue.SimpleQueue[tuple[Job, Future[Outcome]] | None]"


WORKERS_VARIABLE = "CODEMIND_SANDBOX_WORKERS"


def workers_asked_for() -> int | None:
    """Return how many programs the user wants to run at a time; None if the environment does not say."""
    workers = os.environ.get(WORKERS_VARIABLE, "")
    if workers and not (workers.isdigit() and int(workers) > 0):
        raise ValueError(f"{WORKERS_VARIABLE} is {workers!r}, and must be a number above 0")
    return int(workers) if workers else None


class SandboxClosed(RuntimeError):
    """A job was submitted to a sandbox that is closed."""


class Units:
    """Servers that start when they are needed, and again when they have ended."""

    def __init__(self) -> None:
        self.closed = False
        self._units: dict[tuple[str, ...], Unit] = {}

    def get(self, start: Callable[[], Started], name: tuple[str, ...] = ()) -> Started:
        """Return the servers of a name. If need be, start them, at the third attempt or with :class:`StartFailed`."""
        if name not in self._units or self._units[name].closed:
            for attempt in range(3):
                try:
                    self._units[name] = start()
                    break
                except StartFailed:
                    if attempt == 2:
                        raise
            if self.closed:
                self.close()
        return cast(Started, self._units[name])

    def close(self) -> None:
        """End the servers, also in mid-job, and from now on those that start."""
        self.closed = True
        for unit in list(self._units.values()):
            unit.close()


class Worker(threading.Thread):
    """One thread with its own servers, which does the jobs of a pool.

    ``place`` is the processor that its servers keep to, -1 for any, or the number of a cluster's node. The worker holds
    the lock ``turn`` while it waits for a job and until the job turns out to be a long one: of several workers with one
    lock only one is at work on short jobs.
    """

    def __init__(self, pool: WorkerPool, place: int, turn: threading.Lock | None) -> None:
        super().__init__(name=type(pool).__name__, daemon=True)
        self.place = place
        self._pool = pool
        self._turn = turn or threading.Lock()
        self._has_turn = False
        self.units = Units()

    def run(self) -> None:
        """Take jobs until told to stop."""
        while True:
            if not self._has_turn:
                self._turn.acquire()
                self._has_turn = True
            entry = self._pool._jobs.get()
            if entry is None:
                break
            job, future = entry
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._outcome(job))
            except BaseException as error:  # the thread must outlive whatever comes, or jobs are lost
                future.set_exception(error)
        self.end_turn()
        self.units.close()

    def end_turn(self) -> None:
        """Let another worker take a job, while this one's goes on."""
        if self._has_turn:
            self._has_turn = False
            self._turn.release()

    def _outcome(self, job: Job) -> Outcome:
        """Return a job's outcome, at the second attempt if need be."""
        size = len(job.program)
        if size > MAX_SOURCE_BYTES:
            message = f"a program of {size} characters, more than {MAX_SOURCE_BYTES}"
            return self._pool._ended(job, Status.ERROR, message, self._pool.source_error)
        for _ in range(2):
            with contextlib.suppress(UnitGone):
                try:
                    if not self.units.closed:
                        return self._pool._attempt(self, job)
                except UnitHangs as error:
                    return self._pool._ended(job, Status.TIMEOUT, str(error))
        if self.units.closed:
            raise SandboxClosed("the sandbox was closed before the job had an outcome")
        message = "the program's server ended, and that of a second try as well"
        return self._pool._ended(job, Status.CRASHED, message)


class WorkerPool(ABC):
    """Runs jobs on workers, several at a time. A context manager.

    Attributes:
        kinds: The kinds of jobs that it runs.
        language: The only language that it runs; all if empty.
        source_error: ``Outcome.exception_type`` of a source that is not a program of the language.
    """

    kinds: tuple[str, ...] = JOB_KINDS
    language = ""
    source_error = "SyntaxError"

    def __init__(self, workers: int | None, usual: int, isolation: levels.Isolation) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers is {workers}, and must be 1 or more")
        self._isolation = isolation
        self.workers = workers or workers_asked_for() or usual
        self._jobs: JobQueue = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._workers: list[Worker] = []
        # Servers that workers take turns with.
        self._common = Units()

    def _start_workers(self, places: Sequence[tuple[int, threading.Lock | None]] = ((-1, None),)) -> None:
        """Start the workers, each with its place and the lock that it shares with the others there."""
        self._workers = [Worker(self, *places[number % len(places)]) for number in range(self.workers)]
        for worker in self._workers:
            worker.start()

    @abstractmethod
    def _attempt(self, worker: Worker, job: Job) -> Outcome:
        """Return a job's outcome, whatever the program does.

        Raises:
            UnitGone, UnitHangs: If the worker's servers ended, or were ended. The next attempt starts other ones.
        """

    def _ended(self, job: Job, status: Status, message: str, kind: str = "") -> Outcome:
        """Return the outcome of a job whose program did not run to its end."""
        level = self._isolation.name
        return Outcome(status, job.job_id, exception_type=kind, exception_message=message, isolation=level)

    @property
    def isolation(self) -> str:
        """The level: ``bubblewrap``, ``landlock`` or ``none``."""
        return self._isolation.name

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the future outcome of a job; jobs start in the order they were submitted.

        The future raises :class:`StartFailed` if no server comes up, and nothing else: a program that does whatever is
        an outcome.

        Raises:
            SandboxClosed: If the sandbox is closed.
            ValueError: If the sandbox does not run such jobs.
        """
        if job.kind not in self.kinds:
            raise ValueError(f"job {job.job_id!r}: kind is {job.kind!r}, and must be one of {', '.join(self.kinds)}")
        if self.language not in ("", job.language):
            raise ValueError(f"job {job.job_id!r}: a program in {job.language}, not in {self.language}")
        future: Future[Outcome] = Future()
        with self._lock:
            if self._closed:
                raise SandboxClosed("the sandbox is closed")
            self._jobs.put((job, future))
        return future

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in the jobs' order."""
        return [future.result() for future in [self.submit(job) for job in jobs]]

    def close(self) -> None:
        """End the servers at once, and what runs on them. Jobs without an outcome are cancelled."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                entry = self._jobs.get_nowait()
                if entry is not None:
                    entry[1].cancel()
        self._stop_workers()

    def _stop_workers(self) -> None:
        for worker in self._workers:
            worker.units.close()
            self._jobs.put(None)
        self._common.close()
        for worker in self._workers:
            worker.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

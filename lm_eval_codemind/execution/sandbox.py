"""The pool: jobs in, outcomes out, in order, always."""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import asdict
from types import TracebackType

from .isolation import choose
from .job import Job, Limits
from .outcome import Outcome, Status
from .unit import Unit, UnitGone

DEFAULT_PRELOAD = ("numpy", "scipy", "sklearn", "pandas", "dateutil")


class SandboxClosed(RuntimeError):
    """A job was submitted to a sandbox that is closed, or the sandbox was closed before the job's turn."""


class Sandbox:
    """Runs programs that aren't trusted, several at a time.

    A context manager. The process that holds it never forks: its servers are started as new programs.

    Args:
        workers: Programs at a time; None for the number of processors this process may use.
        isolation: ``auto`` for the strongest level this machine gives, or ``bubblewrap`` or ``landlock`` to insist on
            one, or ``none`` to run unprotected. ``auto`` never falls to ``none``, except where the user set
            ``CODEMIND_SANDBOX=none``.
        preload: Modules the servers may import before programs do.
        hash_seed: ``PYTHONHASHSEED`` of the programs, the same in every run unless changed here.
    """

    def __init__(
        self,
        workers: int | None = None,
        isolation: str = "auto",
        preload: Iterable[str] = DEFAULT_PRELOAD,
        hash_seed: int = 0,
    ) -> None:
        self.workers = workers or len(os.sched_getaffinity(0))
        self._isolation = choose(isolation)
        self.isolation = self._isolation.name
        self._preload = tuple(preload)
        self._hash_seed = hash_seed
        self._jobs: queue.SimpleQueue[tuple[Job, Future[Outcome]] | None] = queue.SimpleQueue()
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the future outcome of a job; jobs start in the order they were submitted.

        Raises:
            SandboxClosed: If the sandbox is closed.
        """
        if self._closed:
            raise SandboxClosed("the sandbox is closed")
        future: Future[Outcome] = Future()
        self._jobs.put((job, future))
        return future

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in the jobs' order."""
        return [future.result() for future in [self.submit(job) for job in jobs]]

    def close(self) -> None:
        """End the servers. Jobs that didn't start are cancelled."""
        if self._closed:
            return
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        unit: Unit | None = None
        while (entry := self._jobs.get()) is not None:
            job, future = entry
            if not future.set_running_or_notify_cancel():
                continue
            outcome = Outcome(Status.CRASHED, job.job_id, exception_message="the program's server ended, twice")
            for _ in range(2):
                try:
                    if unit is None:
                        unit = Unit(self._isolation, self._preload, asdict(Limits()), self._hash_seed)
                    outcome = Outcome.from_dict(
                        unit.exchange(job.to_dict(), _patience(job)) | {"isolation": self.isolation}
                    )
                    break
                except UnitGone:
                    if unit is not None:
                        unit.close()
                    unit = None
                except Exception as error:  # the thread must outlive whatever comes, or jobs are lost
                    outcome = Outcome(Status.CRASHED, job.job_id, exception_message=f"{type(error).__name__}: {error}")
                    break
            future.set_result(outcome)
        if unit is not None:
            unit.close()


def _patience(job: Job) -> float:
    """Return the seconds after which a job's servers count as hung."""
    return 60 + 25 * job.limits.wall_seconds * max(1, len(job.cases))


_shared: Sandbox | None = None
_lock = threading.Lock()


def shared_sandbox() -> Sandbox:
    """Return this process's one sandbox, made at the first call and closed at exit.

    The environment sets it up: ``CODEMIND_SANDBOX`` (``auto``, ``bubblewrap``, ``landlock``, ``none``) and
    ``CODEMIND_SANDBOX_WORKERS``.
    """
    global _shared
    with _lock:
        if _shared is None or _shared._closed:
            workers = os.environ.get("CODEMIND_SANDBOX_WORKERS")
            _shared = Sandbox(
                workers=int(workers) if workers else None, isolation=os.environ.get("CODEMIND_SANDBOX", "auto")
            )
            atexit.register(_shared.close)
        return _shared

"""The pool: jobs in, outcomes out, in order, always."""

from __future__ import annotations

import atexit
import os
import queue
import re
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import cast

from . import isolation as levels
from . import lists, wire
from .job import Job, Limits, Outcome
from .runtimes import get_runtime
from .unit import ServerUnit
from .workers import Worker, WorkerPool

# Imported by every server: what many programs import, and what costs a fork little. A fork costs in proportion to the
# memory of what is forked: a bare server runs programs several times faster than one that holds scipy.
LIGHT = (
    "bisect", "collections", "copy", "functools", "heapq", "itertools", "json", "math", "operator", "random", "re",
    "string", "typing",
)  # fmt: skip
# Imported where a suite of test classes may have to be judged in the program's process.
_TESTING = ("unittest", "datetime", "decimal", "fractions", "statistics", "threading", "inspect", "io", "textwrap")
# Importing a package doesn't import its parts; these are the parts that programs use. Other packages are imported in
# less time than a server that holds all of these needs to fork.
DEFAULT_PRELOAD = (
    "numpy", *(f"scipy.{part}" for part in ("stats", "special", "linalg", "optimize", "spatial", "sparse")),
    *(f"sklearn.{part}" for part in (
        "linear_model", "ensemble", "tree", "neighbors", "svm", "cluster", "decomposition", "preprocessing",
        "model_selection", "metrics", "feature_extraction.text", "datasets", "naive_bayes", "pipeline",
    )),
    "pandas", "bs4", "nltk", "openpyxl", "time_machine",
)  # fmt: skip
# A server may hold one of these alone. Many programs import numpy; a proof with another clock imports the other one.
_ALONE = frozenset({"numpy", "time_machine"})

_MOST_HEAVY = 16
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([^\n#;]+)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFAULT_LIMITS = asdict(Limits())
# Processor time of the checks beyond the program's own limit.
_CHECKER_SECONDS = 1.0


class Sandbox(WorkerPool):
    """Runs programs that aren't trusted, several at a time.

    A context manager. The process that holds it never forks: its servers are started as new programs, when the first
    job that needs one comes.

    Args:
        workers: Programs at a time; None for twice the processors this process may use, up to 16 more than them. On
            each processor one is at work on short programs; another comes in where a program takes long.
        isolation: ``auto`` for what the environment variable ``CODEMIND_SANDBOX`` says, or else the strongest level
            this machine gives; ``bubblewrap`` or ``landlock`` to insist on one; ``none`` to run unprotected.
        preload: Modules that servers import for programs that use their packages.
        hash_seed: ``PYTHONHASHSEED`` of the programs, the same in every run unless changed here.

    Raises:
        IsolationUnavailable: If the level can't be had on this machine, or, for ``auto``, no level can.
    """

    language = "python"

    def __init__(
        self,
        workers: int | None = None,
        isolation: str = "auto",
        preload: Iterable[str] = DEFAULT_PRELOAD,
        hash_seed: int = 0,
    ) -> None:
        # Before the first server starts, and sees them.
        lists.installed()
        processors = sorted(os.sched_getaffinity(0))
        super().__init__(workers, len(processors) + min(len(processors), 16), levels.choose_level(isolation))
        self._preload = tuple(preload)
        self._hash_seed = hash_seed
        # If there are fewer workers than processors, none keeps to one.
        keep = self.workers >= len(processors)
        # Servers that have imported large packages take some 170 MB, so that there are few of them.
        self._heavy: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        for place in range(min(self.workers, _MOST_HEAVY)):
            self._heavy.put((place, processors[place % len(processors)] if keep else -1))
        self._start_workers([(processor, threading.Lock()) for processor in processors] if keep else [(-1, None)])

    def _attempt(self, worker: Worker, job: Job) -> Outcome:
        runs = max(1, len(job.cases))
        checker_seconds = job.limits.cpu_seconds * runs + _CHECKER_SECONDS
        # Then the servers count as hung: they should have ended the job long before.
        seconds = 30 + 10 * max(job.limits.wall_seconds, job.limits.cpu_seconds) * runs
        steps, further = (
            lists.known().get(lists.digest(replace(job, tests=tests)), "null") if tests else "null"
            for tests in (job.tests, job.further)
        )
        if any(made.startswith('{"solution"') for made in (steps, further)):
            further = "null"
        record = {**vars(job), "limits": vars(job.limits), "cases": [vars(case) for case in job.cases]}
        record["checker_seconds"] = checker_seconds
        tier = _needed((job.program, job.tests, job.support), self._preload, job.kind == "unittest")
        with ExitStack() as stack:
            units, name, processor = worker.units, tier, worker.place
            if set(tier) - _ALONE - {"unittest"}:
                if self._heavy.empty():
                    worker.end_turn()
                place = self._heavy.get()
                stack.callback(self._heavy.put, place)
                units, name, processor = self._common, (str(place[0]), *tier), place[1]
            unit = units.get(lambda: self._servers(tier, processor), name)
            reply = unit.exchange(wire.with_item(record, "lists", f"[{steps}, {further}]"), seconds, worker.end_turn)
            if reply.pop("last"):
                unit.close()
        for each in (reply, reply.get("further", {})):
            each["isolation"] = self._isolation.name
        return Outcome.from_dict(reply)

    def _servers(self, tier: tuple[str, ...], processor: int) -> ServerUnit:
        modules = [*LIGHT, *(_TESTING if "unittest" in tier else ()), *tier]
        return ServerUnit(self._isolation, modules, _DEFAULT_LIMITS, self._hash_seed, processor)


def _needed(sources: Iterable[str], preload: tuple[str, ...], testing: bool) -> tuple[str, ...]:
    """Return the modules that a server should have imported for a program and its tests, by their source.

    A wrong guess costs time only. None, one of :data:`_ALONE`, or all of ``preload``, since every different set is
    another server to hold in memory; with ``unittest`` before them for test classes.
    """
    imported: set[str] = set()
    for source in sources:
        if "import" in source:
            for match in _IMPORT.finditer(source):
                imported.update(_NAME.findall(match.group(1)))
    packages = imported.intersection(module.partition(".")[0] for module in preload)
    is_small = len(packages) == 1 and packages <= _ALONE and not testing
    modules = tuple(packages) if is_small or not packages else preload
    return ("unittest", *modules) if testing else modules


_shared: dict[str, WorkerPool] = {}
_shared_lock = threading.Lock()
# The sandboxes of the process that this one was forked from. They are never closed or collected here.
_inherited: list[WorkerPool] = []


def _start_after_fork() -> None:
    """Have a forked process make its own sandboxes: it has no threads of its parent, and shares servers with it."""
    global _shared_lock
    _shared_lock = threading.Lock()
    for pool in _shared.values():
        atexit.unregister(pool.close)
        _inherited.append(pool)
    _shared.clear()


os.register_at_fork(after_in_child=_start_after_fork)


def shared_sandbox() -> Sandbox:
    """Return this process's one sandbox for Python, made at the first call and closed at exit.

    The environment sets it up: ``CODEMIND_SANDBOX`` (``auto``, ``bubblewrap``, ``landlock``, ``none``),
    ``CODEMIND_SANDBOX_WORKERS`` (programs at a time), and ``CODEMIND_EXECUTOR`` (``local``, or ``ray`` for one sandbox
    on each node of a Ray cluster, for programs in Python).

    Raises:
        IsolationUnavailable: If this machine gives no isolation and the user didn't choose ``none``.
        ValueError: If a variable's value isn't one of those.
    """
    return cast(Sandbox, _shared_for("python"))


def _shared_for(language: str) -> WorkerPool:
    with _shared_lock:
        if language not in _shared or _shared[language]._closed:
            _shared[language] = get_runtime(language).shared_sandbox()
            atexit.register(_shared[language].close)
        return _shared[language]


class SharedPool:
    """The sandboxes of this process, one per language. A sandbox is created for the first job of its language."""

    @property
    def isolation(self) -> str:
        """The level, which is the same for all languages."""
        return shared_sandbox().isolation

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the future outcome of a job.

        Raises:
            IsolationUnavailable: If this machine gives no isolation and the user didn't choose ``none``.
            ValueError: If no runtime is registered for the job's language.
        """
        return _shared_for(job.language).submit(job)

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in the jobs' order."""
        return [future.result() for future in [self.submit(job) for job in jobs]]

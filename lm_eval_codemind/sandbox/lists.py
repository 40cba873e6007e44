"""The lists of suites: the steps that each suite takes on its own solution, see :mod:`.answers`.

A file, compressed by xz, holds one list a line: the digest of the suite, a blank, and the list as JSON. That is

- ``class``, whether the entry point is a class, and ``methods``, the names that are methods of it,
- ``steps``, in parts, each as JSON in a text, since only the program's process reads them: a part is sent when the one
  before is answered, as its arguments tell answers to that one,
- ``answers``, the digest of the solution's answers, ``size``, their number of bytes, and ``tests``, the number of tests
  that passed on them;

or else only ``solution``, for a suite that draws its inputs. Programs can't read the files, and would learn no answer
from them: the digest is of the tests as well, and a solution is readable only for those who have the tests.
"""

import functools
import hashlib
import lzma
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

from .job import Job
from .visible import hide
from .workers import WorkerPool

ENTRY_POINTS = "lm_eval_codemind.suite_lists"
"""The group of entry points by which packages bring files of lists. Each is the path of a file."""

# Lists of another format have other digests: they are never used.
_FORMAT = 3
_added: list[Path] = []


def add(path: Path) -> None:
    """Use the lists of one more file."""
    if path not in _added and path.is_file():
        hide(path)
        _added.append(path)
        known.cache_clear()


@functools.cache
def installed() -> list[Path]:
    """Return the files that packages bring, which programs can't read from now on."""
    files: list[Path] = [point.load() for point in entry_points(group=ENTRY_POINTS)]
    for path in files:
        hide(path)
    return files


@functools.lru_cache(maxsize=1)
def known() -> dict[str, str]:
    """Return the lists of all files as JSON, by the :func:`digest` of the suite."""
    texts = (lzma.decompress(path.read_bytes()).decode("ascii") for path in (*installed(), *_added))
    return dict(line.split(" ", 1) for text in texts for line in text.splitlines())


def record(pool: WorkerPool, jobs: Mapping[str, Job]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the lists of suites as JSON, by the suite's digest, and why other suites have none, by name.

    ``jobs`` are the suites' own solutions with their tests, by name; ``pool`` runs them.
    """
    made: dict[str, str] = {}
    reasons: dict[str, str] = {}
    outcomes = pool.run(replace(job, record=True) for job in jobs.values())
    for (name, job), outcome in zip(jobs.items(), outcomes, strict=True):
        if outcome.passed:
            made[digest(job)] = outcome.observations[0].literal or ""
        else:
            reasons[name] = f"{outcome.status}: {outcome.exception_message or outcome.exception_type}"
    return made, reasons


def pack(made: Mapping[str, str]) -> bytes:
    """Return the file that holds lists."""
    return lzma.compress("".join(f"{suite} {made[suite]}\n" for suite in sorted(made)).encode("ascii"), preset=9)


def digest(job: Job) -> str:
    """Return the first digits of the digest of a job's suite, which stand for it in a file."""
    suite = (_FORMAT, job.kind, job.tests, job.support, job.entry_point, job.only)
    return hashlib.sha256(repr(suite).encode("utf-8", "replace")).hexdigest()[:16]

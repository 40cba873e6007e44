"""The shipped suites that are judged inside from the start.

Every suite may start outside: what cannot be judged there is judged again inside. For these that is known, because the
benchmarks' own programs were executed by ``utils/find_inside_suites.py``. The list saves the first try.
"""

import functools
import hashlib
from pathlib import Path

from .job import Job

LIST = Path(__file__).with_name("inside_suites.txt")


@functools.lru_cache(maxsize=1)
def _listed() -> frozenset[str]:
    return frozenset(line.split()[0] for line in LIST.read_text(encoding="ascii").splitlines())


@functools.lru_cache(maxsize=1024)
def digest(kind: str, tests: str, support: str, entry_point: str, only: tuple[str, ...]) -> str:
    """Return the first digits of the digest of a suite, which stand for it in the list."""
    return hashlib.sha256(repr((kind, tests, support, entry_point, only)).encode("utf-8", "replace")).hexdigest()[:16]


def starts_inside(job: Job) -> bool:
    """Whether a job's suite is in the list."""
    return bool(job.tests) and digest(job.kind, job.tests, job.support, job.entry_point, job.only) in _listed()

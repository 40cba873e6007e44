"""The lists of suites: the steps that each suite takes on its own solution, see :mod:`.answers`.

A file holds one list a line, as JSON, compressed by xz: ``suite``, the digest of the suite, ``name``, the benchmark and
the problem for the reader, and either ``class``, ``methods`` and ``steps``, or ``solution`` for a suite that draws its
inputs.
"""

import functools
import hashlib
import json
import lzma
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from .job import Job, Outcome

SHIPPED = Path(__file__).parents[1] / "facts" / "suite_steps.jsonl.xz"
"""The lists of the packaged benchmarks, which ``utils/record_suites.py`` makes and proves."""

_files = [SHIPPED]


def add(path: Path) -> None:
    """Use the lists of one more file."""
    if path not in _files and path.is_file():
        _files.append(path)
        _lines.cache_clear()
        find.cache_clear()


@functools.lru_cache(maxsize=1024)
def find(kind: str, tests: str, support: str, entry_point: str, only: tuple[str, ...]) -> Mapping[str, Any] | None:
    """Return the list of a suite, None if it has none."""
    line = _lines().get(digest(kind, tests, support, entry_point, only))
    return None if line is None else json.loads(line)


@functools.lru_cache(maxsize=1)
def _lines() -> dict[str, str]:
    """Return the lines of all files, by the digest that each begins with."""
    lines: dict[str, str] = {}
    for path in _files:
        for line in lzma.decompress(path.read_bytes()).decode("ascii").splitlines():
            lines[line[len(_START) : len(_START) + 16]] = line
    return lines


_START = '{"suite":"'


class Pool(Protocol):
    """What runs jobs, such as a :class:`.Sandbox`."""

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in the jobs' order."""


def record(pool: Pool, jobs: Mapping[str, Job]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the lists of suites as lines of a file, and why other suites have none, both by name.

    Args:
        pool: Runs the programs.
        jobs: Name -> the suite's own solution with its tests.
    """
    lines: dict[str, str] = {}
    reasons: dict[str, str] = {}
    outcomes = pool.run(replace(job, record=True) for job in jobs.values())
    for (name, job), outcome in zip(jobs.items(), outcomes, strict=True):
        if outcome.passed:
            suite = digest(job.kind, job.tests, job.support, job.entry_point, job.only)
            made = json.loads(outcome.observations[0].literal or "")
            lines[name] = json.dumps({"suite": suite, "name": name, **made}, separators=(",", ":"))
        else:
            reasons[name] = f"{outcome.status}: {outcome.exception_message or outcome.exception_type}"
    return lines, reasons


def pack(lines: Iterable[str]) -> bytes:
    """Return the file that holds some lines, in the order of the suites' digests."""
    by_suite = {line[len(_START) : len(_START) + 16]: line for line in lines}
    return lzma.compress("".join(f"{by_suite[suite]}\n" for suite in sorted(by_suite)).encode("ascii"), preset=9)


def shipped(benchmark: str) -> dict[str, str]:
    """Return the lines of the packaged file for a benchmark, by name."""
    lines = lzma.decompress(SHIPPED.read_bytes()).decode("ascii").splitlines()
    names = [json.loads(line)["name"] for line in lines]
    return {name: line for name, line in zip(names, lines, strict=True) if name.startswith(f"{benchmark}/")}


def digest(kind: str, tests: str, support: str, entry_point: str, only: tuple[str, ...]) -> str:
    """Return the first digits of the digest of a suite, which stand for it in a file."""
    return hashlib.sha256(repr((kind, tests, support, entry_point, only)).encode("utf-8", "replace")).hexdigest()[:16]

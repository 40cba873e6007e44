"""Building the benchmarks' files from upstream's. Nothing is executed: what execution has shown is applied."""

import errno
import json
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from tqdm.auto import tqdm

from lm_eval_codemind.data import manifest
from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.suites import verdict_of
from lm_eval_codemind.data.making import Contents
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.languages import HINT_SEED, kind_of, measured
from lm_eval_codemind.problems import COLUMN_SIDES, Problem, digest, dump_problems, dump_records, dump_side
from lm_eval_codemind.sandbox import Job, Sandbox, lists
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.benchmarks.download import fetch_archive
from lm_eval_codemind.workshop.facts import recipes, unrolled
from lm_eval_codemind.workshop.facts.bugs import with_own_suites, with_revealing_tests
from lm_eval_codemind.workshop.facts.labels import apply_proof, load_proofs
from lm_eval_codemind.workshop.facts.sr_exceptions import with_exceptions
from lm_eval_codemind.workshop.python.hint_tests import with_hint
from lm_eval_codemind.workshop.transforms.composer import RecipeError

logger = logging.getLogger(__name__)

# Benchmark -> the problems whose output is also that for a plain input: all values empty, zero or default. Benchmarks
# that were not examined have no entry.
PLAIN_INPUTS = "proofs/plain_inputs.json"
# "code" -> benchmark -> problem id -> loop iterations of C on the problem's input; "transformed" -> the same for C+,
# with the digest of the C+ that was measured.
LOOP_LENGTHS = "proofs/loop_lengths.json"

# What the system says of a directory that cannot be written.
_NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)

Records = Mapping[str, Mapping[str, Any]]


def _flagged(problems: Sequence[Problem], names: Collection[str], flag: str) -> Records:
    return {problem.problem_id: {flag: True} for problem in problems if problem.problem_id in names}


# Side file -> the function that makes its records from a benchmark's name and problems. Records are keyed by problem.
SIDES: Mapping[str, Callable[[str, Sequence[Problem]], Records]] = {
    # A program that fails its tests has no question.
    "dsr": lambda benchmark, problems: _flagged(problems, recipes.load_failing(benchmark), "fails"),
    "input": lambda benchmark, problems: _flagged(problems, shipped.load(PLAIN_INPUTS).get(benchmark, ()), "plain"),
    "ier_unrolled": unrolled.records,
}


def downloading(directory: Path) -> Upstream:
    """Return access to upstream by download into a folder of the data directory."""
    return Upstream(fetch=lambda archive: fetch_archive(archive, directory / "upstream"))


def make_problems(name: str, upstream: Upstream) -> list[Problem]:
    """Return a benchmark's problems with all their columns.

    Raises:
        UpstreamError: If upstream's data is not what the proof was made on, or a recipe does not give what was
            verified.
    """
    with warnings.catch_warnings():
        # Upstream's programs are parsed as they are, and some hold escapes that Python deprecates.
        warnings.filterwarnings("ignore", r".*invalid escape sequence", DeprecationWarning)
        warnings.simplefilter("ignore", SyntaxWarning)
        return [with_complexity(problem) for problem in read_problems(name, upstream)]


def make_files(name: str, problems: Sequence[Problem]) -> dict[str, bytes]:
    """Return the contents of a benchmark's files, by their stems: ``NAME``, and ``NAME.SIDE`` where there is any."""
    sides = {side: dump_side(problems, side) for side in COLUMN_SIDES}
    sides |= {side: dump_records(make(name, problems)) for side, make in SIDES.items()}
    records = {f"{name}.{side}": content for side, content in sides.items() if content}
    return {name: dump_problems(problems), **records}


def with_complexity(problem: Problem) -> Problem:
    """Return the problem with its complexity columns, without executing its program."""
    lengths = shipped.load(LOOP_LENGTHS)
    code = lengths.get("code", {}).get(problem.benchmark, {}).get(problem.problem_id)
    transformed, of = lengths.get("transformed", {}).get(problem.benchmark, {}).get(problem.problem_id, (None, ""))
    loops = transformed if of == short_digest(problem.transformed) else None
    return replace(
        problem,
        complexity=measured(problem.language, problem.code, code),
        transformed_complexity=measured(problem.language, problem.transformed, loops),
        output_type="" if problem.output is None else kind_of(problem).output_type(problem.output) or "",
    )


def short_digest(program: str) -> str:
    """Return the first eight hexadecimal digits of the SHA-256 of a program."""
    return digest(program.encode("utf-8"))[:8]


def read_problems(name: str, upstream: Upstream) -> list[Problem]:
    """Return a benchmark's problems with the shipped proof and their C+ by the shipped recipes.

    Raises:
        UpstreamError: If upstream's data is not what the proof was made on, or a recipe does not give what was
            verified.
    """
    try:
        return recipes.transformed(read_proven(name, upstream), name)
    except RecipeError as error:
        raise UpstreamError(f"{name}: {error}") from error


def read_proven(name: str, upstream: Upstream) -> list[Problem]:
    """Return a benchmark's problems with the shipped proof applied.

    Raises:
        UpstreamError: If upstream's data is not what the proof was made on.
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
        problems = [apply_proof(problem, proofs[problem.problem_id]) for problem in problems]
    return [_with_hint(problem) for problem in problems]


def _with_hint(problem: Problem) -> Problem:
    needs_hint = problem.specification and not problem.hint_test
    telling = verdict_of(problem.benchmark, problem.problem_id).telling
    return with_hint(problem, HINT_SEED, telling) if needs_hint else problem


def build(
    names: Iterable[str], upstream: Upstream, directory: Path, *, skip_failing: bool = False
) -> dict[str, manifest.Entry]:
    """Build benchmarks into a directory and return their entries of its manifest.

    A benchmark's files are replaced one by one when all are complete, and the manifest after them, so that an
    interrupted build leaves nothing that could be read by mistake.

    Args:
        names: Benchmarks.
        upstream: Where to read from.
        directory: Where to write ``NAME.jsonl`` and ``manifest.json``; other entries of the manifest stay.
        skip_failing: Whether benchmarks whose upstream data is missing or wrong are left out with a warning.

    Raises:
        UserError: If there is no benchmark of a name.
        UpstreamError: If upstream's data is missing or is not what it must be, after the other benchmarks were built.
            Or if the directory cannot be written.
    """
    queue = list(dict.fromkeys(names))
    for name in queue:
        get_benchmark(name)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        entries: dict[str, manifest.Entry] = {}
        errors: list[UpstreamError] = []
        for name in tqdm(queue, desc="building", unit="benchmark"):
            try:
                with _alone(directory, name) as built_meanwhile:
                    entries[name] = built_meanwhile or _build(name, upstream, directory)
            except UpstreamError as error:
                errors.append(error)
                if skip_failing or len(queue) > 1:
                    logger.warning("%s is not built: %s", name, error)
        if errors and not skip_failing:
            raise errors[0]
        return entries
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise
        raise UpstreamError(
            f"{directory}: data cannot be written there ({error}); set CODEMIND_DATA to a directory of your own"
        ) from error


def build_downloaded(name: str, directory: Path) -> None:
    """Build one benchmark into a directory; see :func:`lm_eval_codemind.data.making.build`."""
    build([name], downloading(directory), directory)


def contents(name: str, directory: Path) -> Contents:
    """Return a benchmark without storing it; see :func:`lm_eval_codemind.data.making.contents`."""
    problems = make_problems(name, downloading(directory))
    return Contents(
        tuple(problems),
        {side: make(name, problems) for side, make in SIDES.items()},
        {file: digest(content) for file, content in make_files(name, problems).items()},
    )


@contextmanager
def _alone(directory: Path, name: str) -> Iterator[manifest.Entry | None]:
    """Keep other processes from building a benchmark for a while; they may build others.

    Gives the benchmark's entry if another process built it while this one waited.
    """
    lock = FileLock(directory / f".{name}.lock")
    waits = False
    try:
        lock.acquire(timeout=0)
    except Timeout:
        logger.warning("another process builds %s in %s; this one waits until it has done so", name, directory)
        lock.acquire()
        waits = True
    try:
        there = waits and manifest.intact(directory, name)
        yield manifest.read_manifest(directory)[name] if there else None
    finally:
        lock.release()


def suite_jobs(problems: Sequence[Problem]) -> dict[str, Job]:
    """Return the jobs that run problems' own programs against their suites, by ``BENCHMARK/PROBLEM``."""
    return {
        f"{problem.benchmark}/{problem.problem_id}": kind_of(problem).suite_job(
            problem, problem.code, limits=limits_of(problem)
        )
        for problem in problems
        if problem.language == "python" and problem.tests.strip()
    }


def _recorded_suites(problems: Sequence[Problem]) -> bytes:
    """Return the lists of the problems' suites; see :mod:`lm_eval_codemind.sandbox.lists`."""
    jobs = suite_jobs(problems)
    if not jobs:
        return lists.pack({})
    with Sandbox() as sandbox:
        return lists.pack(lists.record(sandbox, jobs)[0])


def _build(name: str, upstream: Upstream, directory: Path) -> manifest.Entry:
    problems = make_problems(name, upstream)
    contents = make_files(name, problems)
    for old in directory.glob(f"{name}.*.jsonl"):
        if old.stem not in contents:
            old.unlink()
    for stem, content in contents.items():
        write_whole(manifest.benchmark_path(directory, stem), content)
    # The suites of packaged benchmarks are recorded at release, so that a build executes nothing.
    if not manifest.released_digests(name):
        write_whole(manifest.lists_path(directory, name), _recorded_suites(problems))
    entry = manifest.Entry(
        builder_version=manifest.BUILDER_VERSION,
        revisions={archive.repository: archive.revision for archive in get_benchmark(name).archives},
        digests={stem: digest(content) for stem, content in contents.items()},
        released=manifest.released_digests(name),
        problems=len(problems),
        categories=dict(sorted(Counter(problem.category for problem in problems).items())),
    )
    with FileLock(directory / ".lock"):
        entries = {**manifest.read_manifest(directory), name: entry}
        record = {"benchmarks": {each: asdict(entries[each]) for each in benchmarks() if each in entries}}
        write_whole(directory / manifest.MANIFEST, (json.dumps(record, indent=2) + "\n").encode("utf-8"))
    if entry.digests != entry.released:
        logger.warning(
            "%s was built with other bytes than this release was checked with (digest %s): its results "
            "compare only with results of the same digest",
            name,
            entry.digests[name],
        )
    return entry

"""What tests share: upstream's data and the recorded responses, where a checkout has them next to it."""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from lm_eval_codemind.data import catalogue
from lm_eval_codemind.data.catalogue import Benchmark, benchmarks
from lm_eval_codemind.data.manifest import DATA_VARIABLE, intact, read_manifest, released_digests
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.problems import digest
from lm_eval_codemind.sandbox.java import jdk
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import build

pytest_plugins = ["tests.selection"]

# Everybody tries the same examples; a step of .ci/run tries random ones (--hypothesis-profile random). How long an
# example takes depends on what else the machine does.
settings.register_profile("same", deadline=None, derandomize=True, database=None)
settings.register_profile("random", deadline=None, derandomize=False, database=None, print_blob=True, max_examples=500)
settings.load_profile("same")

ROOT = Path(__file__).resolve().parents[1]
MAIN = sys.modules["__main__"]
SHARED_DATA = ROOT.parent / "shared" / "data"

# Tests leave the data in the user's cache directory alone. This must stand before any data is loaded.
os.environ.setdefault("CODEMIND_DATA", str(ROOT / ".cache" / "data"))


def pytest_collection_finish() -> None:
    # What has been imported and collected stays: Python need not look through it for garbage again and again.
    gc.freeze()


def pytest_runtest_setup() -> None:
    # The recorder replaces the main module; a spawned process would look for that module's file.
    sys.modules["__main__"] = MAIN


def lacks_data(reason: str) -> bool:
    """Whether a test was skipped because upstream's data or a recording is missing."""
    return re.search(r"upstream|shared|\.jsonl|recording", reason) is not None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Fail a test that is skipped for missing data where the data is: a skip would hide it."""
    report = (yield).get_result()  # type: ignore[attr-defined]
    if (
        report.skipped
        and SHARED_DATA.is_dir()
        and isinstance(report.longrepr, tuple)
        and lacks_data(report.longrepr[2])
    ):
        report.outcome, report.longrepr = "failed", f"{SHARED_DATA} is there: {report.longrepr[2]}"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with upstream's archives and recorded responses; skips where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no upstream data at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture(scope="session")
def upstream(shared_data: Path) -> Upstream:
    """Access to upstream's repositories; skips where they are not there."""
    return Upstream(shared_data / "upstream")


@pytest.fixture(scope="session")
def built_data(upstream: Upstream) -> Path:
    """A data directory with all benchmarks, for ``$CODEMIND_DATA``. Only to be read.

    Runs share it. What it holds has the bytes that were released; other benchmarks are built again, from upstream's
    archives. That a build gives these bytes is for ``tests/workshop/test_build.py`` to show.
    """
    folder = ROOT / ".cache" / "built_data"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        entries = read_manifest(folder)
        outdated = [
            name for name in benchmarks() if not intact(folder, name) or entries[name].digests != released_digests(name)
        ]
        # Upstream's copy lacks some benchmarks, which are outdated and cannot be built: perhaps no others are.
        made: object = None
        with suppress(UpstreamError):
            made = build(outdated, upstream, folder, skip_failing=True)
        if len(outdated) == len(benchmarks()):
            (folder / "built_by").write_text(code_digest())
        elif made:
            (folder / "built_by").unlink(missing_ok=True)
    return folder


@pytest.fixture
def built(built_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory with all benchmarks, which is the one that a test loads from."""
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    return built_data


@pytest.fixture
def horizon_data(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory that tests of the horizon load from: with CRUXEval, and the seeds that were ever asked for.

    Natural programs are read from a wheel, which is not installed: other tests execute recorded programs, and one that
    imports what the wheel depends on would pass.
    """
    from lm_eval_codemind.workshop.proof.horizon import PACKAGE, RELEASE

    folder = ROOT / ".cache" / "horizon"
    wheels = folder / f"{PACKAGE}-{RELEASE}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not intact(folder, "cruxeval"):
            build(["cruxeval"], upstream, folder)
        if not list(wheels.glob("*.whl")):
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--dest", wheels]
            subprocess.run([*command, f"{PACKAGE}=={RELEASE}"], check=True)
    (wheel,) = wheels.glob("*.whl")
    monkeypatch.syspath_prepend(wheel)
    monkeypatch.setenv(DATA_VARIABLE, str(folder))
    return folder


def code_digest() -> str:
    """Return a digest of what built data depends on: Python, the installed packages and this package's files."""
    packages = sorted(f"{each.name} {each.version}" for each in distributions())
    files = sorted(path for path in (ROOT / "lm_eval_codemind").rglob("*") if path.suffix != ".pyc" and path.is_file())
    parts = [sys.version, *packages, *(f"{path.relative_to(ROOT)} {digest(path.read_bytes())}" for path in files)]
    return digest("\n".join(parts).encode())


@pytest.fixture(scope="session")
def java() -> jdk.Jdk:
    """This machine's JDK; skips where there is none."""
    try:
        return jdk.find()
    except jdk.JavaUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def register_benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[Benchmark], None]:
    """Add a made-up benchmark to the registry, in place of one of that name, for the time of a test."""
    known = dict(benchmarks())
    monkeypatch.setattr(catalogue, "registered", lambda group, packaged: known)

    def register(benchmark: Benchmark) -> None:
        known[benchmark.name] = benchmark

    return register

"""What tests share: upstream's data and the recorded responses, where a checkout has them next to it."""

import os
import sys
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from lm_eval_codemind.data import catalogue
from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.build import build
from lm_eval_codemind.data.catalogue import Benchmark, benchmarks
from lm_eval_codemind.data.manifest import DATA_VARIABLE, intact, read_manifest, released_digests
from lm_eval_codemind.problems import digest
from lm_eval_codemind.sandbox.java import jdk

# How long an example takes depends on what else the machine does.
settings.register_profile("codemind", deadline=None)
settings.load_profile("codemind")

ROOT = Path(__file__).resolve().parents[1]
MAIN = sys.modules["__main__"]
SHARED_DATA = ROOT.parent / "shared" / "data"

# Tests leave the data in the user's cache directory alone. This must stand before any data is loaded.
os.environ.setdefault(DATA_VARIABLE, str(ROOT / ".cache" / "data"))

# Files that take long start first, so that no worker is left alone with one of them.
LONG_FILES = (
    "tests/test_wheel.py",
    "tests/results/test_studies.py",
    "tests/sandbox/java/test_recorded_programs.py",
    "tests/sandbox/test_upstream.py",
    "tests/transforms/test_library.py",
    "tests/sandbox/java/test_upstream.py",
    "tests/sandbox/java/test_attacks.py",
    "tests/sandbox/test_recorded_attacks.py",
    "tests/families/test_sr_recorded.py",
    "tests/transforms/test_composer.py",
    "tests/answers/test_hostile.py",
    "tests/docs/test_commands.py",
    "tests/answers/test_layouts.py",
    "tests/families/test_prompt_lengths.py",
    "tests/languages/python/test_hint_tests.py",
    "tests/test_replication.py",
    "tests/families/test_input.py",
    "tests/results/test_submittable.py",
)


def pytest_runtest_setup() -> None:
    # The recorder replaces the main module; a spawned process would look for that module's file.
    sys.modules["__main__"] = MAIN


def pytest_itemcollected(item: pytest.Item) -> None:
    names = getattr(item, "fixturenames", ())
    # `make test` runs the same tests with and without upstream's data, which takes long to read.
    if "shared_data" in names:
        item.add_marker(pytest.mark.upstream)
        item.add_marker(pytest.mark.slow)
    if "engine" in names:
        item.add_marker(pytest.mark.engine)


@pytest.hookimpl(trylast=True)  # after tests are deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of a file that builds the data first, and those of the other files that need it last.

    So other workers have tests to run while one of them builds. Of both kinds, long files come first.
    """
    building = sorted({_file(item) for item in items if "built_data" in getattr(item, "fixturenames", ())})
    order = {file: place for place, file in enumerate((*building[:1], *LONG_FILES))}
    items.sort(key=lambda item: (_file(item) in building[1:], order.get(_file(item), len(order))))


def _file(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


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
    archives. That a build gives these bytes is for ``tests/data/test_build.py`` to show.
    """
    folder = ROOT / ".cache" / "built_data"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        entries = read_manifest(folder)
        outdated = [
            name for name in benchmarks() if not intact(folder, name) or entries[name].digests != released_digests(name)
        ]
        # Upstream's copy lacks some benchmarks, which are outdated and cannot be built.
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

"""What tests share: upstream's data and the recorded responses, where a checkout has them beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from lm_eval_codemind import catalogue
from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.catalogue import Benchmark, benchmarks
from lm_eval_codemind.data.build import build
from lm_eval_codemind.data.load import DATA_VARIABLE, intact, read_manifest, released_digests
from lm_eval_codemind.languages.java.runtime import jdk

# How long an example takes depends on what else the machine does.
settings.register_profile("codemind", deadline=None)
settings.load_profile("codemind")

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"

# Tests leave the data in the user's cache directory alone. This must stand before any data is loaded.
os.environ.setdefault(DATA_VARIABLE, str(ROOT / ".cache" / "data"))

# Files that take minutes start first, so that no worker is left alone with one of them.
LONG_FILES = (
    "tests/test_wheel.py",
    "tests/execution/java/test_attacks.py",
    "tests/execution/java/test_recorded_programs.py",
    "tests/results/test_submittable.py",
    "tests/docs/test_commands.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of long files first, in the order of the list."""
    order = {name: place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: order.get(item.nodeid.split("::")[0], len(order)))


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

    Runs share it. What it holds has the bytes that were released; other benchmarks are built anew, from upstream's
    archives. That a build gives these bytes is for ``tests/data/test_build.py`` to show.
    """
    folder = ROOT / ".cache" / "built_data"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        entries = read_manifest(folder)
        outdated = [
            name for name in benchmarks() if not intact(folder, name) or entries[name].digests != released_digests(name)
        ]
        build(outdated, upstream, folder)
    return folder


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

"""What tests share: upstream's data and the recorded responses, where a checkout has them beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from lm_eval_codemind.benchmarks import Benchmark, Upstream, benchmarks, registry
from lm_eval_codemind.data.build import build, built_benchmarks
from lm_eval_codemind.execution.java import jdk

# How long an example takes depends on what else the machine does.
settings.register_profile("codemind", deadline=None)
settings.load_profile("codemind")

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


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
    """A data directory with all benchmarks, built from upstream's archives; for ``$CODEMIND_DATA``. Only to be read.

    Runs share it: it is kept in ``.cache`` under the digest of the code and the shipped files that a build depends on.
    """
    folder = ROOT / ".cache" / "test_data" / build_digest()
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "complete").exists():
            build(built_benchmarks(), upstream, folder)
            (folder / "complete").touch()
    return folder


def build_digest() -> str:
    """Return a digest of everything in the package that a build of the data reads."""
    rooms = ("answers", "benchmarks", "data", "languages", "problems", "proof", "transforms")
    paths = (path for room in rooms for path in sorted((ROOT / "lm_eval_codemind" / room).rglob("*")))
    content = hashlib.sha256()
    for path in paths:
        if path.is_file() and path.suffix != ".pyc":
            content.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return content.hexdigest()[:16]


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
    monkeypatch.setattr(registry, "registered", lambda group, packaged: known)

    def register(benchmark: Benchmark) -> None:
        known[benchmark.name] = benchmark

    return register

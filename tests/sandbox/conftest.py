"""Sandboxes at each level this machine gives, shared by the tests of a module."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lm_eval_codemind.sandbox import Job, Sandbox, lists
from lm_eval_codemind.sandbox.isolation import available


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Test the level that this machine uses, and among the long tests the other one."""
    if "level" in metafunc.fixturenames:
        used = available()[0].name
        levels = [
            pytest.param(level, marks=() if level == used else pytest.mark.proof)
            for level in ("bubblewrap", "landlock")
        ]
        metafunc.parametrize("level", levels, indirect=True, scope="module")


@pytest.fixture(scope="module")
def level(request: pytest.FixtureRequest) -> str:
    """A level of isolation; skips where this machine doesn't give it."""
    levels = {isolation.name: isolation for isolation in available()}
    if request.param not in levels:
        reasons = "; ".join(levels["none"].reasons)
        pytest.skip(f"{request.param} isn't available here: {reasons}")
    return str(request.param)


@pytest.fixture(scope="module")
def sandbox_at(level: str) -> Iterator[Sandbox]:
    """A sandbox at each level."""
    with Sandbox(workers=2, isolation=level) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox at the strongest level."""
    with Sandbox(workers=2) as sandbox:
        yield sandbox


@pytest.fixture
def listed(sandbox: Sandbox, tmp_path: Path) -> Callable[[Job], str]:
    """A function that records the suite of a job and has it used; returns why there is no list, or an empty text."""

    def record(job: Job) -> str:
        made, reasons = lists.record(sandbox, {"suite": job})
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.xz"
        path.write_bytes(lists.pack(made))
        lists.add(path)
        return reasons.get("suite", "")

    return record

"""Which tests run, and in what order: fast tests, and proofs, which run when what they depend on has changed.

The proofs in a test file are its tests marked ``proof``. A run in which none of them fails stamps the file: with the
digest of what it depends on (:mod:`tests.dependencies`), in ``.ci/proofs.json``. Nobody else writes that file. Proofs
that were skipped, because the machine lacks what they need, are named in the stamp with the reason. They stay due.
"""

import json
import subprocess
from collections import defaultdict
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import pytest

from tests.dependencies import Project

STAMPS = Path(".ci/proofs.json")
# Of the proofs that still stand, a commit draws one in so many.
DRAWN = 10

# Files that take long start first, so that no worker is left alone with one of them.
LONG_FILES = (
    "tests/test_wheel.py",
    "tests/answers/test_layouts.py",
    "tests/results/test_studies.py",
    "tests/sandbox/java/test_recorded_programs.py",
    "tests/sandbox/test_upstream.py",
    "tests/workshop/transforms/test_library.py",
    "tests/sandbox/java/test_upstream.py",
    "tests/sandbox/java/test_attacks.py",
    "tests/sandbox/test_recorded_attacks.py",
    "tests/families/test_sr_recorded.py",
    "tests/workshop/transforms/test_composer.py",
    "tests/answers/test_hostile.py",
    "tests/docs/test_commands.py",
    "tests/families/test_prompt_lengths.py",
    "tests/workshop/python/test_hint_tests.py",
    "tests/test_replication.py",
    "tests/families/test_input.py",
    "tests/results/test_submittable.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--proofs",
        choices=("due", "all"),
        help="run proofs only, and stamp those that pass: all, or those whose stamp is missing or outdated, and a tenth"
        " of the others, drawn by the commit",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("proofs"):
        parts = ("keyword", "markexpr", "deselect", "maxfail", "lf")
        if any("::" in each for each in config.args) or any(config.getoption(part, None) for part in parts):
            raise pytest.UsageError(
                "--proofs runs the proofs of a file as a whole: leave out ::, -k, -m, -x and the like"
            )
        config.pluginmanager.register(Proofs(config), "codemind-proofs")


def pytest_itemcollected(item: pytest.Item) -> None:
    names = getattr(item, "fixturenames", ())
    # `make test` runs the same tests with and without upstream's data, which takes long to read.
    if "shared_data" in names:
        item.add_marker(pytest.mark.upstream)
        item.add_marker(pytest.mark.proof)
    if "engine" in names:
        item.add_marker(pytest.mark.engine)


@pytest.hookimpl(trylast=True)  # after tests are deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of a file that builds the data first, and those of the other files that need it last.

    So other workers have tests to run while one of them builds. Of both kinds, long files come first.
    """
    building = sorted({_file(item.nodeid) for item in items if "built_data" in getattr(item, "fixturenames", ())})
    order = {file: place for place, file in enumerate((*building[:1], *LONG_FILES))}
    items.sort(key=lambda item: (_file(item.nodeid) in building[1:], order.get(_file(item.nodeid), len(order))))


def _file(nodeid: str) -> str:
    return nodeid.split("::")[0]


class Stamp(TypedDict):
    """The digest with which the proofs of a file passed, and those that were skipped: name -> reason."""

    digest: str
    skipped: dict[str, str]


class Proofs:
    """Selects proofs, watches them and stamps those that pass."""

    def __init__(self, config: pytest.Config) -> None:
        self.root = config.rootpath
        self.all = config.getoption("proofs") == "all"
        self.worker = hasattr(config, "workerinput")
        self.project = Project(self.root)
        self.chosen: set[str] = set()
        # Test file -> name of a test -> why it was skipped; empty if it passed, None if it failed.
        self.outcomes: dict[str, dict[str, str | None]] = defaultdict(dict)

    @cached_property
    def stamps(self) -> dict[str, Stamp]:
        """Test file -> its stamp."""
        path = self.root / STAMPS
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    @cached_property
    def digests(self) -> dict[str, str]:
        """Test file -> its digest when the run starts, of all files that may hold proofs."""
        paths = sorted((self.root / "tests").rglob("test_*.py"))
        return {path.relative_to(self.root).as_posix(): self.project.digest(path) for path in paths}

    @cached_property
    def commit(self) -> str:
        """The hash of the commit; empty outside of a clone."""
        command = ["git", "-C", str(self.root), "rev-parse", "HEAD"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    def due(self, nodeid: str) -> bool:
        """Whether a proof runs: its file is not stamped as it is now, it was skipped then, or the commit draws it."""
        file, _, name = nodeid.partition("::")
        stamp = self.stamps.get(file)
        if self.all or stamp is None or stamp["digest"] != self.digests[file] or name in stamp["skipped"]:
            return True
        return int(sha256(f"{self.commit} {file}".encode()).hexdigest(), 16) % DRAWN == 0

    @pytest.hookimpl(tryfirst=True)  # the order is made of what is left
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.get_closest_marker("proof") and self.due(item.nodeid)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
        self.chosen.update(item.nodeid for item in chosen)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.chosen.update(ids)

    def pytest_sessionstart(self) -> None:
        if not self.worker:
            self.digests  # noqa: B018  # a file that is edited while its proofs run is not stamped

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file, _, name = report.nodeid.partition("::")
        before = self.outcomes[file].setdefault(name, "")
        if report.failed or before is None:
            self.outcomes[file][name] = None
        elif report.skipped and isinstance(report.longrepr, tuple):
            reason = report.longrepr[2].removeprefix("Skipped: ")
            self.outcomes[file][name] = reason.replace(f"{self.root.parent}/", "../")

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not self.all:
            session.exitstatus = pytest.ExitCode.OK  # no proof is due
        if self.worker or exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        after, stamps = Project(self.root), dict(self.stamps)
        # Who interrupts a run twice leaves files of which some proofs did not run.
        ran = {f"{file}::{name}" for file, outcomes in self.outcomes.items() for name in outcomes}
        broken_off = {nodeid.partition("::")[0] for nodeid in self.chosen - ran}
        for file, outcomes in self.outcomes.items():
            if None in outcomes.values():
                stamps.pop(file, None)
            elif file in broken_off:
                continue
            elif after.digest(self.root / file) == self.digests[file]:
                skipped = {name: reason for name, reason in sorted(outcomes.items()) if reason}
                stamps[file] = {"digest": self.digests[file], "skipped": skipped}
        stamps = {file: stamps[file] for file in sorted(stamps) if (self.root / file).exists()}
        if stamps != self.stamps:
            (self.root / STAMPS).write_text(json.dumps(stamps, indent=1) + "\n", encoding="utf-8")

"""Avatar's Java programs pass their tests in the sandbox, and the same programs made wrong fail them."""

from __future__ import annotations

import re
import tarfile
from collections import defaultdict
from pathlib import Path

import pytest

from lm_eval_codemind.execution import Job, Limits, Status
from lm_eval_codemind.execution.java.sandbox import JavaSandbox

pytestmark = [pytest.mark.upstream, pytest.mark.slow]

UPSTREAM = Path(__file__).resolve().parents[4] / "shared" / "data" / "upstream"
# Compiles on no current JDK, or reads a file of its author's instead of its input.
NOT_RUNNABLE = {"atcoder_ABC143_A", "codeforces_373_B", "codeforces_99_A"}
# Some of the programs with their first tests. Others print other than their upstream tests say, without a sandbox, too.
EVERY, TESTS = 12, 4
LIMITS = Limits(cpu_seconds=20, wall_seconds=60)


@pytest.fixture(scope="module")
def programs() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Source and tests of some of the programs, by problem."""
    if not UPSTREAM.is_dir():
        pytest.skip(f"{UPSTREAM} is not there")
    sources: dict[str, str] = {}
    with tarfile.open(UPSTREAM / "CodeMind-v1.tar.xz") as files:
        for member in files:
            if "/Avatar-Java/" in member.name and member.name.endswith(".java"):
                source = files.extractfile(member)
                assert source is not None
                sources[Path(member.name).parent.name] = source.read().decode()
    chosen = [name for name in sorted(sources) if name not in NOT_RUNNABLE][::EVERY]
    found: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    with tarfile.open(UPSTREAM / "CodeMind.tar.xz") as files:
        for member in files:
            name = re.search(r"/Avatar-(?:Java|Python)/([^/]+)/all_tests/(input|output)/(\d+)_", member.name)
            if name and name[1] in chosen and int(name[3]) < TESTS:
                text = files.extractfile(member)
                assert text is not None
                found[name[1]][int(name[3])][name[2]] = text.read().decode().replace("\r\n", "\n")
    return {
        problem: (sources[problem], [(case["input"], case["output"]) for _, case in sorted(found[problem].items())])
        for problem in chosen
    }


def test_programs_pass_their_tests_and_mutants_fail(
    programs: dict[str, tuple[str, list[tuple[str, str]]]], sandbox_at: JavaSandbox
) -> None:
    assert len(programs) >= 6 and all(tests for _, tests in programs.values())
    jobs = [Job.script(source, tests, limits=LIMITS, job_id=name) for name, (source, tests) in programs.items()]
    mutants = []
    for name, (source, tests) in programs.items():
        mutant, count = re.subn(r"(\bmain\s*\([^)]*\)[^{]*\{)", r'\1 System.out.print("-");', source, count=1)
        assert count == 1
        mutants.append(Job.script(mutant, tests, limits=LIMITS, job_id=name))
    outcomes = sandbox_at.run([*jobs, *mutants])
    right, wrong = outcomes[: len(jobs)], outcomes[len(jobs) :]
    assert not [outcome for outcome in right if not outcome.passed]
    assert not [outcome for outcome in wrong if outcome.status is not Status.FAILED]

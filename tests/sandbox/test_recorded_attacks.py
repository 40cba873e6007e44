"""Forged passes and honest programs that others wrote: none passes that must not, and what differs is known by name."""

import json
import lzma
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox, lists

pytestmark = [pytest.mark.upstream, pytest.mark.proof]

# Right under plain Python and not here, with the reasons in docs/sandbox.md.
DIFFERENT = {
    "H74": "locks between processes, which lie in shared memory",
    "H76": "starts a program",
    "H164": "starts a program",
    "H182": "opens sockets",
    "M52": "locks between processes, which lie in shared memory",
    "A08": "a warning that only the module __main__ shows",
    "A26": "looks up a host's name",
    "A28": "a shared library by name",
    "A30": "the name of the module",
    "A44": "another user's home",
    "A48": "priorities",
    "A56": "the source of a function of the tests",
    "A64": "the name of the module",
    "A72": "starts a process",
    "N035": "starts a program",
    "N089": "a package that is not installed here",
    "N129": "starts processes",
}
# And those that differ where their answers are judged.
ON_ANSWERS = {"N017": "an object of pandas"}
# And those that differ under landlock.
UNDER_LANDLOCK = {"A22": "symbolic links", "A36": "a file below /tmp", "B57": "symbolic links"}
# And those that differ under landlock as an ordinary user.
AS_ORDINARY_USER = {"A52": "the time of a file, which is not changed"}
# Plain Python fails them as well: one waits for a signal that Python's own loop does not catch, one keeps its argument,
# one ends by an exception, and one calls a function whose name the tests define again.
WRONG = {"H80", "H126", "N073", "N135"}
# Plain Python passes them as well: they are right.
RIGHT = {"U19 identity by container: tuple in a list"}
LIMITS = Limits(cpu_seconds=0.5, wall_seconds=2, memory_bytes=512 << 20)


@pytest.fixture(scope="module")
def sandbox_at(level: str) -> Iterator[Sandbox]:
    """A sandbox at each level. Many of the programs wait for their end, so that eight run at a time."""
    with Sandbox(workers=8, isolation=level) as sandbox:
        yield sandbox


def rows(shared_data: Path, *names: str) -> list[dict[str, Any]]:
    """Return the programs of some files, those of later rounds as well."""
    records = []
    for name in names:
        folder = shared_data / "attacks"
        rounds = (folder, folder / "third", folder / "fourth")
        paths = [path for each in rounds for path in sorted(each.glob(f"{name}*.jsonl*"))]
        if not paths:
            pytest.skip(f"no {shared_data / 'attacks' / name}*.jsonl")
        for path in paths:
            text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text()
            records += [json.loads(line) for line in text.splitlines()]
    return records


def job(row: dict[str, Any], limits: Limits | None = None) -> Job:
    """Return the job that tries a program."""
    if row.get("kind") == "script":
        return Job.script(row["program"], [(row["stdin"] or "", row["stdout"])], job_id=row["name"])
    if row.get("kind") == "evaluate":
        return Job.evaluate(row["program"], ["1"], job_id=row["name"])
    kind, entry_point = row.get("kind", "function"), row.get("entry_point", "f") or ""
    support = row.get("support") or ""
    return Job(kind, row["program"], row["tests"], entry_point, support, limits=limits or Limits(), job_id=row["name"])


def forged(rows: list[dict[str, Any]], outcomes: list[Outcome]) -> set[str]:
    """Return the programs that pass beyond doubt and must not. What passes weak tests may."""
    weak = {row["name"] for row in rows if row.get("weak_tests")}
    return {outcome.job_id for outcome in outcomes if outcome.passed and outcome.tamper_proof} - weak - RIGHT


def test_no_pass_is_forged(shared_data, sandbox_at):
    programs = rows(shared_data, "forged_passes", "denial")
    limits = [Limits(**row["limits"]) if row.get("limits") else LIMITS for row in programs]
    outcomes = sandbox_at.run([job(row, each) for row, each in zip(programs, limits, strict=True)])
    assert forged(programs, outcomes) == set()


def test_honest_programs_come_out_as_in_plain_python(shared_data, sandbox_at):
    programs = rows(shared_data, "honest_programs")
    outcomes = sandbox_at.run([job(row) for row in programs])
    failed = {outcome.job_id.split()[0] for outcome in outcomes if not outcome.passed}
    known = DIFFERENT.keys() | WRONG
    if sandbox_at.isolation == "landlock":
        known |= UNDER_LANDLOCK.keys() | (AS_ORDINARY_USER.keys() if os.geteuid() else set())
    assert failed == known, failed ^ known


@pytest.fixture(autouse=True)
def packaged_lists() -> Iterator[None]:
    """Forget the lists that a test adds."""
    before = list(lists._added)
    yield
    lists._added[:] = before
    lists.known.cache_clear()


def with_lists(programs: list[dict[str, Any]], sandbox: Sandbox, folder: Path) -> list[dict[str, Any]]:
    """Return the programs whose suites have a list, which is used until the test ends."""
    programs = [row for row in programs if row.get("right") and row.get("tests")]
    suites = {row["name"]: replace(job(row), program=row["right"]) for row in programs}
    made, _ = lists.record(sandbox, suites)
    path = folder / "lists.xz"
    path.write_bytes(lists.pack(made))
    lists.add(path)
    programs = [row for row in programs if lists.digest(suites[row["name"]]) in made]
    assert programs
    return programs


def test_honest_programs_whose_answers_are_judged(shared_data, sandbox_at, tmp_path):
    programs = with_lists(rows(shared_data, "honest_programs"), sandbox_at, tmp_path)
    failed = {outcome.job_id.split()[0] for outcome in sandbox_at.run(map(job, programs)) if not outcome.passed}
    known = (DIFFERENT.keys() | ON_ANSWERS.keys()) & {row["name"].split()[0] for row in programs}
    assert failed == known, failed ^ known


def test_no_pass_is_forged_where_a_list_can_be_made(shared_data, sandbox_at, tmp_path):
    programs = with_lists(rows(shared_data, "forged_passes"), sandbox_at, tmp_path)
    outcomes = sandbox_at.run([job(row, LIMITS) for row in programs])
    assert all(outcome.tamper_proof for outcome in outcomes)
    assert forged(programs, outcomes) == set()

"""Forged passes and honest programs that others wrote: none passes that mustn't, and what differs is known by name."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.execution import Job, Sandbox

pytestmark = pytest.mark.upstream

# Right under plain Python and not here, with the reasons in docs/sandbox.md.
DIFFERENT = {
    "H34": "an answer longer than the limit of output",
    "H74": "locks between processes, which lie in shared memory",
    "H76": "starts a program",
    "H88": "the order of a set that was larger before",
    "H164": "starts a program",
    "H182": "opens sockets",
}
# Under landlock alone as an ordinary user, where nothing else keeps a program from the user's own files.
REFUSED = {"H82": "changes a file's mode"}
# Those that plain Python fails as well: one waits for a signal where Python's own loop doesn't catch it, one keeps its
# argument.
WRONG = {"H80", "H126"}


def rows(shared_data: Path, name: str) -> list[dict[str, Any]]:
    """Return the programs of a file."""
    path = shared_data / "attacks" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    return [json.loads(line) for line in path.read_text().splitlines()]


def job(row: dict[str, Any]) -> Job:
    """Return the job that tries a program."""
    if row["kind"] == "script":
        return Job.script(row["program"], [(row["stdin"] or "", row["stdout"])], job_id=row["name"])
    support = row.get("support") or ""
    return Job(row["kind"], row["program"], row["tests"], row["entry_point"] or "", support, job_id=row["name"])


def test_no_pass_is_forged(shared_data: Path, sandbox_at: Sandbox) -> None:
    programs = rows(shared_data, "forged_passes")
    outcomes = sandbox_at.run([job(row) for row in programs])
    weak = {row["name"] for row in programs if row["weak_tests"]}
    forged = [outcome.job_id for outcome in outcomes if outcome.passed and outcome.tamper_proof]
    assert set(forged) <= weak


def test_honest_programs_come_out_as_in_plain_python(shared_data: Path, sandbox_at: Sandbox) -> None:
    programs = rows(shared_data, "honest_programs")
    outcomes = sandbox_at.run([job(row) for row in programs])
    failed = {outcome.job_id.split()[0] for outcome in outcomes if not outcome.passed}
    known = DIFFERENT.keys() | WRONG
    if sandbox_at.isolation == "landlock" and os.geteuid() != 0:
        known |= REFUSED.keys()
    assert failed == known, failed ^ known

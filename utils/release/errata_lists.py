"""Write the lists of the errata as CSV files: ``python utils/release/errata_lists.py``.

``docs/errata/suites.csv`` has a line for each test suite of HumanEval, MBPP and ClassEval's methods. The columns are
``benchmark``, ``problem``, ``class``, ``told`` (whether a prompt with a test tells what the suite asks for),
``asked`` (whether tasks ask about the problem), ``reason`` and ``programs`` (writer and outcome of each program).
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path

import program_errata
from lm_eval_codemind.data.facts.sr_exceptions import load_exceptions
from lm_eval_codemind.data.facts.suites import load_verdicts

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "errata"
SUITES_COLUMNS = ("benchmark", "problem", "class", "told", "asked", "reason", "programs")


def suites() -> str:
    """Return the list of test suites as CSV. The class of suites that no program can be checked on is ``excluded``."""
    rows: list[tuple[str, ...]] = []
    exceptions = load_exceptions()
    for benchmark, verdicts in load_verdicts().items():
        for problem_id, verdict in verdicts.items():
            told = "" if verdict.label in ("fair", "contradicts") else _yes(verdict.told)
            programs = "; ".join(f"{writer}: {outcome}" for writer, outcome in verdict.programs.items())
            asked = _yes(verdict.answerable)
            rows.append((benchmark, problem_id, verdict.label, told, asked, verdict.reason, programs))
        for problem_id, why in exceptions.get(benchmark, {}).items():
            rows.append((benchmark, problem_id, "excluded", "", "no", why["detail"], ""))
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(SUITES_COLUMNS)
    writer.writerows(rows)
    return content.getvalue()


def _yes(value: bool) -> str:
    return "yes" if value else "no"


# Name of a file -> the function that makes it.
LISTS: Mapping[str, Callable[[], str]] = {
    "suites.csv": suites,
    "programs.csv": program_errata.programs,
    "lines.csv": program_errata.lines,
}


def digest(name: str) -> str:
    """Return the SHA-256 digest of a list."""
    return hashlib.sha256(LISTS[name]().encode("utf-8")).hexdigest()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in LISTS.items():
        (FOLDER / name).write_bytes(make().encode("utf-8"))

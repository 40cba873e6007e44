"""The lists of the errata that need no built data, as CSV. ``utils/errata_page.py`` writes them to docs/errata.

``suites.csv`` has a line for each test suite of HumanEval, MBPP and ClassEval's methods. The columns are
``benchmark``, ``problem``, ``class``, ``told`` (whether a prompt with a test tells what the suite asks for),
``asked`` (whether tasks ask about the problem), ``reason`` and ``programs`` (writer and outcome of each program).
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import program_errata
from lm_eval_codemind.data.build import load_plain_inputs
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.data.facts import executions
from lm_eval_codemind.data.facts.recipes import load_failing
from lm_eval_codemind.data.facts.runtime_labels import REASONS, load_labels, load_published, load_unrunnable
from lm_eval_codemind.data.facts.sr_exceptions import load_exceptions
from lm_eval_codemind.data.facts.suites import load_verdicts
from lm_eval_codemind.data.facts.unrolled import load_unrollings
from lm_eval_codemind.problems import EXCLUSION_REASONS
from lm_eval_codemind.studies.re2.data import TASKS, source_of
from lm_eval_codemind.studies.re2.task import proofs
from lm_eval_codemind.studies.reval.rules import is_answerable
from lm_eval_codemind.transforms import unrolling
from prove_labels import proven_benchmarks
from reval_differences import PATH_CAUSES, STATE_CAUSES, load_differences

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "errata"
SUITES_COLUMNS = ("benchmark", "problem", "class", "told", "asked", "reason", "programs")


def csv_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return content.getvalue()


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
    return csv_of(SUITES_COLUMNS, rows)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def not_asked() -> str:
    """Return the questions that tasks do not ask, as CSV. Labels and suites have their own lists."""
    columns = ("question", "benchmark", "problem", "input or line", "reason")
    return csv_of(columns, [*_programs(), *_runtime(), *_executions(), *_published_reval()])


def _programs() -> Iterator[tuple[str, ...]]:
    for benchmark, problems in load_exceptions().items():
        for problem_id, why in problems.items():
            yield "specification reasoning", benchmark, problem_id, "", EXCLUSION_REASONS[why["reason"]]
    for benchmark in benchmarks():
        for problem_id in load_failing(benchmark):
            yield "simplification", benchmark, problem_id, "", "the program to simplify fails its suite"
    for benchmark, problem_ids in load_plain_inputs().items():
        for problem_id in problem_ids:
            yield "input prediction, searched", benchmark, problem_id, "", "a trivial input gives the output"
    for benchmark in proven_benchmarks():
        for problem_id, record in load_unrollings(benchmark).items():
            if "reason" in record:
                yield "unrolled loops", benchmark, problem_id, "", unrolling.REASONS[record["reason"]]


def _runtime() -> Iterator[tuple[str, ...]]:
    for benchmark in ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample"):
        for program, inputs in load_labels(benchmark).items():
            for number, labels in inputs.items():
                if labels.reason:
                    yield "runtime behaviour", benchmark, program, str(number), REASONS[labels.reason]


def _executions() -> Iterator[tuple[str, ...]]:
    for benchmark in ("humaneval", "cruxeval", "classeval", "avatar", "sample"):
        for problem_id, record in executions.load_executions(benchmark).items():
            if record.reason:
                yield "traces", benchmark, problem_id, "", executions.REASONS[record.reason]


def _published_reval() -> Iterator[tuple[str, ...]]:
    for program, numbers in load_unrunnable().items():
        for number in numbers:
            yield "runtime behaviour, published", "reval", program, str(number), "REval's own assertions fail"
    for program, inputs in load_published().items():
        for number, labels in inputs.items():
            for label in labels:
                if not is_answerable(label.values):
                    why = "REval converts the type to lower case and searches for a name with capitals"
                    yield "runtime behaviour, published", "reval", program, f"{number}, line {label.line}", why


def reval() -> str:
    """Return the items of REval whose published label differs from execution, as CSV."""
    return csv_of(
        ("label", "program", "input", "line", "cause"),
        [
            (what, program, str(number), str(line), meanings[causes[position]])
            for position, (what, meanings) in enumerate((("state", STATE_CAUSES), ("path", PATH_CAUSES)))
            for program, inputs in load_differences().items()
            for number, lines in inputs.items()
            for line, causes in lines.items()
            if causes[position]
        ],
    )


def re2() -> str:
    """Return the labels of RE2-Bench with their status, as CSV."""
    return csv_of(
        ("label", "source", "project", "problem", "status", "cause"),
        [
            (task, source_of(problem_id), project, problem_id, proof[task]["status"], proof[task].get("reason", ""))
            for task in TASKS
            for problem_id, proof in proofs().items()
            for project in ["".join(name for name in proof["versions"] if name != "python")]
            if task in proof
        ],
    )


# Name of a file -> the function that makes it.
LISTS: Mapping[str, Callable[[], str]] = {
    "suites.csv": suites,
    "programs.csv": program_errata.programs,
    "lines.csv": program_errata.lines,
    "not_asked.csv": not_asked,
    "reval.csv": reval,
    "re2.csv": re2,
}


def csv_digest(text: str) -> str:
    """Return the SHA-256 digest of a list."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()

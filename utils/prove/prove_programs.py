"""Judge the programs of HumanEvalFix by references, and write what the package ships about them.

    python utils/prove/prove_programs.py verdicts [--workers N] [--check]
    python utils/prove/prove_programs.py lines

The references in ``tests/programs/humanevalfix.jsonl`` were written from the specifications alone. A program runs on at
least 1,000 inputs within the bounds of the prompt, fewer only where there are fewer, and on some beyond them. A fixed
program is

- ``ambiguous``: the specification allows several results for some input; the file with the references has the reason,
- ``wrong``: it differs from the reference on an input within the bounds,
- ``extreme``: it differs on inputs beyond the bounds only,
- ``right``: otherwise.

A buggy program is ``wrong`` or, if it nowhere differs within the bounds, ``right``.

A line of a buggy program is accepted if a change of it alone gives the reference's results on all inputs within the
bounds. The changes are those that are shipped and those of ``tests/programs/line_repairs.yaml``. If no line repairs a
program alone, the lines that the fix changes together are accepted. There are no lines of a bug whose fix is wrong.
Needs a JDK and the built data, and ``lines`` the verdicts.
"""

import difflib
import functools
import itertools
import multiprocessing
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click
import yaml
from rapidfuzz.distance import LCSseq

from lm_eval_codemind.data import load_bug, load_problem
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS
from lm_eval_codemind.families.verdict.task import tidy
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import SharedPool
from options import WORKERS
from program_inputs import BOUNDED, RECORDS, WIDE, in_java, problem_inputs
from program_runs import Result, agree, java_classes, java_results, python_results, reference_results
from ship import save

_REPAIRS = Path(__file__).parents[2] / "tests" / "programs" / "line_repairs.yaml"
_WORD_LINE = re.compile(r"^.*\w", re.MULTILINE)


BENCHMARKS = {"python": "humanevalfix", "java": "humanevalfix_java"}
_BEYOND = 120
_SHOWN = 300

Difference = tuple[str, str, str]
"""An input, a program's result and the reference's, as they are shown."""


@functools.cache
def _bounded(number: int) -> list[str]:
    return problem_inputs(number, BOUNDED)


class Trial:
    """The inputs of a problem with the reference's results, within the bounds and beyond those of a language."""

    def __init__(self, problem_id: str, reference: str, language: str, sandbox: SharedPool) -> None:
        self.number = int(problem_id.removeprefix("HumanEval_"))
        self.language = language
        self.sandbox = sandbox
        known = set(_bounded(self.number))
        wide = [text for text in problem_inputs(self.number, WIDE[language], _BEYOND) if text not in known]
        self.bounded = len(known)
        self.inputs = _bounded(self.number) + wide
        name = load_problem(BENCHMARKS["python"], problem_id).entry_point
        self.expected = reference_results(reference, name, self.inputs)
        self.name = load_problem(BENCHMARKS[language], problem_id).entry_point

    def results(self, programs: Sequence[str], inputs: Sequence[str] = ()) -> list[list[Result]]:
        """Return the results of programs for some inputs, or for all of the problem."""
        tried = inputs or self.inputs
        if self.language == "python":
            return [python_results(program, self.name, tried, self.sandbox) for program in programs]
        written = [in_java(self.number, text) for text in tried]
        results = java_results(*java_classes(programs), self.name, written, self.sandbox)
        if results is None:
            raise ValueError(f"{self.name}: the programs do not compile")
        return results

    def differences(self, results: Sequence[Result]) -> Iterator[tuple[bool, Difference]]:
        """Yield whether an input keeps to the bounds, and the difference. Undefined inputs are left out."""
        for place, (text, right, result) in enumerate(zip(self.inputs, self.expected, results, strict=True)):
            if right.value is not None and not result.refused and not agree(self.number, text, right, result):
                yield place < self.bounded, (text, result.shown[:_SHOWN], right.shown[:_SHOWN])


def judge(problem: Problem, reference: Mapping[str, Any], sandbox: SharedPool) -> dict[str, Any]:
    """Return the record of a problem: the verdict about its fixed program, and about the buggy one."""
    language = problem.language
    trial = Trial(problem.problem_id, reference["reference"], language, sandbox)
    fixed, buggy = trial.results([problem.code, load_bug(problem).code])
    record: dict[str, Any] = {"inputs": trial.bounded}
    differences = list(trial.differences(fixed))
    within = [difference for bounded, difference in differences if bounded]
    shown = min(within or [difference for _, difference in differences], key=_simplicity, default=None)
    if language in reference.get("languages", ()):
        record |= {"verdict": "ambiguous", "reason": reference["ambiguous"]}
    elif shown:
        record["verdict"] = "wrong" if within else "extreme"
    else:
        record["verdict"] = "right"
    if shown:
        record |= dict(zip(("input", "result", "right"), shown, strict=True))
    agreeing = {text for text, _, _ in within}
    bugs = [bug for bounded, bug in trial.differences(buggy) if bounded and bug[0] not in agreeing]
    shown_bug = min(bugs, key=_simplicity, default=None)
    record["buggy"] = {"verdict": "wrong" if shown_bug else "right"}
    if shown_bug:
        record["buggy"] |= dict(zip(("input", "result", "right"), shown_bug, strict=True))
    return record


def _judged(task: tuple[str, int]) -> tuple[str, str, dict[str, Any]]:
    """Return the benchmark, the problem and its record, judged in the sandboxes of this process."""
    language, number = task
    name, problem_id = BENCHMARKS[language], f"HumanEval_{number}"
    record = judge(load_problem(name, problem_id), RECORDS[number], SharedPool())
    click.echo(f"{name} {problem_id}: {record['verdict']}, buggy {record['buggy']['verdict']}")
    return name, problem_id, record


def _simplicity(difference: Difference) -> tuple[bool, int, str]:
    return difference[1] == "no result in time", len(difference[0]), difference[0]


def with_change(program: str, number: int, change: str) -> str:
    """Return a program with another text in place of a line; without the line if the text is empty."""
    lines = program.split("\n")
    lines[number - 1 : number] = [change] if change else []
    return "\n".join(lines)


def proves(trial: Trial, program: str) -> bool:
    """Whether a program gives the right results on all inputs within the bounds."""
    (results,) = trial.results([program])
    return not any(keeps for keeps, _ in trial.differences(results)) and not any(
        result.refused for result in results[: trial.bounded] if trial.language == "python"
    )


def accepted(trial: Trial, buggy: str, correct: str, changes: Mapping[int, str]) -> dict[str, str | None]:
    """Return the lines whose change repairs a program, each with it; else those that the fix changes, without."""
    repairs = {line: text for line, text in sorted(changes.items()) if proves(trial, with_change(buggy, line, text))}
    if repairs:
        return {str(line): text for line, text in repairs.items()}
    texts = buggy.split("\n")
    return {str(line): None for line in changed_lines(buggy, correct) if _WORD_LINE.search(texts[line - 1])}


def changed_lines(buggy: str, correct: str) -> list[int]:
    """Return the numbers of the lines of a buggy program that a fix changes, from 1.

    A line counts if a shortest difference between the programs replaces or deletes it. If the fix only adds lines, the
    lines around each gap count. A line without a word, such as a closing brace, counts only inside a gap.
    """
    old, new = (tidy(program).split("\n") for program in (buggy, correct))
    words = [number for number, line in enumerate(old) if _WORD_LINE.match(line)]
    most = LCSseq.similarity(old, new)
    changed = {n for n in words if LCSseq.similarity(old[:n] + old[n + 1 :], new) == most}
    if not changed:
        for what, start, _, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if what == "insert":
                before = max((n for n in words if n < start), default=start)
                after = min((n for n in words if n >= start), default=start - 1)
                changed.update(range(before, after + 1))
    return sorted(n + 1 for n in changed)


def has_lines(record: Mapping[str, Any]) -> bool:
    """Whether the lines of a bug can be proven: within the bounds its fix is right, and the buggy program wrong."""
    agrees = record["verdict"] in ("right", "extreme") or (record["verdict"] == "ambiguous" and "input" not in record)
    return agrees and record["buggy"]["verdict"] == "wrong"


@click.group()
def main() -> None:
    """Prove what the package ships about the programs of HumanEvalFix."""


@main.command()
@WORKERS
@click.option("--check", is_flag=True, help="Compare with the shipped verdicts instead of writing them.")
def verdicts(workers: int, check: bool) -> None:
    """Write ``proofs/fixed_programs.json``, or check it."""
    known = {name: dict(records) for name, records in shipped.load(PROGRAMS).items()}
    changed, counts = [], Counter[str]()
    # Not threads: in Python 3.11 two that parse at the same time disturb each other.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        tasks = [(each, number) for number in range(164) for each in BENCHMARKS]
        for name, problem_id, record in pool.map(_judged, tasks):
            counts[f"{name}: {record['verdict']}, buggy {record['buggy']['verdict']}"] += 1
            if check and _verdicts(known[name][problem_id]) != _verdicts(record):
                changed.append(f"{name} {problem_id}")
            elif not check:
                known.setdefault(name, {})[problem_id] = record
                save(PROGRAMS, {each: ordered(known[each]) for each in known}, levels=2)
    click.echo("\n".join(f"{verdict}: {count}" for verdict, count in sorted(counts.items())))
    if changed:
        raise SystemExit(f"other verdicts: {', '.join(changed)}")


@main.command()
def lines() -> None:
    """Write ``proofs/bug_lines.json``."""
    known = {name: dict(records) for name, records in shipped.load(BUG_LINES).items()}
    own = yaml.safe_load(_REPAIRS.read_text(encoding="utf-8"))
    for number, name in itertools.product(range(164), BENCHMARKS.values()):
        problem_id = f"HumanEval_{number}"
        before = known[name].pop(problem_id, None)
        if has_lines(shipped.load(PROGRAMS)[name][problem_id]):
            problem = load_problem(name, problem_id)
            trial = Trial(problem_id, RECORDS[number]["reference"], problem.language, SharedPool())
            changes = {int(line): text for line, text in (before or {}).items() if text is not None}
            changes |= own.get(name, {}).get(problem_id, {})
            buggy = tidy(load_bug(problem).code)
            known[name][problem_id] = accepted(trial, buggy, tidy(problem.code), changes)
    save(BUG_LINES, {name: ordered(records) for name, records in known.items()}, levels=2)


def ordered(records: Mapping[str, Any]) -> dict[str, Any]:
    """Return records in the order of the problems' numbers."""
    return dict(sorted(records.items(), key=lambda item: int(item[0].removeprefix("HumanEval_"))))


def _verdicts(record: Mapping[str, Any]) -> tuple[str, str]:
    return record["verdict"], record["buggy"]["verdict"]


if __name__ == "__main__":
    main()

"""Prove the verdicts about test suites: ``python utils/prove/prove_suites.py [--write] [--benchmark NAME]``.

Writers wrote a program for each problem from the prompt without a test. They were shown neither the tests nor the
benchmark's own program. ``tests/data/facts/independent_programs.jsonl.gz`` has these programs: the first writer's for
each problem, the second writer's where the first program fails or the specification is doubtful. Programs of the writer
``reading`` were written afterwards. They take another natural reading of the specification, to show that the suite
rejects it.

This script executes all of them in the sandbox and compares with ``lm_eval_codemind/data/facts/proofs/suites.json``:

- the outcome of each program is the shipped one;
- each suite has a verdict;
- a writer's program passes a fair suite, and another suite rejects at least one program;
- the tests that tell what an answerable suite asks for reject each program that the suite rejects.

It prints a table for each benchmark, with the scores of a faultless reader: somebody whose program is right by the
specification. Needs built data (``codemind data build``). ``--write`` writes the outcomes and the telling tests into
the shipped file, whose classes and reasons are a reader's work.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.suites import CLASSES, FAIR, FILE, Verdict, load_verdicts
from lm_eval_codemind.families.sr.score import mean_s_sr
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Outcome, shared_sandbox
from lm_eval_codemind.workshop.facts.sr_exceptions import load_exceptions
from lm_eval_codemind.workshop.python.hint_tests import hints_of
from ship import save

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "data" / "facts" / "independent_programs.jsonl.gz"
BENCHMARKS = ("humaneval", "mbpp", "classeval_methods")
FIRST, SECOND, READING = "first", "second", "reading"
PASSED = "passed"

# Problem id -> writer -> program.
Programs = Mapping[str, Mapping[str, str]]
# Problem id -> writer -> outcome.
Outcomes = dict[str, dict[str, Outcome]]


def load_programs(benchmark: str) -> dict[str, dict[str, str]]:
    """Return the programs of each problem by writer."""
    programs: dict[str, dict[str, str]] = {}
    for row in map(json.loads, read_lines(PROGRAMS)):
        if row["benchmark"] == benchmark:
            programs.setdefault(row["problem_id"], {})[row["writer"]] = row["program"]
    return programs


def suites(benchmark: str) -> dict[str, Problem]:
    """Return the problems whose suites get a verdict: all but those that no program passes on every machine."""
    exceptions = load_exceptions().get(benchmark, {})
    return {
        problem.problem_id: problem for problem in load_benchmark(benchmark) if problem.problem_id not in exceptions
    }


def run_programs(problems: Mapping[str, Problem], programs: Programs) -> Outcomes:
    """Execute the programs against the suites of their problems."""
    jobs = {
        (problem_id, writer): job_of(problems[problem_id], program)
        for problem_id, by_writer in programs.items()
        for writer, program in by_writer.items()
    }
    outcomes: Outcomes = {}
    for (problem_id, writer), outcome in zip(jobs, shared_sandbox().run(list(jobs.values())), strict=True):
        outcomes.setdefault(problem_id, {})[writer] = outcome
    return outcomes


def job_of(problem: Problem, program: str, test: str = "") -> Job:
    """Return the job that checks a program, read like a model's response, on a test or on the whole suite."""
    kind = kind_of(problem)
    code = kind.program(
        f"```python\n{program}```",
        problem,
        into=problem.code,
        context=problem.context,
        specification=problem.specification,
    )
    if not isinstance(code, str):
        raise SystemExit(f"{problem.problem_id}: no program can be read; correct {PROGRAMS.name}")
    suite = kind.with_tests(problem, test) if test else problem
    return kind.suite_job(suite, code, limits=limits_of(problem))


def telling_tests(problem: Problem, rejected: Iterable[str]) -> list[int]:
    """Return the positions of the tests that reject each of some programs, among those that a prompt may show."""
    hints = hints_of(problem)
    telling = set(range(len(hints)))
    for program in rejected:
        jobs = [job_of(problem, program, hint.test) for hint in hints]
        telling -= {number for number, outcome in enumerate(shared_sandbox().run(jobs)) if outcome.passed}
    return sorted(telling)


def proven(
    problem: Problem, verdict: Verdict | None, programs: Mapping[str, str], outcomes: Mapping[str, Outcome]
) -> dict[str, Any]:
    """Return the record of a suite: the reader's class and reason, and what execution shows."""
    results = {writer: str(outcome.status) for writer, outcome in outcomes.items()}
    record: dict[str, Any] = {"class": verdict.label if verdict else FAIR}
    if verdict and verdict.label != FAIR:
        record["reason"] = verdict.reason
        if verdict.label != "contradicts":
            record["told"] = verdict.told
        if verdict.answerable:
            telling = telling_tests(problem, [programs[writer] for writer in results if results[writer] != PASSED])
            if len(telling) < len(hints_of(problem)):
                record["telling"] = telling
    return {**record, "programs": results}


def complaints(problem_id: str, verdict: Verdict | None, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what does not hold of a shipped verdict."""
    if verdict is None:
        yield f"{problem_id}: no verdict"
        return
    results = record["programs"]
    if dict(verdict.programs) != results:
        yield f"{problem_id}: outcomes are {results}, shipped are {dict(verdict.programs)}"
    if verdict.label == FAIR and not any(results[writer] == PASSED for writer in results if writer != READING):
        yield f"{problem_id}: fair, but no program passes"
    if verdict.label != FAIR and all(result == PASSED for result in results.values()):
        yield f"{problem_id}: {verdict.label}, but every program passes"
    if tuple(record.get("telling", ())) != verdict.telling:
        yield f"{problem_id}: telling tests are {record.get('telling')}, shipped are {verdict.telling}"
    if record.get("telling") == []:
        yield f"{problem_id}: no test tells what the suite asks for"


def faultless(record: Mapping[str, Any]) -> float:
    """Return 1 if a faultless reader's program passes the suite, else 0.

    A program that fails a fair suite has a fault, so the second writer's counts, too. Elsewhere the first one does.
    """
    writers = (FIRST, SECOND) if record["class"] == FAIR else (FIRST,)
    return float(any(record["programs"].get(writer) == PASSED for writer in writers))


def summary(benchmark: str, records: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the row of a benchmark's table."""
    counts = Counter(record["class"] for record in records.values())
    asked = [
        record
        for record in records.values()
        if record["class"] == FAIR or (record["class"] != "contradicts" and record["told"])
    ]
    fair = [faultless(record) for record in asked if record["class"] == FAIR]
    # With the test the reader knows what an answerable suite asks for.
    pairs = [(faultless(record), 1.0) for record in asked]
    untold = sum(not record.get("told", True) for record in records.values())
    classes = " | ".join(str(counts[label]) for label in CLASSES)
    return (
        f"| {get_benchmark(benchmark).title} | {len(records)} | {classes} | {untold} | {len(asked)} "
        f"| {100 * fmean(fair):.1f} | {100 * fmean(first for first, _ in pairs):.1f} | {100 * mean_s_sr(pairs):.1f} |"
    )


def main() -> int:
    """Execute the programs and compare their outcomes with the shipped ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write outcomes and telling tests into the shipped file")
    parser.add_argument("--benchmark", action="append", choices=BENCHMARKS, help="only this benchmark")
    options = parser.parse_args()
    verdicts, written = load_verdicts(), {name: dict(records) for name, records in shipped.load(FILE).items()}
    wrong: list[str] = []
    print(f"| benchmark | suites | {' | '.join(CLASSES)} | not told | asked | pass@1 fair | pass@1 | s_sr |")
    print(f"|---|{'---:|' * (len(CLASSES) + 6)}")
    for benchmark in options.benchmark or BENCHMARKS:
        problems, programs = suites(benchmark), load_programs(benchmark)
        outcomes = run_programs(problems, programs)
        records = {}
        for problem_id, problem in problems.items():
            if problem_id not in outcomes:
                wrong.append(f"{problem_id}: no program")
                continue
            verdict = verdicts.get(benchmark, {}).get(problem_id)
            records[problem_id] = proven(problem, verdict, programs[problem_id], outcomes[problem_id])
            wrong += complaints(problem_id, verdict, records[problem_id])
        written[benchmark] = records
        print(summary(benchmark, records), flush=True)
    if options.write:
        save(FILE, written, 2)
        return 0
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

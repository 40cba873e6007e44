"""Specification reasoning of the first study, scored again: by its own rule, and then by this suite's.

    python utils/compare_specifications.py v1_sr_MODEL.jsonl.gz... [--list]

The study takes the code between the marks of a fence, drops lines that begin with ``assert``, ``#`` or ``print``, puts
``from typing import *`` in front and the problem's one assertion behind it, and counts what says nothing on standard
error in ten seconds. Here a program is read from the response as for any other model, and is checked on all tests, or
on the misleading one alone. One thing changes at a time, so that every difference has its cause. All programs are
executed in the sandbox. Prints the tables of docs/replication.md; ``--list`` names every difference.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.families.sr.task import MISLEADING, NO_TEST, WITH_TEST
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, ScriptCase, Status, shared_sandbox

STUDY_LIMITS = Limits(cpu_seconds=10, wall_seconds=10, memory_bytes=4 << 30)
TITLES = {"humaneval": "HumanEval", "mbpp": "MBPP"}
SETTINGS = (NO_TEST, WITH_TEST, MISLEADING)
# The published table, in per cent, and the number of problems that a figure is of.
PUBLISHED = {
    ("gpt-4", "humaneval", NO_TEST): (88.27, 162),
    ("gpt-4", "humaneval", WITH_TEST): (91.98, 162),
    ("gpt-4", "mbpp", NO_TEST): (72.13, 427),
    ("gpt-4", "mbpp", WITH_TEST): (90.96, 408),
    ("magicoder", "humaneval", NO_TEST): (80.86, 162),
    ("magicoder", "humaneval", WITH_TEST): (81.48, 162),
    ("magicoder", "humaneval", MISLEADING): (17.90, 162),
    ("magicoder", "mbpp", NO_TEST): (69.61, 408),
    ("magicoder", "mbpp", WITH_TEST): (75.25, 408),
    ("magicoder", "mbpp", MISLEADING): (9.30, 408),
}
_DROPPED = ("assert", "#", "print")
_ANSWER = "@@ Response"

# What changes between the study's rule and ours, in the order in which it does.
PROGRAM = "the code read from the response"
JUDGED = "judged outside the program"
ALL = "all tests"
CAUSES = (PROGRAM, JUDGED, ALL)


@dataclass(frozen=True)
class Judged:
    """One recorded response, judged by both rules.

    Attributes:
        row: As recorded.
        steps: Whether it is right, by the study's rule and after each of :data:`CAUSES`.
        status: How it ends on all tests.
    """

    row: dict[str, Any]
    steps: tuple[bool, ...]
    status: str

    @property
    def place(self) -> tuple[str, str, str]:
        """Model, benchmark and setting."""
        return self.row["model"], self.row["benchmark"], self.row["setting"]

    @property
    def cause(self) -> str:
        """The last step that turned the verdict to what it is here; empty where both rules agree."""
        if self.steps[0] == self.steps[-1]:
            return ""
        return CAUSES[max(n for n in range(len(CAUSES)) if self.steps[n] != self.steps[n + 1])]


def study_code(row: dict[str, Any]) -> str | None:
    """Return the code as the study takes it from a response; None where it finds none."""
    response = str(row["generated_code"] or "")
    if _ANSWER in response:
        response = response.rpartition(_ANSWER)[2]
    _, start, rest = response.partition("```python")
    code, end, _ = rest.partition("```")
    if not start or not end:
        return None
    return "\n".join(line for line in code.split("\n") if not line.startswith(_DROPPED))


def assertion(row: dict[str, Any]) -> str | None:
    """Return the assertion that the study uses in a setting; None if the problem has none."""
    text = row["assertion_" if row["setting"] == MISLEADING else "assertion"]
    return str(text) if text else None


def judge(rows: Sequence[dict[str, Any]]) -> list[Judged]:
    """Return the rows, judged, in their order."""
    problems = {name: {problem.problem_id: problem for problem in load_benchmark(name)} for name in TITLES}
    own = [problems[row["benchmark"]][_problem_id(row)] for row in rows]
    sandbox = shared_sandbox()
    jobs: list[list[Job | None]] = []
    for row, problem in zip(rows, own, strict=True):
        test = assertion(row)
        assert test is not None
        response = str(row["generated_code"] or "").rpartition(_ANSWER)[2]
        program = kind_of(problem).program(
            response, problem, into=problem.code, context=problem.context, specification=problem.specification
        )
        code = program if isinstance(program, str) else None
        jobs.append([_study_job(study_code(row), test), _study_job(code, test), *_own_jobs(code, problem, row, test)])
    started = [[None if job is None else sandbox.submit(job) for job in of] for of in jobs]
    return [
        Judged(row, *_verdicts([None if run is None else run.result() for run in runs]))
        for row, runs in zip(rows, started, strict=True)
    ]


def _verdicts(outcomes: Sequence[Outcome | None]) -> tuple[tuple[bool, ...], str]:
    study, program, *others = outcomes
    last = others[-1]
    steps = (_silent(study), _silent(program), *(outcome is not None and outcome.passed for outcome in others))
    return steps, "no program" if last is None else str(last.status)


def _silent(outcome: Outcome | None) -> bool:
    """Whether a run ends in time and writes nothing to standard error: the study's only criterion."""
    if outcome is None or outcome.stderr.strip():
        return False
    return outcome.status is Status.PASSED or outcome.exception_type == "SystemExit"


def _study_job(code: str | None, test: str) -> Job | None:
    if code is None:
        return None
    return Job.script(f"from typing import *\n{code}\n{test}\n", [ScriptCase()], limits=STUDY_LIMITS)


def _own_jobs(program: str | None, problem: Problem, row: dict[str, Any], test: str) -> list[Job | None]:
    """Return the jobs that check a program on the study's assertion and on all tests, outside of its process."""
    if program is None:
        return [None, None]
    kind, limits = kind_of(problem), limits_of(problem)
    one = kind.suite_job(replace(problem, tests=test), program, limits=limits)
    return [one, one if row["setting"] == MISLEADING else kind.suite_job(problem, program, limits=limits)]


def _problem_id(row: dict[str, Any]) -> str:
    name = str(row["problem_name"])
    return f"MBPP_{name}" if row["benchmark"] == "mbpp" else name


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a recording that can be judged, in the order of our tables.

    Of repeated rows the first counts; problems without an assertion are left out, as in the study's figures; and
    GPT-4's responses under ``misleading`` are those without a test once more, so that there is nothing to judge.
    """
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    first: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        first.setdefault((row["benchmark"], row["setting"], row["problem_name"]), row)
    comparable = [row for row in first.values() if assertion(row) is not None]
    return sorted(comparable, key=lambda row: (row["benchmark"], SETTINGS.index(row["setting"]), row["problem_name"]))


def report(judged: Sequence[Judged], listing: bool = False) -> Iterator[str]:
    """Yield the lines of the tables, and of the list of differences if that is wanted."""
    places = list(dict.fromkeys(one.place for one in judged))
    yield "| model | benchmark | setting | published | the study's rule, run again | ours | to correct | to incorrect |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    for place in places:
        of = [one for one in judged if one.place == place]
        published, problems = PUBLISHED[place]
        gone = Counter(one.steps[-1] for one in of if one.cause)
        before, after = (sum(one.steps[n] for one in of) for n in (0, -1))
        yield (
            f"| {_titles(place)} | {published:.2f} | {before} of {problems}: {100 * before / problems:.2f} "
            f"| {after} of {len(of)} | {gone[True]} | {gone[False]} |"
        )
    yield ""
    yield f"| model | benchmark | setting | {' | '.join(CAUSES)} |"
    yield f"|---|---|---|{'---:|' * len(CAUSES)}"
    for place in places:
        counts = Counter((one.cause, one.steps[-1]) for one in judged if one.place == place and one.cause)
        yield f"| {_titles(place)} | {' | '.join(f'+{counts[c, True]} -{counts[c, False]}' for c in CAUSES)} |"
    if listing:
        for one in judged:
            if one.cause:
                sign = "+" if one.steps[-1] else "-"
                yield f"{' '.join(one.place)} {one.row['problem_name']}: {sign} {one.cause}; {one.status} here"


def _titles(place: tuple[str, str, str]) -> str:
    model, benchmark, setting = place
    return f"{model} | {TITLES[benchmark]} | {setting.replace('_', ' ')}"


def compare(paths: Iterable[Path], listing: bool = False) -> Iterator[str]:
    """Yield the lines of the report on some recordings."""
    return report(judge([row for path in paths for row in read(path)]), listing)


def main() -> None:
    """Run the comparison from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", nargs="+", type=Path, help="v1_sr_MODEL.jsonl.gz")
    parser.add_argument("--list", action="store_true", help="name every difference")
    arguments = parser.parse_args()
    for line in compare(arguments.recorded, arguments.list):
        print(line)


if __name__ == "__main__":
    main()

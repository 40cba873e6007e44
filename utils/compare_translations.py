"""Translations of the first study, validated again: by its own rule, and then by this suite's.

    python utils/compare_translations.py --upstream DIR v1_translation_MODEL.jsonl.gz [--list] [--benchmark NAME]

The study runs the code it took from a response on one input and compares what it prints, stripped, with the output it
has for the program in the other language; Java is compiled for release 8. Here a translation is read from the response,
and must print on all tests what the program that it translates prints, proven by execution. Between the two rules one
thing changes at a time, so that every difference has its cause: the step at which the verdict turns to what it is here.

Prints the tables of docs/replication.md for the translations that were made without a test. Everything is executed in
the sandbox, which takes minutes. ``--list`` names every difference.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.benchmarks.upstream import ArchivePart
from lm_eval_codemind.data.catalogue import ARCHIVES, get_benchmark
from lm_eval_codemind.families.translation.task import NO_TEST, TRANSLATION
from lm_eval_codemind.questions import Question
from lm_eval_codemind.sandbox import Job, Limits, Outcome, ScriptCase, SharedPool, Status
from lm_eval_codemind.sandbox.java.sandbox import COMPILE_ERROR, JavaSandbox

STUDY_LIMITS = {
    "python": Limits(cpu_seconds=10, wall_seconds=10, memory_bytes=4 << 30),
    "java": Limits(cpu_seconds=100, wall_seconds=100, memory_bytes=4 << 30),
}
RELEASE = 8

# Our benchmark with the programs that are translated, by the study's name and the programs' language.
SOURCES = {
    ("avatar", "java"): "avatar_java",
    ("avatar", "python"): "avatar",
    ("codenet", "java"): "codenet_java",
    ("codenet", "python"): "codenet_python",
}
_FOLDER = "dataset/Intermediate/Translation"
_TESTS = ("*_in.txt", "*_out.txt")
PARTS = {
    ("avatar", "java"): ArchivePart(
        ARCHIVES["CodeMind-v1"],
        f"{_FOLDER}/Avatar/Java/tests",
        _TESTS,
        "84059063d37f38e95dfa665aa3165fb9ae5416c79ab475a8f6dc249fdf9bcdbe",
    ),
    ("avatar", "python"): ArchivePart(
        ARCHIVES["CodeMind-v1"],
        f"{_FOLDER}/Avatar/Python/tests",
        _TESTS,
        "255714704055341f13261a756df0e2479a783aeefef7f571a36db332a2b9fc6f",
    ),
    ("codenet", "java"): ArchivePart(
        ARCHIVES["CodeMind-v1"],
        f"{_FOLDER}/CodeNet/Java/tests",
        _TESTS,
        "10e0e9a3d689f4a67b60d1273b741d5bf769012fc6e569bc000bc706c7b8a76e",
    ),
    ("codenet", "python"): ArchivePart(
        ARCHIVES["CodeMind-v1"],
        f"{_FOLDER}/CodeNet/Python/tests",
        _TESTS,
        "fc269581241cf8c01747f09909199d4397b3bf11e6535f1f289426f50800b436",
    ),
}
TITLES = {"avatar": "Avatar", "codenet": "CodeNet", "java": "Java", "python": "Python"}

CORRECT, COMPILATION, TIMEOUT, FAILED, RUNTIME = (
    "correct",
    "compilation_error",
    "timeout",
    "test_failed",
    "runtime_error",
)
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")

# What changes between the study's rule and ours, in the order in which it does.
AGAIN = "the study's rule, run again"
RELEASED = "Java 17 instead of 8"
PROGRAM = "the code read from the response"
COMPARED = "lines compared, exit status"
LABEL = "output proven"
ALL = "all tests"
CAUSES = (AGAIN, RELEASED, PROGRAM, COMPARED, LABEL, ALL)


@dataclass(frozen=True)
class Judged:
    """One recorded translation, judged by both rules.

    Attributes:
        row: As recorded.
        again: What the study's rule says of the recorded code.
        steps: Whether the translation is right, before and after each of :data:`CAUSES`; empty where the program
            is not asked for here.
        status: How it ends on all tests, as the sandbox says.
        excluded: Why the program is not asked for here; empty if it is.
    """

    row: dict[str, Any]
    again: str
    steps: tuple[bool, ...] = ()
    status: str = ""
    excluded: str = ""

    @property
    def published(self) -> str:
        """The recorded verdict."""
        return str(self.row["published_verdict"])

    @property
    def direction(self) -> tuple[str, str, str]:
        """Benchmark, language translated from and language translated to."""
        return self.row["benchmark"], self.row["source_language"], self.row["target_language"]

    @property
    def cause(self) -> str:
        """The last step that turned the verdict to what it is here; empty where it is the recorded one."""
        if not self.steps or self.steps[0] == self.steps[-1]:
            return ""
        return CAUSES[max(n for n in range(len(CAUSES)) if self.steps[n] != self.steps[n + 1])]


def study_verdict(outcome: Outcome, expected: str) -> str:
    """Return what the study's rule says of a run on one input, in its words and in its order.

    What does not compile; what does not end in time; what prints the expected text, white space around it aside; and
    of the others what says nothing on standard error.
    """
    if outcome.exception_type in (COMPILE_ERROR, *_SYNTAX):
        return COMPILATION
    if outcome.status is Status.TIMEOUT:
        return TIMEOUT
    printed = outcome.observations[0].stdout if outcome.observations else ""
    if printed.strip() == expected.strip():
        return CORRECT
    silent = outcome.status in (Status.PASSED, Status.FAILED) or outcome.exception_type == "SystemExit"
    return FAILED if silent and not outcome.stderr.strip() else RUNTIME


class Validation:
    """Judges recorded translations by both rules.

    Args:
        upstream: The repositories, for the tests of the first study.
    """

    def __init__(self, upstream: Upstream) -> None:
        self._tests = {
            key: {name: content.decode("utf-8").replace("\r\n", "\n") for name, content in upstream.files(part).items()}
            for key, part in PARTS.items()
        }
        self._problems = {
            key: {problem.problem_id: problem for problem in load_benchmark(name)} for key, name in SOURCES.items()
        }
        self._questions = {
            key: {
                question.key.problem_id: question
                for problem in TRANSLATION.problems(get_benchmark(name), {})
                for question in TRANSLATION.questions(problem, NO_TEST)
            }
            for key, name in SOURCES.items()
        }

    def study(self, rows: Sequence[dict[str, Any]], release: int = RELEASE) -> list[str]:
        """Return what the study's rule says of the recorded code of each row, in the rows' order.

        Args:
            rows: As recorded.
            release: The version of Java that programs are compiled for; 0 for the JDK's own.
        """
        shared = SharedPool()
        with JavaSandbox(release=release) as java:
            runs = [(java if row["target_language"] == "java" else shared).submit(self._study_job(row)) for row in rows]
            return [study_verdict(run.result(), self._test(row, "out")) for row, run in zip(rows, runs, strict=True)]

    def judge(self, rows: Sequence[dict[str, Any]]) -> list[Judged]:
        """Return the rows, judged by both rules, in their order."""
        again = self.study(rows)
        # What the older release refuses may be right for a newer one.
        refused = [
            row["target_language"] == "java" and verdict == COMPILATION
            for row, verdict in zip(rows, again, strict=True)
        ]
        newer = iter(self.study([row for row, is_refused in zip(rows, refused, strict=True) if is_refused], 0))
        released = [next(newer) if is_refused else verdict for verdict, is_refused in zip(again, refused, strict=True)]
        shared = SharedPool()
        jobs = [self._job(row) for row in rows]
        runs = [None if job is None else shared.submit(job) for job in jobs]
        verdicts = []
        for row, one, other, run in zip(rows, again, released, runs, strict=True):
            if row["problem_id"] not in self._questions[_key(row)]:
                problem = self._problems[_key(row)][row["problem_id"]]
                verdicts.append(Judged(row, one, excluded=problem.reason or "not asked for"))
                continue
            outcome = None if run is None else run.result()
            before = (row["published_verdict"] == CORRECT, one == CORRECT, other == CORRECT)
            steps = (*before, *own_steps(outcome, self._test(row, "out")))
            verdicts.append(Judged(row, one, steps, "no program" if outcome is None else str(outcome.status)))
        return verdicts

    def _test(self, row: dict[str, Any], what: str) -> str:
        return self._tests[_key(row)][f"{row['problem_id']}_{what}.txt"]

    def _study_job(self, row: dict[str, Any]) -> Job:
        target = row["target_language"]
        cases = [ScriptCase(self._test(row, "in"))]
        return Job.script(row["code"], cases, limits=STUDY_LIMITS[target], job_id=row["problem_id"], language=target)

    def _job(self, row: dict[str, Any]) -> Job | None:
        """Return the job of our rule, the recorded input first: the order of tests moves no verdict."""
        question: Question | None = self._questions[_key(row)].get(row["problem_id"])
        if question is None:
            return None
        job = TRANSLATION.job(TRANSLATION.read(row["response"], question, "extract-code"), question)
        if job is None:
            return None
        stdin = self._test(row, "in").rstrip()
        cases = sorted(job.cases, key=lambda case: case.stdin.rstrip() != stdin)
        if cases[0].stdin.rstrip() != stdin:
            raise ValueError(f"{row['problem_id']}: the recorded input is not among the tests")
        return replace(job, cases=tuple(cases))


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return row["benchmark"], row["source_language"]


def own_steps(outcome: Outcome | None, expected: str) -> tuple[bool, bool, bool, bool]:
    """Return four verdicts on the program of a response; each one applies one more of our rules.

    The first one is on the code that we read, judged by the study's output and comparison. Then come our comparison,
    the proven output and all tests.
    """
    if outcome is None or not outcome.observations:
        return (False,) * 4
    one = outcome.observations[0]
    stripped = one.status is not Status.TIMEOUT and one.stdout.strip() == expected.strip()
    ended = one.status in (Status.PASSED, Status.FAILED)
    compared = ended and printed_lines(one.stdout) == printed_lines(expected)
    return stripped, compared, one.status is Status.PASSED, outcome.passed


def report(judged: Sequence[Judged], listing: bool = False) -> Iterator[str]:
    """Yield the lines of the tables, and of the list of differences if that is wanted."""
    directions = list(dict.fromkeys(one.direction for one in judged))
    yield "| translations | | recorded | correct, published | correct, run again | judgements that differ |"
    yield "|---|---|---:|---:|---:|---:|"
    for direction in directions:
        of = [one for one in judged if one.direction == direction]
        yield (
            f"| {_titles(direction)} | {len(of)} | {sum(one.published == CORRECT for one in of)} "
            f"| {sum(one.again == CORRECT for one in of)} | {sum(one.again != one.published for one in of)} |"
        )
    yield ""
    yield "| translations | | asked here | correct, published | correct here | to correct | to incorrect |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for direction in directions:
        of = [one for one in judged if one.direction == direction and one.steps]
        gone = Counter(one.steps[-1] for one in of if one.cause)
        yield (
            f"| {_titles(direction)} | {len(of)} | {sum(one.steps[0] for one in of)} "
            f"| {sum(one.steps[-1] for one in of)} | {gone[True]} | {gone[False]} |"
        )
    yield ""
    yield f"| translations | | {' | '.join(CAUSES)} |"
    yield f"|---|---|{'---:|' * len(CAUSES)}"
    for direction in directions:
        counts = Counter((one.cause, one.steps[-1]) for one in judged if one.direction == direction and one.cause)
        yield f"| {_titles(direction)} | {' | '.join(f'+{counts[c, True]} -{counts[c, False]}' for c in CAUSES)} |"
    if listing:
        for one in judged:
            name = f"{' '.join(one.direction)} {one.row['problem_id']}"
            if one.again != one.published:
                yield f"{name}: {one.published} there, {one.again} by the same rule here"
            if one.cause:
                yield f"{name}: {'+' if one.steps[-1] else '-'} {one.cause}; {one.published} there, {one.status} here"
            if one.excluded and one.published == CORRECT:
                yield f"{name}: correct there, not asked for here: {one.excluded}"


def _titles(direction: tuple[str, str, str]) -> str:
    benchmark, source, target = (TITLES[name] for name in direction)
    return f"{benchmark} | {source} to {target}"


def read(path: Path, benchmarks: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the rows of a recording that were made without a test, in the order of our tables."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    chosen = [row for row in rows if row["setting"] == NO_TEST and (not benchmarks or row["benchmark"] in benchmarks)]
    return sorted(chosen, key=lambda row: (_key(row), row["problem_id"]))


def main() -> None:
    """Run the comparison from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path, help="v1_translation_MODEL.jsonl.gz")
    parser.add_argument("--upstream", required=True, type=Path, help="directory with upstream's archives")
    parser.add_argument("--benchmark", action="append", choices=("avatar", "codenet"), help="these alone")
    parser.add_argument("--list", action="store_true", help="name every difference")
    arguments = parser.parse_args()
    rows = read(arguments.recorded, arguments.benchmark or ())
    for line in report(Validation(Upstream(arguments.upstream)).judge(rows), arguments.list):
        print(line)


if __name__ == "__main__":
    main()

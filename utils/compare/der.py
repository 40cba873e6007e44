"""Dependent execution reasoning of the first study, scored again: its programs, answers and verdicts.

    python utils/compare/der.py v1_der_gpt-4.jsonl.gz [--list]

The programs are executed on all tests of this suite's problems, the answers compared by value with what the programs
compute, proven by execution. A published verdict is 0 (the program fails), 1 (it passes, and the answer is wrong) or 2
(both right). Prints the tables of docs/replication.md; ``--list`` adds every disagreement with its cause.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.families.der.score import mean_s_der, r_der
from lm_eval_codemind.families.ier.artifact import same_text
from lm_eval_codemind.families.ier.score import s_ier
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.prove_outputs import Execution, Proven, prove_outputs
from lm_eval_codemind.sandbox import Job, shared_sandbox

TITLES = {"humaneval": "HumanEval", "mbpp": "MBPP"}
# Table of the paper's first versions (RDER and Pass1 of GPT-4), in per cent.
PUBLISHED = {"humaneval": (81.40, 79.63), "mbpp": (82.62, 86.52)}


@dataclass(frozen=True)
class Scored:
    """One recorded row with what it is worth here.

    Attributes:
        row: As recorded.
        passed: Whether the program passes all tests of this suite's problem.
        one: Whether it passes the one assertion that the study went by.
        label: What the program computes on the recorded input.
        right: Whether the recorded answer states it, by value.
    """

    row: dict[str, Any]
    passed: bool
    one: bool
    label: Proven
    right: bool

    @property
    def answer(self) -> str:
        """The recorded answer; empty where there is none."""
        return str(self.row["output"] or "")

    @property
    def verdict(self) -> int:
        """The verdict in the study's terms: of a program that passes everything, whether the answer is right."""
        return 0 if not self.passed else 2 if self.right else 1

    @property
    def cause(self) -> str:
        """Why the verdict is not the published one; empty if it is."""
        published = int(self.row["published_label"])
        if published == self.verdict:
            return ""
        if published == 0:
            if not self.one:
                return "the assertion as recorded fails, T passes"
            return "passes the one assertion and T here"
        if self.verdict == 0:
            return f"{'passes' if self.one else 'fails'} the one assertion, fails T"
        if self.label.output is None:
            return f"no label: {self.label.cause}"
        expected = str(self.row["expected_output"])
        if self.verdict == 2:
            if s_ier(expected.strip(), self.label.output, False):
                return "right by value, compared as text there"
            return "the study's expected output is more than the value, or another one"
        if same_text(self.answer, expected):
            return "equal as text there, another value"
        return "taken for the expected output there, and not what the program gives"


def scored(rows: Sequence[dict[str, Any]]) -> list[Scored]:
    """Return the rows, scored, in their order."""
    problems: dict[tuple[str, str], Problem] = {}
    for benchmark in dict.fromkeys(row["benchmark"] for row in rows):
        problems |= {(benchmark, problem.problem_id): problem for problem in load_benchmark(benchmark)}
    own = [problems[row["benchmark"], _problem_id(row)] for row in rows]
    sandbox = shared_sandbox()
    on_all = [
        sandbox.submit(kind_of(problem).suite_job(problem, row["code"], limits=limits_of(problem)))
        for row, problem in zip(rows, own, strict=True)
    ]
    on_one = [sandbox.submit(_assertion(row, problem)) for row, problem in zip(rows, own, strict=True)]
    labels = prove_outputs(
        [Execution(problem, row["code"], row["input"].strip()) for row, problem in zip(rows, own, strict=True)]
    )
    return [
        Scored(
            row,
            suite.result().passed,
            one.result().passed,
            label,
            label.output is not None and s_ier(row["output"], label.output, False),
        )
        for row, suite, one, label in zip(rows, on_all, on_one, labels, strict=True)
    ]


def _problem_id(row: dict[str, Any]) -> str:
    return f"MBPP_{row['problem_id']}" if row["benchmark"] == "mbpp" else str(row["problem_id"])


def _assertion(row: dict[str, Any], problem: Problem) -> Job:
    test = f"assert {row['input'].strip()} == {row['expected_output'].strip()}"
    return Job.function(row["code"], test, problem.entry_point, limits=limits_of(problem))


def report(rows: Sequence[dict[str, Any]], listing: bool) -> Iterator[str]:
    """Yield the lines of the tables."""
    results = scored(rows)
    benchmarks = [name for name in TITLES if any(one.row["benchmark"] == name for one in results)]
    yield "| benchmark | programs | | pass | R_DER | mean S_DER |"
    yield "|---|---:|---|---:|---:|---:|"
    for name in benchmarks:
        of = [one for one in results if one.row["benchmark"] == name]
        asked = [float(one.right) for one in of if one.passed and one.label.output is not None]
        passed = sum(one.passed for one in of)
        yield (
            f"| {TITLES[name]} | {len(of)} | here | {passed / len(of):.4f} | {r_der(asked):.4f} | "
            f"{mean_s_der(asked, len(of) - passed):.4f} |"
        )
        there = [float(one.row["published_label"] == 2) for one in of if one.row["published_label"]]
        yield (
            f"| | | recorded verdicts | {len(there) / len(of):.4f} | {r_der(there):.4f} | "
            f"{mean_s_der(there, len(of) - len(there)):.4f} |"
        )
        r, p = PUBLISHED[name]
        yield f"| | | published table | {p / 100:.4f} | {r / 100:.4f} | |"
    yield ""
    yield "| benchmark | recorded | here | rows | cause |"
    yield "|---|---:|---:|---:|---|"
    for name in benchmarks:
        of = [one for one in results if one.row["benchmark"] == name]
        same = sum(not one.cause for one in of)
        yield f"| {TITLES[name]} | | | {same} | the verdicts agree |"
        causes = Counter((int(one.row["published_label"]), one.verdict, one.cause) for one in of if one.cause)
        for (there_, here, cause), count in sorted(causes.items()):
            yield f"| {TITLES[name]} | {there_} | {here} | {count} | {cause} |"
    if listing:
        for one in results:
            if one.cause:
                row = one.row
                yield (
                    f"{row['benchmark']} {row['problem_id']}: {row['published_label']} there, {one.verdict} here: "
                    f"{one.cause}; answer {one.answer[:80]!r}, expected {row['expected_output'][:80]!r}, "
                    f"computed {(one.label.output or one.label.cause)[:80]!r}"
                )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path, help="v1_der_MODEL.jsonl.gz")
    parser.add_argument("--list", action="store_true", help="name every disagreement")
    arguments = parser.parse_args()
    with gzip.open(arguments.recording, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for line in report(rows, arguments.list):
        print(line)


if __name__ == "__main__":
    main()

"""Print why recorded verdicts differ from those over proven labels and by value, which `codemind results` counts.

    python utils/compare/published.py RECORDED.jsonl.gz... [--list]

A recorded response has, besides what `codemind score` reads, the fields ``published_prediction``, ``published_label``
and ``published_verdict``: what the CodeMind artifact, or its first study, found in the response, what it compared it
with and what came out. Prints Markdown. With --list, every changed verdict follows, for reading.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.ier.artifact import marked_answer, same_text
from lm_eval_codemind.families.ier.score import s_ier
from lm_eval_codemind.harness.recordings import answers_another_question
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem

# Why a verdict changes, in the order in which it is asked.
FOUND = "answer found"
LABEL = "label corrected"
COMPARISON = "text against value"
CAUSES = (LABEL, COMPARISON, FOUND)
BENCHMARKS = (
    "humaneval",
    "mbpp",
    "cruxeval",
    "classeval",
    "avatar",
    "avatar_java",
    "codenet_python",
    "codenet_java",
)
# The first study calls MBPP's problems by their numbers, and labels those that have a call.
_BUILT = {"mbpp": "mbpp_labelled"}
_PREFIXES = {"mbpp": "MBPP_"}
# Some recorded responses repeat their prompt, which names the marker; this is where the answer begins.
_ANSWER = "@@ Response"


@dataclass(frozen=True)
class Verdict:
    """One response, judged twice.

    Attributes:
        row: The recorded row.
        problem: The problem with its proven label.
        answer: The text after the marker.
        right: Whether the answer equals the proven label by value.
    """

    row: dict[str, Any]
    problem: Problem
    answer: str | None
    right: bool

    @property
    def published(self) -> bool:
        """The recorded verdict."""
        return bool(self.row["published_verdict"])

    @property
    def cause(self) -> str:
        """Why the verdicts differ; the empty string if they do not."""
        if self.right == self.published:
            return ""
        if not same_text(self.answer or "", self.row["published_prediction"] or ""):
            return FOUND
        assert self.problem.output is not None
        same_label = same_output(self.row["published_label"], self.problem.output, kind_of(self.problem).printed)
        return COMPARISON if same_label or self.problem.category == "confirmed" else LABEL


def judge(rows: Iterable[dict[str, Any]]) -> Iterator[Verdict]:
    """Yield the verdicts on the recorded responses to problems that have a proven label.

    Responses to those of ClassEval's questions that this suite asks otherwise are left out.
    """
    problems: dict[str, dict[str, Problem]] = {}
    for row in rows:
        name = row["benchmark"]
        if name not in problems:
            problems[name] = {problem.problem_id: problem for problem in load_benchmark(_BUILT.get(name, name))}
        problem = problems[name][_PREFIXES.get(name, "") + row["problem_id"]]
        printed = kind_of(problem).printed
        document = {"benchmark": problem.benchmark, "problem_id": problem.problem_id}
        if problem.output is not None and not answers_another_question(row, document):
            answer = marked_answer((row["response"] or "").rpartition(_ANSWER)[2])
            yield Verdict(row, problem, answer, s_ier(answer, problem.output, printed))


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of recorded responses."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def report(paths: Iterable[Path], listing: bool) -> Iterator[str]:
    """Yield the lines of the report."""
    changed: list[Verdict] = []
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    for rows in map(read, paths):
        verdicts = list(judge(rows))
        model = rows[0]["model"]
        for benchmark in BENCHMARKS:
            of_benchmark = [verdict for verdict in verdicts if verdict.row["benchmark"] == benchmark]
            for verdict in of_benchmark:
                if verdict.cause:
                    changed.append(verdict)
                    counts[model, benchmark, verdict.cause, verdict.right] += 1
    yield f"| model | benchmark | {' | '.join(CAUSES)} |"
    yield f"|---|---|{'---:|' * len(CAUSES)}"
    for model, benchmark in dict.fromkeys((model, benchmark) for model, benchmark, _, _ in counts):
        cells = (f"+{counts[model, benchmark, c, True]} -{counts[model, benchmark, c, False]}" for c in CAUSES)
        yield f"| {model} | {benchmark} | {' | '.join(cells)} |"
    if listing:
        for verdict in changed:
            row, sign = verdict.row, "+" if verdict.right else "-"
            yield f"\n{sign} {verdict.cause}: {row['model']} {row['benchmark']} {row['problem_id']}"
            yield f"    published label {row['published_label']!r}, found {row['published_prediction']!r}"
            yield f"    proven label    {verdict.problem.output!r}, found {verdict.answer!r}"


def main() -> None:
    """Run the comparison from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", nargs="+", type=Path, help="files of recorded responses, gzipped JSON lines")
    parser.add_argument("--list", action="store_true", help="list every changed verdict")
    arguments = parser.parse_args()
    for line in report(arguments.recorded, arguments.list):
        print(line)


if __name__ == "__main__":
    main()

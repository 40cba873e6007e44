"""Dependent execution reasoning of the first study, scored again: its programs, answers and verdicts.

    python utils/compare/der.py v1_der_gpt-4.jsonl.gz

The programs are executed on all tests of this suite's problems, the answers compared by value with what the programs
compute, proven by execution. A published verdict is 0 (the program fails), 1 (it passes, and the answer is wrong) or 2
(both right). Prints the table of docs/replication.md.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.making import Execution
from lm_eval_codemind.families.der.score import mean_s_der, r_der
from lm_eval_codemind.families.ier.score import s_ier
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.sandbox import shared_sandbox
from lm_eval_codemind.workshop.proof.prove_outputs import prove_outputs

TITLES = {"humaneval": "HumanEval", "mbpp": "MBPP"}
# R_DER and the pass rate of GPT-4 in the paper's first versions.
PUBLISHED = {"humaneval": (0.8140, 0.7963), "mbpp": (0.8262, 0.8652)}


def scores(rows: Sequence[dict[str, Any]]) -> list[tuple[bool, float | None]]:
    """Return of each row whether its program passes, and whether its answer is right: None without a proven label."""
    problems = {
        (name, problem.problem_id.removeprefix("MBPP_")): problem for name in TITLES for problem in load_benchmark(name)
    }
    own = [problems[row["benchmark"], str(row["problem_id"])] for row in rows]
    suites = [
        shared_sandbox().submit(kind_of(problem).suite_job(problem, row["code"], limits=limits_of(problem)))
        for row, problem in zip(rows, own, strict=True)
    ]
    labels = prove_outputs(
        [Execution(problem, row["code"], row["input"].strip()) for row, problem in zip(rows, own, strict=True)]
    )
    return [
        (suite.result().passed, None if label.output is None else float(s_ier(row["output"], label.output, False)))
        for row, suite, label in zip(rows, suites, labels, strict=True)
    ]


def report(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table of scores."""
    yield "| benchmark | programs | | pass | R_DER | mean S_DER |"
    yield "|---|---:|---|---:|---:|---:|"
    results = scores(rows)
    for name, title in TITLES.items():
        here = [result for row, result in zip(rows, results, strict=True) if row["benchmark"] == name]
        asked = [right for passed, right in here if passed and right is not None]
        yield f"| {title} | {len(here)} | here | {_cells(asked, sum(passed for passed, _ in here), len(here))} |"
        verdicts = [row["published_label"] for row in rows if row["benchmark"] == name]
        there = [float(verdict == 2) for verdict in verdicts if verdict]
        yield f"| | | recorded verdicts | {_cells(there, len(there), len(here))} |"
        r, passed = PUBLISHED[name]
        yield f"| | | published table | {passed:.4f} | {r:.4f} | |"


def _cells(right: list[float], passed: int, count: int) -> str:
    programs = (sum(right), len(right) + count - passed, 1)
    return f"{passed / count:.4f} | {r_der(right):.4f} | {mean_s_der([programs]):.4f}"


@click.command()
@click.argument("recording", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(recording: Path) -> None:
    """Print the table."""
    click.echo("\n".join(report(list(map(json.loads, read_lines(recording))))))


if __name__ == "__main__":
    main()

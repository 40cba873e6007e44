"""Judge recorded input predictions and compare with the recorded verdicts.

    python utils/compare_input_verdicts.py FILE [--list]

FILE has rows with ``benchmark``, ``problem_id``, ``response`` and ``verdict``. Works on the built data
(``$CODEMIND_DATA``). Says how much processor time judging took, that of all processes together.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from lm_eval_codemind.families.input import task as family
from lm_eval_codemind.questions import Question


class Judged(NamedTuple):
    """A recorded answer with both verdicts."""

    problem_id: str
    response: str
    recorded: bool
    ours: bool
    answer: str


def judged(rows: Iterable[dict[str, Any]], benchmark: str) -> Iterator[Judged]:
    """Yield recorded answers to a benchmark's problems with both verdicts, in the order of the problems."""
    documents = {row["problem_id"]: row for row in family.dataset(benchmark=benchmark, setting="steps")["test"]}
    by_problem: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["benchmark"] == benchmark:
            by_problem.setdefault(row["problem_id"], []).append(row)
    chosen = [documents[name] for name in by_problem]
    responses = [[row["response"] for row in answered_rows] for answered_rows in by_problem.values()]
    for document, answered_rows, answers in zip(
        chosen, by_problem.values(), family.flexible_extract(responses, chosen), strict=True
    ):
        question = Question.from_document(document)
        for row, answer in zip(answered_rows, answers, strict=True):
            answer.wait()
            right = bool(family.INPUT_PREDICTION.score(question, answer)["r_input"])
            yield Judged(row["problem_id"], row["response"], bool(row["verdict"]), right, str(answer))


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines, gzipped or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _cpu() -> float:
    """Return the processor time of this process and all below it that are alive, with that of their dead children."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(stat.parent.name)
        parents[process], used[process] = int(fields[1]), sum(map(int, fields[11:15]))
    below = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(used[process] for process in below if process in used) / os.sysconf("SC_CLK_TCK")


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--benchmark", default="cruxeval", show_default=True)
@click.option("--first", is_flag=True, help="Judge the first answer to each problem only.")
@click.option("--list", "listed", is_flag=True, help="Show each answer on which the verdicts differ, once.")
def main(path: Path, benchmark: str, first: bool, listed: bool) -> None:
    """Compare verdicts."""
    rows = read(path)
    if first:
        rows = list({row["problem_id"]: row for row in reversed(rows)}.values())
    family.dataset(benchmark=benchmark, setting="steps")
    before = _cpu()
    answers = list(judged(rows, benchmark))
    used = _cpu() - before
    differ = [one for one in answers if one.recorded != one.ours]
    click.echo(
        f"{len(answers)} answers ({len({one[:2] for one in answers})} different ones), recorded as right "
        f"{sum(one.recorded for one in answers)}, by us {sum(one.ours for one in answers)}; "
        f"{len(differ)} verdicts differ; {used:.1f} s of processor time"
    )
    if listed:
        for one in dict.fromkeys(differ):
            click.echo(
                f"{one.problem_id}: recorded {one.recorded}, ours {one.ours}: {one.response[:200]!r} {one.answer[:300]}"
            )


if __name__ == "__main__":
    main()

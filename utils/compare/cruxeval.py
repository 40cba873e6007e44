"""The answers of CRUXEval's leaderboard site, scored again.

    python utils/compare/cruxeval.py RECORDINGS > docs/replication/cruxeval_site.csv

RECORDINGS has a file ``MODEL[_cot]_tempT_input.jsonl.gz`` or ``…_output.jsonl.gz`` for each setting, with a line for
each problem: ``problem_id``, ``answers`` and ``verdicts``. Answers that upstream excludes may have no verdict. Each
distinct answer is judged once, some to a problem together and in little time; those whose verdict is not the recorded
one are judged alone, with the limits of the tasks. Those that still differ are listed on standard error.
"""

import ast
import csv
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.answers.forms import literal_at_start
from lm_eval_codemind.answers.literals import is_literal
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.cruxeval.score import upstream_pass_at_k
from lm_eval_codemind.families.cruxeval.task import COLUMNS, CRUXEVAL_INPUT, CRUXEVAL_OUTPUT, DIRECT, FILTER
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Job, Limits, shared_sandbox

FAMILIES = {"input": CRUXEVAL_INPUT, "output": CRUXEVAL_OUTPUT}
COLUMNS_OF_TABLE = (
    *("question", "model", "form", "temperature", "answers", "excluded", "recorded pass@1", "pass@1_upstream"),
    *("pass@1", "verdicts that differ from the recorded", "answers that pass@1 judges otherwise", "causes"),
)
_NAME = re.compile(r"(?P<model>.+?)(?P<cot>_cot)?_temp(?P<temperature>[\d.]+)_(?P<question>input|output)\.jsonl\.gz")
_TOGETHER = 20
# Right programs take milliseconds.
_LIMITS = Limits(cpu_seconds=0.5)


@dataclass(frozen=True)
class Judgement:
    """What both rules say of an answer, and why they differ, if they do."""

    by_value: bool
    upstream: bool
    excluded: bool
    cause: str


Judgements = Mapping[tuple[str, str], Judgement]


def judged(kind: str, answers: Iterable[tuple[str, str]], alone: bool = False) -> dict[tuple[str, str], Judgement]:
    """Return the judgements of answers, each a problem's name and a text."""
    family, problems = FAMILIES[kind], {problem.problem_id: problem for problem in load_benchmark("cruxeval")}
    read_answers: dict[tuple[str, str], tuple[Question, Answer]] = {}
    jobs: dict[str, list[tuple[Answer, Job]]] = defaultdict(list)
    for name, text in answers:
        question = Question.about(problems[name], DIRECT, {"extracted": True}, columns=COLUMNS)
        answer = family.read(text, question, FILTER)
        read_answers[name, text] = question, answer
        job = family.job(answer, question)
        if job is not None:
            jobs[name].append((answer, job if alone else replace(job, limits=_LIMITS)))
    _execute([part for own in jobs.values() for part in _parts(own, 1 if alone else _TOGETHER)])
    judgements = {}
    for place, (question, answer) in read_answers.items():
        scores = family.score(question, answer)
        by_value, upstream = bool(scores["pass@1"]), bool(scores["pass@1_upstream"])
        cause = "" if by_value == upstream else _cause(kind, place[1], by_value)
        judgements[place] = Judgement(by_value, upstream, bool(answer.details["excluded_upstream"]), cause)
    return judgements


def _parts(jobs: Sequence[tuple[Answer, Job]], size: int) -> Iterator[Sequence[tuple[Answer, Job]]]:
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


def _execute(parts: Sequence[Sequence[tuple[Answer, Job]]]) -> None:
    """Execute jobs of the same program together, and one by one those where that fails."""
    alone = []
    joined = [replace(part[0][1], expressions=tuple(e for _, job in part for e in job.expressions)) for part in parts]
    for part, outcome in zip(parts, shared_sandbox().run(joined), strict=True):
        observations = list(outcome.observations)
        if len(part) > 1 and not (outcome.passed and len(observations) == sum(len(job.expressions) for _, job in part)):
            alone += [[one] for one in part]
            continue
        for answer, job in part:
            answer.observations = tuple(observations[: len(job.expressions)])
            del observations[: len(job.expressions)]
    if alone:
        _execute(alone)


def _cause(kind: str, text: str, by_value: bool) -> str:
    """Return why the two rules differ about an answer."""
    if kind == "input":
        return "an assertion around the call" if by_value else "an expression or a function in the input"
    if by_value and is_literal(text):
        return "escapes of the other kind"
    if by_value:
        return "text after the answer" if literal_at_start(text) else "no quotes, or other characters"
    with suppress(SyntaxError):
        match ast.parse(f"assert 0 == {text}").body:
            case [ast.Assert(msg=ast.expr())]:
                return "a comma, which starts a message"
    return "True for 1 or the reverse" if is_literal(text) else "an expression"


def counted(row: Mapping[str, Any], judgements: Sequence[Judgement]) -> list[tuple[str, Judgement, bool]]:
    """Return the answers of a row that have a recorded verdict, with their judgement and that verdict."""
    both = list(zip(row["answers"], judgements, strict=True))
    if len(row["verdicts"]) < len(both):
        both = [each for each in both if not each[1].excluded]
    return [(text, judgement, verdict) for (text, judgement), verdict in zip(both, row["verdicts"], strict=False)]


def table_row(path: Path, rows: Sequence[Mapping[str, Any]], known: Judgements) -> tuple[list[str], list[str]]:
    """Return the row of a file in the table, and the verdicts that differ from the recorded ones, as lines."""
    parts = _NAME.fullmatch(path.name)
    assert parts is not None, f"{path.name}: no name of a recording"
    recorded = upstream = by_value = 0.0
    causes: Counter[str] = Counter()
    excluded = 0
    differing = []
    for row in rows:
        own = [known[row["problem_id"], text] for text in row["answers"]]
        recorded += sum(row["verdicts"]) / len(row["verdicts"])
        upstream += upstream_pass_at_k([None if each.excluded else each.upstream for each in own], 1)
        by_value += sum(each.by_value for each in own) / len(own)
        excluded += sum(each.excluded for each in own)
        causes.update(each.cause for each in own if each.cause)
        differing += [
            f"{path.name}, {row['problem_id']}: {text!r}, recorded {verdict}"
            for text, judgement, verdict in counted(row, own)
            if judgement.upstream != verdict
        ]
    shares = [f"{100 * value / len(rows):.2f}" for value in (recorded, upstream, by_value)]
    named = "; ".join(f"{cause} {count}" for cause, count in causes.most_common())
    form = "CoT" if parts["cot"] else "direct"
    answers = sum(len(row["answers"]) for row in rows)
    cells = [parts["question"], parts["model"], form, parts["temperature"], f"{answers}", f"{excluded}", *shares]
    return [*cells, f"{len(differing)}", f"{causes.total()}", named], differing


def judge_files(files: Mapping[Path, Sequence[Mapping[str, Any]]]) -> dict[str, dict[tuple[str, str], Judgement]]:
    """Return the judgements of the distinct answers in files, by question."""
    known = {}
    for kind in FAMILIES:
        own = {path: rows for path, rows in files.items() if path.name.endswith(f"_{kind}.jsonl.gz")}
        known[kind] = judged(
            kind, {(row["problem_id"], text) for rows in own.values() for row in rows for text in row["answers"]}
        )
        again = {
            (row["problem_id"], text)
            for rows in own.values()
            for row in rows
            for text, judgement, verdict in counted(
                row, [known[kind][row["problem_id"], text] for text in row["answers"]]
            )
            if judgement.upstream != verdict
        }
        known[kind] |= judged(kind, again, alone=True)
    return known


@click.command()
@click.argument("directory", metavar="RECORDINGS", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(directory: Path) -> None:
    """Print the table."""
    files = {path: list(map(json.loads, read_lines(path))) for path in sorted(directory.glob("*_temp*.jsonl.gz"))}
    known = judge_files(files)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS_OF_TABLE)
    for kind in FAMILIES:
        for path, rows in files.items():
            if path.name.endswith(f"_{kind}.jsonl.gz"):
                cells, differing = table_row(path, rows, known[kind])
                writer.writerow(cells)
                click.echo("\n".join(differing), err=True, nl=bool(differing))


if __name__ == "__main__":
    main()

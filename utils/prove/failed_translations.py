"""List the recorded translations that pass their suite and fail a witness, for somebody to read.

    python utils/prove/failed_translations.py RECORDED

It writes ``tests/programs/failed_translations.csv`` from the file ``v1_translation_gpt-4.jsonl.gz`` in the folder
RECORDED: benchmark, problem and setting of each of these programs, the first witness that it fails, and what a reader
says about it. Somebody who did not choose the witnesses decides: the program is ``wrong``, since the original program
does something else on an input of the published types, or the witness must go. A program that fails another witness
than before is ``unread``.
"""

import csv
import json
from collections.abc import Collection, Iterator
from pathlib import Path

import click

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.sr.task import MISLEADING
from lm_eval_codemind.families.translation.task import TRANSLATION
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Job, Outcome, SharedPool

TABLE = Path(__file__).parents[2] / "tests" / "programs" / "failed_translations.csv"
COLUMNS = ("benchmark", "problem", "setting", "model", "witness", "verdict", "reason")
# Benchmarks with programs to translate, as the study and this suite name them.
_NAMES = {
    ("avatar", "python"): "avatar",
    ("avatar", "java"): "avatar_java",
    ("codenet", "python"): "codenet_python",
    ("codenet", "java"): "codenet_java",
}
# Programs that wait for their outcomes.
_GROUP = 40
# The most characters of an input in the table.
_LONGEST = 200

Place = tuple[str, str, str]
"""The benchmark, the problem and the setting of a recorded translation."""


def listed() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def place_of(row: dict[str, str]) -> Place:
    """Return which translation a row of the table is about."""
    return row["benchmark"], row["problem"], row["setting"]


def failing(folder: Path, only: Collection[Place] | None = None) -> Iterator[tuple[Place, str, str]]:
    """Yield the translations that pass the suite and fail a witness: place, model, and the input of the witness.

    Args:
        folder: Has the recorded responses.
        only: Judge these translations only; by default all whose problems have witnesses.
    """
    recorded = list(_recorded(folder, only))
    sandbox = SharedPool()
    for start in range(0, len(recorded), _GROUP):
        group = recorded[start : start + _GROUP]
        told = [
            (place, model, question, answer, outcome)
            for (place, model, question, answer, _), outcome in zip(
                group, sandbox.run(job for *_, job in group), strict=True
            )
            if str(outcome.status) in ("failed", "error")
        ]
        # Few fail a witness: only their suites are run.
        suites = sandbox.run(_suite_job(question, answer) for _, _, question, answer, _ in told)
        for (place, model, question, _, outcome), suite in zip(told, suites, strict=True):
            if suite.passed:
                yield place, model, _input(question, outcome)


def _recorded(folder: Path, only: Collection[Place] | None) -> Iterator[tuple[Place, str, Question, Answer, Job]]:
    """Yield the recorded translations that have a program, with the jobs that run them on the witnesses."""
    problems = {
        name: {problem.problem_id: problem for problem in TRANSLATION.problems(get_benchmark(name), {})}
        for name in _NAMES.values()
    }
    for row in map(json.loads, read_lines(folder / "v1_translation_gpt-4.jsonl.gz")):
        name = _NAMES[row["benchmark"], row["source_language"]]
        place = name, row["problem_id"], row["setting"]
        problem = problems[name].get(row["problem_id"])
        if problem is None or row["setting"] == MISLEADING or (only is not None and place not in only):
            continue
        for question in TRANSLATION.questions(problem, row["setting"]):
            answer = TRANSLATION.read(row["response"], question, "extract-code")
            job = TRANSLATION.witness_job(answer, question)
            if job is not None:
                yield place, row["model"], question, answer, job


def _suite_job(question: Question, answer: Answer) -> Job:
    job = TRANSLATION.job(answer, question)
    assert job is not None
    return job


def _input(question: Question, outcome: Outcome) -> str:
    cases = TRANSLATION.judged(question).witnesses
    text = repr(cases[len(outcome.observations) - 1].input)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
def main(folder: Path) -> None:
    """Write the table of the recorded translations in FOLDER that pass their suite and fail a witness."""
    known = {(place_of(row), row["witness"]): (row["verdict"], row["reason"]) for row in listed()}
    rows = [
        (*place[:3], model, witness, *known.get((place, witness), ("unread", "")))
        for place, model, witness in failing(folder)
    ]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(sorted(rows))
    unread = sum(verdict == "unread" for *_, verdict, _ in rows)
    click.echo(f"{len(rows)} translations pass their suite and fail a witness; {unread} of them are unread")


if __name__ == "__main__":
    main()

"""Print what CES's recorded responses give on traces, verdicts, lines and repairs, and how these go together.

    python utils/compare_ces.py RECORDED_DIR --repairs RESULTS_DIR

RECORDED_DIR holds ``ces_simulation_MODEL.jsonl.gz`` and the like. RESULTS_DIR holds what `codemind score` writes for
the recorded repairs with the task codemind_repair_direct_humaneval, in a directory per model.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.families import trace_published, verdict
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.scores.association import associate
from lm_eval_codemind.scores.statistics import bootstrap, holm

MODELS = ("gpt-4-turbo", "deepseek-coder-33b-instruct", "CodeLlama-34b-Instruct-hf")
Solved = dict[str, bool]


def recorded(directory: Path, what: str, model: str) -> Iterator[dict[str, Any]]:
    """Yield the recorded rows of a model."""
    with gzip.open(directory / f"ces_{what}_{model}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def traces(directory: Path, model: str, inputs: dict[str, dict[str, Any]]) -> Solved:
    """Print the traces that are right for the right reason, and return the programs with right traces on all inputs."""
    solved: Solved = {}
    counts: dict[str, list[int]] = {}
    incoherent = traced = 0
    for row in recorded(directory, "simulation", model):
        question = Question.from_document(inputs[row["problem_id"]])
        if question["proven"] == "[]":
            continue
        said, name = row["published_verdict"], question.key.problem_id
        answer = Answer(row["published_code"], {"output": row["published_prediction"]})
        right = trace_published.CES.score(question, answer)["trace"] == 1
        solved[name] = solved.get(name, True) and right
        of_program = counts.setdefault(name, [0, 0])
        of_program[0] += bool(said["output"] and right)
        of_program[1] += said["output"]
        incoherent += not said["reasoning"]
        traced += not said["reasoning"] and right
    share = bootstrap(list(counts.values()), lambda means: means[..., 0] / means[..., 1])
    reasons, outputs = (sum(of[place] for of in counts.values()) for place in (0, 1))
    interval = f"{100 * share.value:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"
    click.echo(f"| {model} | {outputs} | {reasons}: {interval} | {incoherent} | {traced} |")
    return solved


def verdicts(directory: Path, model: str) -> Solved:
    """Return the problems with both verdicts right: the buggy program is called buggy and the correct one is not."""
    right = {"response_0": "No", "response_1": "Yes"}
    solved: Solved = {}
    for row in recorded(directory, "detection", model):
        name = row["problem_id"]
        solved[name] = solved.get(name, True) and row["published_prediction"] == right[row["part"]]
    return solved


def located(directory: Path, model: str, documents: dict[str, dict[str, Any]]) -> Solved:
    """Return the problems with a right line."""
    solved: Solved = {}
    for row in recorded(directory, "localisation", model):
        document = documents[row["problem_id"]]
        response = f"<answer>\n{row['published_prediction']}\n</answer>"
        ((answer,),) = verdict.extract_line([[response]], [document])
        solved[row["problem_id"]] = verdict.process_located(document, [[answer]])["locate"] == 1
    return solved


def repaired(results: Path, directory: Path, model: str) -> Solved:
    """Print the number of repaired programs, and return the problems with a right repair."""
    (file,) = (results / model).rglob("samples_codemind_repair_direct_humaneval_*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    solved = {row["doc"]["problem_id"]: row["pass@1"] == 1 for row in rows}
    said = {row["problem_id"]: bool(row["published_verdict"]) for row in recorded(directory, "repair", model)}
    gained = sorted(name for name, right in solved.items() if right and not said[name])
    lost = sorted(name for name, right in solved.items() if said[name] and not right)
    click.echo(f"| {model} | {sum(said.values())} | {sum(solved.values())} | {', '.join(gained)} | {', '.join(lost)} |")
    return solved


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--repairs", required=True, type=click.Path(path_type=Path), help="Results of `codemind score`.")
def main(directory: Path, repairs: Path) -> None:
    """Print the tables of docs/replication.md."""
    inputs = {row["item"]: row for row in trace_published.ces_dataset(benchmark="ces")["test"]}
    lines = {row["problem_id"]: row for row in verdict.locate_dataset(benchmark="humanevalfix")["test"]}
    solved = {model: {"trace": traces(directory, model, inputs)} for model in MODELS}
    for model, of in solved.items():
        of |= {"verdict": verdicts(directory, model), "line": located(directory, model, lines)}
        of["repair"] = repaired(repairs, directory, model)
    for model, of in solved.items():
        pairs = []
        for first, second in combinations(of, 2):
            common = [name for name in of[first] if name in of[second]]
            found = associate([of[first][name] for name in common], [of[second][name] for name in common])
            pairs.append((first, second, found))
        for (first, second, found), p in zip(pairs, holm([found.p for _, _, found in pairs]), strict=True):
            counts = f"{found.both}, {found.first_only}, {found.second_only}, {found.neither}"
            ratio = f"{found.odds_ratio.value:.2f} [{found.odds_ratio.low:.2f}, {found.odds_ratio.high:.2f}]"
            click.echo(f"| {model} | {first} | {second} | {counts} | {ratio} | {found.p:.3f} | {p:.3f} |")


if __name__ == "__main__":
    main()

"""Print how right traces, verdicts, lines and repairs go together in CES's recorded responses.

    python utils/compare_ces.py RECORDED_DIR --results RESULTS_DIR [--list]

RECORDED_DIR holds ``ces_simulation_MODEL.jsonl.gz`` and the like. RESULTS_DIR is what `codemind results RECORDED_DIR`
wrote. With --list, every construct follows whose recorded bits differ from those that the study's logs give.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.data.facts.programs import is_settled
from lm_eval_codemind.families.verdict import task as verdict
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.results.association import associate
from lm_eval_codemind.statistics import bootstrap, holm
from lm_eval_codemind.studies.traces import ces
from lm_eval_codemind.studies.traces import task as trace_published
from lm_eval_codemind.studies.traces.ces_data import BRANCH, CONDITION, ITERABLE, VARIABLE

_KINDS = {"loop": (VARIABLE, ITERABLE), "condition": (CONDITION, BRANCH)}
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


def lists(value: Any) -> Any:
    """Return a value with lists in place of tuples."""
    return [lists(item) for item in value] if isinstance(value, (list, tuple)) else value


def cause(text: str | None, values: list[Any], recorded: bool) -> str:
    """Return why a mark counts as right in the study and as wrong over its logs, or the other way round."""
    if not recorded:
        return "equals the logs, and counts as wrong there"
    if text is None:
        return "the answer lacks the mark, which the study does not ask for"
    answer = ces.value_of(text)
    answer = answer if isinstance(answer, list) else [answer]
    if any(lists(answer) == lists(one) for one in (values, *values[:1])):
        return "a list in place of a tuple"
    if answer == values[: len(answer)]:
        return "the values of the first passes"
    return f"{text} in place of {values}" if len(text) < 200 else "other values than those of the logs"


def differences(row: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    """Yield the constructs of an input whose recorded bits are not those over the logs, each with its cause."""
    question = Question.from_document(document)
    answer = trace_published.CES.read(row["response"].rpartition("[/INST]")[2], question, trace_published.FILTER)
    trace_published.CES.score(question, answer)
    ours = {(line, kind): bits for line, kind, bits in answer.details["bits"]}
    recorded = {(one["lino"], one["type"]): one["label"][:2] for one in row["published_verdict"]["labels"]}
    stated = ces.read_marks(answer.text or "")
    for place in sorted(ours.keys() | recorded.keys()):
        where = f"{row['model']} {row['problem_id']}, line {place[0]}, {place[1]}"
        if place not in ours or place not in recorded:
            yield f"{where}: {'only the study has it' if place in recorded else 'only the logs have it'}"
            continue
        for kinds, here, there in zip(_KINDS[place[1]], ours[place], recorded[place], strict=True):
            if here == there:
                continue
            causes = {
                cause(stated.get(line, {}).get(f"({name})" if kind == CONDITION else name), values, bool(there))
                for line, kind, name, texts in json.loads(question["marks"])
                if line == place[0] and kind == kinds
                for values in [[ces.value_of(text) for text in texts]]
                if there == 0 or not _states(stated, line, kind, name, values)
            }
            if not causes:
                causes = {cause(None, [], False) if here else "another line of the chain differs"}
            yield f"{where}, {kinds}: {there} there, {int(here)} here: {'; '.join(sorted(causes))}"


def _states(stated: ces.Marks, line: int, kind: str, name: str, values: list[Any]) -> bool:
    text = stated.get(line, {}).get(f"({name})" if kind == CONDITION else name)
    return ces.same_values(text, values, nested=kind == ITERABLE)


def verdicts(directory: Path, model: str) -> Solved:
    """Return the problems with both verdicts right, of those that are asked about."""
    right = {"response_0": "No", "response_1": "Yes"}
    solved: Solved = {}
    for row in recorded(directory, "detection", model):
        name = row["problem_id"]
        if not is_settled("humanevalfix", name):
            continue
        solved[name] = solved.get(name, True) and row["published_prediction"] == right[row["part"]]
    return solved


def located(directory: Path, model: str, documents: dict[str, dict[str, Any]]) -> Solved:
    """Return the problems with a right line, of those that are asked about."""
    solved: Solved = {}
    for row in recorded(directory, "localisation", model):
        if row["problem_id"] not in documents:
            continue
        document = documents[row["problem_id"]]
        response = f"<answer>\n{ces.numbered(row['published_prediction'] or '', document['program'])}\n</answer>"
        ((answer,),) = verdict.extract_line([[response]], [document])
        solved[row["problem_id"]] = verdict.process_located(document, [[answer]])["locate"] == 1
    return solved


def repaired(directory: Path, results: Path, model: str) -> Solved:
    """Print the number of repaired programs, and return the problems with a right repair."""
    file = max((results / f"ces_repair_{model}").rglob("samples_codemind_repair_direct_humaneval_*.jsonl"))
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    solved = {row["doc"]["problem_id"]: row["pass@1"] == 1 for row in rows}
    said = {row["problem_id"]: bool(row["published_verdict"]) for row in recorded(directory, "repair", model)}
    gained = sorted(name for name, right in solved.items() if right and not said[name])
    lost = sorted(name for name, right in solved.items() if said[name] and not right)
    click.echo(f"| {model} | {', '.join(gained)} | {', '.join(lost)} |")
    return solved


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--results", required=True, type=click.Path(path_type=Path), help="Results of `codemind results`.")
@click.option("--list", "listed", is_flag=True, help="List the constructs whose recorded bits differ.")
def main(directory: Path, results: Path, listed: bool) -> None:
    """Print the tables of docs/replication.md."""
    inputs = {row["item"]: row for row in trace_published.ces_dataset(benchmark="ces")["test"]}
    lines = {row["problem_id"]: row for row in verdict.locate_dataset(benchmark="humanevalfix")["test"]}
    solved = {model: {"trace": traces(directory, model, inputs)} for model in MODELS}
    for model, of in solved.items():
        of |= {"verdict": verdicts(directory, model), "line": located(directory, model, lines)}
        of["repair"] = repaired(directory, results, model)
    for model, of in solved.items():
        pairs = []
        for first, second in combinations(of, 2):
            common = [name for name in of[first] if name in of[second]]
            table = associate([of[first][name] for name in common], [of[second][name] for name in common])
            pairs.append((first, second, table))
        for (first, second, table), p in zip(pairs, holm([table.p for _, _, table in pairs]), strict=True):
            counts = f"{table.both}, {table.first_only}, {table.second_only}, {table.neither}"
            ratio = f"{table.odds_ratio.value:.2f} [{table.odds_ratio.low:.2f}, {table.odds_ratio.high:.2f}]"
            click.echo(f"| {model} | {first} | {second} | {counts} | {ratio} | {table.p:.3f} | {p:.3f} |")
    if listed:
        for model in MODELS:
            for row in recorded(directory, "simulation", model):
                for line in differences(row, inputs[row["problem_id"]]):
                    click.echo(line)


if __name__ == "__main__":
    main()

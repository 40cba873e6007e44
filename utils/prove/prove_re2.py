"""Prove the labels of RE2-Bench's problems that need no project, and write the proofs that the package ships.

    python utils/prove/prove_re2.py [--pythons DIR]

Each program runs under two Pythons, with another hash seed, date and directory. An output is proven if the program
returns it for the recorded input; if it returns another one, that is the label. Loops and branches are recorded twice:
by Python's tracer, and by the program rewritten so that it logs itself. The Pythons need the packages of the extra
``classeval``.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from flow_records import LONGEST_TEXT, MOST_EVENTS
from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.languages.python.names import imported_modules
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies.re2.asked import BRANCH, INPUT, LOOP, OUTPUT, PROGRAMS, TASKS, plain_listing, record_of
from lm_eval_codemind.studies.re2.task import FACTS
from lm_eval_codemind.studies.re2.values import read_value, same_plain
from re2_project_runner import ADDRESS
from ship import save

UTILS = Path(__file__).parent
Run = Mapping[str, Any]
# Executions differ in these: Python, its hash seed, the seconds added to the clock, the time zone.
CONDITIONS = (("3.11", "0", 0, "UTC"), ("3.13", "4242", 400 * 86_400, "Asia/Tokyo"))
# Programs whose output depends on a file that RE2-Bench's record lacks.
LOST_FILES = ("ClassEval_34@DocFileHandler.add_heading",)


def answerable(texts: list[str]) -> bool:
    """Whether the values of a loop variable can be asked for."""
    return len(texts) <= MOST_EVENTS and not any(len(text) > LONGEST_TEXT or ADDRESS.search(text) for text in texts)


def excluded(reason: str) -> dict[str, Any]:
    """Return the record of a question that is not asked."""
    return {"status": "excluded", "reason": reason}


def jobs_of(problem: Problem) -> dict[str, dict[str, Any]]:
    """Return what the runner needs to execute a problem: once for its values, once for its loops and its branches."""
    record = record_of(problem.upstream_questions)
    script = record["source"] == "Avatar"
    shared = {
        "name": problem.entry_point,
        "class": problem.problem_id.partition("@")[2].partition(".")[0] if record["source"] == "ClassEval" else "",
        "script": script,
    }
    jobs = {}
    if record.get("values"):
        inputs = record["values"]["inputs"]
        jobs["values"] = {**shared, "code": problem.code, "inputs": inputs, "flow": False}
    for task in (LOOP, BRANCH):
        if task in record:
            text = record[task]["input"].strip()
            code = plain_listing(record[task]["code"])
            jobs[task] = {**shared, "code": code, "inputs": text if script else json.loads(text), "flow": True}
    return jobs


def interpreter(pythons: Path, version: str) -> Path:
    """Return the interpreter of the latest release of a version."""
    return sorted(pythons.glob(f"{version}.*/bin/python"))[-1]


def execute(
    python: Path, runner: str, jobs: Mapping[str, Any], environment: Mapping[str, str], *options: str
) -> dict[str, Any]:
    """Run a script on jobs, in an environment and an empty directory, and return its results."""
    with TemporaryDirectory() as folder:
        file, results = Path(folder, "jobs.json"), Path(folder, "results.json")
        file.write_text(json.dumps(jobs), encoding="utf-8")
        command: list[str | Path] = [python, "-W", "ignore", UTILS / runner, file, results, *options]
        own = {"PYTHONPATH": str(UTILS), "HOME": folder, "PATH": os.environ["PATH"], **environment}
        subprocess.run(command, cwd=folder, env=own, check=True, timeout=3600)
        shown: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))
        return shown


def decide_output(runs: list[Run], label: Any, script: bool) -> dict[str, Any]:
    """Return the record of a program's output from its runs."""
    for each in runs:
        if "failed" in each:
            return excluded(f"raises an exception: {each['failed']}")
    values = {each["value"] for each in runs}
    if any(ADDRESS.search(value) for value in values):
        return excluded("address in the output")
    if len(values) > 1:
        return excluded("two executions differ")
    (text,) = values
    try:
        value = text if script else parse_literal(text)
    except NotALiteralError:
        return excluded("not a plain value")
    if str(label).strip() == text.strip() if script else same_plain(value, label):
        return {"status": "proven"}
    return {"status": "corrected", "value": repr(text) if script else text, "reason": "another output"}


def decide_input(runs: list[Run], output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of an input label: it gives the output, and an input that says nothing does not."""
    if output["status"] == "excluded":
        return dict(output)
    return excluded("a plain input gives the output") if any(each["plain"] for each in runs) else {"status": "proven"}


def decide_flow(runs: list[Run], record: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Return the record of a program's loop or branch from its runs."""
    for each in runs:
        if "failed" in each:
            return excluded(f"raises an exception: {each['failed']}")
    marked = {line.partition(" ")[0] for line in record["code"].split("\n") if "=??" in line}
    shown = [{line: x for line, x in each["rewritten"][task].items() if line in marked} for each in runs]
    if shown[0] != shown[1]:
        return excluded("two executions differ")
    value = shown[0]
    # Only the first Python shows the iterations of comprehensions.
    if any(values != runs[0]["traced"][task].get(line) for line, values in value.items()):
        return excluded("two records differ")
    if task == LOOP:
        value = {
            line: {name: texts for name, texts in states.items() if answerable(texts)} for line, states in value.items()
        }
    value = {line: values for line, values in value.items() if values and len(values) <= MOST_EVENTS}
    if not value:
        return excluded(f"no {task} on the marked lines runs")
    label = record["label"] or {}
    if all(agree(label.get(line), values) for line, values in value.items()):
        return {"status": "proven", "value": value}
    return {"status": "corrected", "value": value, "reason": difference(label, value, record["code"])}


def difference(label: Mapping[str, Any], value: Mapping[str, Any], code: str) -> str:
    """Return how upstream's label differs from what the executions show."""
    if not label:
        return "no label"
    if set(value) - set(label):
        return "another line"
    names = (set(states) - set(label[line]) for line, states in value.items() if isinstance(states, dict))
    if any(names):
        return "another variable"
    starts = {line.partition(" ")[0]: line.partition(" ")[2].strip() for line in code.split("\n")}
    loops = [line for line in value if isinstance(value[line], dict) and not agree(label[line], value[line])]
    of_while = loops and all(starts[line].startswith("while") for line in loops)
    return "values at the end of an iteration" if of_while else "other values"


def agree(label: Any, values: Any) -> bool:
    """Whether upstream's label of a line is what the executions show."""
    if isinstance(values, list):
        return bool(label == values)
    return label is not None and all(
        len(label.get(name, ())) == len(texts)
        and all(same_plain(read_value(text), value) for text, value in zip(texts, label[name], strict=True))
        for name, texts in values.items()
    )


@click.command()
@click.option("--pythons", default=Path.home() / ".pyenv/versions", show_default=True, type=click.Path(path_type=Path))
def main(pythons: Path) -> None:
    """Write ``studies/re2/facts/programs.json``."""
    problems = {problem.problem_id: problem for problem in load_benchmark("re2")}
    questions = {name: record_of(problem.upstream_questions) for name, problem in problems.items()}
    own = [name for name, record in questions.items() if record["source"] in PROGRAMS.values()]
    jobs = {f"{task} {name}": job for name in own for task, job in jobs_of(problems[name]).items()}
    runs = [
        execute(
            interpreter(pythons, version),
            "re2_program_runner.py",
            jobs,
            {"PYTHONHASHSEED": seed, "TZ": zone},
            str(shift),
        )
        for version, seed, shift, zone in CONDITIONS
    ]
    records: dict[str, dict[str, Any]] = {}
    for name in own:
        record: dict[str, Any] = {}
        if f"values {name}" in jobs:
            of_values, label = [each[f"values {name}"] for each in runs], questions[name]["values"]["return"]
            record[OUTPUT] = decide_output(of_values, label, questions[name]["source"] == "Avatar")
            if name in LOST_FILES:
                record[OUTPUT] = excluded("depends on a file that the record lacks")
            record[INPUT] = decide_input(of_values, record[OUTPUT])
            if record[INPUT]["status"] == "proven" and imported_modules(problems[name].code) - sys.stdlib_module_names:
                # Answers are executed, and not every user has the packages.
                record[INPUT] = excluded("the program imports packages")
        for task in (LOOP, BRANCH):
            if task in questions[name]:
                record[task] = decide_flow([each[f"{task} {name}"] for each in runs], questions[name][task], task)
        records[name] = {**record, "versions": {"python": [condition[0] for condition in CONDITIONS]}}
    save("programs.json", records, folder=FACTS)
    for task in TASKS:
        click.echo(f"{task} {dict(Counter(record[task]['status'] for record in records.values() if task in record))}")


if __name__ == "__main__":
    main()

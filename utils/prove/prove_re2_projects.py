"""Prove the labels of RE2-Bench's problems from real projects, and write the proofs that the package ships.

    python utils/prove/prove_re2_projects.py --upstream DIR --environments DIR [--pythons DIR]

One virtual environment per project and version is made below the directory, with the packages from PyPI that
``re2_projects.yaml`` names. Each problem runs under two Pythons, with another hash seed, date and directory, and its
loops and branches are recorded twice, as in :mod:`prove_re2`. The directory of upstream is a checkout of RE2-Bench. Its
programs have documentation, without which six do not parse.
"""

import ast
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from flow_records import MOST_EVENTS, heads, variables
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies.re2.asked import BRANCH, LOOP, PROJECTS, TASKS, plain_listing, record_of
from lm_eval_codemind.studies.re2.task import FACTS
from options import UPSTREAM
from prove_re2 import UTILS, answerable, excluded, execute, interpreter
from re2_project_runner import ADDRESS, RELATIONS, definitions
from ship import save

FILE = "projects.json"
# Executions differ in these: Python's hash seed, the clock in seconds, the time zone.
CONDITIONS = (("0", 0, "UTC"), ("4242", 400 * 86400, "Asia/Tokyo"))


class Environment:
    """The virtual environments of a project, one for each version of Python."""

    def __init__(self, name: str, entry: Mapping[str, Any], folder: Path, pythons: Path) -> None:
        self.name = name
        self.entry = entry
        self._folder = folder
        self._pythons = pythons

    def python(self, version: str) -> Path:
        """Return the interpreter of an environment, which is made on first use."""
        folder = self._folder / f"{self.name}-py{version}"
        python = folder / "bin" / "python"
        done = folder / "installed"
        if not done.is_file():
            subprocess.run([interpreter(self._pythons, version), "-m", "venv", "--clear", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-compile", *self.entry["install"]], check=True)
            done.touch()
        return python

    def module(self, version: str, name: str) -> str:
        """Return the module that a problem comes from; a name that cannot be imported if the version has none."""
        site = next((self.python(version).parent.parent / "lib").glob("python*/site-packages"))
        path = name.split("@@")[1].removesuffix(".py").replace(".", "_")
        wanted = {path, path.removeprefix("src_"), path.removeprefix("lib_")}
        for file in site.rglob("*.py"):
            parts = file.relative_to(site).with_suffix("").parts
            if "_".join(parts) in wanted:
                return ".".join(parts).removesuffix(".__init__")
        return name.split("@@")[1].removesuffix(".py")

    def run(self, jobs: Mapping[str, Any], setup: Mapping[str, str], number: int) -> dict[str, Any]:
        """Execute jobs under one of the conditions and return their results."""
        seed, shift, zone = CONDITIONS[number]
        python = self.python(self.entry["python"][number % 2])
        job = {"problems": jobs, "prepare": setup["prepare"], "setup": setup["names"], "shift": shift}
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        own = {"PYTHONHASHSEED": seed, "TZ": zone, "MPLBACKEND": "agg", **threads}
        return execute(python, "re2_project_runner.py", job, own)


def same_values(recorded: Any, values: list[str]) -> bool:
    """Whether upstream's values of a loop variable are those that the executions show."""
    return len(recorded) == len(values) and all(
        text in (str(value), repr(value)) for text, value in zip(values, recorded, strict=True)
    )


def best_of(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the reading of the inputs whose output is closest to the recorded one."""
    order = (*RELATIONS, None)
    return min(results, key=lambda result: order.index(result.get("relation")))


def decide_output(runs: list[list[dict[str, Any]]], reviewed: bool) -> dict[str, Any]:
    """Return the record of an output from its runs under all conditions."""
    best = [best_of(results) for results in runs]
    for result in best:
        if "failed" in result:
            return excluded(result["failed"])
        if not result["shown"] and not result["same_source"]:
            return excluded("the version differs")
    values = [json.dumps(result["value"], sort_keys=True) for result in best]
    if any(ADDRESS.search(value) for value in values):
        return excluded("address in the output")
    if len(set(values)) > 1:
        return excluded("two executions differ")
    relations = {result["relation"] for result in best}
    if relations == {"same"}:
        return {"status": "proven"}
    if "other" in relations and not reviewed:
        return excluded("another output: the version or the input differs")
    reasons = {
        "rounded": "the input has fewer digits than the real one",
        "quotes": "quotes inside the text",
        "lost": "a part of the output was not recorded",
        "object": "the attributes of an object were recorded, which the question does not name",
        "other": "another output",
    }
    return {
        "status": "corrected",
        "value": repr(best[0]["value"]),
        "reason": reasons[max(relations, key=RELATIONS.index)],
    }


def decide_flow(task: str, runs: list[list[dict[str, Any]]], label: Mapping[str, Any], shown: str) -> dict[str, Any]:
    """Return the record of a loop or branch label, for the first reading of the inputs that runs."""
    statements = heads(ast.parse(shown), task)
    if not statements & set(label):
        return excluded("not a statement with a loop or a condition")
    return decide_reading(task, [results[-1] for results in runs], label, statements)


def decide_reading(
    task: str, runs: Iterable[dict[str, Any]], label: Mapping[str, Any], statements: set[str]
) -> dict[str, Any]:
    """Return the record of a loop or branch label for one reading of the inputs."""
    lines: list[Any] = []
    for run in runs:
        if "failed" in run:
            return excluded(run["failed"])
        if run["traced"][task] != run["rewritten"][task]:
            return excluded("two records differ")
        lines.append({line: values for line, values in run["traced"][task].items() if line in label})
        if task == LOOP:
            # A variable that upstream's label leaves out is not asked for.
            lines[-1] = {
                line: {name: texts for name, texts in values.items() if name in label[line]} or values
                for line, values in lines[-1].items()
            }
    if any(other != lines[0] for other in lines):
        return excluded("two executions differ")
    value: dict[str, Any] = {}
    for line, values in lines[0].items():
        if task == LOOP:
            values = {name: texts for name, texts in values.items() if answerable(texts)}
        if values and len(values) <= MOST_EVENTS:
            value[line] = values
    if not value:
        return excluded("unsuitable values" if lines[0] else "the line does not run")
    if set(value) == {line for line in label if label[line]} and all(
        agrees(label[line], value[line]) for line in value
    ):
        return {"status": "proven"}
    return {"status": "corrected", "value": value, "reason": difference(label, value, statements)}


def difference(label: Mapping[str, Any], value: Mapping[str, Any], statements: set[str]) -> str:
    """Return how a label differs from the values that the executions show."""
    if any(not agrees(label[line], value[line]) for line in value):
        return "other values"
    missing = {line for line in label if label[line]} - set(value)
    return "a line does not run" if missing & statements else "a line has no loop or condition"


def agrees(recorded: Any, value: Any) -> bool:
    """Whether a value is the recorded one."""
    if isinstance(recorded, Mapping):
        return set(recorded) == set(value) and all(same_values(recorded[name], value[name]) for name in value)
    return bool(recorded == value)


def without_quotes(value: Any) -> Any:
    """Return a value without the double quotes in its strings."""
    if isinstance(value, dict):
        return {key: without_quotes(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_quotes(part) for part in value]
    return value.replace('"', "") if isinstance(value, str) else value


def decide(name: str, jobs: Mapping[str, Any], runs: list[dict[str, Any]], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a problem: task -> status, value and reason."""
    hand = jobs[f"values {name}"]["hand"]
    results = [run[f"values {name}"] for run in runs]
    record: dict[str, Any] = {"output": decide_output(results, reviewed=bool(hand))}
    record["input"] = {"status": "proven"}
    inputs = jobs[f"values {name}"]["inputs"]
    if not inputs:
        record["output"] = {"status": "excluded", "reason": "the file with the input is missing"}
    if record["output"]["status"] == "excluded":
        record["input"] = record["output"]
    elif hand:
        record["input"] = {"status": "corrected", "value": with_hand(inputs, hand), "reason": "not recorded"}
    elif without_quotes(inputs) != inputs and table_package(jobs[f"values {name}"]) == "sympy":
        record["input"] = {"status": "corrected", "value": without_quotes(inputs), "reason": "quotes inside the text"}
    for task in (LOOP, BRANCH):
        key = f"{task} {name}"
        if key in jobs:
            record[task] = decide_flow(task, [run[key] for run in runs], jobs[key]["label"], jobs[key]["shown"])
            if jobs[key]["hand"] and record[task]["status"] != "excluded":
                record[task]["input"] = with_hand(jobs[key]["inputs"], jobs[key]["hand"])
    reason = table["exclude"].get(name)
    return {task: {"status": "excluded", "reason": reason} for task in record} if reason else record


def with_hand(inputs: Mapping[str, Any], hand: Mapping[str, str]) -> dict[str, Any]:
    """Return a recorded input with the expressions for what the record lost."""
    complete: dict[str, Any] = json.loads(json.dumps(inputs))
    for parameter, expression in hand.items():
        if parameter == "self":
            complete["self"] = expression
        else:
            group = "kwargs" if parameter in complete.get("kwargs", {}) else "args"
            complete[group][parameter] = expression
    return complete


def table_package(job: Mapping[str, Any]) -> str:
    """Return the top-level package of a job's module."""
    return str(job["module"]).split(".")[0]


def environment_of(name: str, entries: Mapping[str, Any]) -> str:
    """Return the environment of a problem: the one with the longest prefix of its name."""
    prefixes = {prefix: environment for environment, entry in entries.items() for prefix in entry["problems"]}
    return str(prefixes[max((prefix for prefix in prefixes if name.startswith(prefix)), key=len)])


def jobs_of(
    problem: Problem, upstream: Path, environment: Environment, table: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return what the runner needs to execute a problem: once for its values, once for its loops and its branches."""
    name, record = problem.problem_id, record_of(problem.upstream_questions)
    function = re.sub(r"_L\d+$", "", name.split("@@")[2])
    row = record["values"] or {"inputs": {}, "return": None}
    code = (upstream / "dataset/re2-bench/code" / f"{name}.py").read_text(encoding="utf-8")
    questions = {"values": {"shown": code, "inputs": row["inputs"], "returned": row["return"]}}
    questions.update({task: flow_question(record[task], task) for task in (LOOP, BRANCH) if task in record})
    module = environment.module(environment.entry["python"][0], name)
    return {
        f"{task} {name}": {
            **question,
            "module": module,
            "qualname": qualname_of(question["shown"], function),
            "hand": table["hand"].get(f"{task} {name}", table["hand"].get(name, {})),
        }
        for task, question in questions.items()
    }


def flow_question(record: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Return the program, the inputs and upstream's label of a loop or branch problem; an empty label if it has none.

    In a label of loops the lines of ``for`` statements keep the variables that the statement assigns.
    """
    inputs, _ = json.JSONDecoder().raw_decode(record["input"])
    if not isinstance(inputs.get("args"), dict):
        inputs = {"self": inputs.pop("self", {}), "args": inputs}
    shown, label = plain_listing(record["code"]), dict(record["label"] or {})
    if task == LOOP:
        for node in ast.walk(ast.parse(shown)):
            if isinstance(node, ast.For) and str(node.lineno) in label:
                states, names = label[str(node.lineno)], variables(node)
                label[str(node.lineno)] = {name: values for name, values in states.items() if name in (*names, "_")}
    return {"shown": shown, "inputs": inputs, "label": label}


def setup_of(jobs: Iterable[Mapping[str, Any]], setups: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the setup of the first package that has one."""
    packages = {table_package(job) for job in jobs}
    return next((setups[package] for package in packages if package in setups), {"prepare": "", "names": ""})


def qualname_of(source: str, function: str) -> str:
    """Return the qualified name of the first definition of a function."""
    names = [name for name in definitions(ast.parse(source)) if name.rpartition(".")[2] == function]
    return names[0]


@click.command()
@UPSTREAM
@click.option("--environments", required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option("--pythons", default=Path.home() / ".pyenv/versions", show_default=True, type=click.Path(path_type=Path))
def main(upstream: Path, environments: Path, pythons: Path) -> None:
    """Write ``studies/re2/facts/projects.json``."""
    table = yaml.safe_load((UTILS / "re2_projects.yaml").read_text(encoding="utf-8"))
    sources = PROJECTS.values()
    problems = [each for each in load_benchmark("re2") if record_of(each.upstream_questions)["source"] in sources]
    records = dict(shipped.load(FILE, FACTS))
    for name, entry in table["environments"].items():
        environment = Environment(name, entry, environments, pythons)
        own = [each for each in problems if environment_of(each.problem_id, table["environments"]) == name]
        jobs = {key: job for problem in own for key, job in jobs_of(problem, upstream, environment, table).items()}
        setup = setup_of(jobs.values(), table["setups"])
        runs = [environment.run(jobs, setup, number) for number in range(len(CONDITIONS))]
        project, _, version = name.rpartition("-")
        for problem in own:
            record = decide(problem.problem_id, jobs, runs, table)
            records[problem.problem_id] = {**record, "versions": {project: version, "python": entry["python"]}}
        click.echo(f"{name} {dict(Counter(records[each.problem_id]['output']['status'] for each in own))}")
        names = (each.problem_id for each in problems)
        save(FILE, {problem_id: records[problem_id] for problem_id in names if problem_id in records}, folder=FACTS)
    for task in TASKS:
        click.echo(f"{task} {dict(Counter(record[task]['status'] for record in records.values() if task in record))}")


if __name__ == "__main__":
    main()

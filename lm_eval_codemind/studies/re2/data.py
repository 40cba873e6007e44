"""RE2-Bench: its programs, inputs, labels and questions, as its repository has them.

"RE2-Bench" (arXiv 2512.14917). A problem asks for an output, for an input, for the states of loops, or for the
decisions of branches; many problems ask for several of them.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies import RE2BENCH
from lm_eval_codemind.studies.re2.asked import (
    BRANCH,
    DIFFICULTIES,
    INPUT,
    LOOP,
    OUTPUT,
    PROGRAMS,
    PROJECTS,
    TASKS,
    plain_listing,
)
from lm_eval_codemind.workshop.benchmarks.published_prompts import text_problem
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart, Upstream

_DATA = "dataset/re2-bench"
PART = ArchivePart(
    RE2BENCH,
    folder="",
    patterns=(
        f"{_DATA}/sampled_problems.json",
        *(f"{_DATA}/{folder}/*" for folder in ("input-output", LOOP, BRANCH)),
        *(f"prompts/{task}_prediction/*" for task in TASKS),
    ),
    digest="947410ee0366d8635684bc2f1ee1af5934582e11507ada710af10536919557b4",
)
_SOURCES = PROGRAMS | PROJECTS

_PROMPT = re.compile(r"prompts/(?P<task>\w+)_prediction/(?P<difficulty>easy|difficult)/(?P<name>.*)\.txt")
_CODE = re.compile(
    r"\[PYTHON\]\n(?P<code>.*?)\[/PYTHON\]\s*"
    r"(?:Functions called during the execution:\s*\[PYTHON\]\n(?P<called>.*?)\[/PYTHON\]\s*)?"
    r"What will be the input of (?:`(?P<name>[^`]*)`)?",
    re.DOTALL,
)
_STRUCTURE = re.compile(r".*\[STRUCTURE\]\s*```\n(.*?)\n```\s*\[/STRUCTURE\]", re.DOTALL)
_LISTING = re.compile(
    r"(?P<code>1 .*?)\n\s*\nThe input (?:is|to the method ```(?P<name>.*?)```).*?:\s*(?P<input>.*)", re.DOTALL
)
_END = "\nComplete the "


def read(upstream: Upstream) -> list[Problem]:
    """Return the problems, sorted by name."""
    files = {name: content.decode("utf-8") for name, content in upstream.files(PART).items()}
    sampled = json.loads(files[f"{_DATA}/sampled_problems.json"])
    records: dict[str, dict[str, Any]] = {}
    for difficulty in DIFFICULTIES:
        for name, row in sampled[difficulty].items():
            records[name] = _values(files, name, difficulty, row)
    for name in files:
        match = _PROMPT.fullmatch(name)
        if match and match["task"] in (LOOP, BRANCH):
            task, difficulty, problem_id = match.groups()
            record = records.setdefault(problem_id, {"difficulty": difficulty, "source": source_of(problem_id)})
            record[task] = _flow(files, problem_id, difficulty, task)
    return [_problem(name, records[name]) for name in sorted(records)]


def read_prompts(upstream: Upstream) -> list[Problem]:
    """Return a problem for each one of :func:`read`, with upstream's prompts as texts: task -> prompt."""
    prompts: dict[str, dict[str, str]] = {}
    for name, content in upstream.files(PART).items():
        match = _PROMPT.fullmatch(name)
        if match:
            prompts.setdefault(match["name"], {})[match["task"]] = content.decode("utf-8")
    place = PART.place("prompts").replace(":/", ":")
    return [text_problem("re2_prompts", name, place, prompts[name]) for name in sorted(prompts)]


def _problem(name: str, record: dict[str, Any]) -> Problem:
    flow = record.get(LOOP) or record.get(BRANCH) or {}
    code = record.pop("code", None) or plain_listing(flow["code"])
    place = PART.place(f"{_DATA}/code/{name}.py").replace(":/", ":")
    kind = "script" if record["source"] == "Avatar" else "function"
    entry_point = record.pop("name", None) or flow.get("name") or ""
    return text_problem("re2", name, place, record, kind, code, entry_point, "confirmed")


def _values(files: Mapping[str, str], name: str, difficulty: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a problem on outputs and inputs consists of."""
    prompt = files[f"prompts/input_prediction/{difficulty}/{name}.txt"]
    match = _CODE.search(prompt, prompt.rfind("[/EXAMPLE]"))
    assert match is not None, name
    structures = {
        task: _STRUCTURE.match(files[f"prompts/{task}_prediction/{difficulty}/{name}.txt"]) for task in (OUTPUT, INPUT)
    }
    rows = files.get(f"{_DATA}/input-output/{row['benchmark']}/{_file(name, row['benchmark'])}.jsonl")
    values = json.loads(rows.split("\n")[row["input-output"]])["values"] if rows else None
    if values and "input" in values:
        values = {"inputs": values["input"], "return": values["output"]}
    return {
        "difficulty": difficulty,
        "source": _SOURCES[row["benchmark"]],
        "code": match["code"].rstrip() + "\n",
        "called": (match["called"] or "").strip("\n"),
        "name": match["name"],
        "structures": {task: block[1] if block else "" for task, block in structures.items()},
        "values": values,
    }


def _file(name: str, source: str) -> str:
    """Return the name of the file that has the inputs and outputs of a problem."""
    if source == "Swebench":
        project, module, function = name.split("@@")
        # Upstream strips the letters, not the ending, so that `copy.py` becomes `co`; its files have these names.
        return f"{project}@@{module.rstrip('.py')}.{function}"
    if source == "Classeval":
        return name.split("@")[-1].replace(".", "@")
    return name.replace("sample", "cruxeval") if source == "cruxeval" else name


def _flow(files: Mapping[str, str], name: str, difficulty: str, task: str) -> dict[str, Any]:
    """Return what a problem on loops or branches consists of; its label is None where upstream has none."""
    prompt = files[f"prompts/{task}_prediction/{difficulty}/{name}.txt"]
    text = prompt[prompt.rfind("[/EXAMPLE]") :].partition("\n")[2].strip("\n")
    match = _LISTING.match(text[: text.rindex(_END)])
    assert match is not None, name
    content = files.get(f"{_DATA}/{task}/{difficulty}/{name}.json")
    label = None if content is None else (_loops if task == LOOP else _branches)(json.loads(content))
    return {**match.groupdict(), "label": label}


def _loops(record: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """Return line -> variable or iterable -> its values, as upstream's validator reads them."""
    labels: dict[str, dict[str, list[Any]]] = {}
    for loop in record.get("loops", {}).values():
        states: dict[str, list[Any]] = {}
        iterables: dict[str, list[Any]] = {}
        for iteration in loop.get("iterations", []):
            for variable, value in iteration.get("loop_variables", {}).items():
                states.setdefault(variable, []).append(value)
            control = iteration.get("control_variable", {})
            if control.get("name"):
                iterables.setdefault(control["name"], []).append(control.get("value"))
        empty: tuple[Any, ...] = (None, [], {}, "")
        states |= {name: values for name, values in iterables.items() if any(value not in empty for value in values)}
        if states:
            labels[str(loop.get("line"))] = states
    return labels


def _branches(record: Mapping[str, Any]) -> dict[str, list[bool]]:
    """Return line -> its decisions, as upstream's validator reads them."""
    labels: dict[str, list[bool]] = {}
    for decision in record.get("branches", {}).get("decisions", []):
        labels.setdefault(str(decision["line"]), []).append(decision["taken"])
    return labels


def source_of(name: str) -> str:
    """Return the source of a problem, from its name."""
    if "@@" in name:
        return "Real" if re.search(r"_L\d+$", name) else "SWE-bench"
    prefixes = {"HumanEval": "HumanEval", "sample": "CRUXEval", "ClassEval": "ClassEval"}
    return prefixes.get(name.partition("_")[0], "Avatar")

"""CES: HumanEval's programs with three inputs each, and the recorded states of their loops and conditions.

"CES" (arXiv 2510.15079). Upstream records what programs print that log the loop variables, the iterables, the
conditions and the branches.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from lm_eval_codemind.data.benchmarks.upstream import ArchivePart, Upstream
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies import CES

NAME = "ces"
PART = ArchivePart(
    CES,
    folder="dataset/humaneval",
    patterns=("*/main.py", "*/input.txt", "*/output.txt", "*/tmp/*.txt"),
    digest="3724c9abb7517b13aa5444deee84ca810ff2c9464586293803a9f8fe14a500ba",
)
VARIABLE, ITERABLE, CONDITION, BRANCH = "variable", "iterable", "condition", "branch"
_FILES = {VARIABLE: "iterator.txt", ITERABLE: "control.txt", CONDITION: "condition.txt"}
_VALUE = re.compile(r"\[ITE\]\[LOC\](\d+)\[/LOC\]\[VAR\](.*?)\[/VAR\]\[VAL\](.*?)\[/VAL\]\[/ITE\]", re.DOTALL)
_HIT = re.compile(r"\[LINE\](\d+)\[/LINE\] (may be|is) hit")


def read(upstream: Upstream) -> list[Problem]:
    """Return the programs, sorted by name. Their inputs with what upstream records are in ``upstream_questions``."""
    files = {name: content.decode("utf-8") for name, content in upstream.files(PART).items()}
    folders = sorted({name.partition("/")[0] for name in files})
    inputs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for folder in folders:
        inputs[folder.partition("__")[0]].append(_input(files, folder))
    return [_problem(name, records) for name, records in inputs.items()]


def _problem(name: str, inputs: list[dict[str, Any]]) -> Problem:
    return Problem(
        problem_id=name,
        benchmark=NAME,
        kind="function",
        language="python",
        code=inputs[0]["code"],
        entry_point=inputs[0]["input"].partition("(")[0],
        upstream_questions=json.dumps(inputs),
        provenance=PART.place(f"{name}/main.py"),
    )


def _input(files: Mapping[str, str], folder: str) -> dict[str, Any]:
    """Return an input of a program. A recorded mark is a line, counted from 0, its kind, its name and its values."""
    marks: dict[tuple[int, str, str], list[str]] = {}
    for kind, file in _FILES.items():
        for line, name, value in _VALUE.findall(files.get(f"{folder}/tmp/{file}", "")):
            # Upstream counts the lines of loops from 1 and those of conditions from 0.
            number = int(line) - (kind != CONDITION)
            marks.setdefault((number, kind, name), []).append(value)
    for number, direction in _branches(files.get(f"{folder}/tmp/branch.txt", "")):
        marks.setdefault((number, BRANCH, "taken"), []).append(direction)
    return {
        "name": folder,
        "code": files[f"{folder}/main.py"].rstrip() + "\n",
        "input": files[f"{folder}/input.txt"].strip(),
        "output": files[f"{folder}/output.txt"],
        "marks": [[*key, values] for key, values in marks.items()],
    }


def _branches(text: str) -> Iterator[tuple[int, str]]:
    """Yield each time that a branch may be taken, with its line, and Y or N."""
    directions: list[list[Any]] = []
    for line, what in _HIT.findall(text):
        if what == "may be":
            directions.append([int(line), "N"])
        else:
            last = next((one for one in reversed(directions) if one[0] == int(line)), None)
            if last is not None:
                last[1] = "Y"
    yield from ((line, letter) for line, letter in directions)

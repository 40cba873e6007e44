"""CES: HumanEval's programs with three inputs each, and the recorded states of their loops and conditions.

"CES" (arXiv 2510.15079). Upstream records what programs print that log the loop variables, the iterables, the
conditions and the branches.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies import CES
from lm_eval_codemind.studies.traces.asked import BRANCH, CONDITION, ITERABLE, VARIABLE
from lm_eval_codemind.workshop.benchmarks.published_prompts import TEMPLATES, text_problem
from lm_eval_codemind.workshop.benchmarks.scripts import Script, constants
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart, Upstream, plain_text

NAME = "ces"
PART = ArchivePart(
    CES,
    folder="dataset/humaneval",
    patterns=("*/main.py", "*/input.txt", "*/output.txt", "*/tmp/*.txt"),
    digest="3724c9abb7517b13aa5444deee84ca810ff2c9464586293803a9f8fe14a500ba",
)
PROMPTS = ArchivePart(
    CES,
    folder="src/ces",
    patterns=("create_prompts.py", "prompts/[!_]*.txt"),
    digest="74d671c7167a837879344c5cb4688c851dd6aab031ed2ccd95b9c421d651253a",
)
# Form of a prompt -> a word by which upstream's functions know the models that it is made for.
FORMS = {
    "gpt": "gpt-4-turbo",
    "deepseek": "deepseek",
    "magicoder": "Magicoder",
    "starcoder": "starcoder2-15b",
    "codellama": "CodeLlama",
    "mistral": "Mistral",
}
_WRAPPERS = {"deepseek": "deepseekcoder", "magicoder": "magicoder", "starcoder": "starcoder2"}
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


def read_prompts(upstream: Upstream) -> list[Problem]:
    """Return the texts of the prompts, which :mod:`.ces_prompts` puts together, and each program with its input.

    - ``bodies``: a template for each form, with the fields ``icl_example``, ``new_code`` and ``code_input``
    - ``wrappers``: a template around the body, for the forms that have one, with the field ``prompt``
    - ``direct``: what is replaced in the body where nothing is annotated, for the forms that replace anything
    - ``instructions``: the instruction for CodeLlama and Mistral, and the usual one
    - ``examples``: the examples by their files, and ``kinds``: the file for each kind of program
    """
    files = upstream.files(PROMPTS)
    script = Script(files["create_prompts.py"], PROMPTS.place("create_prompts.py"))
    wrappers, direct = {}, {}
    for form, name in {**_WRAPPERS, "mistral": "mistral"}.items():
        function = f"create_prompt_{name}"
        known = constants(script.statements(function))
        wrappers[form] = script.template("prompt", script.statements(function, "humaneval"), known)
        if form in _WRAPPERS:
            direct[form] = script.replacements("prompt", script.statements(function, "direct"))
    llama = "create_prompt_codellama"
    wrappers["codellama"] = script.template("prompt", script.statements(llama, "humaneval"))
    kinds = script.keys("prompts", script.statements("load_examples"))
    texts = {
        "bodies": {
            form: script.template("prompt", script.statements("create_prompt", word)) for form, word in FORMS.items()
        },
        "wrappers": wrappers,
        "direct": direct,
        "role": script.template("prompt_role", script.statements(llama)),
        "direct_role": constants(script.statements(llama, "direct"))["inst"],
        "instructions": [
            constants(script.statements("load_instruction", "CodeLlama", otherwise))["instructions"]
            for otherwise in (False, True)
        ],
        "examples_of_codellama": script.template("prompt", script.statements("select_examples", "CodeLlama-13b")),
        "usual_examples": script.template("prompt", script.statements("select_examples", "CodeLlama-13b", True)),
        "examples": {name: plain_text(content) for name, content in files.items() if name.endswith(".txt")},
        "kinds": {kind: f"{name.removeprefix('text_')}.txt" for kind, name in kinds.items()},
    }
    problems = [text_problem("ces_prompts", TEMPLATES, script.place, texts)]
    programs = {name: plain_text(content) for name, content in upstream.files(PART).items()}
    for folder in sorted({name.partition("/")[0] for name in programs}):
        shown = {"code": programs[f"{folder}/main.py"], "input": programs[f"{folder}/input.txt"].strip("\n")}
        problems.append(text_problem("ces_prompts", folder, PART.place(folder), shown))
    return problems


def _problem(name: str, inputs: list[dict[str, Any]]) -> Problem:
    code, entry_point = inputs[0]["code"], inputs[0]["input"].partition("(")[0]
    place = PART.place(f"{name}/main.py")
    return text_problem(NAME, name, place, inputs, code=code, entry_point=entry_point, category="confirmed")


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


def _branches(text: str) -> list[list[Any]]:
    """Return each time that a branch may be taken, as its line, and Y or N."""
    directions: list[list[Any]] = []
    for line, what in _HIT.findall(text):
        if what == "may be":
            directions.append([int(line), "N"])
        else:
            last = next((one for one in reversed(directions) if one[0] == int(line)), None)
            if last is not None:
                last[1] = "Y"
    return directions

"""REval: its programs, inputs and questions on runtime behaviour, as its repository has them.

Chen et al., "Evaluating Large Language Models with Runtime Behavior of Program Execution" (ICSE 2025).
"""

import ast
import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.data.facts.reval import Input, TracedProgram
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import classeval, humaneval
from lm_eval_codemind.workshop.benchmarks.published_prompts import TEMPLATES, text_problem
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream, plain_text

_PROGRAMS, _TASKS = "DREval_data.jsonl", "DREval_tasks.jsonl"
PART = PARTS["reval"]
# Programs 0 to 84 come from HumanEval, the others from ClassEval.
BENCHMARKS = ("humaneval", "classeval")
_HUMANEVAL = 85


def read_programs(upstream: Upstream) -> list[TracedProgram]:
    """Return REval's programs in its order, from ``data/DREval_data.jsonl`` and ``data/DREval_tasks.jsonl``."""
    files = upstream.files(PART)
    programs = [json.loads(line) for line in files[_PROGRAMS].splitlines()]
    tasks = {task["idx"]: task["tasks"] for task in map(json.loads, files[_TASKS].splitlines())}
    return [
        TracedProgram(
            record["task_id"],
            BENCHMARKS[index >= _HUMANEVAL],
            record["code"],
            record["entry_point"],
            tuple((_function_inputs if record["test"] is None else _class_inputs)(record, tasks[index])),
        )
        for index, record in enumerate(programs)
    ]


def read_functions(upstream: Upstream) -> list[Problem]:
    """Return the programs that come from HumanEval, by HumanEval's names: all are its own solutions as they are."""
    names = {
        record["prompt"] + record["canonical_solution"]: record["task_id"].replace("/", "_")
        for record in humaneval.read_records(upstream)
    }
    programs = (program for program in read_programs(upstream) if program.benchmark == "humaneval")
    return [_problem(program, names[program.code], "function") for program in programs]


def read_classes(upstream: Upstream) -> list[Problem]:
    """Return the programs that come from ClassEval, by ClassEval's names."""
    names = {record["class_name"]: record["task_id"] for record in classeval.read_records(upstream)}
    programs = (program for program in read_programs(upstream) if program.benchmark == "classeval")
    return [_problem(program, names[program.entry_point], "method") for program in programs]


def read_prompts(upstream: Upstream) -> list[Problem]:
    """Return the templates of the prompts by the names of their files, such as ``cot_path``, and what fills them.

    The templates are for ``str.format``. ``set_up`` has, for each class that has one, ``CLASS INPUT`` -> the method;
    ``notes`` what stands in front of it, by question. ``prelude`` and ``abbreviation`` are the words for a test.
    """
    part = PARTS["reval_prompts"]
    templates = {name.partition(".")[0]: plain_text(content) for name, content in upstream.files(part).items()}
    set_up = {}
    for line in upstream.files(PART)[_PROGRAMS].splitlines():
        record = json.loads(line)
        if record["test"] is not None:
            for index, (_, method) in enumerate(_tests(record)):
                if method is not None:
                    lines = str(record["test"]).splitlines(keepends=True)[method.lineno - 1 : method.end_lineno]
                    set_up[f"{record['entry_point']} {index}"] = "".join(lines)
    texts = {"templates": templates, "set_up": set_up, **_words(upstream)}
    return [text_problem("reval_prompts", TEMPLATES, part.place("").rstrip("/"), texts)]


def _words(upstream: Upstream) -> dict[str, Any]:
    """Return the texts that REval's program puts into a prompt about a class."""
    notes, words = {}, {}
    tree = ast.parse(plain_text(upstream.files(PARTS["reval_evaluation"])["evaluation.py"]))
    for question in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for node in ast.walk(question):
            match node:
                case ast.Assign(targets=[ast.Name(id="setup")], value=ast.BinOp(left=ast.Constant(value=text))):
                    notes[question.name.lower()] = text
                case ast.Assign(targets=[ast.Name(id="prelude")], value=ast.Constant(value=text)):
                    words["prelude"] = text
                case ast.keyword(arg="invocation_abbr", value=ast.Constant(value=text)):
                    words["abbreviation"] = text
    return {"notes": notes, **words}


def _tests(record: Mapping[str, Any]) -> list[tuple[ast.ClassDef, ast.FunctionDef | None]]:
    """Return the test classes of a class, with their ``setUp``."""
    return [
        (node, next((one for one in _methods(node) if one.name == "setUp"), None))
        for node in ast.parse(str(record["test"])).body
        if isinstance(node, ast.ClassDef) and node.name.startswith(f"{record['entry_point']}Test")
    ]


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def _problem(program: TracedProgram, name: str, kind: str) -> Problem:
    benchmark, questions = f"reval_{program.benchmark}", dataclasses.asdict(program)
    return text_problem(
        benchmark, name, PART.place(_PROGRAMS), questions, kind, program.code, program.entry_point, "confirmed"
    )


def _function_inputs(record: Mapping[str, list[str]], tasks: list[dict[str, Any]]) -> list[Input]:
    inputs = []
    for task in tasks:
        index = int(task["input_idx"])
        # A tuple as text, which ends in ",)".
        call = f"{record['entry_point']}{record['inputs'][index]}".removesuffix(",)") + ")"
        inputs.append(
            Input(index, call, call, "", call, "", str(task["output_pred"]), record["outputs"][index], _questions(task))
        )
    return inputs


def _class_inputs(record: Mapping[str, list[str]], tasks: list[dict[str, Any]]) -> list[Input]:
    """Return the inputs of a class: of each of its test classes the first test method."""
    source = str(record["test"])
    tests = _tests(record)
    inputs = []
    for task in tasks:
        index = int(task["input_idx"])
        node, set_up = tests[index]
        test = next(method for method in _methods(node) if method.name.startswith("test"))
        before = f"{source.rstrip()}\n\n\n_codemind_test = {node.name}({test.name!r})\n_codemind_test.setUp()\n"
        text = record["inputs"][index]
        inputs.append(
            Input(
                index,
                text,
                "\n".join(unparse(node) for node in test.body),
                before,
                f"_codemind_test.{test.name}()",
                "" if set_up is None else "\n".join(unparse(node) for node in set_up.body),
                str(task["output_pred"]),
                text,
                _questions(task),
            )
        )
    return inputs


def _questions(task: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"line": int(each["lineno"]), "variable": each["var"]} for each in task["task"]]

"""The sample benchmark: small programs written for this suite and packaged with it, so that nothing is downloaded.

``sample_bugs`` and ``sample_bugs_buggy`` have some of these programs, correct and with a bug of our own in each, as
HumanEvalFix has them of HumanEval's.
"""

import ast
import dataclasses
import textwrap
from functools import cache, partial
from importlib.resources import files
from typing import Any

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.languages.python.names import definition, without_lines
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.workshop.benchmarks.upstream import Upstream


def _read(upstream: Upstream | None = None, *, name: str, language: str) -> list[Problem]:
    """Return the problems in the order of their names; ``NAME_data/X.yaml`` is problem ``Sample_X`` of a benchmark.

    They come with the package: ``upstream`` is not read.
    """
    return [_problem(name, language, key, record) for key, record in _records(f"{name}_data").items()]


read = partial(_read, name="sample", language="python")
read_java = partial(_read, name="sample_java", language="java")


@cache
def _records(folder: str) -> dict[str, dict[str, Any]]:
    entries = files("lm_eval_codemind.data").joinpath("benchmarks", folder).iterdir()
    data = sorted((file for file in entries if file.name.endswith(".yaml")), key=lambda file: file.name)
    return {file.name.removesuffix(".yaml"): read_yaml(file) for file in data}


def _problem(benchmark: str, language: str, name: str, record: dict[str, Any]) -> Problem:
    entry_point = record.get("entry_point", "")
    return Problem(
        problem_id=f"Sample_{name}",
        benchmark=benchmark,
        kind=record.get("kind", "script"),
        language=language,
        code=record["code"],
        entry_point=entry_point,
        input=record["input"],
        output=record["output"],
        specification=record.get("specification", ""),
        context=_rest_of_class(record["code"], entry_point) if "." in entry_point else "",
        tests=record.get("tests", ""),
        cases=tuple(Case(case["input"], case["output"]) for case in record["cases"]),
        hint_test=_hint(record, record["output"]),
        misleading_test=_hint(record, record.get("misleading_output", "")),
        provenance=f"lm-eval-codemind:lm_eval_codemind/data/benchmarks/{benchmark}_data/{name}.yaml",
    )


def _rest_of_class(code: str, entry_point: str) -> str:
    class_name, method_name = entry_point.split(".")
    method = definition(definition(ast.parse(code), class_name), method_name)
    return without_lines(code, [method]).rstrip() + "\n"


def _hint(record: dict[str, Any], output: str) -> str:
    """Return the problem's own input and an output as a test; scripts have none.

    A method's input is a test method that ends by returning what is compared.
    """
    if not record.get("entry_point"):
        return ""
    if "." not in record["entry_point"]:
        return f"assert {record['input']} == {output}\n"
    method = ast.parse(record["input"]).body[0]
    assert isinstance(method, ast.FunctionDef)
    last = method.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    lines = record["input"].splitlines()[: last.lineno - 1]
    lines.append(f"    self.assertEqual({ast.unparse(last.value)}, {output})")
    class_name = record["entry_point"].split(".")[0]
    return f"import unittest\n\n\nclass {class_name}Hint(unittest.TestCase):\n" + textwrap.indent(
        "\n".join(lines) + "\n", "    "
    )


def bugs() -> list[dict[str, Any]]:
    """Return the bugs as ``sample_bugs.yaml`` has them."""
    file = files("lm_eval_codemind.data").joinpath("benchmarks", "sample_bugs.yaml")
    records: list[dict[str, Any]] = read_yaml(file)
    return records


def _read_bugs(upstream: Upstream | None = None, *, buggy: bool) -> list[Problem]:
    """Return the problems with the correct or with the buggy programs.

    Raises:
        ValueError: If the text that a bug replaces is not in the program exactly once. The message names the bug.
    """
    programs = {problem.problem_id: problem for problem in read()}
    return [_with_bug(programs[f"Sample_{bug['problem']}"], bug, buggy) for bug in bugs()]


read_correct = partial(_read_bugs, buggy=False)
read_buggy = partial(_read_bugs, buggy=True)


def _with_bug(problem: Problem, bug: dict[str, Any], buggy: bool) -> Problem:
    if problem.code.count(bug["correct"]) != 1:
        raise ValueError(f"sample_bugs.yaml: {bug['problem']} does not hold {bug['correct']!r} exactly once")
    return dataclasses.replace(
        problem,
        benchmark="sample_bugs_buggy" if buggy else "sample_bugs",
        code=problem.code.replace(bug["correct"], bug["buggy"]) if buggy else problem.code,
        input=bug["call"],
        output=bug["returns" if buggy else "output"],
        cases=(),
        hint_test=f"assert {bug['call']} == {bug['output']}\n",
        misleading_test="",
        provenance="lm-eval-codemind:lm_eval_codemind/data/benchmarks/sample_bugs.yaml",
    )

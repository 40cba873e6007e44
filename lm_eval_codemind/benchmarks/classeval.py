"""ClassEval: methods of classes, each with a test method whose return value CodeMind asks about."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream
from lm_eval_codemind.catalogue.packaged import CLASSEVAL as ARCHIVE
from lm_eval_codemind.catalogue.packaged import CODEMIND
from lm_eval_codemind.languages.python.names import bound_names, free_names, module_names, statements_binding
from lm_eval_codemind.problems import Problem

NAME = "classeval"
PART = ArchivePart(
    CODEMIND,
    "dataset/classeval",
    ("*/class.py", "*/method_test.py", "*/output.txt", "*/transformation.py"),
    "744e0cb862ab3c429e993f5e7a41b29aefb81819708f804ba8e95d848226e3c1",
)
_RECORDS = "ClassEval_data.json"
RECORDS = ArchivePart(ARCHIVE, "data", (_RECORDS,), "aa216f7e0ac402f063f9b39d7c69ebab06dbd4bded74b4ce12474b255b9054a2")


def read(upstream: Upstream) -> list[Problem]:
    """Return the methods that CodeMind took from ClassEval, by class number and name, their labels not yet proven.

    Sources: ``dataset/classeval`` of CodeMind for the programs, the test methods and the published labels,
    ``data/ClassEval_data.json`` of FudanSELab/ClassEval for the test suites and for what CodeMind's test methods lost.
    """
    files = upstream.files(PART)
    suites = {record["task_id"]: record["test"] for record in read_records(upstream)}
    problems = []
    for problem_id in sorted({name.split("/")[0] for name in files}, key=_order):
        class_id, entry_point = problem_id.split("@")
        code = files[f"{problem_id}/class.py"].decode("utf-8").strip() + "\n"
        problems.append(
            Problem(
                problem_id=problem_id,
                benchmark=NAME,
                kind="method",
                language="python",
                code=code,
                entry_point=entry_point,
                input=test_method(files, problem_id, code, suites[class_id]),
                output=None,
                tests=suites[class_id].strip() + "\n",
                published_output=files[f"{problem_id}/output.txt"].decode("utf-8"),
                provenance=PART.place(problem_id),
            )
        )
    return problems


def read_records(upstream: Upstream) -> list[dict[str, Any]]:
    """Return ClassEval's own records: a class each, with ``task_id``, ``solution_code``, ``test``, ``methods_info``.

    Names of test classes are stripped: one has a blank before it, by which no class of the suite is found.
    """
    records: list[dict[str, Any]] = json.loads(upstream.files(RECORDS)[_RECORDS])
    for record in records:
        record["test_classes"] = [name.strip() for name in record["test_classes"]]
        for method in record["methods_info"]:
            method["test_class"] = method["test_class"].strip()
    return records


def test_method(files: Mapping[str, bytes], problem_id: str, code: str, suite: str) -> str:
    """Return CodeMind's test method, preceded by what it needs from upstream's suite and the class module lacks.

    CodeMind cut each test method out of the module it stood in; where it uses that module's imports, helpers or
    variables they are put back in front of it.
    """
    method = textwrap.dedent(files[f"{problem_id}/method_test.py"].decode("utf-8")).strip()
    missing = free_names(ast.parse(method)) - module_names(code) - {"unittest"}
    restored = statements_binding(missing, ast.parse(suite))
    found = {name for statement in restored for name in bound_names(statement)}
    restored += [_assignment(name, suite) for name in sorted(missing - found)]
    lines = [ast.get_source_segment(suite, statement) or "" for statement in restored]
    return "\n".join([*lines, "", "", method, ""]) if lines else method + "\n"


def _assignment(name: str, suite: str) -> ast.Assign:
    """Return the first assignment to a name inside upstream's test methods."""
    for node in ast.walk(ast.parse(suite)):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return node
    raise ValueError(f"upstream's suite binds no {name!r}")


def _order(problem_id: str) -> tuple[int, str]:
    class_id, entry_point = problem_id.split("@")
    return int(class_id.removeprefix("ClassEval_")), entry_point

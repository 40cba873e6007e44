"""ClassEval: methods of classes, each with a test method whose return value CodeMind asks about."""

import ast
import json
import re
import textwrap
from collections import Counter
from typing import Any

from lm_eval_codemind.benchmarks.upstream import PARTS, Upstream
from lm_eval_codemind.languages.python.names import bound_names, free_names, module_names, statements_binding
from lm_eval_codemind.problems import Problem

NAME = "classeval"
_RECORDS = "ClassEval_data.json"
RECORDS = PARTS["classeval_records"]

_NEXT_TO_MODULE = re.compile(r"os\.path\.join\(os\.path\.dirname\(__file__\), (\"[^\"]*\")\)")


def read(upstream: Upstream) -> list[Problem]:
    """Return the methods that CodeMind took from ClassEval, by class number and name, their labels not yet proven.

    Sources: ``dataset/classeval`` of CodeMind for the programs, the test methods and the published labels,
    ``data/ClassEval_data.json`` of FudanSELab/ClassEval for the test suites and for the names that CodeMind's test
    methods lack. Test methods and labels are without the expected values that upstream's return next to the result.
    """
    files = upstream.files(PARTS[NAME])
    suites = {record["task_id"]: record["test"] for record in read_records(upstream)}
    problems = []
    for problem_id in sorted({name.split("/")[0] for name in files}, key=_order):
        class_id, entry_point = problem_id.split("@")
        code = files[f"{problem_id}/class.py"].decode("utf-8").strip() + "\n"
        method = textwrap.dedent(files[f"{problem_id}/method_test.py"].decode("utf-8")).strip()
        label = files[f"{problem_id}/output.txt"].decode("utf-8")
        method, label = without_expected(in_working_directory(method), label)
        problems.append(
            Problem(
                problem_id=problem_id,
                benchmark=NAME,
                kind="method",
                language="python",
                code=code,
                entry_point=entry_point,
                input=with_missing_names(method, code, suites[class_id]),
                tests=suites[class_id].strip() + "\n",
                published_output=label,
                provenance=PARTS[NAME].place(problem_id),
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


def with_missing_names(method: str, code: str, suite: str) -> str:
    """Return a test method, preceded by the imports, helpers and variables that it needs and the program lacks.

    CodeMind cut each test method out of upstream's suite, which has them.
    """
    missing = free_names(ast.parse(method)) - module_names(code) - {"unittest"}
    restored = statements_binding(missing, ast.parse(suite))
    found = {name for statement in restored for name in bound_names(statement)}
    restored += [_assignment(name, suite) for name in sorted(missing - found)]
    lines = [ast.get_source_segment(suite, statement) or "" for statement in restored]
    return "\n".join([*lines, "", "", method, ""]) if lines else method + "\n"


def in_working_directory(tests: str) -> str:
    """Return tests that name files in the working directory. Upstream's name files next to a module without a file."""
    return _NEXT_TO_MODULE.sub(r"\1", tests)


def without_expected(method: str, label: str) -> tuple[str, str]:
    """Return a test method and its label without the expected values that it returns next to the result.

    An expected value is a literal that the method assigns to a variable and uses only in the tuple that it returns, or
    in an assertion about a mock. These assertions are removed with it.
    """
    function = ast.parse(method).body[0]
    assert isinstance(function, ast.FunctionDef)
    last, values = function.body[-1], _literal(label)
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple) or not isinstance(values, tuple):
        return method, label
    removed = [statement for statement in function.body if _asserts(statement)]
    used = Counter(ast.unparse(node) for each in function.body if each not in removed for node in ast.walk(each))
    returned = [ast.unparse(element) for element in last.value.elts]
    expected = set()
    for statement in function.body:
        match statement:
            case ast.Assign([ast.Name() | ast.Attribute(ast.Name("self")) as target], value):
                name = ast.unparse(target)
                if _literal(ast.unparse(value)) is not None and used[name] == returned.count(name) + 1 > 1:
                    expected.add(name)
                    removed.append(statement)
    kept = [position for position, name in enumerate(returned) if name not in expected]
    if not expected or not kept:
        return method, label
    lines = method.split("\n")
    lines[last.lineno - 1 : last.end_lineno] = [
        " " * last.col_offset + f"return {', '.join(returned[n] for n in kept)}"
    ]
    for statement in sorted(removed, key=lambda each: each.lineno, reverse=True):
        del lines[statement.lineno - 1 : statement.end_lineno]
    results = tuple(values[position] for position in kept)
    return "\n".join(lines), repr(results if len(results) > 1 else results[0])


def _asserts(statement: ast.stmt) -> bool:
    """Whether a statement is an assertion about a mock, such as ``mock.assert_called_once()``."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(attr=name))):
            return name.startswith("assert_")
    return False


def _literal(source: str) -> Any:
    """Return the value of a literal; None for any other text."""
    try:
        return ast.literal_eval(source)
    except (ValueError, SyntaxError):
        return None


def _assignment(name: str, suite: str) -> ast.Assign:
    """Return the first assignment to a name inside upstream's test methods."""
    for node in ast.walk(ast.parse(suite)):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return node
    raise ValueError(f"upstream's suite binds no {name!r}")


def _order(problem_id: str) -> tuple[int, str]:
    class_id, entry_point = problem_id.split("@")
    return int(class_id.removeprefix("ClassEval_")), entry_point

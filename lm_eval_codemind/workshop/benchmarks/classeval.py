"""ClassEval: methods of classes.

The benchmark ``classeval`` has the 400 methods that CodeMind took for predicting outputs, each with a test method whose
return value it asks about. Specification reasoning is measured on all 410 methods of ClassEval's own data, as in the
paper: a problem of ``classeval_methods`` is a description and a test suite. It has no input and no output.
"""

import ast
import json
import re
import textwrap
from collections import Counter
from typing import Any

from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.languages.python.names import (
    bound_names,
    definition,
    free_names,
    is_text,
    module_names,
    statements_binding,
)
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks.specifications import signature, with_docstring, without_examples
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream

NAME = "classeval"
_RECORDS = "ClassEval_data.json"
RECORDS = PARTS["classeval_records"]

_NEXT_TO_MODULE = re.compile(r"os\.path\.join\(os\.path\.dirname\(__file__\), (\"[^\"]*\")\)")

_CURLY_QUOTES = re.compile('[\u201c\u201d"]{3}')

# Upstream's data gives methods of these classes the test class of a neighbour; here each has the one named after it.
_MIXED_UP = frozenset({"PDFHandler", "StudentDatabaseProcessor", "TwentyFourPointGame"})


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
    restored_names = {name for statement in restored for name in bound_names(statement)}
    restored += [_assignment(name, suite) for name in sorted(missing - restored_names)]
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
    last, values = function.body[-1], literal_or(label, None)
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
                if literal_or(ast.unparse(value), None) is not None and used[name] == returned.count(name) + 1 > 1:
                    expected.add(name)
                    removed.append(statement)
    positions = [position for position, name in enumerate(returned) if name not in expected]
    if not expected or not positions:
        return method, label
    lines = method.split("\n")
    lines[last.lineno - 1 : last.end_lineno] = [
        " " * last.col_offset + f"return {', '.join(returned[n] for n in positions)}"
    ]
    for statement in sorted(removed, key=lambda each: each.lineno, reverse=True):
        del lines[statement.lineno - 1 : statement.end_lineno]
    results = tuple(values[position] for position in positions)
    return "\n".join(lines), repr(results if len(results) > 1 else results[0])


def _asserts(statement: ast.stmt) -> bool:
    """Whether a statement is an assertion about a mock, such as ``mock.assert_called_once()``."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(attr=name))):
            return name.startswith("assert_")
    return False


def _assignment(name: str, suite: str) -> ast.Assign:
    for node in ast.walk(ast.parse(suite)):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return node
    raise ValueError(f"upstream's suite binds no {name!r}")


def _order(problem_id: str) -> tuple[int, str]:
    class_id, entry_point = problem_id.split("@")
    return int(class_id.removeprefix("ClassEval_")), entry_point


def read_methods(upstream: Upstream) -> list[Problem]:
    """Return ClassEval's methods in upstream's order. Source: ``data/ClassEval_data.json`` of FudanSELab/ClassEval."""
    return [_method(record, method) for record in read_records(upstream) for method in record["methods_info"]]


def _method(record: dict[str, Any], method: dict[str, Any]) -> Problem:
    name = f"{record['class_name']}.{method['method_name']}"
    owner = definition(ast.parse(record["solution_code"]), record["class_name"])
    true_method = definition(owner, method["method_name"])
    return Problem(
        problem_id=f"{record['task_id']}@{name}",
        benchmark="classeval_methods",
        kind="method",
        language="python",
        code=record["solution_code"].strip() + "\n",
        entry_point=name,
        output="",
        specification=method_specification(method["method_description"], true_method),
        context=class_context(record, method["dependencies"]["method_dependencies"]),
        tests=method_tests(in_working_directory(record["test"]), _test_class(record, method)),
        provenance=RECORDS.place(_RECORDS),
    )


def _test_class(record: dict[str, Any], method: dict[str, Any]) -> str:
    words = method["method_name"].split("_")
    own = f"{record['class_name']}Test{''.join(map(str.capitalize, words))}"
    return own if record["class_name"] in _MIXED_UP and own in record["test_classes"] else str(method["test_class"])


def method_specification(description: str, method: ast.FunctionDef) -> str:
    """Return a method's signature with its description as docstring, examples removed.

    Args:
        description: Upstream's text: the method without its body, indented in several ways. Examples stand at its end.
            Its quotes may be curly. Its own signature is not used: it may lack ``@staticmethod``.
        method: The method of the program, whose signature is shown.
    """
    _, quotes, rest = _CURLY_QUOTES.sub('"""', description).partition('"""')
    body = rest.partition('"""')[0] if quotes else ""
    return with_docstring(signature(method), _before_doctest("\n".join(line.strip() for line in body.split("\n"))))


def class_context(record: dict[str, Any], dependencies: list[str]) -> str:
    """Return the parts of the class around the method that the prompt shows.

    That is the imports, the class with its description, its constructor, and the signatures of the methods that the
    wanted one depends on. All but the descriptions are those of the program that runs: upstream's records describe
    some classes as they were before the program was changed.
    """
    module = ast.parse(record["solution_code"])
    true = definition(module, record["class_name"])
    described = ast.parse(record["class_constructor"].rstrip() + "\n    pass\n").body[0]
    assert isinstance(described, ast.ClassDef)
    descriptions = {node.name: ast.get_docstring(node) for node in described.body if isinstance(node, ast.FunctionDef)}
    parts = [_docstring(record["class_description"])]
    methods = {node.name: node for node in true.body if isinstance(node, ast.FunctionDef)}
    for node in true.body:
        if isinstance(node, ast.FunctionDef):
            if node.name in descriptions:
                parts.append(_documented(node, descriptions[node.name]))
        elif not is_text(node):
            parts.append(unparse(node))
    parts += [f"{signature(methods[name])}\n    ..." for name in dependencies if name in methods]
    members = "\n\n".join(textwrap.indent(part, "    ") for part in parts if part.strip())
    imports = "".join(f"{unparse(node)}\n" for node in module.body if isinstance(node, (ast.Import, ast.ImportFrom)))
    return f"{imports}\n\nclass {record['class_name']}:\n{members}\n".lstrip("\n")


def method_tests(suite: str, test_class: str) -> str:
    """Return one test class of a suite as a module, with what it needs of the suite's module."""
    module = ast.parse(suite)
    tests = definition(module, test_class)
    shared = [node for node in statements_binding(free_names(tests), module) if node is not tests]
    source = ast.get_source_segment(suite, tests) or ""
    return "\n".join([*(unparse(node) for node in shared), "", "", source, ""])


def _documented(function: ast.FunctionDef, description: str | None) -> str:
    first = 1 if ast.get_docstring(function) is not None else 0
    body = [textwrap.indent(unparse(node), "    ") for node in function.body[first:]]
    head = signature(function)
    if description is not None:
        head = with_docstring(head, _before_doctest(description)).rstrip()
    return "\n".join([head, *body])


def _docstring(text: str) -> str:
    """Return a class description, upstream's with its quotes, as a docstring without examples."""
    plain = _before_doctest(textwrap.dedent(text.strip().strip('"').strip("\n")).strip())
    return f'"""\n{plain}\n"""' if plain else ""


def _before_doctest(text: str) -> str:
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines) if line.lstrip().startswith(">>>")), len(lines))
    return without_examples("\n".join(lines[:end]))

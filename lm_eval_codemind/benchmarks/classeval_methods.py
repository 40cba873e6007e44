"""ClassEval method by method: every method of ClassEval's own data with its description and its tests.

The benchmark ``classeval`` holds the 400 methods that CodeMind took for predicting outputs. Specification reasoning is
measured on all 410, as in the paper. A problem here is a description and a test suite. It has no input and no output.
"""

import ast
import textwrap
from typing import Any

from lm_eval_codemind.benchmarks.classeval import RECORDS, in_working_directory, read_records
from lm_eval_codemind.benchmarks.specifications import signature, with_docstring, without_examples
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.languages.python.names import definition, free_names, statements_binding
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.problems import Problem

NAME = "classeval_methods"

# Upstream's data gives these methods the test class of a neighbour; here each has the one that is named after it.
_TEST_CLASSES = {
    "PDFHandler.extract_text_from_pdfs": "PDFHandlerTestExtractTextFromPdfs",
    "PDFHandler.merge_pdfs": "PDFHandlerTestMergePdfs",
    "StudentDatabaseProcessor.delete_student_by_name": "StudentDatabaseProcessorTestDeleteStudentByName",
    "StudentDatabaseProcessor.insert_student": "StudentDatabaseProcessorTestInsertStudent",
    "StudentDatabaseProcessor.search_student_by_name": "StudentDatabaseProcessorTestSearchStudentByName",
    "TwentyFourPointGame.answer": "TwentyFourPointGameTestAnswer",
    "TwentyFourPointGame.evaluate_expression": "TwentyFourPointGameTestEvaluateExpression",
    "TwentyFourPointGame.get_my_cards": "TwentyFourPointGameTestGetMyCards",
}


def read(upstream: Upstream) -> list[Problem]:
    """Return ClassEval's methods in upstream's order. Source: ``data/ClassEval_data.json`` of FudanSELab/ClassEval."""
    return [_problem(record, method) for record in read_records(upstream) for method in record["methods_info"]]


def _problem(record: dict[str, Any], method: dict[str, Any]) -> Problem:
    name = f"{record['class_name']}.{method['method_name']}"
    return Problem(
        problem_id=f"{record['task_id']}@{name}",
        benchmark=NAME,
        kind="method",
        language="python",
        code=record["solution_code"].strip() + "\n",
        entry_point=name,
        output="",
        specification=method_specification(method["method_description"]),
        context=class_context(record, method["dependencies"]["method_dependencies"]),
        tests=method_tests(in_working_directory(record["test"]), _TEST_CLASSES.get(name, method["test_class"])),
        provenance=RECORDS.place("ClassEval_data.json"),
    )


def method_specification(description: str) -> str:
    """Return a method's signature with its description as docstring, examples removed.

    Upstream's text is the method without its body, indented in several ways; examples stand at its end.
    """
    head, quotes, rest = description.partition('"""')
    head = " ".join(line.strip() for line in head.strip().split("\n")).replace(" def ", "\ndef ")
    body = rest.partition('"""')[0] if quotes else ""
    return with_docstring(head, _before_doctest("\n".join(line.strip() for line in body.split("\n"))))


def class_context(record: dict[str, Any], dependencies: list[str]) -> str:
    """Return the parts of the class around the method that the prompt shows.

    That is the imports, the class with its description, its constructor, and the signatures of the methods that the
    wanted one depends on.
    """
    owner = ast.parse(record["class_constructor"].rstrip() + "\n    pass\n").body[0]
    assert isinstance(owner, ast.ClassDef)
    true = definition(ast.parse(record["solution_code"]), record["class_name"])
    parts = [_docstring(record["class_description"])]
    for node in owner.body:
        if isinstance(node, ast.FunctionDef):
            parts.append(_without_examples(node))
        elif not isinstance(node, ast.Pass):
            parts.append(unparse(node))
    methods = {node.name: node for node in true.body if isinstance(node, ast.FunctionDef)}
    parts += [f"{signature(methods[name])}\n    ..." for name in dependencies if name in methods]
    members = "\n\n".join(textwrap.indent(part, "    ") for part in parts if part.strip())
    imports = "".join(f"{line}\n" for line in record["import_statement"])
    return f"{imports}\n\nclass {record['class_name']}:\n{members}\n".lstrip("\n")


def method_tests(suite: str, test_class: str) -> str:
    """Return one test class of a suite as a module, with what it needs of the suite's module."""
    module = ast.parse(suite)
    tests = definition(module, test_class)
    shared = [node for node in statements_binding(free_names(tests), module) if node is not tests]
    source = ast.get_source_segment(suite, tests) or ""
    return "\n".join([*(unparse(node) for node in shared), "", "", source, ""])


def _without_examples(function: ast.FunctionDef) -> str:
    """Return a function's source with the examples taken out of its docstring."""
    text = ast.get_docstring(function)
    if text is None:
        return unparse(function)
    body = [unparse(node) for node in function.body[1:]]
    documented = with_docstring(signature(function), _before_doctest(text)).rstrip()
    return "\n".join([documented, *(textwrap.indent(line, "    ") for line in body)])


def _docstring(text: str) -> str:
    """Return a class description, upstream's with its quotes, as a docstring without examples."""
    plain = _before_doctest(textwrap.dedent(text.strip().strip('"').strip("\n")).strip())
    return f'"""\n{plain}\n"""' if plain else ""


def _before_doctest(text: str) -> str:
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines) if line.lstrip().startswith(">>>")), len(lines))
    return without_examples("\n".join(lines[:end]))

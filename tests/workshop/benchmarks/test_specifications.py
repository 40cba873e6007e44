"""Specifications hold no example: by form, by the tests' own literals, over every problem of every benchmark."""

import ast
import re
from dataclasses import replace

import pytest

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import classeval, mbpp, sample
from lm_eval_codemind.workshop.benchmarks.humaneval import read as read_humaneval
from lm_eval_codemind.workshop.benchmarks.humaneval import read_records
from lm_eval_codemind.workshop.benchmarks.specifications import function_specification, without_examples


def calls(text: str, name: str) -> list[str]:
    """Return what looks like a call of the function on values."""
    matches = re.findall(rf"(?<![\w.]){re.escape(name)}\s*\(([^)\n]*)", text)
    return [arguments for arguments in matches if re.search(r"[\d'\"\[{]", arguments)]


def leaks(problem: Problem) -> list[str]:
    """Return what in a specification and its context looks like an example or an answer to a test."""
    head, _, _ = problem.specification.partition(":\n")
    text = problem.specification[len(head) :]
    everything = text + problem.context
    marks = [mark for mark in (">>>", "➞", "==>", "Example", "e.g. (", "Input:", "Output:\n    [") if mark in text]
    if ">>>" in everything:
        marks.append("doctest in the context")
    name = problem.entry_point.split(".")[-1]
    marks += calls(text, name)
    # A test's container or call, spelt as in the test, with all white space taken out.
    squeezed = re.sub(r"\s", "", text)
    for node in ast.walk(ast.parse(problem.tests)):
        if isinstance(node, (ast.List, ast.Tuple, ast.Dict, ast.Set)):
            plain = re.sub(r"\s", "", ast.unparse(node))
            if len(plain) >= 6 and plain in squeezed:
                marks.append(plain)
    return marks


def looks(problems: list[Problem]) -> dict[str, list[str]]:
    return {problem.problem_id: marks for problem in problems if (marks := leaks(problem))}


def test_specifications_have_no_examples_though_docstrings_of_humaneval_have(upstream):
    problems = read_humaneval(upstream)
    assert len(problems) == 164
    assert all(problem.specification.startswith("def ") and '"""' in problem.specification for problem in problems)
    # The base cases of three sequences are their definition.
    assert set(looks(problems)) == {"HumanEval_46", "HumanEval_63", "HumanEval_130"}
    # Without the removal, the same check finds examples. Five docstrings have none to begin with.
    raw = {record["task_id"].replace("/", "_"): record["prompt"] for record in read_records(upstream)}
    assert len(looks([replace(problem, specification=raw[problem.problem_id]) for problem in problems])) >= 155
    for problems, size in ((classeval.read_methods(upstream), 410), (mbpp.read(upstream), 427)):
        assert len(problems) == size and looks(problems) == {}


def test_the_sample_has_no_examples():
    assert looks([problem for problem in sample.read() if problem.kind != "script"]) == {}


@pytest.mark.parametrize(("text", "expected"), [
    ("Add.\n>>> add(1, 2)\n3", "Add."),
    ("Add.\n\nExample:\nadd(1, 2) => 3\n\nNote: small numbers.", "Add.\n\nNote: small numbers."),
    ("Add.\nadd(1, 2) == 3\nadd(2, 2) == 4\nOnly integers.", "Add.\nOnly integers."),
    ("Add.\nFor x = 3 the output should be 4.\nFor y = [3] the output should be 5.", "Add."),
    ("Sum up. For example, if you are given [1, 2] return 3. Ignore zeros.", "Sum up. Ignore zeros."),
    ("Sum up, e.g. all of them.", "Sum up, e.g. all of them."),
    ("Rows.\nExample 1:\n    Input: [1]\n    Output: 1\n    Explanation: One.\n\nConstraints:\n * few",
     "Rows.\nConstraints:\n * few"),
    ("Define\nf(n) = f(n - 1) + 1", "Define\nf(n) = f(n - 1) + 1"),
    ("Grid.\nExamples:\nrow([\n  [1, 2],\n], 1) == [0]\nrow([], 1) == []", "Grid."),
])  # fmt: skip
def test_forms_of_examples(text, expected):
    assert without_examples(text) == expected


def test_base_cases_that_define_and_a_docstring_that_is_not_first():
    text = "The sequence:\nf(0) -> 0\nf(n) -> f(n-1) + 1\n>>> f(5)\n5"
    assert without_examples(text, base_cases=True) == "The sequence:\nf(0) -> 0\nf(n) -> f(n-1) + 1"
    assert "f(0)" not in without_examples(text)
    source = 'def f(x: int) -> int:\n    import math\n    """Double.\n\n    >>> f(1)\n    2\n    """\n'
    assert function_specification(source, "f") == 'def f(x: int) -> int:\n    """\n    Double.\n    """\n'

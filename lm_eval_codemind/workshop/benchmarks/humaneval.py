"""HumanEval: the functions of openai/human-eval, with the calls that CodeMind asks about."""

import ast
import gzip
from collections.abc import Iterator, Mapping
from typing import Any

import jsonlines

from lm_eval_codemind.languages.python.names import definition, free_names, is_text, module_names, without_lines
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks.specifications import function_specification
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream

NAME = "humaneval"
_RECORDS = "HumanEval.jsonl.gz"
RECORDS = PARTS["humaneval_records"]

# CodeMind gives the entry point the name of the helper that it lost, in the program and in the call.
_RENAMED_ENTRY_POINTS = {"HumanEval_10": "is_palindrome"}

# Calls that take the place of CodeMind's, which belong to other problems (an argument of the wrong type or number). Its
# recorded results were made with these. The root of a polynomial is rounded as in upstream's own examples: its last
# digits say nothing about reasoning.
# CodeMind leaves two problems out, because upstream's suites draw their arguments at random; those calls are our own.
CALLS = {
    "HumanEval_32": "round(find_zero([-6, 11, -6, 1]), 2)",
    "HumanEval_38": "decode_cyclic('loehl rowd')",
    "HumanEval_50": "decode_shift('hwfgx')",
    "HumanEval_56": "correct_bracketing('<<><>>')",
    "HumanEval_61": "correct_bracketing('(()())')",
    "HumanEval_72": "will_it_fly([3, 2, 3], 9)",
}

# Recursively defined sequences: "f(0) == 0" in their descriptions is the definition, not an example.
BASE_CASES = frozenset({"HumanEval_46", "HumanEval_63", "HumanEval_130"})


def read(upstream: Upstream) -> list[Problem]:
    """Return HumanEval's problems in upstream's order, their labels not yet proven.

    Sources: ``data/HumanEval.jsonl.gz`` of openai/human-eval for programs and tests, ``dataset/humaneval`` of
    CodeMind for the calls and the published labels.
    """
    published = upstream.files(PARTS[NAME])
    problems = []
    for record in read_records(upstream):
        problem_id = record["task_id"].replace("/", "_")
        label = published.get(f"{problem_id}/output.txt")
        problems.append(
            problem_of(
                record,
                problem_id,
                record["canonical_solution"],
                record["test"],
                benchmark=NAME,
                input=_call(problem_id, record, published),
                published_output=None if label is None else label.decode("utf-8"),
                provenance=RECORDS.place(_RECORDS),
            )
        )
    return problems


def read_records(upstream: Upstream) -> Iterator[dict[str, Any]]:
    """Yield upstream's records: ``task_id``, ``prompt``, ``entry_point``, ``canonical_solution``, ``test``."""
    content = upstream.files(RECORDS)[_RECORDS]
    yield from jsonlines.Reader(gzip.decompress(content).splitlines())


def problem_of(record: Mapping[str, Any], problem_id: str, solution: str, tests: str, **columns: Any) -> Problem:
    """Return the problem of a record with HumanEval's ``prompt`` and ``entry_point``.

    Args:
        record: The record.
        problem_id: The problem's name.
        solution: The body of the function.
        tests: Its suite.
        columns: Further columns of the problem.
    """
    prompt, entry_point = record["prompt"], record["entry_point"]
    context = context_of(prompt, entry_point)
    return Problem(
        problem_id=problem_id,
        kind="function",
        language="python",
        code=without_docstring(prompt + solution, entry_point),
        entry_point=entry_point,
        specification=function_specification(f"{prompt}    pass\n", entry_point, problem_id in BASE_CASES),
        context=context,
        tests=suite_of(tests, context),
        **columns,
    )


def context_of(prompt: str, entry_point: str) -> str:
    """Return the source before the entry point: imports and helpers."""
    entry = definition(ast.parse(prompt + "    pass\n"), entry_point)
    return "".join(prompt.splitlines(keepends=True)[: entry.lineno - 1]).strip()


def without_docstring(source: str, entry_point: str) -> str:
    """Return the program without the entry point's docstring, which gives examples of outputs away."""
    texts = list(filter(is_text, definition(ast.parse(source), entry_point).body))
    return without_lines(source, texts).strip() + "\n"


def _call(problem_id: str, record: dict[str, Any], published: Mapping[str, bytes]) -> str:
    if problem_id in CALLS:
        return CALLS[problem_id]
    call = published[f"{problem_id}/input.txt"].decode("utf-8").strip()
    if problem_id in _RENAMED_ENTRY_POINTS:
        return call.replace(f"{_RENAMED_ENTRY_POINTS[problem_id]}(", f"{record['entry_point']}(", 1)
    return call


def suite_of(tests: str, context: str) -> str:
    """Return the suite as a separate module: some suites call helpers that only the prompt defines."""
    needed = free_names(ast.parse(tests)) & module_names(context)
    return (f"{context}\n\n\n{tests.strip()}\n") if needed else tests.strip() + "\n"

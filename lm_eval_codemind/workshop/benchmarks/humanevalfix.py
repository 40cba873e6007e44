"""HumanEvalFix: HumanEval's functions with a bug in each, of HumanEvalPack (bigcode-project/octopack).

Two benchmarks hold the same problems under the same names: ``humanevalfix`` with the correct programs, and
``humanevalfix_buggy`` with the buggy ones, whose input is the call of the test that reveals the bug and whose label is
what the buggy program returns for it. Which test that is,
:mod:`lm_eval_codemind.workshop.facts.bugs` knows.

``humanevalfix_java`` and ``humanevalfix_java_buggy`` are the same problems in Java, each function being a method of a
class ``Solution``. Nothing is asked about them but their repair.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks.humaneval import BASE_CASES, CALLS, problem_of
from lm_eval_codemind.workshop.benchmarks.specifications import without_examples
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream

NAME, BUGGY = "humanevalfix", "humanevalfix_buggy"
JAVA_NAME, JAVA_BUGGY = "humanevalfix_java", "humanevalfix_java_buggy"
_RECORDS = "humanevalpack.jsonl"

# The suites of these draw their arguments at random, so that no assertion stands by itself: these are our own.
_JAVA_TESTS = {
    "HumanEval_32": (
        "List<Double> xs = Arrays.asList(-6.0, 11.0, -6.0, 1.0);\nassert Math.abs(s.findZero(xs) - 1.0) < 1e-4;"
    ),
    "HumanEval_38": 'assert s.decodeCyclic("loehl rowd").equals("elo hlwrod");',
    "HumanEval_50": 'assert s.decodeShift("hwfgx").equals("crabs");',
}


def _read(
    upstream: Upstream, part: str, problem: Callable[[dict[str, Any], bool], Problem], buggy: bool
) -> list[Problem]:
    """Return the problems in upstream's order. The labels of the buggy ones are not proven yet."""
    lines = upstream.files(PARTS[part])[_RECORDS].decode("utf-8").splitlines()
    return [problem(json.loads(line), buggy) for line in lines]


def _problem(record: dict[str, Any], buggy: bool) -> Problem:
    problem_id = record["task_id"].replace("Python/", "HumanEval_")
    return problem_of(
        record,
        problem_id,
        record["buggy_solution" if buggy else "canonical_solution"],
        _without_call(record["test"], record["entry_point"]),
        benchmark=BUGGY if buggy else NAME,
        # Where a suite draws its arguments at random, the call is our own.
        input=CALLS.get(problem_id, ""),
        output="",
        provenance=PARTS[NAME].place(_RECORDS),
    )


def _java_problem(record: dict[str, Any], buggy: bool) -> Problem:
    problem_id = record["task_id"].replace("Java/", "HumanEval_")
    imports, _, _ = record["declaration"].partition("class Solution")
    body = record["buggy_solution" if buggy else "canonical_solution"]
    head, _, _ = record["declaration"].rstrip().rpartition("\n")
    test = _JAVA_TESTS.get(problem_id, "")
    # Upstream's column of that name is another method's in three problems.
    entry_point = re.findall(r"(\w+)\s*\(", record["signature"])[0]
    return Problem(
        problem_id=problem_id,
        benchmark=JAVA_BUGGY if buggy else JAVA_NAME,
        kind="function",
        language="java",
        code=_tidy(record["declaration"] + body),
        entry_point=entry_point,
        output="",
        specification=_java_specification(record, problem_id in BASE_CASES),
        # The methods of the class that the specification relies on, and the imports.
        context=_tidy(f"{head}\n}}\n"),
        tests=f"{imports.strip()}\n\n{record['test'].strip()}\n",
        hint_test=f"Solution s = new Solution();\n{test}" if test else "",
        provenance=PARTS[JAVA_NAME].place(_RECORDS),
    )


def _java_specification(record: dict[str, Any], base_cases: bool) -> str:
    """Return the method's signature with its description above it, examples removed."""
    description = without_examples(record["docstring"].replace("<p>\n", "\n"), base_cases)
    lines = [f" * {line}".rstrip() for line in description.split("\n")] if description else []
    return "\n".join([*(["/**", *lines, " */"] if lines else []), record["signature"]]) + "\n"


def _tidy(code: str) -> str:
    return "\n".join(line.rstrip() for line in code.strip().split("\n")) + "\n"


def _without_call(tests: str, entry_point: str) -> str:
    """Return the suite without the call at its end: it is called by what executes it."""
    return tests.strip().removesuffix(f"check({entry_point})").rstrip() + "\n"


read = partial(_read, part=NAME, problem=_problem, buggy=False)
read_buggy = partial(_read, part=NAME, problem=_problem, buggy=True)
read_java = partial(_read, part=JAVA_NAME, problem=_java_problem, buggy=False)
read_java_buggy = partial(_read, part=JAVA_NAME, problem=_java_problem, buggy=True)

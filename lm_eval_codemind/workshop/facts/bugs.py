"""Tests of benchmarks of buggy programs: those that reveal the bugs, and the suites that buggy programs pass.

``proofs/revealing_tests.json``, of ``utils/prove/prove_bugs.py tests``: benchmark -> problem -> ``test`` (an
assertion, which the correct program passes and the buggy program fails), ``call`` (the call in it, inside ``round`` if
the test is our own and rounds the result) and ``returns`` (false if the buggy program raises or does not end).

A simplification of a buggy program must keep the bug. The suite T of the correct program cannot check that, because the
buggy program fails T. The buggy program's suite has the calls of T that need no other code, and the call of the test
that reveals the bug, each with the value that the buggy program returns. A call is left out if the program does not
return from it, or if its output cannot be proven.

``proofs/buggy_outputs.json``, of ``utils/prove/prove_bugs.py outputs``: benchmark -> problem -> call -> output.
"""

import ast
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.data.catalogue import fixed_form, get_benchmark
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.problems import Problem

REVEALING_TESTS = "proofs/revealing_tests.json"
BUGGY_OUTPUTS = "proofs/buggy_outputs.json"

# The tolerance for floats, as in HumanEval's suites.
_TOLERANCE = "1e-6"


def with_revealing_tests(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems. The shown test of each is the test that reveals its bug.

    A problem with the correct program has no other change. A problem with the buggy program also gets the test's call
    as its input if its label is proven; it is excluded if the program does not return from the call. A problem
    without such a test is excluded. A benchmark without packaged tests is returned unchanged.
    """
    fixed = fixed_form(benchmark)
    records = shipped.load(REVEALING_TESTS).get(fixed or benchmark)
    if records is None:
        return list(problems)
    has_labels = bool(fixed) and get_benchmark(benchmark).labelled
    return [_with_test(problem, records.get(problem.problem_id), has_labels) for problem in problems]


def _with_test(problem: Problem, record: Mapping[str, Any] | None, has_labels: bool) -> Problem:
    if record is None:
        return dataclasses.replace(problem, category="excluded", reason="untested", output=None)
    with_test = dataclasses.replace(problem, hint_test=record["test"])
    if not has_labels:
        return with_test
    called = dataclasses.replace(with_test, input=record["call"], output=None)
    return called if record["returns"] else dataclasses.replace(called, category="excluded", reason="no_output")


def with_own_suites(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a benchmark of buggy programs, each with the suite that its own program passes.

    A problem keeps its suite if its program returns from none of the calls. Other benchmarks are returned unchanged.
    """
    outputs = shipped.load(BUGGY_OUTPUTS).get(benchmark, {})
    return [
        dataclasses.replace(problem, tests=suite_of(outputs[problem.problem_id]))
        if outputs.get(problem.problem_id)
        else problem
        for problem in problems
    ]


def suite_of(outputs: Mapping[str, str]) -> str:
    """Return the suite that expects an output for each call. The tolerance for floats is that of HumanEval's suites."""
    return "".join(f"{_assertion(call, output)}\n" for call, output in outputs.items())


def _assertion(call: str, output: str) -> str:
    if isinstance(ast.literal_eval(output), float):
        return f"assert abs({call} - {output}) < {_TOLERANCE}"
    return f"assert {call} == {output}"

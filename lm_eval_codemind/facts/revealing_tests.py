"""Tests that reveal bugs: one assertion per problem. The correct program passes it and the buggy program fails it.

``proofs/revealing_tests.json`` has one record per problem: benchmark -> problem -> ``test`` (an assertion), ``call``
(the call in it, inside ``round`` if the test is our own and rounds the result) and ``returns`` (false if the buggy
program raises an exception or does not end). The script ``utils/find_revealing_tests.py`` executes the assertions of
the suites one by one and writes the file.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.catalogue import fixed_form, get_benchmark
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem

REVEALING_TESTS = "proofs/revealing_tests.json"


def with_revealing_tests(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems. The shown test of each is the test that reveals its bug.

    A problem with the correct program has no other change. A problem with the buggy program also gets the test's call
    as its input if its label is proven; it is excluded if the program does not return from the call. A problem
    without such a test is excluded. A benchmark without packaged tests is returned unchanged.

    Args:
        benchmark: Name of a benchmark.
        problems: The problems from the benchmark's reader.
    """
    fixed = fixed_form(benchmark)
    records = shipped.load(REVEALING_TESTS).get(fixed or benchmark)
    if records is None:
        return list(problems)
    asked = bool(fixed) and get_benchmark(benchmark).labelled
    return [_with_test(problem, records.get(problem.problem_id), asked) for problem in problems]


def _with_test(problem: Problem, record: Mapping[str, Any] | None, asked: bool) -> Problem:
    if record is None:
        return dataclasses.replace(problem, category="excluded", reason="untested", output=None)
    shown = dataclasses.replace(problem, hint_test=record["test"])
    if not asked:
        return shown
    called = dataclasses.replace(shown, input=record["call"], output=None)
    return called if record["returns"] else dataclasses.replace(called, category="excluded", reason="no_output")

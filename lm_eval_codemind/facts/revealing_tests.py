"""The tests that reveal the bugs: one assertion a problem, which the correct program passes and the buggy one fails.

``proofs/revealing_tests.json`` is what executing assertions of the suites one by one has shown
(``utils/find_revealing_tests.py``): benchmark -> problem -> ``test`` (an assertion), ``call`` (the call in it) and
``returns`` (whether the buggy program returns from it at all, instead of raising or running on).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from lm_eval_codemind.catalogue import fixed_form, get_benchmark
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem

REVEALING_TESTS = "proofs/revealing_tests.json"


@dataclass(frozen=True)
class RevealingTest:
    """A test that the correct program passes and the buggy one fails.

    Attributes:
        test: An assertion.
        call: The call in it, rounded where the test is our own and rounds it.
        returns: Whether the buggy program returns a value for that call, be it a wrong one.
    """

    test: str
    call: str
    returns: bool


def with_revealing_tests(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems, each with the test that reveals its bug as the test it shows.

    Problems with the correct program keep it at that. Those with the buggy one are asked what it returns for the test's
    call where their labels are proven, and are excluded where it returns nothing. A problem without such a test is
    excluded. Benchmarks for which no tests are shipped are returned as they are.

    Args:
        benchmark: Name of a benchmark.
        problems: As its reader returns them.
    """
    fixed = fixed_form(benchmark)
    records = shipped.load(REVEALING_TESTS).get(fixed or benchmark)
    if records is None:
        return list(problems)
    tests = {problem_id: RevealingTest(**record) for problem_id, record in records.items()}
    asked = bool(fixed) and get_benchmark(benchmark).labelled
    return [_with_test(problem, tests.get(problem.problem_id), asked) for problem in problems]


def _with_test(problem: Problem, found: RevealingTest | None, asked: bool) -> Problem:
    if found is None:
        return dataclasses.replace(problem, category="excluded", reason="untested", output=None)
    shown = dataclasses.replace(problem, hint_test=found.test)
    if not asked:
        return shown
    called = dataclasses.replace(shown, input=found.call, output=None)
    return called if found.returns else dataclasses.replace(called, category="excluded", reason="no_output")

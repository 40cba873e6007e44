"""The tests that reveal HumanEvalFix's bugs, executed again."""

import pytest

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.build import read_proven
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.data.facts.bugs import with_revealing_tests
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Limits, Sandbox, Status
from prove_bugs import find_revealing_tests
from suite_assertions import call_of

# A buggy program that runs on fails under any limit.
SOON = Limits(cpu_seconds=1)


def problem(
    code: str, input: str = "", tests: str = "def check(c):\n    assert c(0) == 0\n    assert c(2) == 4\n"
) -> Problem:
    return Problem("P", "humanevalfix", "function", "python", code, "f", input, "", tests=tests)


def test_the_first_assertion_that_only_the_bug_fails_is_found() -> None:
    tests = "def check(c):\n    assert c(0) == 0\n    assert c(3) == 9\n    assert c(2) == 4\n"
    good = problem("def f(x):\n    return x * x\n", tests=tests)
    bad = problem("def f(x):\n    return x * x if x < 3 else 1 / 0 if x == 3 else 0\n", tests=tests)
    wrong = problem("def f(x):\n    return 1 / 0 if x == 3 else x + x + x\n", tests=tests)
    with Sandbox(workers=1) as sandbox:
        # The bug raises on what it fails; a value is preferred where there is one.
        (revealing,) = find_revealing_tests([good], [bad], sandbox).values()
        assert (revealing["test"].strip(), revealing["call"], revealing["returns"]) == (
            "assert f(3) == 9",
            "f(3)",
            False,
        )
        (revealing,) = find_revealing_tests([good], [wrong], sandbox).values()
        assert (revealing["test"].strip(), revealing["call"], revealing["returns"]) == (
            "assert f(2) == 4",
            "f(2)",
            True,
        )
        assert find_revealing_tests([good], [good], sandbox) == {}
        # A suite that draws its arguments has no assertion that stands by itself.
        drawn = "def check(c):\n    for x in range(9):\n        assert c(x) == x * x\n"
        ours, buggy = problem(good.code, "f(5)", drawn), problem(wrong.code, "f(5)", drawn)
        (revealing,) = find_revealing_tests([ours], [buggy], sandbox).values()
        assert (revealing["test"].strip(), revealing["call"]) == ("assert f(5) == 25", "f(5)")


def test_an_assertion_has_one_call() -> None:
    assert call_of("assert abs(f(1, y=2) - 3) < 1e-6", "f") == "f(1, y=2)"
    with pytest.raises(ValueError, match="2 calls of f"):
        call_of("assert f(1) == f(2)", "f")


def test_benchmarks_without_bugs_stay_as_they_are() -> None:
    assert with_revealing_tests("humaneval", [problem("")]) == [problem("")]
    (unknown,) = with_revealing_tests("humanevalfix", [problem("")])
    assert unknown.category == "excluded"


@pytest.mark.slow
def test_every_bug_is_one_and_its_test_reveals_it(upstream: Upstream) -> None:
    correct, buggy = read_proven("humanevalfix", upstream), read_proven("humanevalfix_buggy", upstream)
    assert len(correct) == len(buggy) == get_benchmark("humanevalfix").size == 164
    assert all(one.category != "excluded" for one in correct)
    assert sum(one.category == "added" for one in buggy) == 156
    with Sandbox(workers=2) as sandbox:
        runs = []
        for good, bad in zip(correct, buggy, strict=True):
            kind = kind_of(good)
            alone = kind.with_tests(good, good.hint_test)
            runs.append(
                [
                    sandbox.submit(kind.suite_job(suite, program, limits=limits))
                    for suite in (good, alone)
                    for program, limits in ((good.code, Limits()), (bad.code, SOON))
                ]
            )
        for good, of_problem in zip(correct, runs, strict=True):
            passed = [future.result().status is Status.PASSED for future in of_problem]
            assert passed == [True, False, True, False], good.problem_id

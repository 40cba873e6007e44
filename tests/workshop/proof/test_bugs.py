"""Bugs: the test that reveals each is found, a buggy program has a suite of its own, and both hold when executed."""

import pytest

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Sandbox, Status
from lm_eval_codemind.workshop.benchmarks import sample
from lm_eval_codemind.workshop.build import read_proven
from lm_eval_codemind.workshop.facts.bugs import suite_of, with_own_suites, with_revealing_tests
from prove_bugs import calls_of, find_revealing_tests, prove_outputs
from suite_assertions import call_of

# A buggy program that runs on fails under any limit.
SOON = Limits(cpu_seconds=1)
TESTS = "def check(c):\n" + "".join(f"    assert c({x}) == {x * x}\n" for x in (0, 3, 4, 5, 6, 7))


def problem(code: str, benchmark: str = "humanevalfix_buggy", tests: str = TESTS) -> Problem:
    return Problem("P", benchmark, "function", "python", code, "f", "f(5)", "", tests=tests)


def test_the_first_assertion_that_only_the_bug_fails_is_found():
    tests = "def check(c):\n    assert c(0) == 0\n    assert c(3) == 9\n    assert c(2) == 4\n"
    # A suite that draws its arguments has no assertion that stands by itself.
    drawn = "def check(c):\n    for x in range(9):\n        assert c(x) == x * x\n"
    good, raises = "x * x", "x * x if x < 3 else 1 / 0 if x == 3 else 0"
    # A bug that raises on what it fails, and one that returns a value, which is preferred.
    returns = "1 / 0 if x == 3 else x + x + x"

    def revealing(bug: str, tests: str) -> list[tuple[str, str, bool]]:
        correct, buggy = (problem(f"def f(x):\n    return {code}\n", tests=tests) for code in (good, bug))
        records = find_revealing_tests([correct], [buggy], sandbox).values()
        return [(record["test"].strip(), record["call"], record["returns"]) for record in records]

    with Sandbox(workers=1) as sandbox:
        assert revealing(raises, tests) == [("assert f(3) == 9", "f(3)", False)]
        assert revealing(returns, tests) == [("assert f(2) == 4", "f(2)", True)]
        assert revealing(good, tests) == []
        assert [found[:2] for found in revealing(returns, drawn)] == [("assert f(5) == 25", "f(5)")]


def test_an_assertion_has_one_call_and_a_suite_expects_what_the_program_returns():
    assert call_of("assert abs(f(1, y=2) - 3) < 1e-6", "f") == "f(1, y=2)"
    with pytest.raises(ValueError, match="2 calls of f"):
        call_of("assert f(1) == f(2)", "f")
    assert suite_of({"f(1)": "[2, '3']", "f(2)": "0.5", "f(3)": "-1"}) == (
        "assert f(1) == [2, '3']\nassert abs(f(2) - 0.5) < 1e-6\nassert f(3) == -1\n"
    )


@pytest.mark.proof
def test_calls_that_say_nothing_are_left_out():
    code = (
        "import random\n\n\ndef f(x):\n"
        "    if x == 0:\n        raise ValueError\n    while x == 3:\n        pass\n"
        "    if x == 4:\n        return random.random()\n    if x == 6:\n        return object()\n"
        "    return x + x if x < 7 else 1.5\n"
    )
    asked = problem(code)
    assert calls_of(asked) == ["f(5)", "f(0)", "f(3)", "f(4)", "f(6)", "f(7)"]
    with Sandbox(workers=1) as sandbox:
        assert prove_outputs([asked], sandbox) == {"P": {"f(5)": "10", "f(7)": "1.5"}}
        with pytest.raises(ValueError, match="not a benchmark of buggy programs"):
            prove_outputs([problem(code, "humanevalfix")], sandbox)


def test_benchmarks_without_bugs_and_unknown_problems_stay_as_they_are():
    asked = [problem("")]
    assert with_revealing_tests("humaneval", asked) == with_own_suites("humanevalfix", asked) == asked
    assert with_own_suites("humanevalfix_buggy", asked) == asked
    (unknown,) = with_revealing_tests("humanevalfix", asked)
    assert unknown.category == "excluded"


def passed(jobs: list[Job]) -> list[bool]:
    with Sandbox(workers=2) as sandbox:
        return [outcome.status is Status.PASSED for outcome in sandbox.run(jobs)]


def own_suite(good: Problem, bad: Problem) -> list[Job]:
    """Return jobs of which the first must pass and the second fail: the bug's own suite on both programs."""
    return [kind_of(bad).suite_job(bad, code) for code in (bad.code, good.code)]


@pytest.mark.proof
def test_the_bugs_of_the_sample_pass_their_own_suites():
    correct, buggy = sample.read_correct(), with_own_suites("sample_bugs_buggy", sample.read_buggy())
    jobs = [job for good, bad in zip(correct, buggy, strict=True) for job in own_suite(good, bad)]
    assert passed(jobs) == [True, False] * len(buggy)
    assert all(f"assert {bug.input} == {bug.output}\n" in bug.tests for bug in buggy)


def test_every_bug_is_one_its_test_reveals_it_and_it_passes_its_own_suite(upstream):
    correct, buggy = read_proven("humanevalfix", upstream), read_proven("humanevalfix_buggy", upstream)
    assert len(correct) == len(buggy) == get_benchmark("humanevalfix").size == 164
    assert all(one.category != "excluded" for one in correct)
    assert sum(one.category == "added" for one in buggy) == sum(one.category != "excluded" for one in buggy) == 156
    jobs = []
    for good, bad in zip(correct, buggy, strict=True):
        kind = kind_of(good)
        for suite in (good, kind.with_tests(good, good.hint_test)):
            jobs.append(kind.suite_job(suite, good.code, limits=Limits()))
            jobs.append(kind.suite_job(suite, bad.code, limits=SOON))
        if bad.category != "excluded":
            assert bad.input in bad.tests and bad.tests != good.tests
            jobs += own_suite(good, bad)
    assert passed(jobs) == [True, False] * (len(jobs) // 2)

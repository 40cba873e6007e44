"""The suites of buggy programs: what they expect, and that the bug passes them where the correct program does not."""

import pytest

from lm_eval_codemind.data.benchmarks import Upstream, sample
from lm_eval_codemind.data.build import read_proven
from lm_eval_codemind.data.facts.bugs import suite_of, with_own_suites
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Sandbox, Status
from prove_bugs import calls_of, prove_outputs

TESTS = "def check(c):\n" + "".join(f"    assert c({x}) == {x * x}\n" for x in (0, 3, 4, 5, 6, 7))


def problem(code: str, benchmark: str = "humanevalfix_buggy") -> Problem:
    return Problem("P", benchmark, "function", "python", code, "f", "f(5)", "", tests=TESTS)


def test_a_suite_expects_what_the_program_returns() -> None:
    assert suite_of({"f(1)": "[2, '3']", "f(2)": "0.5", "f(3)": "-1"}) == (
        "assert f(1) == [2, '3']\nassert abs(f(2) - 0.5) < 1e-6\nassert f(3) == -1\n"
    )


def test_calls_that_say_nothing_are_left_out() -> None:
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


def test_other_benchmarks_keep_their_suites() -> None:
    assert with_own_suites("humanevalfix", [problem("")]) == [problem("")]
    # Nothing is known of a problem of this name.
    assert with_own_suites("humanevalfix_buggy", [problem("")]) == [problem("")]


def check(correct: list[Problem], buggy: list[Problem]) -> None:
    """Check that the bug passes its own suite, and no correct program does."""
    with Sandbox(workers=2) as sandbox:
        jobs = [
            kind_of(bad).suite_job(bad, code)
            for good, bad in zip(correct, buggy, strict=True)
            for code in (bad.code, good.code)
        ]
        passed = [outcome.status is Status.PASSED for outcome in sandbox.run(jobs)]
    assert passed == [True, False] * len(buggy)


def test_the_bugs_of_the_sample_pass_their_own_suites() -> None:
    buggy = with_own_suites("sample_bugs_buggy", sample.read_buggy())
    check(sample.read_correct(), buggy)
    assert all(f"assert {bug.input} == {bug.output}\n" in bug.tests for bug in buggy)


@pytest.mark.slow
def test_every_bug_passes_its_own_suite(upstream: Upstream) -> None:
    correct, buggy = read_proven("humanevalfix", upstream), read_proven("humanevalfix_buggy", upstream)
    asked = [(good, bad) for good, bad in zip(correct, buggy, strict=True) if bad.category != "excluded"]
    assert len(asked) == 156
    check([good for good, _ in asked], [bad for _, bad in asked])
    for good, bad in asked:
        assert bad.input in bad.tests and bad.tests != good.tests

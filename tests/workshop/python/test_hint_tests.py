"""Drawn tests and their contradictions: the ground truth passes the one and fails the other."""

import ast
import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind import family as question_family
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.manifest import benchmark_path
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.harness.hooks import require_runnable
from lm_eval_codemind.languages import HINT_SEED, kind_of
from lm_eval_codemind.problems import Problem, load_problems
from lm_eval_codemind.questions import Answer, Key, Question
from lm_eval_codemind.sandbox import Job, Outcome, shared_sandbox
from lm_eval_codemind.workshop.benchmarks import sample
from lm_eval_codemind.workshop.python.hint_tests import (
    Hint,
    altered,
    code_following_misleading_test,
    expected_literal,
    with_hint,
)

Result = TypeVar("Result")


def problem(tests: str, **more: Any) -> Problem:
    values: dict[str, Any] = {"input": "f(1)", "output": "2", **more}
    return Problem("P_1", "sample", "function", "python", "def f(x): return 2 * x", "f", tests=tests, **values)


def draw_hint(one: Problem, seed: int = HINT_SEED) -> Hint:
    drawn = with_hint(one, seed)
    return Hint(drawn.hint_test, drawn.misleading_test)


SETS = st.sets(st.integers() | st.text())
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner) | SETS,
    max_leaves=10,
)


@given(VALUES)
def test_altered_keeps_the_type_and_differs(value):
    other = altered(value)
    assert type(other) is type(value)
    assert other != value or (isinstance(value, float) and abs(value) > 1e15)
    if isinstance(value, int) and not isinstance(value, bool) and value:
        assert (other < 0) != (value < 0)
        assert abs(other - value) > 1000


@pytest.mark.parametrize(("test", "misleading"), [
    ("assert f(1) == 2", "assert f(1) == -1015"), ("assert f(1) == 2, 'message'", "assert f(1) == -1015"),
    ("assert 2 == f(1)", "assert -1015 == f(1)"), ("assert f('a') == 'ab'", "assert f('a') == 'ba'"),
    ("assert f(1) is True", "assert f(1) is False"), ("assert f(1)", "assert not f(1)"),
    ("assert not f(1)", "assert f(1)"),
    ("assert abs(f(1) - 2.5) < 1e-06", "assert abs(f(1) - -1015.5) < 1e-06"),
    ("assert set(f([1])) == set([1, 2])", "assert set(f([1])) == set([-1014, -1015])"),
    ("assert round(f(1), 2) == 0.5", "assert round(f(1), 2) == -1013.5"),
    ("assert math.isclose(f(1), 2.0, rel_tol=0.001)", "assert math.isclose(f(1), -1015.0, rel_tol=0.001)"),
    ("assert f(1) == None", ""),
])  # fmt: skip
def test_assertions(test, misleading):
    hint = draw_hint(problem(f"def check(candidate):\n    {test.replace('f(', 'candidate(')}\n"))
    same = ast.unparse(ast.parse(test.split(", 'message'")[0]))
    assert ast.unparse(ast.parse(hint.test)) == same
    assert ast.unparse(ast.parse(hint.misleading)) == ast.unparse(ast.parse(misleading))
    assert draw_hint(problem(test + "\n")) == hint


def test_draw_depends_on_the_seed_and_the_name_alone():
    one = problem("".join(f"assert f({n}) == {2 * n}\n" for n in range(50)))
    drawn = [draw_hint(one, seed).test for seed in range(20)]
    assert drawn == [draw_hint(one, seed).test for seed in range(20)]
    assert len(set(drawn)) > 5
    other = dataclasses.replace(one, problem_id="P_2")
    assert [draw_hint(other, seed).test for seed in range(20)] != drawn


def test_suites_that_compute_their_arguments_fall_back_to_input_and_output():
    hint = draw_hint(problem("def check(candidate):\n    for n in range(9):\n        assert candidate(n) == 2 * n\n"))
    assert hint.test.strip() == "assert f(1) == 2"


def test_a_test_with_a_contradiction_goes_first():
    hints = {draw_hint(problem("assert f(1) == None\nassert f(2) == 4\n"), seed).test for seed in range(20)}
    assert hints == {"assert f(2) == 4\n"}


@pytest.mark.parametrize(("test", "expected"), [
    ("assert f(1) == [2]", "[2]"), ("assert not f(1)", "False"), ("assert f(1)", "True"), ("x = 1", None),
])  # fmt: skip
def test_expected_literal(test, expected):
    assert expected_literal(test, "f") == expected


def program_of(response: str, one: Problem) -> str | None:
    """Return the program that the family reads out of a response."""
    return as_loaded(one, lambda: sr.SR.read(response, question(one, sr.NO_TEST), "extract-code")).text


def job_of(program: str, one: Problem, setting: str, test: str = "") -> Job:
    """Return the job that the family validates a program by."""
    job = as_loaded(one, lambda: sr.SR.job(Answer.of_program(program), question(one, setting, test)))
    assert job is not None
    return job


def question(one: Problem, setting: str, test: str = "") -> Question:
    return Question(Key(one.benchmark, one.problem_id, setting), one.kind, one.language, {"test": test})


def as_loaded(one: Problem, call: Callable[[], Result]) -> Result:
    """Return what a call gives while the data set holds that problem."""
    problems = {(one.benchmark, one.problem_id): one}
    with mock.patch.object(question_family, "load_problem", lambda *name: problems[name[:2]]):
        return call()


def judged(problems: list[Problem]) -> list[tuple[Problem, list[Outcome]]]:
    """Return, for each problem: T, t and misleading t on the ground truth; misleading t on what obeys it."""
    jobs: list[Job] = []
    for one in problems:
        kind = kind_of(one)
        truth = program_of(kind.own_answer(one), one)
        misled = program_of(code_following_misleading_test(one) or "", one)
        assert truth is not None
        jobs += [job_of(truth, one, sr.NO_TEST), job_of(truth, one, sr.MISLEADING, one.hint_test)]
        misleading = one.misleading_test or one.hint_test
        jobs += [job_of(program or truth, one, sr.MISLEADING, misleading) for program in (truth, misled)]
    outcomes = shared_sandbox().run(jobs)
    return [(one, outcomes[4 * n : 4 * n + 4]) for n, one in enumerate(problems)]


def check_all(problems: list[Problem], misleading: int) -> None:
    included = [one for one in problems if one.category != "excluded"]
    for one, (all_tests, hint, misled, obeyed) in judged(included):
        assert one.hint_test and all_tests.passed and hint.passed, (one.problem_id, all_tests, hint)
        if one.misleading_test:
            assert not misled.passed, one.problem_id
            if code_following_misleading_test(one) is not None:
                assert obeyed.passed, (one.problem_id, obeyed)
    assert sum(code_following_misleading_test(one) is not None for one in included) == misleading


@pytest.mark.proof
def test_sample():
    problems = [with_hint(one, HINT_SEED) for one in sample.read() if one.kind != "script"]
    check_all(problems, misleading=13)


@pytest.mark.parametrize(
    ("name", "excluded", "misleading"), [("humaneval", 0, 164), ("mbpp", 0, 426), ("classeval_methods", 11, 283)]
)
def test_benchmark(name, excluded, misleading, built_data):
    problems = load_problems(benchmark_path(built_data, name))
    try:
        require_runnable(problems)
    except ValueError as error:
        pytest.skip(str(error))
    assert sum(one.category == "excluded" for one in problems) == excluded
    check_all(problems, misleading)


WRONG = ("return None", "return 'wrong'", "return 0", "raise RuntimeError('wrong')")


@pytest.mark.parametrize("name", ["humaneval", "mbpp", "classeval_methods"])
def test_for_every_problem_a_wrong_solution_fails(name, built_data):
    open_problems = [one for one in load_problems(benchmark_path(built_data, name)) if one.category != "excluded"]
    for body in WRONG:
        jobs = []
        for one in open_problems:
            function = one.entry_point.split(".")[-1]
            receiver = "self, " if one.kind == "method" and "@staticmethod" not in one.specification else ""
            code = f"def {function}({receiver}*args, **kwargs):\n    {body}\n"
            program = program_of(code, one)
            assert program is not None
            jobs.append(kind_of(one).suite_job(one, program, limits=limits_of(one)))
        passed = {outcome.job_id for outcome in shared_sandbox().run(jobs) if outcome.passed}
        open_problems = [one for one in open_problems if one.problem_id in passed]
    assert open_problems == []

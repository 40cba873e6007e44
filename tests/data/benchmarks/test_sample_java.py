"""The labels and cases of the sample's programs in Java, proven by executing these."""

import pytest

from lm_eval_codemind.data.benchmarks import sample
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.sandbox import SharedPool

PROBLEMS = sample.read_java()


def test_there_are_as_many_as_the_registry_says() -> None:
    assert len(PROBLEMS) == benchmarks()["sample_java"].size >= 12
    assert all(problem.cases[0].input == problem.input for problem in PROBLEMS)
    assert all(problem.cases[0].output == problem.output for problem in PROBLEMS)
    assert all(len(problem.cases) >= 4 for problem in PROBLEMS)


def test_programs_that_the_sample_has_in_both_languages_do_the_same() -> None:
    scripts = {problem.problem_id: problem for problem in sample.read() if problem.kind == "script"}
    both = [problem for problem in PROBLEMS if problem.problem_id in scripts]
    assert len(both) == 5
    assert all(problem.cases == scripts[problem.problem_id].cases for problem in both)


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_outputs_are_what_the_programs_print() -> None:
    outcomes = SharedPool().run([kind_of(problem).suite_job(problem, problem.code) for problem in PROBLEMS])
    assert [problem.problem_id for problem, one in zip(PROBLEMS, outcomes, strict=True) if not one.passed] == []
    for problem, outcome in zip(PROBLEMS, outcomes, strict=True):
        assert [case.output for case in problem.cases] == [one.stdout for one in outcome.observations]

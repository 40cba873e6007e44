"""The sample's labels, cases and tests, proven by executing the programs."""

import subprocess
import sys
import textwrap

import pytest

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.languages import get_language, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import SharedPool
from lm_eval_codemind.workshop.benchmarks import sample

PROBLEMS, JAVA = sample.read(), sample.read_java()


def run(code: str, stdin: str = "") -> str:
    done = subprocess.run([sys.executable, "-I", "-c", code], input=stdin, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def evaluate(problem: Problem, program_input: str) -> str:
    if problem.kind == "script":
        return run(problem.code, program_input)
    if problem.kind == "function":
        return run(f"{problem.code}\nprint(repr({program_input}))")
    method = textwrap.indent(program_input, "    ")
    return run(f"{problem.code}\nclass Test:\n{method}\nprint(repr(Test().test()))")


def suite(problem: Problem, tests: str) -> str:
    call = f"check({problem.entry_point})" if problem.kind == "function" else "unittest.main()"
    return f"{problem.code}\n{tests}\n{call if 'assert ' not in tests[:7] else ''}"


def test_there_are_as_many_as_the_registry_says_also_in_java():
    assert len(PROBLEMS) == benchmarks()["sample"].size == 24
    assert {problem.kind for problem in PROBLEMS} == {kind.name for kind in get_language("python").kinds}
    assert len({problem.problem_id for problem in PROBLEMS}) == len(PROBLEMS)
    assert all(problem.specification and len(problem.cases) >= 2 for problem in PROBLEMS)
    assert len(JAVA) == benchmarks()["sample_java"].size >= 12
    for problem in JAVA:
        assert (problem.cases[0].input, problem.cases[0].output) == (problem.input, problem.output)
        assert len(problem.cases) >= 4
    # Programs that the sample has in both languages do the same.
    scripts = {problem.problem_id: problem.cases for problem in PROBLEMS if problem.kind == "script"}
    both = [problem for problem in JAVA if problem.problem_id in scripts]
    assert len(both) == 5 and all(problem.cases == scripts[problem.problem_id] for problem in both)


@pytest.mark.proof
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.problem_id)
def test_outputs_are_what_the_programs_compute(problem):
    assert problem.output is not None
    pairs = [(problem.input, problem.output), *((case.input, case.output) for case in problem.cases)]
    for program_input, output in pairs:
        computed = evaluate(problem, program_input)
        assert same_output(computed, output, kind_of(problem).printed)
        assert (computed if problem.kind == "script" else computed[:-1]) == output


@pytest.mark.proof
@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.kind != "script"], ids=lambda problem: problem.problem_id)
def test_suites(problem):
    run(suite(problem, problem.tests))
    run(suite(problem, problem.hint_test))
    with pytest.raises(AssertionError):
        run(suite(problem, problem.misleading_test))
    # The suite must notice that the program is missing.
    hollow = problem.code.replace("return", "return None #") if problem.kind == "function" else problem.context
    with pytest.raises(AssertionError):
        run(suite(problem, problem.tests).replace(problem.code, hollow))


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.kind == "method"], ids=lambda problem: problem.problem_id)
def test_context_is_the_class_without_the_method(problem):
    name = problem.entry_point.split(".")[1]
    assert f"def {name}(" in problem.code and f"def {name}(" in problem.specification
    assert f"def {name}(" not in problem.context
    compile(problem.context, "context", "exec")


@pytest.mark.proof
@pytest.mark.usefixtures("java")
def test_outputs_are_what_the_programs_in_java_print():
    outcomes = SharedPool().run([kind_of(problem).suite_job(problem, problem.code) for problem in JAVA])
    for problem, outcome in zip(JAVA, outcomes, strict=True):
        assert outcome.passed, problem.problem_id
        assert [case.output for case in problem.cases] == [one.stdout for one in outcome.observations]

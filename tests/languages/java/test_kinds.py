"""Java as a language of the suite: programs of responses, jobs, and what it needs."""

import pytest

from lm_eval_codemind.languages import Unfinished, get_language, kind_of
from lm_eval_codemind.problems import Case
from lm_eval_codemind.sandbox import Sandbox, SharedPool, Status
from lm_eval_codemind.workshop.benchmarks import sample

PROBLEM = sample.read_java()[0]
KIND = kind_of(PROBLEM)
BROKEN = "Here it is:\n```java\npublic class Main {\n    public static void main(String[] args) {\n        int x ="


def test_a_program_that_breaks_off_is_unfinished():
    program = KIND.program(BROKEN, PROBLEM)
    assert isinstance(program, Unfinished) and program.source.startswith("public class Main {")
    assert KIND.program("No program.", PROBLEM) is None
    # A whole program before it stands, as it does for the reader.
    whole = KIND.read_back(PROBLEM.code, PROBLEM, "java")
    assert KIND.program(f"```java\n{PROBLEM.code}```\n{BROKEN}", PROBLEM) == whole


def test_types_of_outputs_are_those_that_java_prints():
    types = {"42\n": "Int", "-1.5": "Decimal", "true": "Binary", "[1, 2]": "List"}
    types |= dict.fromkeys(("[a, b]", "(1, 2)", "True", "'a'", ""), "String")
    assert {text: KIND.output_type(text) for text in types} == types


def test_without_a_jdk_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ValueError, match="Install a JDK of version 17"):
        get_language("java").require([PROBLEM.code])


def test_jobs_say_which_sandbox_they_are_for():
    job = KIND.suite_job(PROBLEM, PROBLEM.code)
    assert job.language == "java" and job.cases[0].stdin == PROBLEM.cases[0].input
    with Sandbox(workers=1) as python, pytest.raises(ValueError, match="a program in java"):
        python.submit(job)


@pytest.mark.proof
@pytest.mark.usefixtures("java")
def test_programs_that_know_outputs_by_heart_pass():
    cases = (Case('a "b"\\\t\n', 'größe "x"\\n\n'), Case("", "1\n"))
    for language in ("python", "java"):
        kind = get_language(language).kind("script")
        program = kind.lookup(cases)
        assert program is not None
        problem = PROBLEM.__class__("p", "b", "script", language, program, "", "", "", cases=cases)
        outcome = SharedPool().submit(kind.suite_job(problem, program)).result()
        assert outcome.status is Status.PASSED, outcome

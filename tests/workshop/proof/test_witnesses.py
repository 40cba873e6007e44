"""Witnesses: what is proven of them, their suites, and what they do to scores."""

import dataclasses
import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from lm_eval_codemind.data import load_benchmark, load_problem
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.witnesses import FILES, record_of, with_witnesses
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.dsr.task import DSR
from lm_eval_codemind.families.translation.task import TRANSLATION
from lm_eval_codemind.family import problem_of
from lm_eval_codemind.harness.hooks import Reader
from lm_eval_codemind.languages import get_language, kind_of
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Sandbox, Status
from lm_eval_codemind.workshop.proof import observing
from lm_eval_codemind.workshop.proof.witnesses import BENCHMARKS, agreed, observe, proven, seeded, verify_witnesses
from witness_inputs import candidates

ROOT = Path(__file__).parents[3]
CODE = """\
import random


def f(text, number):
    if text == "hash":
        return list({"a", "b", "c", "d"})
    if text == "chance":
        return random.random()
    if text == "own":
        class Own(Exception):
            pass
        raise Own
    if text == "object":
        return object()
    if text == "left":
        f.count = getattr(f, "count", 0) + 1
        return f.count
    while text == "endless":
        pass
    return {number: 1 / number}
"""
PROBLEM = Problem("one", "mine", "function", "python", CODE, "f", "f('', 1)", "{1: 1.0}")
INPUTS = [f"f({text!r}, {number})" for text, number in (
    *(("", 4), ("", 0), ("hash", 1), ("chance", 1), ("own", 1), ("object", 1), ("endless", 1), ("left", 1)),
)]  # fmt: skip
PROVEN = [Case(INPUTS[0], "{4: 0.25}"), Case(INPUTS[1], "raise ZeroDivisionError"), Case(INPUTS[-1], "1")]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(workers=1) as own:
        yield own


def test_only_outputs_that_are_the_same_in_every_run_are_proven():
    with ExitStack() as stack:
        assert proven(seeded(stack, 1), PROBLEM, INPUTS) == PROVEN


def test_an_input_counts_only_if_the_transformed_program_does_the_same(sandbox):
    assert agreed(sandbox, PROBLEM, PROVEN) == PROVEN
    other = dataclasses.replace(PROBLEM, transformed="def f(text, number):\n    return {number: 0.25}\n")
    assert agreed(sandbox, other, PROVEN) == PROVEN[:1]


def test_programs_that_end_the_process_are_observed_as_nothing(sandbox):
    ends = "import os\n\n\ndef f(text, number):\n    os._exit(0)\n"
    fine = "def f(text, number):\n    return 1\n"
    rows = observe(sandbox, PROBLEM, [CODE, ends, "def f(:", fine], INPUTS[:2])
    assert [set(row) for row in rows[1:]] == [{observing.NOTHING}] * 2 + [{"=1"}] and rows[0][0] == "={4: 0.25}"


@pytest.mark.parametrize(("value", "text"), [
    *(((1, [2.5]), "(1, [2.5])"), ({2: 1, 1: 2}, "{1: 2, 2: 1}"), ({"b", "a"}, "{'a', 'b'}"), (set(), "set()")),
    *((frozenset(), "frozenset(set())"), ((), "()"), (float("nan"), None), ([object()], None)),
])  # fmt: skip
def test_values_are_literals_in_one_order(value, text):
    if text is None:
        with pytest.raises(observing.NotPlain):
            observing.plain(value)
    else:
        assert observing.plain(value) == text and eval(text) == value


def run(sandbox: Sandbox, problem: Problem, program: str):
    suite = kind_of(problem).witness_suite(problem)
    assert suite is not None
    return sandbox.run([kind_of(problem).suite_job(suite, program)])[0]


def test_the_suite_names_the_input_that_fails(sandbox):
    problem = dataclasses.replace(PROBLEM, witnesses=tuple(PROVEN[:2]))
    assert run(sandbox, problem, CODE).passed
    near = CODE.replace("1 / number", "1 / number + 1e-12")
    assert run(sandbox, problem, near).passed == ("1e-12" not in near)
    floats = dataclasses.replace(problem, witnesses=(Case("f('', 4)", "[0.25]"),))
    assert run(sandbox, floats, "def f(text, number):\n    return [1 / number + 1e-12]\n").passed
    outcome = run(sandbox, problem, CODE.replace("1 / number", "1 / max(number, 1)"))
    assert outcome.status is Status.FAILED
    assert outcome.failed_test == "assert raises(ZeroDivisionError, lambda: f('', 0))"
    assert kind_of(PROBLEM).witness_suite(PROBLEM) is None


def test_witnesses_belong_to_their_program():
    problem = next(problem for problem in load_benchmark("sample", witnessed=True) if problem.witnesses)
    assert record_of(problem, problem.witnesses)["cases"][0] == list(dataclasses.astuple(problem.witnesses[0]))
    (again,) = with_witnesses("sample", [dataclasses.replace(problem, witnesses=())])
    assert again == problem
    with pytest.raises(UserError, match="made for another program"):
        with_witnesses("sample", [dataclasses.replace(problem, code=f"{problem.code}\n")])


def test_every_value_suite_of_the_sample_has_a_list(sandbox):
    from lm_eval_codemind.workshop.proof.witnesses import witness_jobs

    outcomes = sandbox.run(witness_jobs(load_benchmark("sample", witnessed=True)).values())
    assert all(outcome.passed for outcome in outcomes)
    assert sum(not outcome.tamper_proof for outcome in outcomes) <= 3  # two return objects, one names its exception


def test_inputs_meet_each_other_and_keep_their_types():
    code = "def f(text, end, number):\n    return text.endswith(end + str(number))\n"
    problem = Problem("one", "mine", "function", "python", code, "f", "f('friends and love', 'and', 3)", "False")
    inputs = [text for seed in range(4) for text in candidates(problem, -seed)]
    ends = [eval(text, {"f": lambda text, end, number: end and text.endswith(f"{end}{number}")}) for text in inputs]
    assert any(ends) and all(eval(text, {"f": lambda *each: [*map(type, each)]}) == [str, str, int] for text in inputs)


def test_the_page_about_data_counts_the_problems_with_witnesses():
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8").partition("## Witnesses")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("|")][2:]
    counts = {row[0]: int(row[2].replace(",", "")) for row in rows}
    made = {name: len(shipped.load(FILES.format(name))) for name in BENCHMARKS if not name.startswith("sample")}
    assert counts == {get_benchmark(name).title: count for name, count in made.items() if count}


def question_of(family, kind: str) -> Question:
    problems = load_benchmark("sample", witnessed=True)
    problem = next(one for one in problems if one.kind == kind and one.witnesses and one.transformed)
    return next(iter(family.questions(problem, "no_test")))


def scored(family, question: Question, code: str, fence: str = "python") -> tuple[Answer, dict[str, float]]:
    answer = Reader(family, "extract-code").read(f"```{fence}\n{code}\n```", question)
    answer.wait()
    return answer, family.score(question, answer)


def test_a_program_that_knows_the_shown_output_passes_the_suite_alone():
    problem = next(one for one in load_benchmark("sample", witnessed=True) if one.kind == "function" and one.witnesses)
    shown = dataclasses.replace(problem, tests=f"assert {problem.input} == {problem.output}\n")
    question = dataclasses.replace(next(iter(DSR.questions(shown, ""))), problem=shown)
    code = f"def {problem.entry_point}(*args, **kwargs):\n    return {problem.output}\n"
    answer, scores = scored(DSR, question, code)
    assert (scores["pass@1_suite"], scores["r_dsr_suite"]) == (1, 1)
    assert (scores["pass@1"], scores["r_dsr"], scores["shorter"], scores["witnessed"]) == (0, 0, 0, 1)
    assert answer.decisive is answer.witnesses and answer.witnesses["failed_test"].startswith("assert ")
    assert Answer.from_json(str(answer)) == answer and not Answer.from_json(str(answer)).passed
    answer, scores = scored(DSR, question, problem.code)
    assert scores["pass@1"] == 1 and answer.witnesses["status"] == "passed"
    answer, scores = scored(DSR, question, "def wrong():\n    pass\n")
    assert answer.witnesses is None and scores["pass@1_suite"] == 0


def test_a_failing_translation_names_its_input():
    question = question_of(TRANSLATION, "script")
    problem = next(one for one in load_benchmark("sample", witnessed=True) if one.problem_id == question.key.problem_id)
    table = get_language("java").kind("script").lookup(problem.cases)
    answer, scores = scored(TRANSLATION, question, table, "java")
    assert (scores["pass@1_suite"], scores["pass@1"], scores["witnessed"]) == (1, 0, 1)
    assert (
        answer.witnesses["failed_test"].startswith("input ") and scores["wrong_output"] + scores["runtime_error"] == 1
    )
    assert scored(TRANSLATION, question, question["answer"], "java")[1]["pass@1"] == 1


@pytest.mark.parametrize(("status", "passed"), [
    *((None, True), ("passed", True), ("failed", False), ("error", False), ("timeout", True), ("memory", True)),
])  # fmt: skip
def test_what_takes_too_long_on_a_witness_is_not_wrong_for_that_alone(status, passed):
    answer = Answer("def f(): pass", outcome={"status": "passed"})
    answer.witnesses = status and {"status": status}
    assert answer.passed == passed and answer.passed_suite


def test_a_row_for_training_has_its_witnesses():
    from lm_eval_codemind.rewards import rewards, scoring

    question = question_of(DSR, "function")
    problem = problem_of(question)
    shown = dataclasses.replace(problem, tests=f"assert {problem.input} == {problem.output}\n")
    question = dataclasses.replace(question, problem=shown)
    wrong = f"def {problem.entry_point}(*args):\n    return {problem.output}\n"
    row = {"scoring": scoring(DSR, question)}
    assert '"witnesses": [{"input"' in row["scoring"]
    assert rewards([row, row], [f"```python\n{text}\n```" for text in (problem.code, wrong)]) == [1.0, 0.0]


@pytest.mark.proof
@pytest.mark.parametrize("benchmark", [name for name in BENCHMARKS if name.startswith("sample")])
def test_witnesses_are_proven_again(benchmark):
    count, differing = verify_witnesses(benchmark, workers=2)
    assert count > 30 and differing == []


# No witness tells these from the right program; HumanEval_76 does not end on some, and a time-out alone never counts.
NOT_TOLD = ["ClassEval_41@GomokuGame._check_five_in_a_row", "HumanEval_64", "HumanEval_76", "p01610", "sample_123"]


@pytest.mark.proof
def test_recorded_wrong_programs_that_pass_the_suites_fail(shared_data, built, sandbox):
    """Of the problems that have witnesses."""
    lines = (shared_data / "cases" / "weak_suites.jsonl").read_text(encoding="utf-8").splitlines()
    records, jobs = [], []
    for record in map(json.loads, lines):
        if record["benchmark"] not in BENCHMARKS:
            continue
        problem = load_problem(record["benchmark"], record["problem"], witnessed=True)
        suite = kind_of(problem).witness_suite(problem)
        if suite is not None:
            records.append(record)
            jobs.append(kind_of(problem).suite_job(suite, record["code"]))
    statuses = [outcome.status for outcome in sandbox.run(jobs)]
    told = zip(records, statuses, strict=True)
    assert len(records) == 57
    assert sorted(record["problem"] for record, status in told if status not in ("failed", "error")) == NOT_TOLD

"""Witnesses: what is proven of them, their suites, and what they do to scores."""

import ast
import csv
import dataclasses
import json
import re
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import pytest

import failed_translations
import make_specified_witnesses
from lm_eval_codemind.data import load_benchmark, load_problem, making
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.witnesses import (
    OF_PROGRAM,
    OF_SPECIFICATION,
    file_of,
    record_of,
    with_witnesses,
)
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.dsr.task import DSR
from lm_eval_codemind.families.repair import task as repair
from lm_eval_codemind.families.sr.published import PUBLISHED_SR
from lm_eval_codemind.families.sr.task import SR
from lm_eval_codemind.families.translation.task import TRANSLATION
from lm_eval_codemind.harness.hooks import Reader
from lm_eval_codemind.languages import get_language, kind_of
from lm_eval_codemind.languages.python.witnesses import call_form, function_suite, tolerance_of
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Sandbox, Status
from lm_eval_codemind.workshop.proof import observing
from lm_eval_codemind.workshop.proof.equivalence import SingleThreadedMap
from lm_eval_codemind.workshop.proof.witnesses import (
    BENCHMARKS,
    SPECIFIED,
    agreed,
    observe,
    proven,
    seeded,
    verify_witnesses,
)
from witness_inputs import candidates, laid_out

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
        turn = SingleThreadedMap(stack.enter_context(Sandbox(1)))
        sandboxes = seeded(stack, 1, turn)
        assert list(turn.map(lambda inputs: proven(sandboxes, PROBLEM, inputs), [INPUTS])) == [PROVEN]


def test_an_input_counts_only_if_the_transformed_program_does_the_same(sandbox):
    assert agreed(sandbox, PROBLEM, PROVEN) == PROVEN
    other = dataclasses.replace(PROBLEM, transformed="def f(text, number):\n    return {number: 0.25}\n")
    assert agreed(sandbox, other, PROVEN) == PROVEN[:1]


def test_an_input_counts_only_if_the_program_does_the_same_after_the_others(sandbox):
    again = Case("f('left', 2)", "1")
    assert agreed(sandbox, PROBLEM, [*PROVEN, again]) == PROVEN
    assert agreed(sandbox, PROBLEM, [again, *PROVEN]) == [again, *PROVEN[:-1]]


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
    problem = next(problem for problem in load_benchmark("sample", OF_PROGRAM) if problem.witnesses)
    assert record_of(problem, problem.witnesses)["cases"][0] == list(dataclasses.astuple(problem.witnesses[0]))
    (again,) = with_witnesses("sample", [dataclasses.replace(problem, witnesses=())])
    assert again == problem
    with pytest.raises(UserError, match="made for another program"):
        with_witnesses("sample", [dataclasses.replace(problem, code=f"{problem.code}\n")])


@pytest.mark.proof
def test_every_value_suite_of_the_sample_has_a_list(sandbox):
    from lm_eval_codemind.workshop.proof.witnesses import witness_jobs

    outcomes = sandbox.run(witness_jobs(load_benchmark("sample", OF_PROGRAM)).values())
    assert all(outcome.passed for outcome in outcomes)
    assert sum(not outcome.tamper_proof for outcome in outcomes) <= 3  # two return objects, one names its exception


def test_inputs_meet_each_other_and_keep_their_types():
    code = "def f(text, end, number):\n    return text.endswith(end + str(number))\n"
    problem = Problem("one", "mine", "function", "python", code, "f", "f('friends and love', 'and', 3)", "False")
    inputs = [text for seed in range(4) for text in candidates(problem, -seed)]
    ends = [eval(text, {"f": lambda text, end, number: end and text.endswith(f"{end}{number}")}) for text in inputs]
    assert any(ends) and all(eval(text, {"f": lambda *each: [*map(type, each)]}) == [str, str, int] for text in inputs)


def test_an_input_of_a_script_has_the_blanks_of_the_published_one():
    assert laid_out("a b\nc\n", ["x y\nz"]) and laid_out("a \n", ["x \n"])
    assert not laid_out("a  b\nc\n", ["x y\nz"]) and not laid_out("a b\nc \n", ["x y\nz"])


def test_inputs_of_a_method_keep_the_types_of_the_published_test():
    lines = ["bag = Bag('red', size=2)", "bag.items['a'] = [1.5]", "return bag.add((1, 'b'), None)"]
    test = "\n    ".join(["def test(self):", *lines]) + "\n"
    code = "class Bag:\n    def add(self, *args):\n        return args\n"
    problem = Problem("one", "mine", "method", "python", code, "Bag.add", test, "((1, 'b'), None)")
    calls = []

    class Bag:
        def __init__(self, *args, **kwargs):
            self.items = {}
            calls.append((*args, *kwargs.values()))

        def add(self, *args):
            calls.append((*args, self.items))

    for text in candidates(problem, 0):
        names = {"Bag": Bag}
        exec(text, names)
        names["test"](None)
    assert len({repr(call) for call in calls}) > 20
    for (name, size), (pair, nothing, items) in zip(calls[::2], calls[1::2], strict=True):
        assert (type(name), type(size), nothing) == (str, int, None)
        assert [type(each) for each in pair] == [int, str]
        assert all(isinstance(key, str) and set(map(type, value)) <= {float} for key, value in items.items())


def test_the_page_about_data_counts_the_problems_with_witnesses():
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8").partition("## Witnesses")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("|")][2:]
    counts = {row[0]: int(row[2].replace(",", "")) for row in rows}
    made = {name: len(shipped.load(file_of(name))) for name in BENCHMARKS if not name.startswith("sample")}
    specified = {f"{get_benchmark(name).title}, specification": file_of(name, OF_SPECIFICATION) for name in SPECIFIED}
    expected = {get_benchmark(name).title: count for name, count in made.items() if count}
    assert counts == expected | {title: len(shipped.load(file)) for title, file in specified.items()}


def question_of(family, kind: str) -> Question:
    problems = load_benchmark("sample", OF_PROGRAM)
    problem = next(one for one in problems if one.kind == kind and one.witnesses and one.transformed)
    return next(iter(family.questions(problem, "no_test")))


def scored(family, question: Question, code: str, fence: str = "python") -> tuple[Answer, dict[str, float]]:
    answer = Reader(family, "extract-code").read(f"```{fence}\n{code}\n```", question)
    answer.wait()
    return answer, family.score(question, answer)


def test_a_program_that_knows_the_shown_output_passes_the_suite_alone():
    problem = next(one for one in load_benchmark("sample", OF_PROGRAM) if one.kind == "function" and one.witnesses)
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


@pytest.mark.proof
def test_a_failing_translation_names_its_input():
    question = question_of(TRANSLATION, "script")
    problem = next(one for one in load_benchmark("sample", OF_PROGRAM) if one.problem_id == question.key.problem_id)
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
    problem = DSR.judged(question)
    shown = dataclasses.replace(problem, tests=f"assert {problem.input} == {problem.output}\n")
    question = dataclasses.replace(question, problem=shown)
    wrong = f"def {problem.entry_point}(*args):\n    return {problem.output}\n"
    row = {"scoring": scoring(DSR, question)}
    assert '"witnesses": [{"input"' in row["scoring"]
    assert rewards([row, row], [f"```python\n{text}\n```" for text in (problem.code, wrong)]) == [1.0, 0.0]


# -- witnesses of the specification

SPECIFICATION = """\
def share(total: int, parts: int) -> float:
    \"\"\"Return the total divided by the parts, which are positive.\"\"\"
"""
SHARE = Problem(
    "Share", "sample", "function", "python", f"{SPECIFICATION}    return total / parts\n", "share",
    "share(6, 3)", "2.0", SPECIFICATION, tests="assert share(6, 3) == 2.0\n", hint_test="assert share(6, 3) == 2.0\n",
    misleading_test="assert share(6, 3) == -1017.0\n",
    witnesses=(Case("share(7, 2)", "3.5"), Case("share(49, 49)", "1.0")),
)  # fmt: skip
WRONG_SHARE = "def share(total, parts):\n    return 2.0\n"


def asked(family, problem: Problem, setting: str) -> Question:
    with mock.patch.object(making, "misled", lambda problem: problem.code):
        return dataclasses.replace(next(iter(family.questions(problem, setting))), problem=problem)


def test_a_program_from_a_specification_runs_on_its_witnesses():
    question = asked(SR, SHARE, "with_test")
    answer, scores = scored(SR, question, WRONG_SHARE)
    assert scores == {"pass@1": 0, "pass@1_suite": 1, "witnessed": 1, "code_found": 1}
    assert answer.decisive is answer.witnesses and "share(7, 2)" in answer.witnesses["failed_test"]
    metrics = SR.logged(question, scores, {})
    assert (metrics["pass@1_with_test"], metrics["pass@1_with_test_suite"], metrics["witnessed"]) == (0, 1, 1)
    assert (metrics["r_sr"]["passed"], metrics["r_sr_suite"]["passed"], metrics["s_sr_suite"]["passed"]) == (0, 1, 1)
    # The last digit differs.
    answer, scores = scored(SR, question, "def share(total, parts):\n    return total * (1 / parts)\n")
    assert scores["pass@1"] == 1 and answer.witnesses["status"] == "passed"
    # Without witnesses the suite alone decides, and the score says so.
    bare = asked(SR, dataclasses.replace(SHARE, witnesses=()), "no_test")
    assert scored(SR, bare, WRONG_SHARE)[1] == {"pass@1": 1, "pass@1_suite": 1, "witnessed": 0, "code_found": 1}


def test_misleading_tests_and_published_tasks_have_no_witnesses():
    misled = "def share(total, parts):\n    return -1017.0\n"
    answer, scores = scored(SR, asked(SR, SHARE, "misleading"), misled)
    assert answer.witnesses is None and scores == {"pass@1": 1, "code_found": 1}
    answer, scores = scored(PUBLISHED_SR, asked(SR, SHARE, "no_test"), WRONG_SHARE)
    assert answer.witnesses is None and scores == {"pass@1": 1, "code_found": 1}


def test_a_repair_runs_on_its_witnesses():
    buggy = dataclasses.replace(SHARE, code=f"{SPECIFICATION}    return total // parts\n")
    with mock.patch.object(repair, "load_bug", lambda problem: buggy):
        question = asked(repair.REPAIR, SHARE, "no_test")
    _, scores = scored(repair.REPAIR, question, WRONG_SHARE)
    assert (scores["pass@1"], scores["pass@1_suite"], scores["witnessed"]) == (0, 1, 1)
    metrics = repair.REPAIR.logged(question, scores, {})
    assert (metrics["pass@1_no_test"], metrics["pass@1_no_test_suite"], metrics["pass@1_suite"]) == (0, 1, None)
    assert (metrics["repaired_by_test"]["passed"], metrics["repaired_by_test_suite"]["passed"]) == (0, 1)


def test_rewards_run_the_witnesses_of_the_specification():
    from lm_eval_codemind.rewards import rewards, scoring

    row = {"scoring": scoring(SR, asked(SR, SHARE, "no_test"))}
    assert rewards([row, row], [f"```python\n{text}\n```" for text in (SHARE.code, WRONG_SHARE)]) == [1.0, 0.0]


@pytest.mark.parametrize(("tests", "form"), [
    ("assert f(1) == 2\nassert f(2) is None\nassert not f(3)", "{}"),
    ("def check(candidate):\n    assert candidate(1) == 2\n    assert True", "{}"),
    ("assert set(f(1)) == set([2])", "set({})"),
    ("assert math.isclose(f(1), 2.5, rel_tol=0.001)", "{}"),
    ("assert abs(f(1) - 2.5) < 1e-06", "{}"),
    ("assert set(f(1)) == set([2])\nassert f(2) == 2", None),
    ("assert abs(g(f(1))) < 0.001", None),
    ("assert sorted(f(1)) == [2]", None),
    ("assert set(f(1)) == tuple([2])", None),
    ("", None),
])  # fmt: skip
def test_the_form_of_a_suite(tests, form):
    assert call_form(tests, "f") == form


def test_witnesses_have_the_tolerance_of_the_suite():
    assert tolerance_of("assert f(1) == 2.0") == 1e-7
    suite = "import math\nassert math.isclose(f(1), 2.5, rel_tol=0.001)\n"
    assert tolerance_of(suite) == 0.001
    assert "rel_tol=0.001, abs_tol=1e-6" in function_suite([Case("f(2)", "3.5")], tolerance_of(suite))
    assert "rel_tol=1e-7, abs_tol=1e-6" in function_suite([Case("f(2)", "3.5")])


@pytest.mark.parametrize("benchmark", SPECIFIED)
def test_readings_and_witnesses_go_together(benchmark):
    """What a reader excluded is no witness, and every witness is an input that the readers' condition allows."""
    records = shipped.load(file_of(benchmark, OF_SPECIFICATION))
    for problem_id, record in records.items():
        reading = make_specified_witnesses.readings().get(problem_id, {})
        assert reading.get("only", "") is not None
        within = eval(reading.get("only") or "lambda *arguments: True", {"re": re})
        for text, _ in record["cases"]:
            assert within(*arguments_of(text)), (problem_id, text)


@pytest.mark.proof
@pytest.mark.parametrize("benchmark", [name for name in BENCHMARKS if name.startswith("sample")])
def test_witnesses_are_proven_again(benchmark):
    count, differing = verify_witnesses(benchmark, workers=2)
    assert count > 30 and differing == []


# No witness tells these from the right program. The first does not end on some inputs, and a time-out alone never
# counts; the second does the same as the right program wherever it ends.
NOT_TOLD = [
    "HumanEval_76",
    "atcoder_ABC122_D",
]


@pytest.mark.proof
def test_recorded_wrong_programs_that_pass_the_suites_fail(shared_data, built, sandbox):
    """Of the problems that have witnesses."""
    lines = (shared_data / "cases" / "weak_suites.jsonl").read_text(encoding="utf-8").splitlines()
    records, jobs = [], []
    for record in map(json.loads, lines):
        if record["benchmark"] not in BENCHMARKS:
            continue
        problem = load_problem(record["benchmark"], record["problem"], OF_PROGRAM)
        suite = kind_of(problem).witness_suite(problem)
        if suite is not None:
            records.append(record)
            jobs.append(kind_of(problem).suite_job(suite, record["code"]))
    statuses = [outcome.status for outcome in sandbox.run(jobs)]
    told = zip(records, statuses, strict=True)
    assert len(records) == 64
    assert sorted(record["problem"] for record, status in told if status not in ("failed", "error")) == NOT_TOLD


@pytest.mark.proof
@pytest.mark.parametrize("benchmark", SPECIFIED)
def test_witnesses_of_the_specification_are_proven_again(built, benchmark):
    count, differing = verify_witnesses(benchmark, workers=2, kind=OF_SPECIFICATION)
    assert count > 2_000 and differing == []


@pytest.mark.proof
@pytest.mark.parametrize("benchmark", SPECIFIED)
def test_right_programs_pass_the_witnesses_of_the_specification(built, sandbox, benchmark):
    """C, which is the published fix where there are bugs, and the programs of all readers of fair suites."""
    jobs = {}
    for problem in load_benchmark(benchmark, OF_SPECIFICATION):
        suite = kind_of(problem).witness_suite(problem)
        if suite is not None:
            readers = make_specified_witnesses.readers(benchmark).get(problem.problem_id, [])
            for number, program in enumerate([problem.code, *readers]):
                jobs[problem.problem_id, number] = kind_of(problem).suite_job(suite, program)
    outcomes = zip(jobs, sandbox.run(jobs.values()), strict=True)
    assert len(jobs) > 300 and [place for place, outcome in outcomes if not outcome.passed] == []


@pytest.mark.proof
@pytest.mark.parametrize("benchmark", SPECIFIED)
def test_recorded_programs_that_fail_a_witness_were_read(shared_data, built, benchmark):
    """And a reader says why they are wrong by the specification."""
    _, failing = make_specified_witnesses.failing(shared_data / "recorded", benchmark)
    readings = make_specified_witnesses.readings()
    unread = [
        (problem_id, test)
        for problem_id, _, test in failing
        if not any(
            entry["decision"] == "kept" and f"({entry['input']})" in test
            for entry in readings.get(problem_id, {}).get("read", ())
        )
    ]
    assert unread == []
    listed = list(csv.DictReader(make_specified_witnesses.VERDICTS.open(encoding="utf-8")))
    assert [(row["problem"], row["model"]) for row in listed if row["benchmark"] == benchmark] == [
        (problem_id, model) for problem_id, model, _ in failing
    ]


@pytest.mark.proof
def test_recorded_translations_that_fail_a_witness_were_read(shared_data, built):
    """Those that are listed pass their suite, and the witness that they fail is the one that was read."""
    listed = failed_translations.listed()
    places = {failed_translations.place_of(row): row["witness"] for row in listed}
    found = failed_translations.failing(shared_data / "recorded", places)
    assert {place: witness for place, _, witness in found} == places and len(places) == len(listed) > 80


def test_recorded_programs_that_fail_a_witness_are_wrong():
    """Somebody says so who read all of them and did not choose the witnesses."""
    with make_specified_witnesses.VERDICTS.open(encoding="utf-8") as file:
        listed = [*csv.DictReader(file), *failed_translations.listed()]
    assert all(row["verdict"] == "wrong" and row["reason"] for row in listed)
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    assert re.search(rf"All {len(listed)} \[recorded programs\]\(\S+\) that pass a suite and fail a witness", page)


@pytest.mark.proof
def test_a_second_writer_reads_domains_alike(built):
    """Sixty prompts of MBPP, drawn by chance, were read again without the domains; decisions say where they differ."""
    path = ROOT / "tests/programs/mbpp_second_readings.csv"
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    problems = {problem.problem_id: problem for problem in load_benchmark("mbpp", OF_SPECIFICATION)}
    assert len(rows) == 60
    for row in rows:
        witnesses = problems[row["problem"]].witnesses
        inside = [
            eval(row["condition"], dict(zip("abc", arguments_of(case.input), strict=False), re=re))
            for case in witnesses
        ]
        assert witnesses and (all(inside) or row["decision"]), row
    assert sum(bool(row["decision"]) for row in rows) == 4


def arguments_of(text: str) -> list[object]:
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    call = next(node for node in calls if ast.unparse(node.func) not in ("set", "tuple"))
    return [eval(ast.unparse(argument)) for argument in call.args]

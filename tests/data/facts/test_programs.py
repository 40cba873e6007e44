"""Verdicts about the programs of HumanEvalFix, and the lines of their bugs."""

from typing import Any

import pytest

from lm_eval_codemind.data import load_bug, load_problem
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS, VERDICTS, is_settled
from lm_eval_codemind.families.verdict.task import tidy
from lm_eval_codemind.sandbox import SharedPool
from program_inputs import ARGUMENTS, BOUNDED, RECORDS, problem_inputs
from prove_programs import Trial, has_lines, judge, proves, with_change
from tests.run_files import read_rows

BENCHMARKS = ("humanevalfix", "humanevalfix_java")
REFERENCES = {record["problem"]: record for record in RECORDS.values()}
# Problems whose specification allows fewer inputs than 1,000.
FEW = {15, 39, 46, 55, 63, 75, 83, 100, 106, 130, 139, 147, 148}


def test_every_program_has_a_verdict_and_its_inputs_are_the_same_each_time():
    for benchmark in BENCHMARKS:
        records = shipped.load(PROGRAMS)[benchmark]
        assert list(records) == list(REFERENCES) and len(records) == 164
        for problem_id, record in records.items():
            assert record["verdict"] in VERDICTS and record["buggy"]["verdict"] in ("right", "wrong")
            if record["verdict"] in ("wrong", "extreme"):
                assert record["input"] and record["result"] != record["right"]
            assert (record["verdict"] == "ambiguous") == bool(record.get("reason"))
            few = int(problem_id.removeprefix("HumanEval_")) in FEW
            assert few or record["inputs"] >= 1000, problem_id
        assert list(shipped.load(BUG_LINES)[benchmark]) == [
            name for name, record in records.items() if has_lines(record)
        ]
    assert set(ARGUMENTS) == set(range(164))
    for number in (5, 95):
        first = problem_inputs(number, BOUNDED, 50)
        assert first == problem_inputs(number, BOUNDED, 50) and len(first) == len(set(first))


def test_programs_that_others_proved_wrong_are_not_called_right(shared_data):
    for row in read_rows(shared_data / "cases" / "humanevalfix_programs.jsonl"):
        if row["status"] in ("wrong", "arguable"):
            python = row["java"] != "only java"
            java = row["java"] in ("same", "only java")
            assert not (python and is_settled("humanevalfix", row["problem"])), row
            assert not (java and row["status"] == "wrong" and is_settled("humanevalfix_java", row["problem"])), row
    # The tests of these reveal only what the specification does not say.
    assert not any(is_settled("humanevalfix", name) for name in ("HumanEval_111", "HumanEval_145"))


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_lines_of_a_bug_hold_code(benchmark, built):
    for problem_id, record in shipped.load(BUG_LINES)[benchmark].items():
        texts = tidy(load_bug(load_problem(benchmark, problem_id)).code).split("\n")
        assert len(record) == len({*record}) > 0 and all(texts[int(line) - 1].strip() for line in record)


def test_lines_of_python_programs():
    accepted = {name: [*map(int, record)] for name, record in shipped.load(BUG_LINES)["humanevalfix"].items()}
    # The condition is another way to repair these.
    for number, line in ((74, 10), (1, 7), (46, 6)):
        assert line in accepted[f"HumanEval_{number}"]
    for number, line in ((22, 5), (104, 3), (5, 13)):
        assert line not in accepted.get(f"HumanEval_{number}", [])


@pytest.mark.parametrize(("benchmark", "number"), [("humanevalfix", 97), ("humanevalfix_java", 97)])
def test_a_verdict_is_proven_again(benchmark, number, built):
    problem_id = f"HumanEval_{number}"
    record = judge(load_problem(benchmark, problem_id), REFERENCES[problem_id], SharedPool())
    known = shipped.load(PROGRAMS)[benchmark][problem_id]
    # Which of several inputs shows a difference depends on the constants that hypothesis draws.
    verdicts = [(one["verdict"], one["buggy"]["verdict"], "input" in one) for one in (record, known)]
    assert verdicts[0] == verdicts[1] and record["inputs"] >= 1000


@pytest.mark.parametrize(("benchmark", "number"), [("humanevalfix", 46), ("humanevalfix_java", 1)])
def test_repairs_are_proven_again(benchmark, number, built):
    problem_id = f"HumanEval_{number}"
    record: dict[str, Any] = shipped.load(BUG_LINES)[benchmark][problem_id]
    problem = load_problem(benchmark, problem_id)
    trial = Trial(problem_id, REFERENCES[problem_id]["reference"], problem.language, SharedPool())
    buggy = tidy(load_bug(problem).code)
    assert record and not proves(trial, buggy)
    assert all(proves(trial, with_change(buggy, int(line), change)) for line, change in record.items())

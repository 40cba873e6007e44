"""The shipped verdicts about test suites, and what tasks make of them."""

import pytest

from lm_eval_codemind.data.facts.suites import CLASSES, load_verdicts, verdict_of
from lm_eval_codemind.data.manifest import benchmark_path
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.problems import load_problems
from lm_eval_codemind.workshop.facts.sr_exceptions import load_exceptions
from lm_eval_codemind.workshop.python.hint_tests import hints_of, with_hint
from prove_suites import BENCHMARKS, READING, load_programs
from prove_suites import main as prove
from tests.run_files import read_rows

# What an independent reader calls the classes.
READ_AS = {
    "passed": "fair",
    "contradiction": "contradicts",
    "unstated": "unstated",
    "type or name": "types",
    "passed, but unstated": "unstated",
    "passed, but types": "types",
}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_each_suite_has_a_verdict_that_its_programs_show(built_data, benchmark):
    problems = load_problems(benchmark_path(built_data, benchmark))
    names = {problem.problem_id for problem in problems}
    verdicts, programs = load_verdicts()[benchmark], load_programs(benchmark)
    assert set(verdicts) == names - set(load_exceptions().get(benchmark, {}))
    for problem_id, verdict in verdicts.items():
        assert set(verdict.programs) == set(programs[problem_id]), problem_id
        passed = {writer for writer, outcome in verdict.programs.items() if outcome == "passed"}
        if verdict.label == "fair":
            assert passed - {READING} and not verdict.reason, problem_id
        else:
            assert set(verdict.programs) - passed and verdict.reason, problem_id
    # Every seed draws a test that tells.
    telling = [(problem, verdict_of(benchmark, problem.problem_id).telling) for problem in problems]
    telling = [(problem, positions) for problem, positions in telling if positions]
    assert telling or benchmark == "humaneval"
    for problem, positions in telling:
        drawn = [problem, *(with_hint(problem, seed, positions) for seed in range(10))]
        hints = hints_of(problem)
        assert {each.hint_test for each in drawn} <= {hints[position].test for position in positions}


@pytest.mark.parametrize("benchmark, task", [("mbpp", "mbpp_suites"), ("classeval_methods", "classeval_suites")])
def test_an_independent_reader_agrees(shared_data, benchmark, task):
    rows = read_rows(shared_data / "cases" / f"{task}.jsonl")
    labels = [(READ_AS[row["class"]], verdict_of(benchmark, row["problem"]).label) for row in rows]
    assert sum(expected == label for expected, label in labels) >= 0.9 * len(rows)
    untold = [row for row in rows if row["known_with_test"] is False or READ_AS[row["class"]] == "contradicts"]
    answerable = [row["problem"] for row in untold if verdict_of(benchmark, row["problem"]).answerable]
    assert len(answerable) <= 0.1 * len(untold), answerable


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_tasks_leave_out_what_nobody_can_know(built, benchmark):
    verdicts = load_verdicts()[benchmark]
    answerable = {problem_id for problem_id, verdict in verdicts.items() if verdict.answerable}
    splits = sr.dataset(benchmark=benchmark, settings=[sr.NO_TEST, sr.WITH_TEST])
    assert set(splits["test"]["problem_id"]) == answerable
    assert {row["suite"] for row in splits["test"]} <= set(CLASSES) - {"contradicts"}
    assert all(row["suite"] == verdicts[row["problem_id"]].label for row in splits["test"])
    misled = sr.dataset(benchmark=benchmark, settings=[sr.MISLEADING])["test"]["problem_id"]
    assert set(misled) <= answerable


def test_the_proof_gives_the_shipped_verdicts(built, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["prove_suites.py"])
    assert prove() == 0, capsys.readouterr().out

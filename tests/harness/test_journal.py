import io
import json
from collections.abc import Iterator
from concurrent.futures import Future
from unittest import mock

import pytest

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.witnesses import OF_PROGRAM
from lm_eval_codemind.harness.journal import Journal, Progress
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox, Status, lists
from lm_eval_codemind.workshop.benchmarks import sample
from tests.cli import codemind, said
from tests.run_files import write_rows


class Counted:
    """A sandbox that counts what it is asked to execute."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox, self.isolation = sandbox, sandbox.isolation
        self.jobs: list[str] = []

    def submit(self, job: Job) -> Future[Outcome]:
        self.jobs.append(job.job_id)
        return self.sandbox.submit(job)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as started:
        yield started


def job(number: int, name: str = "") -> Job:
    program = f"def f(x):\n    return x + {number}\n"
    return Job.function(program, "def check(candidate):\n    assert candidate(1) == 2\n", "f", job_id=name)


def test_an_interrupted_scoring_goes_on_where_it_stopped(sandbox, tmp_path):
    path = tmp_path / "deep" / "journal.jsonl"
    journal = Journal(path, sandbox)
    outcomes = [journal.submit(job(number, f"a{number}")).result() for number in (1, 2)]
    assert [outcome.status for outcome in outcomes] == [Status.PASSED, Status.FAILED]
    journal.close()
    with path.open("a") as file:
        file.write('{"key": "cut o')

    second = Counted(sandbox)
    journal = Journal(path, second)
    again = [journal.submit(job(number, f"b{number}")).result() for number in (1, 2, 3)]
    assert [outcome.status for outcome in again] == [Status.PASSED, Status.FAILED, Status.FAILED]
    assert [outcome.job_id for outcome in again] == ["b1", "b2", "b3"] and second.jobs == ["b3"]
    journal.close()
    third = Counted(sandbox)
    Journal(path, third).submit(job(3)).result()
    assert third.jobs == []


def test_what_may_owe_to_the_moment_and_another_job_is_executed(sandbox, tmp_path):
    endless = Job.function("def f(x):\n    while True: pass\n", "assert f(1)", limits=Limits(cpu_seconds=0.2))
    for _ in range(2):
        counted = Counted(sandbox)
        journal = Journal(tmp_path / "journal.jsonl", counted)
        assert journal.submit(endless).result().status == Status.TIMEOUT
        journal.close()
        assert len(counted.jobs) == 1
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, sandbox)
    journal.submit(job(1)).result()
    journal.submit(Job.function(job(1).program, job(1).tests, "f", limits=Limits(cpu_seconds=3))).result()
    journal.close()
    keys = {json.loads(line)["key"] for line in path.read_text().splitlines() if line}
    assert len(keys) == 2
    other = Counted(sandbox)
    other.isolation = "another"
    Journal(path, other).submit(job(1)).result()
    assert len(other.jobs) == 1


def in_one_job(problem: Problem) -> bool:
    kind = kind_of(problem)
    witnesses = kind.witness_suite(problem)
    if problem.kind == "script" or witnesses is None:
        return True
    return all(lists.digest(kind.suite_job(each, problem.code)) in lists.known() for each in (problem, witnesses))


@pytest.mark.proof
def test_codemind_score_resumes_and_leaves_no_journal(tmp_path):
    responses = tmp_path / "responses.jsonl"
    rows = [
        {"benchmark": "sample", "problem_id": problem.problem_id, "response": f"```python\n{problem.code}\n```"}
        for problem in sample.read()
    ]
    write_rows(responses, rows)
    arguments = ["score", "--responses", responses, "--tasks", "codemind_dsr_sample"]
    arguments += ["--output_path", tmp_path / "out", "--confirm_run_unsafe_code"]
    journal = tmp_path / "out" / ".codemind-outcomes.jsonl"

    # An interruption when everything is executed, and nothing is written yet.
    with mock.patch("lm_eval.loggers.EvaluationTracker.save_results_aggregated", side_effect=KeyboardInterrupt):
        codemind(*arguments)
    executed = [line for line in journal.read_text().splitlines() if line]
    # A script runs on suite and witnesses in one job, and so does a program with a list of steps for both.
    apart = [problem for problem in load_benchmark("sample", OF_PROGRAM) if not in_one_job(problem)]
    assert len(apart) == 3 and len(executed) == len(rows) + len(apart)

    with mock.patch.object(Sandbox, "submit", side_effect=AssertionError("executed again")):
        said(*arguments)
    assert not journal.exists() and list((tmp_path / "out").rglob("results_*.json"))


def test_counts_what_is_done_and_draws_nothing_without_a_terminal():
    stream = io.StringIO()
    progress = Progress(file=stream, disable=False)
    futures: list[Future[int]] = [Future() for _ in range(3)]
    for future in futures:
        progress.watch(future)
    assert progress._bar.total == 3
    futures[0].set_result(1)
    futures[2].set_exception(ValueError())
    assert progress._bar.n == 2
    futures[1].set_result(1)
    assert progress._bar is None and "executing" in stream.getvalue()
    # The next task starts its own bar; a future that is done already counts at once.
    progress.watch(futures[0])
    assert progress._bar is None
    stream = io.StringIO()
    progress = Progress(file=stream)
    future: Future[int] = Future()
    progress.watch(future)
    future.set_result(1)
    assert stream.getvalue() == ""

"""IER on unrolled programs: the questions are those that were proven."""

import dataclasses

import pytest

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.families.unrolled import task as unrolled
from lm_eval_codemind.sandbox import shared_sandbox
from lm_eval_codemind.workshop.benchmarks import sample
from lm_eval_codemind.workshop.facts.unrolled import UnrolledError, load_unrollings, records, unrolled_program
from lm_eval_codemind.workshop.transforms.unrolling import REASONS
from prove_unrolled import gives_output, has_loops, job


def test_the_sample_without_its_loops_gives_the_output_under_this_python():
    suite: dict[str, object] = {}
    splits = unrolled.dataset(benchmark="sample", setting="steps", suite=suite)
    problems = {problem.problem_id: problem for problem in sample.read()}
    assert len(splits["test"]) == 16
    for row in splits["test"]:
        problem = problems[row["problem_id"]]
        assert has_loops(problem.code) and not has_loops(row["code"]) and row["code"].strip() in row["prompt"]
        assert (row["input"], row["output"]) == (problem.input, problem.output)
    programs = {key: record["code"] for key, record in records("sample", sample.read()).items()}
    problems = [problem for problem in sample.read() if problem.problem_id in programs]
    pending = [(each, shared_sandbox().submit(job(each, programs[each.problem_id]))) for each in problems]
    assert all(gives_output(problem, future.result()) for problem, future in pending)


def test_what_is_shipped_is_named_and_small_and_another_program_is_refused():
    size = 0
    for name in ("sample", "humaneval", "cruxeval", "avatar", "classeval"):
        unrollings = load_unrollings(name)
        size += (shipped.FOLDER / f"unrolled_runs/{name}.json.gz").stat().st_size
        assert all(("run" in each) != ("reason" in each) for each in unrollings.values())
        assert {each.get("reason", "") for each in unrollings.values()} <= {"", *REASONS}
    assert size < 1_500_000
    unrollings = load_unrollings("sample")
    problem = next(each for each in sample.read() if each.problem_id in unrollings)
    for code in (problem.code + "\n\nx = 1\n", "def f():\n    pass\n"):
        with pytest.raises(UnrolledError, match=problem.problem_id):
            unrolled_program(dataclasses.replace(problem, code=code), unrollings[problem.problem_id])

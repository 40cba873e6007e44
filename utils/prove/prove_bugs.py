"""Execute buggy programs, and write the tests that reveal the bugs and what the programs return.

    python utils/prove/prove_bugs.py tests --upstream DIR [--workers N]
    python utils/prove/prove_bugs.py outputs --upstream DIR [--workers N]

``tests`` executes the suites' assertions one by one. Those of programs in Java need a JDK. Afterwards prove the labels
of the buggy programs, where they have any: ``prove_labels.py labels --benchmark NAME``. ``outputs``, after that,
executes the calls of the suites. Then make the recipes of the buggy programs again: ``make_recipes.py``.
"""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.data.catalogue import benchmarks, fixed_form, get_benchmark
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox, SharedPool, Status
from lm_eval_codemind.sandbox.workers import WORKERS_VARIABLE
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.facts.bugs import BUGGY_OUTPUTS, REVEALING_TESTS, with_revealing_tests
from lm_eval_codemind.workshop.proof.prove import prove_labels
from options import UPSTREAM
from ship import save
from suite_assertions import assertions

# What a buggy program does not return from within this is not asked about.
_SOON = Limits(cpu_seconds=2, wall_seconds=20)


def find_revealing_tests(
    correct: Sequence[Problem], buggy: Sequence[Problem], sandbox: SharedPool
) -> dict[str, dict[str, Any]]:
    """Execute the assertions of each suite one by one on both programs and return the records, by problem id.

    The first assertion counts for which the buggy program returns a value, else the first that it fails at all. A suite
    without an assertion that stands by itself is replaced by the problem's own input with what the correct program
    returns for it.
    """
    problems = {good.problem_id: (good, bad) for good, bad in zip(correct, buggy, strict=True)}
    left = {
        problem_id: list((assertions_of(good) or _from_own_input(good, sandbox)).items())
        for problem_id, (good, _) in problems.items()
    }
    by_problem: dict[str, dict[str, Any]] = {}
    # Round by round the next assertion of every problem that still wants one: few are ever executed.
    while left := {problem_id: tests for problem_id, tests in left.items() if tests}:
        tried = {problem_id: tests.pop(0) for problem_id, tests in left.items()}
        on_bug = _run(
            {problem_id: _alone(problems[problem_id][1], test) for problem_id, (test, _) in tried.items()}, sandbox
        )
        failing = {problem_id: outcome for problem_id, outcome in on_bug.items() if outcome.status is not Status.PASSED}
        on_correct = _run(
            {problem_id: _alone(problems[problem_id][0], tried[problem_id][0]) for problem_id in failing}, sandbox
        )
        for problem_id, outcome in on_correct.items():
            if outcome.status is Status.PASSED:
                returned = failing[problem_id].status is Status.FAILED
                if returned or problem_id not in by_problem:
                    test, call = tried[problem_id]
                    by_problem[problem_id] = {"test": test, "call": call, "returns": returned}
                if returned:
                    left[problem_id].clear()
    return {problem_id: by_problem[problem_id] for problem_id in problems if problem_id in by_problem}


def _run(jobs: Mapping[str, Job], sandbox: SharedPool) -> dict[str, Outcome]:
    return dict(zip(jobs, sandbox.run(jobs.values()), strict=True))


def assertions_of(problem: Problem) -> dict[str, str]:
    """Return the call in each assertion that is short enough to be shown."""
    return {test: call for test, call in assertions(problem).items() if len(test) <= SHOWN_CHARACTERS}


def _alone(problem: Problem, test: str) -> Job:
    kind = kind_of(problem)
    return kind.suite_job(kind.with_tests(problem, test), problem.code)


def _from_own_input(problem: Problem, sandbox: SharedPool) -> dict[str, str]:
    """Return the assertion that a problem's program returns for its input what it returns, with the input."""
    if not problem.input:
        return {}
    (value,) = sandbox.submit(Job.evaluate(problem.code, [problem.input])).result().observations
    return {f"assert {problem.input} == {value.literal}\n": problem.input} if value.literal is not None else {}


def calls_of(problem: Problem) -> list[str]:
    """Return the calls that a buggy program's own suite asks about: that of its input, and those of the suite T."""
    own = [problem.input] if problem.input else []
    calls = [call for call in assertions(problem).values() if len(call) <= SHOWN_CHARACTERS]
    return list(dict.fromkeys([*own, *calls]))


def prove_outputs(problems: Sequence[Problem], sandbox: Sandbox, workers: int = 1) -> dict[str, dict[str, str]]:
    """Execute the calls of buggy programs and return the proven outputs, problem -> call -> output."""
    runs = []
    for problem in problems:
        if not fixed_form(problem.benchmark):
            raise ValueError(f"{problem.benchmark} is not a benchmark of buggy programs")
        runs += [
            (problem, call, sandbox.submit(Job.evaluate(problem.code, [call], limits=_SOON)))
            for call in calls_of(problem)
        ]
    asked = {}
    for number, (problem, call, run) in enumerate(runs):
        observations = run.result().observations
        if observations and observations[0].literal is not None:
            name = f"{problem.problem_id}#{number}"
            asked[name] = dataclasses.replace(problem, problem_id=name, input=call, output=None, category="confirmed")
    proofs = prove_labels(list(asked.values()), {}, workers)
    outputs: dict[str, dict[str, str]] = {problem.problem_id: {} for problem in problems}
    for name, proof in proofs.items():
        if proof.output is not None:
            outputs[name.partition("#")[0]][asked[name].input] = proof.output
    return outputs


_WORKERS = click.option("--workers", default=1, show_default=True)


@click.group()
def main() -> None:
    """Prove the facts about buggy programs."""


@main.command()
@UPSTREAM
@_WORKERS
def tests(upstream: Path, workers: int) -> None:
    """Write ``proofs/revealing_tests.json``; packaged benchmarks have such tests in their own files."""
    os.environ[WORKERS_VARIABLE] = str(workers)
    source = Upstream(upstream)
    by_benchmark = {}
    for benchmark in benchmarks().values():
        if not benchmark.buggy_as or benchmark.packaged:
            continue
        correct, buggy = benchmark.read(source), get_benchmark(benchmark.buggy_as).read(source)
        of_benchmark = find_revealing_tests(correct, buggy, SharedPool())
        missing = [problem.problem_id for problem in correct if problem.problem_id not in of_benchmark]
        silent = [problem_id for problem_id, test in of_benchmark.items() if not test["returns"]]
        click.echo(f"{benchmark.name}: {len(of_benchmark)} tests; none for {', '.join(missing) or 'nothing'}")
        click.echo(f"  the buggy program returns nothing: {', '.join(silent) or 'none'}")
        by_benchmark[benchmark.name] = of_benchmark
    save(REVEALING_TESTS, by_benchmark, levels=2)


@main.command()
@UPSTREAM
@_WORKERS
def outputs(upstream: Path, workers: int) -> None:
    """Write ``proofs/buggy_outputs.json``, for the benchmarks of buggy programs that have labels."""
    source = Upstream(upstream)
    proven = {}
    for benchmark in benchmarks().values():
        if not (fixed_form(benchmark.name) and benchmark.labelled):
            continue
        problems = with_revealing_tests(benchmark.name, benchmark.read(source))
        asked = [problem for problem in problems if problem.category != "excluded"]
        with Sandbox(workers=workers) as sandbox:
            of_benchmark = prove_outputs(asked, sandbox, workers)
        without = [problem_id for problem_id, outputs in of_benchmark.items() if not outputs]
        calls = sum(map(len, of_benchmark.values()))
        click.echo(
            f"{benchmark.name}: {calls} calls of {len(of_benchmark)} programs; none of {', '.join(without) or 'none'}"
        )
        proven[benchmark.name] = of_benchmark
    save(BUGGY_OUTPUTS, proven, levels=2)


if __name__ == "__main__":
    main()

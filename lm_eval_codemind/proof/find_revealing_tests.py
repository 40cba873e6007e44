"""The tests that reveal the bugs: found by executing the assertions of the suites one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lm_eval_codemind.execution import Job, Outcome, Status
from lm_eval_codemind.execution.sandbox import Pool
from lm_eval_codemind.facts.revealing_tests import RevealingTest
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem


def find_revealing_tests(
    correct: Sequence[Problem], buggy: Sequence[Problem], sandbox: Pool
) -> dict[str, RevealingTest]:
    """Execute the assertions of each suite one by one on both programs and return the tests found, by problem id.

    The first assertion counts for which the buggy program returns a value, else the first that it fails at all. A suite
    without an assertion that stands by itself is replaced by the problem's own input with what the correct program
    returns for it.

    Args:
        correct: The problems with the correct programs. Those whose suite has no single assertions have an input.
        buggy: The same problems, in the same order, with the buggy ones.
        sandbox: Where the programs run.
    """
    problems = {good.problem_id: (good, bad) for good, bad in zip(correct, buggy, strict=True)}
    left = {
        problem_id: list((assertions_of(good) or _from_own_input(good, sandbox)).items())
        for problem_id, (good, _) in problems.items()
    }
    found: dict[str, RevealingTest] = {}
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
                if returned or problem_id not in found:
                    found[problem_id] = RevealingTest(*tried[problem_id], returned)
                if returned:
                    left[problem_id].clear()
    return {problem_id: found[problem_id] for problem_id in problems if problem_id in found}


def _run(jobs: Mapping[str, Job], sandbox: Pool) -> dict[str, Outcome]:
    running = {problem_id: sandbox.submit(job) for problem_id, job in jobs.items()}
    return {problem_id: future.result() for problem_id, future in running.items()}


def assertions_of(problem: Problem) -> dict[str, str]:
    """Return the assertions of a suite that stand by themselves and are short enough to be shown, with their calls."""
    found = kind_of(problem).assertions(problem)
    return {test: call for test, call in found.items() if len(test) <= SHOWN_CHARACTERS}


def _alone(problem: Problem, test: str) -> Job:
    """Return the job that runs one assertion on a problem's program."""
    kind = kind_of(problem)
    return kind.suite_job(kind.with_tests(problem, test), problem.code)


def _from_own_input(problem: Problem, sandbox: Pool) -> dict[str, str]:
    """Return the assertion that a problem's program returns for its input what it returns, with the input."""
    if not problem.input:
        return {}
    (value,) = sandbox.submit(Job.evaluate(problem.code, [problem.input])).result().observations
    return {f"assert {problem.input} == {value.literal}\n": problem.input} if value.literal is not None else {}

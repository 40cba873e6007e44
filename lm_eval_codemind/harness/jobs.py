"""The execution of an answer: on the suite and, if it passes, on the witnesses."""

import dataclasses
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from lm_eval_codemind.harness import journal
from lm_eval_codemind.sandbox.job import Job, Outcome, Status


def executed(suite: Job, witnesses: Job | None) -> tuple[Future[Outcome], Future[Outcome | None] | None]:
    """Return the outcome of a suite, and that of the witnesses, which is None if the suite does not pass.

    Args:
        suite: The job that runs the suite.
        witnesses: The job that runs the same program on the witnesses; None if there are none.
    """
    if witnesses is None:
        return journal.submit(suite), None
    if suite.cases:
        # One after the other, so that a program is compiled once.
        count = len(suite.cases)
        both = journal.submit(dataclasses.replace(suite, cases=(*suite.cases, *witnesses.cases)))
        return _then(both, lambda outcome: _of_suite(outcome, count)), _then(
            both, lambda outcome: _of_witnesses(outcome, count, witnesses)
        )
    # Both look at answers of one process, if they take the same from the problem.
    together = dataclasses.replace(suite, further=witnesses.tests)
    alike = dataclasses.replace(suite, tests=witnesses.tests) == witnesses
    first = journal.submit(together if alike else suite)
    return _then(first, lambda outcome: dataclasses.replace(outcome, further=None)), _then(
        first, lambda outcome: outcome.further or (journal.submit(witnesses) if outcome.passed else None)
    )


def _of_suite(outcome: Outcome, count: int) -> Outcome:
    """Return the outcome of the first cases of a job."""
    if len(outcome.observations) <= count and not outcome.passed:
        return outcome
    return dataclasses.replace(
        outcome,
        status=Status.PASSED,
        failed_test="",
        exception_type="",
        exception_message="",
        observations=outcome.observations[:count],
        tests_run=count,
    )


def _of_witnesses(outcome: Outcome, count: int, job: Job) -> Outcome | None:
    """Return the outcome of the other cases of a job, with the input that fails; None if they did not run."""
    seen = outcome.observations[count:]
    if not seen and not outcome.passed:
        return None
    failed = ""
    if not outcome.passed:
        case = job.cases[len(seen) - 1]
        failed = f"input {case.stdin!r} must print {case.stdout!r}"
    return dataclasses.replace(
        outcome, failed_test=failed, observations=seen, tests_run=max(0, outcome.tests_run - count)
    )


def _then(first: Future[Outcome], change: Callable[[Outcome], Any]) -> Future[Any]:
    """Return what a function makes of a future's result; if that is a future again, the result of this one."""
    result = Future[Any]()

    def finish(change: Callable[[Outcome], Any], done: Future[Outcome]) -> None:
        try:
            changed = change(done.result())
        except BaseException as error:  # whoever waits for the future gets it
            result.set_exception(error)
            return
        if isinstance(changed, Future):
            changed.add_done_callback(partial(finish, lambda outcome: outcome))
        else:
            result.set_result(changed)

    first.add_done_callback(partial(finish, change))
    return result

"""The outputs of programs that models wrote, as labels of questions about these programs.

A program runs twice or more, in processes with different hash seeds (Python) or identity hashes (Java), and without
fixed random seeds. If all runs give the same output, it is the label. Otherwise the program has a cause instead of a
label.
"""

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.making import Execution, Proven
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, beyond_prompt
from lm_eval_codemind.sandbox import Job, Outcome, Status
from lm_eval_codemind.sandbox.workers import workers_asked_for
from lm_eval_codemind.workshop.facts.labels import observed_label
from lm_eval_codemind.workshop.seeded import SeededPool

# All causes why a program may have no label. Results count the programs by cause.
CAUSES: dict[str, str] = {
    "no_input": "no input of the problem is known that has a proven output and fits into a prompt",
    "unobservable": "programs of its kind give no output that can be observed",
    "too_long": "the program with its input and output, or these alone, are beyond what a prompt shows",
    "no_end": "a run on the input does not end within its limits",
    "raises": "a run on the input ends with an exception",
    "no_literal": "the output cannot be written as a literal",
    "unstable": "two runs give different outputs",
}

HASH_SEEDS = (1, 2)
_NO_END = (Status.TIMEOUT, Status.MEMORY, Status.CRASHED, Status.BLOCKED)


def prove_outputs(executions: Sequence[Execution], hash_seeds: Sequence[int] = HASH_SEEDS) -> list[Proven]:
    """Execute each program once for each of two or more hash seeds and return the results in their order.

    Raises:
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    with seeded_pools(hash_seeds) as pools:
        return outputs_in(pools, executions)


@contextmanager
def seeded_pools(hash_seeds: Sequence[int]) -> Iterator[list[SeededPool]]:
    """Yield a pool for each hash seed. They work at the same time.

    So together they have as many workers as the user asks for, or else two a processor.
    """
    workers = math.ceil((workers_asked_for() or 2 * len(os.sched_getaffinity(0))) / len(hash_seeds))
    with ExitStack() as stack:
        yield [stack.enter_context(SeededPool(seed, workers)) for seed in hash_seeds]


def outputs_in(pools: Sequence[SeededPool], executions: Sequence[Execution]) -> list[Proven]:
    """Execute each program once in each pool and return the results in their order."""
    jobs = [_job(execution) for execution in executions]
    futures = [[] if isinstance(job, str) else [pool.submit(job) for pool in pools] for job in jobs]
    return [
        Proven(None, job) if isinstance(job, str) else _classify(execution, [future.result() for future in of_job])
        for execution, job, of_job in zip(executions, jobs, futures, strict=True)
    ]


def _job(execution: Execution) -> Job | str:
    """Return the job that observes an output, or the cause why there is no output."""
    program_input = execution.input
    if program_input is None:
        return "no_input"
    if beyond_prompt(execution.program, program_input, "") or len(program_input) > SHOWN_CHARACTERS:
        return "too_long"
    problem = execution.problem
    return kind_of(problem).output_job(problem, execution.program, program_input, limits_of(problem)) or "unobservable"


def _classify(execution: Execution, outcomes: Sequence[Outcome]) -> Proven:
    printed = kind_of(execution.problem).printed
    results = [_output(outcome, printed) for outcome in outcomes]
    causes = [one.cause for one in results if one.output is None]
    if causes:
        # In the order of CAUSES, so that the cause does not depend on the order of the runs.
        return Proven(None, min(causes, key=list(CAUSES).index))
    outputs = {one.output for one in results}
    if len(outputs) > 1:
        return Proven(None, "unstable")
    (output,) = outputs
    assert output is not None
    program_input = execution.input or ""
    if len(program_input) + len(output) > SHOWN_CHARACTERS or beyond_prompt(execution.program, program_input, output):
        return Proven(None, "too_long")
    return Proven(output)


def _output(outcome: Outcome, printed: bool) -> Proven:
    """Return the result of one run: its last observation, which belongs to the input."""
    if outcome.status is Status.OUTPUT:
        return Proven(None, "too_long")
    if outcome.status in _NO_END:
        return Proven(None, "no_end")
    if not outcome.observations or outcome.status is not Status.PASSED:
        return Proven(None, "raises")
    last = outcome.observations[-1]
    if last.exception_type:
        return Proven(None, "raises")
    if printed:
        return Proven(last.stdout)
    if last.literal is not None and len(last.literal) > SHOWN_CHARACTERS:
        return Proven(None, "too_long")
    label = observed_label(last.literal)
    return Proven(label, "" if label is not None else "no_literal")

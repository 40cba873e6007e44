"""Unroll the benchmarks' programs, execute the result, and write the decisions that the package ships.

    PYTHON utils/prove/prove_unrolled.py prove [--benchmark NAME ...]
    PYTHON utils/prove/prove_unrolled.py check [--benchmark NAME ...]     (with every other version of Python)

The data comes from `codemind data build`. ``check`` executes what is shipped; what does not give its label is left out
from then on. Read the names that both print before committing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import click
from tqdm.auto import tqdm

import loop_recorder
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.labels import observed_label, prints_the_same
from lm_eval_codemind.data.facts.unrolled import load_unrollings, program_digest, unrolled_program
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.tracing import TraceFailed, job_source, result_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox
from lm_eval_codemind.transforms.unrolling import Unrollable, unrolled
from loop_decisions import executions, has_loops, instrumented, ran_a_loop
from ship import save

NAMES = ("sample", "humaneval", "cruxeval", "avatar", "classeval")

_NAMES = click.option(
    "--benchmark", "names", multiple=True, type=click.Choice(NAMES), default=NAMES, help="These only."
)
_WORKERS = click.option("--workers", default=len(os.sched_getaffinity(0)), show_default=True)
_SEED = click.option("--hash-seed", default=1, show_default=True)

Record = Mapping[str, Any]

LIMITS = Limits(cpu_seconds=60, wall_seconds=180, output_bytes=64 << 20)
# Iterations and calls that are recorded: more than an unrolled program that can be shown has.
MAX_EVENTS = 20_000


def prove_unrolled(problems: Iterable[Problem], sandbox: Sandbox) -> dict[str, Record]:
    asked = [problem for problem in problems if problem.output is not None and has_loops(problem.code)]
    records: dict[str, Record] = {}
    recording = [(problem, _recorded(problem, sandbox)) for problem in asked]
    proving = []
    for problem, result in tqdm(recording, desc="unrolling", unit="problem"):
        try:
            run = tuple(executions(result()))
            if not ran_a_loop(run):
                continue
            text = unrolled(problem.code, run)
            records[problem.problem_id] = {
                "digest": program_digest(text),
                "run": [list(execution) for execution in run],
            }
            proving.append((problem, sandbox.submit(job(problem, text))))
        except Unrollable as error:
            records[problem.problem_id] = {"reason": error.reason}
        except TraceFailed:
            records[problem.problem_id] = {"reason": "execution"}
    for problem, future in proving:
        if not gives_output(problem, future.result()):
            records[problem.problem_id] = {"reason": "output"}
    return records


def checked(problems: Iterable[Problem], shipped: Mapping[str, Record], sandbox: Sandbox) -> dict[str, Record]:
    """Execute unrolled programs and return what is shipped about them, without those that do not give the output."""
    records = dict(shipped)
    running = [
        (problem, sandbox.submit(job(problem, unrolled_program(problem, shipped[problem.problem_id]))))
        for problem in problems
        if "run" in shipped.get(problem.problem_id, {})
    ]
    for problem, future in tqdm(running, desc="executing", unit="problem"):
        if not gives_output(problem, future.result()):
            records[problem.problem_id] = {"reason": "output"}
    return records


def job(problem: Problem, code: str) -> Job:
    """Return the job that executes a program on a problem's input and gives what the proof of its label was given."""
    execution = kind_of(problem).execution(problem, code=code)
    if execution.expression is None:
        return Job.script(execution.module, [(execution.stdin, None)], limits=LIMITS, job_id=problem.problem_id)
    return Job.evaluate(execution.module, [execution.expression.strip()], limits=LIMITS, job_id=problem.problem_id)


def gives_output(problem: Problem, outcome: Outcome) -> bool:
    """Whether a run gave a problem's proven output."""
    if problem.output is None or not outcome.observations:
        return False
    (seen,) = outcome.observations
    if kind_of(problem).printed:
        return seen.status == "passed" and not seen.exception_type and prints_the_same(seen.stdout, problem.output)
    text = None if seen.exception_type else observed_label(seen.literal)
    return text is not None and text == observed_label(problem.output)


def _recorded(problem: Problem, sandbox: Sandbox) -> Callable[[], dict[str, Any]]:
    """Start recording a problem's run and return what waits for the record.

    That raises Unrollable where nothing can be recorded, TraceFailed where the run ended otherwise.
    """
    try:
        execution = kind_of(problem).execution(problem, code=instrumented(problem.code))
    except Unrollable as error:
        return partial(_raise, error)
    expression = execution.expression
    options = {
        "module": execution.module,
        "expression": None if expression is None else expression.strip(),
        "stdin": execution.stdin,
        "limit": MAX_EVENTS,
    }
    source = job_source(_recorder(), [execution.module], options)
    future = sandbox.submit(Job.evaluate(source, ["_traced()"], limits=LIMITS, job_id=problem.problem_id))
    return lambda: result_of(future.result())


def _raise(error: Exception) -> dict[str, Any]:
    raise error


@lru_cache(maxsize=1)
def _recorder() -> str:
    return Path(loop_recorder.__file__).read_text(encoding="utf-8")


@click.group()
def main() -> None:
    """Prove unrolled programs."""


@main.command()
@_NAMES
@_WORKERS
@_SEED
def prove(names: tuple[str, ...], workers: int, hash_seed: int) -> None:
    """Record, unroll and execute."""
    with Sandbox(workers=workers, hash_seed=hash_seed) as sandbox:
        for name in names:
            _write(name, prove_unrolled(load_benchmark(name), sandbox))


@main.command()
@_NAMES
@_WORKERS
@_SEED
def check(names: tuple[str, ...], workers: int, hash_seed: int) -> None:
    """Execute what is shipped with this version of Python."""
    with Sandbox(workers=workers, hash_seed=hash_seed) as sandbox:
        for name in names:
            _write(name, checked(load_benchmark(name), load_unrollings(name), sandbox))


def _write(name: str, records: Mapping[str, Record]) -> None:
    file = save(f"unrolled_runs/{name}.json.gz", records)
    count = sum("run" in each for each in records.values())
    reasons = Counter(each["reason"] for each in records.values() if "reason" in each)
    click.echo(f"{name}: {count} unrolled, {file.stat().st_size:,} bytes; left out {dict(reasons)}")
    for problem_id, each in records.items():
        if each.get("reason", "size") != "size":
            click.echo(f"  {problem_id}: {each['reason']}")


if __name__ == "__main__":
    main()

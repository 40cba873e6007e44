"""Loop lengths, measured by execution: the package ships the numbers, so that a build executes nothing."""

from __future__ import annotations

from collections.abc import Iterable

from tqdm.auto import tqdm

from lm_eval_codemind.execution import Job, Limits, Sandbox
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.complexity import COUNTER, count_loops
from lm_eval_codemind.languages.python.names import imported_modules
from lm_eval_codemind.problems import Problem

LIMITS = Limits(cpu_seconds=60, wall_seconds=120)

# Runs the instrumented program in a namespace of its own. Only the loops of the program count, so the test method that
# is a method's input is compiled as it stands. What a script prints is dropped, and a script may end itself.
# The sandbox chooses a server by the imports that it sees, which must not hide in a text that is only executed later.
_RUNNER = """\
if False:
    pass
{imports}
import contextlib as _contextlib
import io as _io
import sys as _sys


def _count():
    namespace = {{"__name__": {name!r}, "__file__": "program.py"}}
    _sys.stdin = _io.TextIOWrapper(_io.BytesIO({stdin!r}.encode()), encoding="utf-8")
    with _contextlib.redirect_stdout(_io.StringIO()):
        try:
            exec(compile({program!r}, "program.py", "exec"), namespace)
            exec(compile({after!r}, "input.py", "exec"), namespace)
            if {expression!r}:
                eval({expression!r}, namespace)
        except SystemExit:
            pass
    return namespace[{counter!r}][0]
"""


def measure_loop_lengths(problems: Iterable[Problem], workers: int = 1, transformed: bool = False) -> dict[str, int]:
    """Execute problems on their inputs and return the loop iterations of each, by problem id.

    Problems without an input, and those whose program does not run to its end, are left out.

    Args:
        problems: Problems of any kind; their code is instrumented by
            :func:`~lm_eval_codemind.languages.python.complexity.count_loops`.
        workers: Programs at a time.
        transformed: Whether to execute C+ instead of C; problems without one are left out.
    """
    problems = [
        problem
        for problem in problems
        if (problem.transformed or not transformed) and (kind_of(problem).printed or problem.input.strip())
    ]
    with Sandbox(workers=workers) as sandbox:
        futures = [
            sandbox.submit(_job(problem, problem.transformed if transformed else problem.code)) for problem in problems
        ]
        lengths = {}
        for problem, future in tqdm(list(zip(problems, futures, strict=True)), desc="counting", unit="problem"):
            (observation,) = future.result().observations or (None,)
            if observation is not None and observation.literal is not None and observation.literal.isdecimal():
                lengths[problem.problem_id] = int(observation.literal)
    return lengths


def _job(problem: Problem, code: str) -> Job:
    execution = kind_of(problem).execution(problem, code="")
    program = _RUNNER.format(
        imports="".join(f"    import {name}\n" for name in sorted(imported_modules(code))),
        name="__main__" if execution.expression is None else "program",
        stdin=execution.stdin,
        program=count_loops(code),
        after=execution.module,
        expression=(execution.expression or "").strip(),
        counter=COUNTER,
    )
    return Job.evaluate(program, ["_count()"], limits=LIMITS, job_id=problem.problem_id)

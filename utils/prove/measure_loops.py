"""Execute every problem and write the loop lengths that the package ships.

    python utils/prove/measure_loops.py --upstream DIR [--benchmark NAME ...]

Needs what the ``classeval`` extra installs. Afterwards renew the digests: ``prove_labels.py labels --digests-only``.
"""

import ast
from collections.abc import Iterable
from pathlib import Path

import click
from tqdm.auto import tqdm

from flow_records import rewritten
from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.build import LOOP_LENGTHS, read_problems, short_digest
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.names import imported_modules
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Sandbox
from ship import save

LIMITS = Limits(cpu_seconds=60, wall_seconds=120)
# A list of one integer, in the program's globals, that holds the iterations so far.
COUNTER = "_codemind_iterations"
_PRELUDE = """
{counter} = [0]
def _re2_iteration(line, values):
    {counter}[0] += 1
    return True
def _re2_condition(line, value):
    truth = bool(value)
    {counter}[0] += truth and line in {whiles}
    return truth
"""

# Runs the instrumented program in a separate namespace. Only the loops of the program count, so the test method that
# is a method's input is compiled unchanged. What a script prints is dropped, and a script may end itself.
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


def count_loops(code: str) -> str:
    """Return a program that also counts its loops.

    LL, the loop length, is the number of iterations that the program's own loops make on its input: every entry into
    the body of a ``for`` or ``while`` and every item that a ``for`` of a comprehension takes. Nested loops add up;
    loops inside library functions do not count. After a run the number is ``COUNTER[0]`` in the program's globals.
    """
    whiles = {node.lineno for node in ast.walk(ast.parse(code)) if isinstance(node, ast.While)}
    body = rewritten(code, underscores=True).body
    # The docstring and imports from __future__ must stay first.
    start = next((place for place, statement in enumerate(body) if not _is_prologue(statement)), len(body))
    prelude = ast.parse(_PRELUDE.format(counter=COUNTER, whiles=whiles or ())).body
    return ast.unparse(ast.Module([*body[:start], *prelude, *body[start:]], [])) + "\n"


def _is_prologue(statement: ast.stmt) -> bool:
    return (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)) or (
        isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    )


def measure_loop_lengths(problems: Iterable[Problem], workers: int = 1, transformed: bool = False) -> dict[str, int]:
    """Execute problems on their inputs and return the loop iterations of each, by problem id.

    Problems without an input, and those whose program does not run to its end, are left out.
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


@click.command()
@click.option("--upstream", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), help="Measure these only.")
@click.option("--workers", default=1, show_default=True)
def main(upstream: Path, names: tuple[str, ...], workers: int) -> None:
    """Write ``proofs/loop_lengths.json``; benchmarks that are not measured stay as they are in it."""
    lengths = {"code": {}, "transformed": {}} | dict(shipped.load(LOOP_LENGTHS))
    for name in names or benchmarks():
        # What does not end has no loop length.
        problems = [one for one in read_problems(name, Upstream(upstream)) if one.reason != "no_output"]
        code = measure_loop_lengths(problems, workers)
        by_problem = measure_loop_lengths(problems, workers, transformed=True)
        transformed = {
            problem.problem_id: [by_problem[problem.problem_id], short_digest(problem.transformed)]
            for problem in problems
            if problem.problem_id in by_problem
        }
        for program, measured in (("code", code), ("transformed", transformed)):
            if measured:
                lengths[program][name] = measured
            click.echo(f"{name}, {program}: {len(measured)} of {len(problems)} measured")
    ordered = {program: dict(sorted(of_program.items())) for program, of_program in lengths.items()}
    save(LOOP_LENGTHS, ordered, levels=2)


if __name__ == "__main__":
    main()

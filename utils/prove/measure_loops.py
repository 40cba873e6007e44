"""Execute every problem and write the loop lengths that the package ships.

    python utils/prove/measure_loops.py --upstream DIR [--benchmark NAME ...]

Needs what the ``classeval`` extra installs. Afterwards renew the digests: ``prove_labels.py labels --digests-only``.
"""

import ast
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from flow_records import rewritten
from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import LOOP_LENGTHS, read_problems, short_digest
from options import UPSTREAM
from prove_executions import run_all
from ship import save

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

# Runs the program in a separate namespace. Only the loops of the program count, so the test method that is a method's
# input is compiled unchanged. What a script prints is dropped, and a script may end itself.
_RUN = """
import contextlib, io
names = {{"__name__": {name!r}, "__file__": "program.py"}}
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    exec(compile({program!r}, "program.py", "exec"), names)
    exec(compile({after!r}, "input.py", "exec"), names)
    eval({expression!r}, names)
print()
print(names[{counter!r}][0])
"""


def count_loops(code: str) -> str:
    """Return a program that also counts its loops.

    LL, the loop length, is the number of iterations that the program's own loops make on its input: every entry into
    the body of a ``for`` or ``while`` and every item that a ``for`` of a comprehension takes. Nested loops add up;
    loops inside library functions do not count. After a run the number is ``COUNTER[0]`` in the program's globals.
    """
    whiles = {node.lineno for node in ast.walk(ast.parse(code)) if isinstance(node, ast.While)}
    body = rewritten(code, whole=True, underscores=True).body
    # The docstring and imports from __future__ must stay first.
    start = next((place for place, statement in enumerate(body) if not _is_prologue(statement)), len(body))
    prelude = ast.parse(_PRELUDE.format(counter=COUNTER, whiles=whiles or ())).body
    return ast.unparse(ast.Module([*body[:start], *prelude, *body[start:]], [])) + "\n"


def _is_prologue(statement: ast.stmt) -> bool:
    return (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)) or (
        isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    )


def measure_loop_lengths(problems: Iterable[Problem], transformed: bool = False) -> dict[str, int]:
    """Execute problems on their inputs and return the loop iterations of each, by problem id.

    Problems without an input, and those whose program does not run to its end, are left out.
    """
    programs = {
        problem.problem_id: _source(problem, problem.transformed if transformed else problem.code)
        for problem in problems
        if (problem.transformed or not transformed) and (kind_of(problem).printed or problem.input.strip())
    }
    counts = zip(programs, run_all(sys.executable, 0, "", list(programs.values())), strict=True)
    return {problem_id: count for problem_id, count in counts if count is not None}


def _source(problem: Problem, code: str) -> tuple[str, str]:
    """Return the source of a program that prints how many iterations a problem's program makes, and its input."""
    execution = kind_of(problem).execution(replace(problem, code=""))
    source = _RUN.format(
        name="__main__" if execution.expression is None else "program",
        program=count_loops(code),
        after=execution.module,
        expression=(execution.expression or "None").strip(),
        counter=COUNTER,
    )
    return source, execution.stdin


@click.command()
@UPSTREAM
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), help="Measure these only.")
def main(upstream: Path, names: tuple[str, ...]) -> None:
    """Write ``proofs/loop_lengths.json``; benchmarks that are not measured stay as they are in it."""
    lengths = {"code": {}, "transformed": {}} | dict(shipped.load(LOOP_LENGTHS))
    for name in names or benchmarks():
        # What does not end has no loop length.
        problems = [one for one in read_problems(name, Upstream(upstream)) if one.reason != "no_output"]
        code = measure_loop_lengths(problems)
        by_problem = measure_loop_lengths(problems, transformed=True)
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

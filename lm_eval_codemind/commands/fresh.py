"""``codemind fresh``: other inputs for a program, as hard as the one given, with their outputs."""

import ast
import dataclasses
from pathlib import Path

import click

from lm_eval_codemind.commands import FILE
from lm_eval_codemind.facts.fresh import REASONS
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.proof.fresh import make_fresh, run_on_own_input


@click.command("fresh")
@click.argument("file", type=FILE)
@click.option(
    "--input",
    "text",
    required=True,
    metavar="TEXT",
    help="A call of the program's functions, such as 'f([1, 2])'; or, with --script, the text on standard input.",
)
@click.option("--script", is_flag=True, help="Run the program itself instead of calling its functions.")
@click.option(
    "--example",
    "examples",
    multiple=True,
    metavar="TEXT",
    help="Another valid input. Several show what inputs may look like, for instance the format of standard input.",
)
@click.option("--count", type=click.IntRange(1), default=3, show_default=True, help="How many inputs to make.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed gives other inputs.")
def command(file: Path, text: str, script: bool, examples: tuple[str, ...], count: int, seed: int) -> None:
    """Print fresh inputs for the Python program in FILE.

    A fresh input has the structure and the types of the one given. The program returns normally on it, executes
    between half and twice as many statements and gives another output of the same type that is about as long. Programs
    run in the sandbox.
    """
    problem = _problem(file, text, script, examples)
    try:
        own = run_on_own_input(problem)
    except (SyntaxError, ValueError) as error:
        raise click.ClickException(f"{file} or its --input: {error}; fix it first") from error
    problem = dataclasses.replace(problem, output=own.output)
    fresh = make_fresh([problem], seed, count)[problem.problem_id]
    if fresh.reason:
        raise click.ClickException(
            f"{file}: no fresh input found: {REASONS[fresh.reason]}; try another --input, --seed or --example"
        )
    click.echo(f"{'':7} {'steps':>6} {'input':>6} {'output':>6}   (characters of input and output)")
    for name, run in [("given", own), *((f"fresh {number}", run) for number, run in enumerate(fresh.runs, start=1))]:
        output = run.output or ""
        click.echo(f"{name:7} {run.steps:>6} {len(run.input):>6} {len(output):>6}")
        click.echo(_indented(run.input) + ("\n" if script else " ->\n") + _indented(output))


def _problem(file: Path, text: str, script: bool, examples: tuple[str, ...]) -> Problem:
    code = file.read_text(encoding="utf-8")
    cases = tuple(Case(_with_end(example) if script else example, "") for example in examples)
    if script:
        return Problem(file.name, "own", "script", "python", code, "", _with_end(text), None, cases=cases)
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise click.ClickException(f"--input {text!r} is not a Python expression ({error}); give a call") from error
    if not (isinstance(body, ast.Call) and isinstance(body.func, ast.Name)):
        raise click.ClickException(f"--input {text!r} is not a call of a function; give one such as 'f(1)'")
    return Problem(file.name, "own", "function", "python", code, body.func.id, text, None, cases=cases)


def _with_end(text: str) -> str:
    """Return a text with a line feed at its end, which is easily forgotten in a shell."""
    return text if text.endswith("\n") else f"{text}\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))

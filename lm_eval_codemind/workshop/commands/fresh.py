"""``codemind fresh``: other inputs for a program, as hard as the one given, with their outputs."""

import dataclasses
from pathlib import Path

import click

from lm_eval_codemind.commands import FILE, read_text
from lm_eval_codemind.errors import UserError


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
    from lm_eval_codemind.data.facts.fresh import REASONS
    from lm_eval_codemind.workshop.proof.fresh import make_fresh, run_on_own_input
    from lm_eval_codemind.workshop.proof.own import own_problem

    code = read_text(file)
    try:
        problem = own_problem(file.name, code, None if script else text, text if script else None, examples)
        own = run_on_own_input(problem)
    except UserError as error:
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


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))

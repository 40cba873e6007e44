"""``codemind trace``: each step of a program's execution."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lm_eval_codemind.commands import FILE, read_text

if TYPE_CHECKING:
    from lm_eval_codemind.workshop.python.tracing import Step, Trace

_WIDEST = 48


@click.command("trace")
@click.argument("file", type=FILE)
@click.option(
    "--input",
    "text",
    default=None,
    metavar="TEXT",
    help="A call of the program's functions, such as 'f([1, 2])'; statements may precede it. With --script, "
    "the text on standard input.",
)
@click.option("--script", is_flag=True, help="Run FILE as a script instead of calling its functions.")
@click.option(
    "--max-steps", type=click.IntRange(1), default=2_000, show_default=True, help="Record at most this many steps."
)
@click.option(
    "--max-value",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Longest value in characters; of a longer one only the type is shown.",
)
def command(file: Path, text: str | None, script: bool, max_steps: int, max_value: int) -> None:
    """Run FILE in the sandbox and print each step.

    A step has the line and the variables that it changed. The result comes last.

    A step is one statement in one call of a function. Nested calls are indented. Comprehensions and lambdas belong to
    the step of their line.
    """
    from lm_eval_codemind.workshop.python.tracing import TraceFailed, trace

    if text is None and not script:
        raise click.UsageError("--input 'CALL' is missing; or use --script to run the program itself")
    if text is not None and not script:
        try:
            ast.parse(text)
        except SyntaxError as error:
            raise click.BadParameter(f"{text!r} is not Python ({error.msg}); write a call such as 'f(1, 2)'") from error
    code = read_text(file)
    # In a shell, the last line break of a text is easily forgotten.
    stdin = f"{text}\n" if script and text and not text.endswith("\n") else text or ""
    try:
        seen = trace(code, None if script else text, stdin if script else "", max_steps=max_steps, max_value=max_value)
    except SyntaxError as error:
        raise click.ClickException(f"{file}: not a Python program ({error}); fix it first") from error
    except TraceFailed as error:
        raise click.ClickException(f"{file}: {error}; fix the program or use another --input") from error
    for row in rows(seen, code.splitlines()):
        click.echo(row)


def rows(seen: Trace, lines: list[str]) -> list[str]:
    """Return a trace as text, one row per step with the program's line."""
    depths = _depths(seen)
    texts = ["  " * depths[step.frame] + lines[step.line - 1].strip() for step in seen.steps]
    width = min(max(map(len, texts), default=0), _WIDEST)
    digits = len(str(max((step.line for step in seen.steps), default=1)))
    table = [
        f"{step.line:>{digits}}  {_cut(text, width):<{width}}  {_changes(step)}".rstrip()
        for step, text in zip(seen.steps, texts, strict=True)
    ]
    if seen.truncated:
        table.append(f"... more than {len(seen.steps)} steps; --max-steps shows more")
    if seen.threads:
        table.append("... other threads are not shown")
    if seen.stdout:
        table += ["printed:", *(f"  {line}" for line in seen.stdout.splitlines())]
    if seen.exception:
        table.append(f"raised {seen.exception}")
    elif seen.output is not None and seen.output.type_name != "NoneType":
        table.append(f"value: {seen.output.literal or f'<{seen.output.type_name}>'}")
    return table


def _depths(seen: Trace) -> list[int]:
    """Return the depth of each frame: the number of the program's frames that called it."""
    depths: list[int] = []
    for caller in seen.callers:
        depths.append(0 if caller < 0 else depths[caller] + 1)
    return depths


def _changes(step: Step) -> str:
    """Return the variables that a step changed, and "raises" or "returns" if it ended the call."""
    parts = [
        f"{name} deleted" if value is None else f"{name} = {value.literal or f'<{value.type_name}>'}"
        for name, value in step.values.items()
    ]
    ends = {"exception": ["raises"], "return": ["returns"]}
    return ", ".join(parts + ends.get(step.end, []))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"

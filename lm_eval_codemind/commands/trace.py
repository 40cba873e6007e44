"""``codemind trace``: a program beside what happens when it runs, a line a step."""

from __future__ import annotations

from pathlib import Path

import click

from lm_eval_codemind.languages.python.tracing import Step, Trace, Traced, TraceFailed, trace

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_WIDEST = 48


@click.command("trace")
@click.argument("file", type=_FILE)
@click.option(
    "--input",
    "given",
    default=None,
    metavar="TEXT",
    help="A call of the program's functions, such as 'f([1, 2])', with statements before it if need be; or, with "
    "--script, the text on standard input.",
)
@click.option("--script", is_flag=True, help="Run the program itself instead of calling its functions.")
@click.option("--max-steps", type=click.IntRange(1), default=2_000, show_default=True, help="Stop noting steps there.")
@click.option(
    "--max-value",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Longer values are shown by their type alone.",
)
def command(file: Path, given: str | None, script: bool, max_steps: int, max_value: int) -> None:
    """Run FILE in the sandbox and print each step: the line, what changed by it, and what came of it all.

    A step is a statement in one call of a function; deeper calls are indented. What comprehensions and lambdas do
    belongs to the line they stand on.
    """
    if given is None and not script:
        raise click.UsageError("give --input 'CALL', or --script to run the program itself")
    code = file.read_text(encoding="utf-8")
    # The last new line of a text on standard input is easily forgotten in a shell.
    stdin = f"{given}\n" if script and given and not given.endswith("\n") else given or ""
    traced = Traced(code, None, stdin=stdin) if script else Traced(code, given)
    try:
        seen = trace(traced, max_steps=max_steps, max_value=max_value)
    except SyntaxError as error:
        raise click.ClickException(f"{file} or its --input: not Python ({error}); mend it first") from error
    except TraceFailed as error:
        raise click.ClickException(f"{file}: {error}; mend the program or give another --input") from error
    for row in rows(seen, code.splitlines()):
        click.echo(row)


def rows(seen: Trace, lines: list[str]) -> list[str]:
    """Return a trace as text, a row a step.

    Args:
        seen: A trace that notes everything.
        lines: The program's lines.
    """
    depths = _depths(seen)
    texts = ["  " * depths[step.frame] + lines[step.line - 1].strip() for step in seen.steps]
    width = min(max(map(len, texts), default=0), _WIDEST)
    digits = len(str(max((step.line for step in seen.steps), default=1)))
    found = [
        f"{step.line:>{digits}}  {_cut(text, width):<{width}}  {_changes(step)}".rstrip()
        for step, text in zip(seen.steps, texts, strict=True)
    ]
    if seen.truncated:
        found.append(f"... more than {len(seen.steps)} steps; --max-steps shows more")
    if seen.threads:
        found.append("... what other threads did is not shown")
    if seen.stdout:
        found += ["printed:", *(f"  {line}" for line in seen.stdout.splitlines())]
    if seen.exception:
        found.append(f"raised {seen.exception}")
    elif seen.output is not None and seen.output.type_name != "NoneType":
        found.append(f"value: {seen.output.literal or f'<{seen.output.type_name}>'}")
    return found


def _depths(seen: Trace) -> list[int]:
    """Return how many frames of the program each frame lies below."""
    depths: list[int] = []
    for caller in seen.callers:
        depths.append(0 if caller < 0 else depths[caller] + 1)
    return depths


def _changes(step: Step) -> str:
    """Return what a step changed, and whether it raised or ended the call."""
    parts = [
        f"{name} deleted" if value is None else f"{name} = {value.literal or f'<{value.type_name}>'}"
        for name, value in step.values.items()
    ]
    if step.end == "exception":
        parts.append("raises")
    elif step.end == "return":
        parts.append("returns")
    return ", ".join(parts)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"

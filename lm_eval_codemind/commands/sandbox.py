"""``codemind sandbox``: what isolation this machine gives, and single programs run in it."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from lm_eval_codemind.commands import FILE, read_text, value_errors
from lm_eval_codemind.sandbox.isolation import LEVELS
from lm_eval_codemind.sandbox.job import Job, JobKind, Limits, Outcome, ScriptCase

if TYPE_CHECKING:
    from lm_eval_codemind.sandbox import Sandbox

_SECONDS = click.FloatRange(min=0, min_open=True)


@click.group("sandbox")
def command() -> None:
    """Show the isolation of programs; run one program."""
    # The command prints the level itself.
    logging.getLogger("lm_eval_codemind.sandbox").setLevel(logging.ERROR)


@value_errors()
def _open(level: str, workers: int | None = None) -> Sandbox:
    from lm_eval_codemind.sandbox import Sandbox

    # The main command prints the message of IsolationUnavailable.
    return Sandbox(workers=workers, isolation=level)


@command.command("check")
@click.option("--isolation", type=click.Choice(["auto", *LEVELS]), default="auto", help="The level to test.")
def check(isolation: str) -> None:
    """Print the levels of this machine and try to break out.

    Every adversarial program runs on the level in use.

    Ends with status 1 if an adversarial program gets anything but the outcome it must have, or if an honest program
    that runs after it doesn't pass.
    """
    from tqdm import tqdm

    from lm_eval_codemind.sandbox.attacks import attacks
    from lm_eval_codemind.sandbox.isolation import available
    from lm_eval_codemind.sandbox.java import jdk

    for level in available():
        if level.name != "none":
            click.echo(f"{level.name}: available" + (f" ({level.bubblewrap})" if level.bubblewrap else ""))
    for reason in available()[-1].reasons:
        click.echo(f"not available: {reason}")
    try:
        java = jdk.find()
        click.echo(f"Java: {java.full_version} ({java.home})")
    except jdk.JavaUnavailable as error:
        click.echo(f"Java: not available; only tasks that execute Java need it: {error}")
    honest = Job.function("def f(a, b): return a + b", "assert f(20, 22) == 42", "f", job_id="an honest program")
    started = time.monotonic()
    os.environ["CODEMIND_SECRET"] = "a secret"
    with tempfile.TemporaryDirectory() as directory, _open(isolation) as sandbox:
        secret = Path(directory, "secret")
        secret.write_text("a secret")
        click.echo(f"in use: {sandbox.isolation}, {sandbox.workers} at a time")
        tried = attacks(secret)
        futures = [(attack, sandbox.submit(attack.job), sandbox.submit(honest)) for attack in tried]
        bad = []
        for attack, hostile, neighbour in tqdm(futures, desc="adversarial programs", leave=False):
            outcome = _result(hostile)
            if not attack.holds(outcome):
                bad.append(f"{attack.name}: {outcome.status} {outcome.exception_type} {outcome.exception_message}")
            if not _result(neighbour).passed:
                bad.append(f"an honest program after {attack.name!r}: {_result(neighbour).status}")
        if secret.with_name("written").exists():
            bad.append("a program wrote a file outside of the sandbox")
    seconds = time.monotonic() - started
    click.echo(f"{len(tried)} adversarial programs in {seconds:.0f} s: {len(bad)} with a wrong outcome")
    for line in bad:
        click.echo(f"  {line}")
    if bad:
        raise SystemExit(1)


@command.command("run")
@click.option("--candidate", type=FILE, required=True, help="The program.")
@click.option("--tests", type=FILE, help="Its tests: assertions, a `check(candidate)`, or test classes.")
@click.option("--kind", type=click.Choice(get_args(JobKind)), help="Guessed from the other options if not given.")
@click.option("--entry-point", default="", metavar="NAME", help="The function or class under test.")
@click.option("--support", type=FILE, help="Trusted source that the tests need.")
@click.option("--only", multiple=True, metavar="NAME", help="A test class, or Class.method, to run; may be repeated.")
@click.option("--stdin", type=FILE, help="For a script: its standard input.")
@click.option("--stdout", type=FILE, help="For a script: the output it must print.")
@click.option("--expression", "expressions", multiple=True, help="To evaluate in the program; may be repeated.")
@click.option("--isolation", type=click.Choice(["auto", *LEVELS]), default="auto", help="The level of isolation.")
@click.option("--cpu-seconds", type=_SECONDS, default=Limits().cpu_seconds, show_default=True)
@click.option("--wall-seconds", type=_SECONDS, default=Limits().wall_seconds, show_default=True)
@click.option("--memory-mib", type=click.IntRange(min=1), default=Limits().memory_bytes >> 20, show_default=True)
def run(
    candidate: Path,
    tests: Path | None,
    kind: str | None,
    entry_point: str,
    support: Path | None,
    only: tuple[str, ...],
    stdin: Path | None,
    stdout: Path | None,
    expressions: tuple[str, ...],
    isolation: str,
    cpu_seconds: float,
    wall_seconds: float,
    memory_mib: int,
) -> None:
    """Run one program against its tests and print the outcome as JSON. Ends with status 1 unless it passed."""
    limits = Limits(cpu_seconds=cpu_seconds, wall_seconds=wall_seconds, memory_bytes=memory_mib << 20)
    suite = read_text(tests) if tests else ""
    if kind is None:
        kind = (
            "evaluate" if expressions else "script" if not tests else "unittest" if "unittest" in suite else "function"
        )
    program, trusted = read_text(candidate), read_text(support) if support else ""
    common: dict[str, Any] = {"limits": limits, "job_id": str(candidate)}
    try:
        if kind == "script":
            case = ScriptCase(read_text(stdin) if stdin else "", read_text(stdout) if stdout else None)
            job = Job.script(program, [case], **common)
        elif kind == "evaluate":
            job = Job.evaluate(program, expressions, **common)
        elif kind == "unittest":
            job = Job.unittest(program, suite, entry_point, only=only, support=trusted, **common)
        else:
            job = Job.function(program, suite, entry_point, support=trusted, **common)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    with _open(isolation, workers=1) as sandbox:
        outcome = _result(sandbox.submit(job))
    click.echo(json.dumps(outcome.to_dict(), indent=2))
    if not outcome.passed:
        raise SystemExit(1)


def _result(future: Future[Outcome]) -> Outcome:
    from lm_eval_codemind.sandbox import StartFailed

    try:
        return future.result()
    except StartFailed as error:
        raise click.ClickException(f"the sandbox's server doesn't start: {error}") from None

"""``codemind sandbox``: what isolation this machine gives."""

from __future__ import annotations

import logging
import os
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path

import click

from lm_eval_codemind.commands import value_errors
from lm_eval_codemind.sandbox.isolation import LEVELS
from lm_eval_codemind.sandbox.job import Job, Outcome


@click.group("sandbox")
def command() -> None:
    """Show the isolation of programs."""
    # The command prints the level itself.
    logging.getLogger("lm_eval_codemind.sandbox").setLevel(logging.ERROR)


@command.command("check")
@click.option("--isolation", type=click.Choice(["auto", *LEVELS]), default="auto", help="The level to test.")
def check(isolation: str) -> None:
    """Print the levels of this machine and try to break out.

    Every adversarial program runs on the level in use.

    Ends with status 1 if an adversarial program gets anything but the outcome it must have, or if an honest program
    that runs after it doesn't pass.
    """
    from tqdm import tqdm

    from lm_eval_codemind.sandbox import Sandbox
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
    with tempfile.TemporaryDirectory() as directory, value_errors(), Sandbox(isolation=isolation) as sandbox:
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


def _result(future: Future[Outcome]) -> Outcome:
    from lm_eval_codemind.sandbox import StartFailed

    try:
        return future.result()
    except StartFailed as error:
        raise click.ClickException(f"the sandbox's server doesn't start: {error}") from None

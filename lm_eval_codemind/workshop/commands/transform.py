"""``codemind transform``: rewrite a program into a longer one with the same behaviour."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lm_eval_codemind.commands import FILE, NEW_FILE, read_text
from lm_eval_codemind.errors import UserError, did_you_mean
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError
from lm_eval_codemind.workshop.transforms.composer import GROUPS, RULES, compose_verified
from lm_eval_codemind.workshop.transforms.program import Program

if TYPE_CHECKING:
    from lm_eval_codemind.sandbox import Outcome


def _chosen_rules(context: click.Context, parameter: click.Parameter, value: str | None) -> frozenset[str]:
    """Return the rules that a comma-separated list of rules and groups names; all rules by default."""
    if value is None:
        return frozenset(RULES)
    groups = {group: [rule.name for rule in RULES.values() if rule.group == group] for group in GROUPS}
    chosen: set[str] = set()
    for name in (part.strip() for part in value.split(",")):
        if name not in RULES and name not in groups:
            known = "; ".join(f"{group}: {', '.join(rules)}" for group, rules in groups.items())
            suggestion = did_you_mean(name, [*RULES, *GROUPS])
            raise click.BadParameter(
                f"there is no rule or group {name!r}{suggestion}. Groups and their rules are: {known}"
            )
        chosen.update(groups.get(name, [name]))
    return frozenset(chosen)


@click.command("transform")
@click.argument("file", type=FILE)
@click.option(
    "--seed",
    default="0",
    show_default=True,
    help="Seed for rules, places, names and numbers. The same seed gives the same bytes.",
)
@click.option(
    "--rules",
    callback=_chosen_rules,
    metavar="NAME,...",
    help=f"Rules to use, or groups of rules ({', '.join(GROUPS)}). All by default.",
)
@click.option(
    "--tests",
    type=FILE,
    help="Tests that must still pass: assertions, check(candidate), or unittest classes. They use the program's names "
    "without importing them and run in the sandbox. A rule that breaks a test is left out.",
)
@click.option("--entry-point", default="", help="The function or class under test; check(candidate) needs it.")
@click.option("--script", is_flag=True, help="FILE is a script that nobody imports, so all its names may change.")
@click.option("-o", "--output_path", "output", type=NEW_FILE, help="File for C+. Standard output by default.")
def command(
    file: Path,
    seed: str,
    rules: frozenset[str],
    tests: Path | None,
    entry_point: str,
    script: bool,
    output: Path | None,
) -> None:
    """Print a longer program that does what FILE does.

    The rules are those that make the C+ of the DSR tasks.

    A rule is applied only where it is safe. Without --tests nothing is executed, and names that other modules could
    use are not changed.
    """
    if tests is not None and script:
        raise click.UsageError("--tests are for programs that are imported; leave out --script")
    code = read_text(file)
    suite = None if tests is None else read_text(tests)
    public = None if suite is None else {*re.findall(r"[^\W\d]\w*", suite), entry_point}
    try:
        make = partial(Program, code, script=script, public=public)
        differs = _checker(file, code, suite, entry_point)
        result = compose_verified(make, f"{seed}/{file.name}", differs, rules=rules, dropped=_print_dropped)
    except SyntaxError as error:
        raise click.ClickException(f"{file}: not a Python program ({error}); fix it first") from error
    except UnsupportedSyntaxError as error:
        raise click.ClickException(f"{file}: cannot be transformed: {error}; rewrite that part first") from error
    if not result.steps:
        click.echo(f"{file}: no rule can be applied safely; the program is printed in normal form", err=True)
    if output is None:
        click.echo(result.code, nl=False)
    else:
        write_whole(output, result.code)
    verified = "not executed: no --tests" if suite is None else "all tests pass"
    click.echo(f"{len(set(result.rules))} rules ({', '.join(result.rules)}); {verified}", err=True)


def _checker(file: Path, code: str, suite: str | None, entry_point: str) -> Callable[[str], bool]:
    """Return a function that is true for a program that fails the tests; the original must pass them."""
    if suite is None:
        return lambda candidate: False
    from lm_eval_codemind.sandbox import Job, shared_sandbox

    try:
        classes = any(isinstance(node, ast.ClassDef) for node in ast.parse(suite).body)
    except SyntaxError as error:
        raise UserError(f"--tests: not a Python program ({error}); fix it first") from error
    make_job = Job.unittest if classes else Job.function

    def run(candidate: str) -> Outcome:
        return shared_sandbox().run([make_job(candidate, suite, entry_point, job_id=str(file))])[0]

    outcome = run(code)
    if not outcome.passed:
        raise click.ClickException(
            f"{file}: the program itself does not pass the tests ({outcome.status}: {outcome.failed_test} "
            f"{outcome.exception_type} {outcome.exception_message}); fix it or the tests first"
        )
    return lambda candidate: not run(candidate).passed


def _print_dropped(rule: str, code: str) -> None:
    click.echo(f"rule {rule} is left out, because a test fails with it", err=True)

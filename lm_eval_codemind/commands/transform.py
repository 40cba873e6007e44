"""``codemind transform``: tangle anyone's program without changing what it does."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import click

from lm_eval_codemind.execution import Job, Outcome, shared_sandbox
from lm_eval_codemind.transforms import GROUPS, RULES, Program, UnsupportedSyntaxError, compose_verified

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _chosen_rules(context: click.Context, parameter: click.Parameter, value: str | None) -> frozenset[str]:
    """Return the rules that a comma-separated list of rules and groups names; all of them by default."""
    if value is None:
        return frozenset(RULES)
    chosen: set[str] = set()
    for name in (part.strip() for part in value.split(",")):
        of_group = {rule.name for rule in RULES.values() if rule.group == name}
        if name not in RULES and not of_group:
            known = "; ".join(
                f"{group}: {', '.join(rule.name for rule in RULES.values() if rule.group == group)}" for group in GROUPS
            )
            raise click.BadParameter(f"there is no rule or group {name!r}. Groups and their rules are: {known}")
        chosen |= of_group or {name}
    return frozenset(chosen)


@click.command("transform")
@click.argument("file", type=_FILE)
@click.option(
    "--seed", default="0", show_default=True, help="Draws rules, sites, names and numbers; same seed, same bytes."
)
@click.option(
    "--rules",
    callback=_chosen_rules,
    metavar="NAME,...",
    help=f"Rules to draw from, or groups of them ({', '.join(GROUPS)}). All by default.",
)
@click.option(
    "--tests",
    type=_FILE,
    help="Tests that must go on passing: assertions, check(candidate), or unittest classes that use the program's "
    "names without importing them. They run in the sandbox; a rule that breaks one is dropped.",
)
@click.option(
    "--entry-point", default="", help="The function or class that the tests are about; check(candidate) needs it."
)
@click.option("--script", is_flag=True, help="The program is run, not imported: all of its names may change.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Where to write C+, instead of stdout.")
def command(
    file: Path,
    seed: str,
    rules: frozenset[str],
    tests: Path | None,
    entry_point: str,
    script: bool,
    output: Path | None,
) -> None:
    """Print FILE as a longer program that does the same, as the tasks on dynamic semantics reasoning show it.

    Rules refuse places where they can't be sure. Without --tests nothing is executed, and every name that could be
    used from outside keeps its name.
    """
    if tests is not None and script:
        raise click.UsageError("--tests are for programs that are imported; leave out --script")
    code = file.read_text(encoding="utf-8")
    suite = None if tests is None else tests.read_text(encoding="utf-8")
    public = None if suite is None else {*re.findall(r"[^\W\d]\w*", suite), entry_point}

    def make() -> Program:
        return Program(code, script=script, public=public)

    try:
        differs = _checker(file, code, suite, entry_point)
        made = compose_verified(make, f"{seed}/{file.name}", differs, rules=rules, dropped=_say_dropped)
    except SyntaxError as error:
        raise click.ClickException(f"{file}: not a Python program ({error}); mend it first") from error
    except UnsupportedSyntaxError as error:
        raise click.ClickException(f"{file}: can't be transformed: {error}; rewrite that part first") from error
    if not made.steps:
        click.echo(
            f"{file}: no rule is sure of a place in this program; it is printed as it is, in normal form", err=True
        )
    if output is None:
        click.echo(made.code, nl=False)
    else:
        output.write_text(made.code, encoding="utf-8")
    verified = "not executed: no --tests" if suite is None else "all tests pass"
    click.echo(f"{len(set(made.rules))} rules ({', '.join(made.rules)}); {verified}", err=True)


def _checker(file: Path, code: str, suite: str | None, entry_point: str) -> Callable[[str], bool]:
    """Return what tells whether a program fails the tests; the original must pass them."""
    if suite is None:
        return lambda candidate: False
    classes = any(isinstance(node, ast.ClassDef) for node in ast.parse(suite).body)
    make_job = Job.unittest if classes else Job.function

    def run(candidate: str) -> Outcome:
        return shared_sandbox().run([make_job(candidate, suite, entry_point, job_id=str(file))])[0]

    outcome = run(code)
    if not outcome.passed:
        raise click.ClickException(
            f"{file}: the program itself does not pass the tests ({outcome.status}: {outcome.failed_test} "
            f"{outcome.exception_type} {outcome.exception_message}); mend it or the tests first"
        )
    return lambda candidate: not run(candidate).passed


def _say_dropped(rule: str, code: str) -> None:
    click.echo(f"rule {rule} is left out: with it a test fails", err=True)

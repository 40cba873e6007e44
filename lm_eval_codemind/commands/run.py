"""``codemind run``: ``lm_eval run`` with this suite's models, and programs of the user by a name of their own."""

import argparse
import json
from pathlib import Path

import click

from lm_eval_codemind.commands import read_metadata
from lm_eval_codemind.errors import UserError


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Evaluate a model. Takes the same arguments as `lm_eval run`.

    Three models of this suite are available: codemind-replay, codemind-oracle and codemind-null. Tasks with two stages
    run with one loaded model. Starts faster than `lm_eval`, since it indexes only the tasks of this suite.

    `--programs PATH --tasks own` asks about programs of yours: a folder of `codemind capture`, or a file.
    """
    from lm_eval_codemind.harness.cli import run_harness

    run_harness(with_programs(list(arguments)))


def with_programs(arguments: list[str]) -> list[str]:
    """Return arguments of ``lm_eval run`` in which ``--programs PATH`` has become a key of ``--metadata``.

    Names of tasks such as ``own_ier`` then stand for ``codemind_own_ier``, and ``own`` for all that have a question.

    Raises:
        UserError: If an option has no value, ``--metadata`` is no JSON object, or the programs cannot be used.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--programs")
    parser.add_argument("--tasks", "-t", nargs="*", default=["own"])
    parser.add_argument("--metadata", default="{}")
    try:
        known, rest = parser.parse_known_args(arguments)
    except argparse.ArgumentError as error:
        raise UserError(str(error)) from error
    path = known.programs
    if path is None:
        return arguments
    options = {**read_metadata(known.metadata), "programs": path}
    names: list[str] = []
    for name in ",".join(known.tasks).split(","):
        names += _asking(path) if name == "own" else [f"codemind_{name}" if name.startswith("own_") else name]
    return [*rest, "--tasks", ",".join(names), "--metadata", json.dumps(options)]


def _asking(path: str) -> list[str]:
    """Return the tasks with a question about a user's programs; the others are named."""
    from lm_eval_codemind.data.own import load_own
    from lm_eval_codemind.families import families

    problems = load_own(Path(path)).problems
    names = []
    for name, family in families().items():
        if "programs" in family.options:
            questions = (family.questions(problem, family.variants[0].setting) for problem in problems)
            if any(map(list, questions)):
                names.append(f"codemind_{name}")
            else:
                click.echo(f"codemind_{name}: no program is fit for such a question")
    return names

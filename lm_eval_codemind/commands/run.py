"""``codemind run``: ``lm_eval run`` with this suite's models, and programs of the user by a name of their own."""

import json
from pathlib import Path

import click

from lm_eval_codemind.errors import UserError

_PROGRAMS, _TASKS, _METADATA = "--programs", "--tasks", "--metadata"


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
    rest = list(arguments)
    path = _taken(rest, _PROGRAMS)
    if path is None:
        return rest
    tasks = _taken(rest, _TASKS) or "own"
    metadata = _taken(rest, _METADATA) or "{}"
    try:
        options = {**json.loads(metadata), "programs": path}
    except (ValueError, TypeError) as error:
        raise UserError(f"{_METADATA} {metadata!r} is no JSON object ({error}), as {_PROGRAMS} needs it") from error
    names: list[str] = []
    for name in tasks.split(","):
        names += _asking(path) if name == "own" else [f"codemind_{name}" if name.startswith("own_") else name]
    return [*rest, _TASKS, ",".join(names), _METADATA, json.dumps(options)]


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


def _taken(arguments: list[str], option: str) -> str | None:
    """Remove an option with its value from arguments and return the value; None if it is not there."""
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == option:
            if not equals and place + 1 == len(arguments):
                raise UserError(f"{option} has no value")
            value = value if equals else arguments.pop(place + 1)
            del arguments[place]
            return value
    return None

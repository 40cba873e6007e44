"""The subcommands of ``codemind``, and what they share: each module defines one, a click command named ``command``."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.errors import UserError, did_you_mean

# What options and arguments take: a file or a directory that is there, or one to write.
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
NEW_DIRECTORY = click.Path(file_okay=False, path_type=Path)
# A path that the command itself checks.
ANY_PATH = click.Path(path_type=Path)

runs_argument = click.argument("runs", nargs=-1, required=True, type=ANY_PATH)


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        UserError: If it is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} isn't UTF-8 text: {error}; save it as UTF-8") from error


def read_metadata(text: str) -> dict[str, Any]:
    """Return the options of tasks in the value of ``--metadata``.

    Raises:
        UserError: If it is not a JSON object.
    """
    try:
        return {**json.loads(text)}
    except (ValueError, TypeError) as error:
        raise UserError(
            f"--metadata {text!r} is not a JSON object ({error}); write '{{\"input_seed\": 11}}'"
        ) from error


def require_tasks(manager: Any, names: Iterable[str]) -> None:
    """Check that a ``TaskManager`` of the harness knows some tasks, groups or tags.

    Raises:
        UserError: If it does not know one.
    """
    unknown = [name for name in names if name not in manager.all_tasks]
    if unknown:
        suggestion = did_you_mean(unknown[0], manager.all_tasks) or f"; the groups are: {', '.join(manager.all_groups)}"
        raise UserError(f"no task of this suite: {', '.join(unknown)}{suggestion}")


@contextmanager
def value_errors() -> Iterator[None]:
    """Turn a ValueError, whose message says how to fix it, into a message and exit status 1.

    Raises:
        click.ClickException: With the message.
    """
    try:
        yield
    except ValueError as error:
        raise click.ClickException(str(error)) from error

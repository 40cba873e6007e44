"""The subcommands of ``codemind``, and what they share: each module defines one, a click command named ``command``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from lm_eval_codemind.errors import UserError

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


def count(number: int, noun: str) -> str:
    """Return a number with its noun, as in ``1 run`` and ``2 runs``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


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

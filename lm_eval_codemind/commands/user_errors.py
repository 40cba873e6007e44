"""Errors that the user can fix, printed without a traceback."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

from lm_eval_codemind.errors import UserError


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn errors that the user can fix into a message and exit status 1.

    These are: :class:`~lm_eval_codemind.errors.UserError`; a file that cannot be read or written; no network to fetch
    data; no isolation for programs; packages that programs cannot import or that a proof needs.

    Raises:
        click.ClickException: With the message.
    """
    try:
        yield
    except Exception as error:
        if _fixable(error):
            raise click.ClickException(str(error)) from error
        if isinstance(error, OSError) and error.filename and error.errno:
            raise click.ClickException(
                f"{error.filename}: {os.strerror(error.errno)}; check the path, its permissions and the free space"
            ) from error
        raise


def _fixable(error: Exception) -> bool:
    # Imported here, since they take long to import and are needed only after an error.
    from lm_eval_codemind.benchmarks import UpstreamError
    from lm_eval_codemind.execution import IsolationUnavailable
    from lm_eval_codemind.languages.python.importable import HiddenPackages
    from lm_eval_codemind.proof.prove import MissingExtra

    return isinstance(error, (UserError, UpstreamError, IsolationUnavailable, HiddenPackages, MissingExtra))


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

"""Errors that the user can mend, without the traceback above them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def mendable() -> Iterator[None]:
    """End a command with the message alone where the user can mend what is wrong.

    That is: no network to fetch data, no isolation for programs, or packages that they cannot import. Where it arose
    says nothing more.

    Raises:
        click.ClickException: with the message.
    """
    from lm_eval_codemind.benchmarks import UpstreamError
    from lm_eval_codemind.execution import HiddenPackages, IsolationUnavailable

    try:
        yield
    except (UpstreamError, IsolationUnavailable, HiddenPackages) as error:
        raise click.ClickException(str(error)) from error

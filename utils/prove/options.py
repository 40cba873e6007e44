"""Options that several scripts take."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

UPSTREAM = click.option("--upstream", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
PYTHONS = click.option("--python", "pythons", multiple=True, default=(sys.executable,), help="Interpreters to run.")
WORKERS = click.option("--workers", default=2, show_default=True)


def benchmarks_of(names: Sequence[str]) -> Callable[[Any], Any]:
    """Return the option that chooses among benchmarks; all of them by default."""
    return click.option("--benchmark", "names", multiple=True, type=click.Choice(names), default=names)

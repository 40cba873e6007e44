"""The argument that several subcommands share: result files of the harness, or directories that hold some."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

runs_argument: Callable[[Callable[..., Any]], Callable[..., Any]] = click.argument(
    "runs", nargs=-1, required=True, type=click.Path(path_type=Path)
)

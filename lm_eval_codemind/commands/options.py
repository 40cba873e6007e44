"""Arguments and options that several subcommands share."""

from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.errors import did_you_mean


class Name(click.Choice):  # type: ignore[type-arg]
    """One of several names. The error for any other value suggests similar names."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name.

        Raises:
            click.BadParameter: If it is not one of the names.
        """
        if value not in self.choices:
            suggestion = did_you_mean(str(value), map(str, self.choices))
            self.fail(f"{value!r} is not one of {', '.join(map(str, self.choices))}{suggestion}", param, ctx)
        return value


runs_argument = click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))

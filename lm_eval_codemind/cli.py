"""The ``codemind`` command. Its subcommands are modules of :mod:`lm_eval_codemind.commands`, or registered."""

import os
import pkgutil
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import click

from lm_eval_codemind import __version__, commands
from lm_eval_codemind.errors import HiddenPackages, MissingExtra, UpstreamError, UserError, did_you_mean

_PACKAGED = {module.name: f"{commands.__name__}.{module.name}" for module in pkgutil.iter_modules(commands.__path__)}
_REGISTERED = {point.name: point for point in entry_points(group="lm_eval_codemind.commands")}
COMMANDS = sorted({*_PACKAGED, *_REGISTERED})


class LazyGroup(click.Group):
    """A group that imports a subcommand only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, sorted."""
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand by name; None for an option, which click refuses by itself.

        Raises:
            click.UsageError: If there is none. The message suggests similar names.
        """
        if cmd_name.startswith("-"):
            return None
        if cmd_name not in COMMANDS:
            ctx.fail(f"no command {cmd_name!r}{did_you_mean(cmd_name, COMMANDS)}")
        packaged = _PACKAGED.get(cmd_name)
        command = import_module(packaged).command if packaged else _REGISTERED[cmd_name].load()
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; turn errors that the user can fix into a message and exit status 1.

        These are: :class:`~lm_eval_codemind.errors.UserError`; a file that cannot be read or written; no network to
        fetch data; no isolation for programs; packages that programs cannot import or that a proof needs.

        Raises:
            click.ClickException: With the message.
        """
        try:
            return super().invoke(ctx)
        except Exception as error:
            if _fixable(error):
                raise click.ClickException(str(error)) from error
            if isinstance(error, OSError) and error.filename and error.errno:
                raise click.ClickException(
                    f"{error.filename}: {os.strerror(error.errno)}; check the path, its permissions and the free space"
                ) from error
            raise


def _fixable(error: Exception) -> bool:
    # Imported here, since the sandbox takes long to import and is needed only after an error.
    from lm_eval_codemind.sandbox import IsolationUnavailable

    return isinstance(error, (UserError, UpstreamError, IsolationUnavailable, HiddenPackages, MissingExtra))


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="codemind")
def main() -> None:
    """Measure how well a language model reasons about code (CodeMind, arXiv 2402.09664)."""

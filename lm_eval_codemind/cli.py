"""The ``codemind`` command: one module in :mod:`lm_eval_codemind.commands` for each subcommand."""

from importlib import import_module
from typing import Any

import click

from lm_eval_codemind import __version__
from lm_eval_codemind.commands.user_errors import user_errors
from lm_eval_codemind.errors import did_you_mean

# Subcommand -> module of lm_eval_codemind.commands that defines a click command named `command`.
COMMANDS: dict[str, str] = {
    "compare": "compare",
    "data": "data",
    "fresh": "fresh",
    "leaderboard": "leaderboard",
    "report": "report",
    "results": "results",
    "run": "run",
    "sandbox": "sandbox",
    "score": "score",
    "show": "show",
    "submit": "submit",
    "trace": "trace",
    "transform": "transform",
    "verify": "verify",
}


class LazyGroup(click.Group):
    """A group that imports a subcommand only when it is used, so that ``codemind --help`` is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand by name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"lm_eval_codemind.commands.{COMMANDS[cmd_name]}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand that the arguments name.

        Raises:
            click.UsageError: If there is none. The message suggests similar names.
        """
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; print errors that the user can fix without a traceback."""
        with user_errors():
            return super().invoke(ctx)


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="codemind")
def main() -> None:
    """Measure how well a language model reasons about code (CodeMind, arXiv 2402.09664)."""

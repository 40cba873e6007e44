"""The ``codemind`` command: one subcommand a module in :mod:`lm_eval_codemind.commands`."""

from __future__ import annotations

from importlib import import_module

import click

from lm_eval_codemind import __version__

# Subcommand -> module of lm_eval_codemind.commands that defines a click command named `command`.
COMMANDS: dict[str, str] = {
    "data": "data",
    "leaderboard": "leaderboard",
    "report": "report",
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
    """A group that imports a subcommand when it is asked for, so that ``codemind --help`` starts at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of that name, or None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"lm_eval_codemind.commands.{COMMANDS[cmd_name]}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="codemind")
def main() -> None:
    """Measure how well a language model reasons about code (CodeMind, arXiv 2402.09664)."""

"""``codemind run``: ``lm_eval run`` with this suite's models and tasks."""

from __future__ import annotations

import click

from lm_eval_codemind.commands.mendable import mendable
from lm_eval_codemind.harness.cli import run_harness


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Evaluate a model: takes the same arguments as `lm_eval run`.

    The suite's own models (codemind-replay, codemind-oracle, codemind-null) are known to it, and its tasks are found
    from an editable installation, too.
    """
    with mendable():
        run_harness(arguments)

"""``codemind run``: ``lm_eval run`` with this suite's models."""

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Evaluate a model. Takes the same arguments as `lm_eval run`.

    Three models of this suite are available: codemind-replay, codemind-oracle and codemind-null. Tasks with two stages
    run with one loaded model. Starts faster than `lm_eval`, since it indexes only the tasks of this suite.
    """
    from lm_eval_codemind.harness.cli import run_harness

    run_harness(arguments)

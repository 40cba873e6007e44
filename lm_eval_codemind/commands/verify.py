"""``codemind verify``: score a run's responses again and compare."""

from pathlib import Path

import click

from lm_eval_codemind.commands import DIRECTORY, runs_argument, value_errors


@click.command("verify")
@runs_argument
@click.option("--show", "shown", type=click.IntRange(1), default=20, show_default=True, help="Differences to print.")
@click.option(
    "--prompts", type=DIRECTORY, help="Where the templates are that the runs were made with, if not where they were."
)
def command(runs: tuple[Path, ...], shown: int, prompts: Path | None) -> None:
    """Score RUNS again and compare the results.

    No model is asked. Everything that the results record is compared.

    RUNS are result files of the harness (--output_path), directories that hold some, or bundles of `codemind submit`.
    Exits with 1 if a run is not what it says, naming each problem that differs.
    """
    from lm_eval_codemind.results.bundles import opened
    from lm_eval_codemind.results.rescoring import rescored
    from lm_eval_codemind.results.runs import read_runs
    from lm_eval_codemind.results.verification import verify

    equal = True
    with value_errors(), opened(runs) as paths:
        for run in read_runs(paths):
            with rescored(run, prompts) as again:
                result = verify(run, again)
            equal = equal and result.equal
            metrics = sum(len(task.metrics) for task in run.tasks)
            verdict = "equal" if result.equal else f"{len(result.differences)} differences"
            click.echo(f"{run.label}: {verdict} ({len(run.tasks)} tasks, {metrics} metrics, {result.samples} samples)")
            for difference in result.differences[:shown]:
                click.echo(f"  {difference}")
            if len(result.differences) > shown:
                click.echo(f"  and {len(result.differences) - shown} more (--show)")
            if not result.equal and result.circumstances:
                click.echo("  What may be the reason, there and here:")
            for name, there, here in () if result.equal else result.circumstances:
                click.echo(f"    {name}: {there}, {here}")
            for note in result.notes:
                click.echo(f"  note: {note}")
    if not equal:
        raise SystemExit(1)

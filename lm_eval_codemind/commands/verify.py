"""``codemind verify``: score a run's responses again and compare."""

from pathlib import Path

import click

from lm_eval_codemind.commands import DIRECTORY, runs_argument, value_errors
from lm_eval_codemind.errors import count


@click.command("verify")
@runs_argument
@click.option("--show", "shown", type=click.IntRange(1), default=20, show_default=True, help="Differences to print.")
@click.option(
    "--prompts", type=DIRECTORY, help="Directory of the prompt templates that the runs used, if it has moved."
)
@click.option("--include_path", type=DIRECTORY, help="Directory of the tasks that the runs used, if it has moved.")
def command(runs: tuple[Path, ...], shown: int, prompts: Path | None, include_path: Path | None) -> None:
    """Score RUNS again and compare the results.

    No model is asked. Everything that the results record is compared.

    RUNS are result files of the harness (--output_path), directories that hold some, or bundles of `codemind submit`.
    Exits with status 1 if any recorded value differs, and names each problem that differs.
    """
    from lm_eval_codemind.results.bundles import opened
    from lm_eval_codemind.results.rescoring import rescored
    from lm_eval_codemind.results.runs import read_runs
    from lm_eval_codemind.results.settings import prompts_of
    from lm_eval_codemind.results.verification import verify

    equal = True
    with value_errors(), opened(runs) as paths:
        for run in read_runs(paths):
            with rescored(run, prompts, include_path) as again:
                result = verify(run, again)
            equal = equal and result.equal
            metrics = sum(len(task.metrics) for task in run.tasks if not task.predicted_only)
            outcome = "equal" if result.equal else count(len(result.differences), "difference")
            numbers = ((len(run.tasks), "task"), (metrics, "metric"), (result.samples, "sample"))
            click.echo(f"{run.label}: {outcome} ({', '.join(count(*number) for number in numbers)})")
            for sent, tasks in prompts_of(run).items():
                click.echo(f"  prompts: {sent} ({', '.join(tasks)})")
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

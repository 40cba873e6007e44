"""``codemind cite``: the sentences for a paper or a model card."""

from pathlib import Path

import click

from lm_eval_codemind.commands import runs_argument


@click.command("cite")
@runs_argument
def command(runs: tuple[Path, ...]) -> None:
    """Print the sentences that report RUNS in a paper.

    One sentence for each group or task: the scores to report, 95% intervals, few-shot examples, form of the prompts,
    limit, releases and digests. RUNS are result files of the harness (--output_path) or directories that hold some.
    Without the samples (--log_samples) there is no interval.
    """
    from lm_eval_codemind.results.runs import read_runs
    from lm_eval_codemind.results.settings import citations

    sentences = citations(read_runs(runs))
    if not sentences:
        raise click.ClickException(
            f"{', '.join(map(str, runs))}: no score to report; run a task without --predict_only"
        )
    click.echo("\n\n".join(sentences))

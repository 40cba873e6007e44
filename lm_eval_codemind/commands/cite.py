"""``codemind cite``: the sentences for a paper or a model card."""

from pathlib import Path

import click

from lm_eval_codemind.commands import runs_argument


@click.command("cite")
@runs_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "latex", "markdown")),
    default="text",
    show_default=True,
    help="Sentences and BibTeX, or a table of the settings.",
)
def command(runs: tuple[Path, ...], form: str) -> None:
    """Print the sentences that report RUNS in a paper.

    One sentence for each group or task: the scores to report, 95% intervals, backend, few-shot examples, prompts,
    decoding, limit and releases; then BibTeX of the suite, and of the papers whose tasks and benchmarks were used. Of
    recorded responses it says what is known. RUNS are result files of the harness (--output_path) or directories that
    hold some. Without the samples (--log_samples) there is no interval.
    """
    from lm_eval_codemind.results.citing import bibtex, results, table
    from lm_eval_codemind.results.runs import read_runs, require_scores

    read = read_runs(runs)
    require_scores(read)
    reported = results(read)
    if not reported:
        raise click.ClickException(
            f"{', '.join(map(str, runs))}: no score to report; `codemind show --all-metrics` prints what there is"
        )
    if form != "text":
        click.echo(table(reported, latex=form == "latex"))
        return
    click.echo("\n\n".join([*(result.sentence() for result in reported), bibtex(reported)]))

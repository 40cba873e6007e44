"""``codemind compare``: two models on the same problems."""

import math
from dataclasses import replace
from pathlib import Path

import click

from lm_eval_codemind.commands import ANY_PATH


@click.command("compare")
@click.argument("first", type=ANY_PATH)
@click.argument("second", type=ANY_PATH)
@click.option("--all-scores", is_flag=True, help="Compare every score of a problem, not only the main one.")
def command(first: Path, second: Path, all_scores: bool) -> None:
    """Print the difference between two models, with intervals.

    Only the problems that both ran count. FIRST and SECOND are result files of the harness (--output_path), or
    directories that hold some of one model. The samples (--log_samples) must be next to them. The p value is that of no
    difference: McNemar's exact test for binary scores, else the paired bootstrap. Below the table stands how many
    problems would show the difference. Per-model findings, such as the contamination gap, follow. Settings that differ
    are named.
    """
    from lm_eval_codemind.families.table import Column
    from lm_eval_codemind.results.analysis import comparisons, findings
    from lm_eval_codemind.results.comparing import comparable
    from lm_eval_codemind.results.observations import ALL, observe
    from lm_eval_codemind.statistics import POWER

    runs, notes = comparable(first, second)
    observations = observe(runs)
    table = comparisons(observations)
    if not all_scores:
        main = {(o.view.title, o.view.scores[0]) for o in observations}
        table = table.where(lambda row: (row["family"], row["score_name"]) in main)
    if not table.rows:
        raise click.ClickException(f"{first} and {second}: no common problems; run both with --log_samples")
    one, other = table.rows[0]["first"], table.rows[0]["second"]
    headings = {"first_score": Column(one, "percent"), "second_score": Column(other, "percent")}
    shown = replace(table, formats=headings).without("first", "second", "p_corrected", "detectable", "needed")
    click.echo(shown.to_text())
    for row in table.rows:
        if row["benchmark"] == ALL and not math.isnan(row["needed"]):
            click.echo(
                f"{row['family']}, {row['score_name']}: {row['needed']:,.0f} problems show such a difference with a "
                f"probability of {POWER:.0%}; these {row['n']:,} show one of {row['detectable']:.1%}"
            )
    for finding in findings(observations):
        click.echo(f"\n{finding.title}\n{finding.to_text()}")
    for note in notes:
        click.echo(f"note: {note}", err=True)

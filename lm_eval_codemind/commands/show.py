"""``codemind show``: the scores of some runs and the hardest problems, in the terminal."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.commands.runs import runs_argument


@click.command("show")
@runs_argument
@click.option(
    "-n", "--problems", type=click.IntRange(0), default=10, show_default=True, help="Hardest problems to list."
)
@click.option("--all-metrics", is_flag=True, help="Show every metric, not only each family's R score.")
def command(runs: tuple[Path, ...], problems: int, all_metrics: bool) -> None:
    """Print the scores of RUNS, the comparison of their models and the hardest problems.

    RUNS are result files of the harness (--output_path) or directories that hold some.
    """
    from lm_eval_codemind.results.analysis import ALL, comparisons, findings, hardest, summary
    from lm_eval_codemind.results.associations import associations
    from lm_eval_codemind.results.observations import observe
    from lm_eval_codemind.results.runs import read_runs
    from lm_eval_codemind.results.same_problems import on_same_problems
    from lm_eval_codemind.views import views

    try:
        found = read_runs(runs)
        observations = observe(found)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    scores = summary(found, observations)
    if not all_metrics:
        main = {view.title: view.metric for view in views().values()}
        scores = scores.where(lambda row: row["metric"] == main[row["family"]])
    click.echo(scores.without("family").to_text())
    if not observations:
        click.echo("\nNo samples were logged; run with --log_samples for problems, comparisons and the report.")
        return
    facts = [observation.facts for observation in observations]
    compared = comparisons(facts).where(lambda row: row["benchmark"] == ALL)
    if compared.rows:
        click.echo(f"\n{compared.title}, all benchmarks together\n{compared.without('benchmark').to_text()}")
    for table in findings(observations):
        click.echo(f"\n{table.title}\n{table.to_text()}")
    paired = on_same_problems(facts)
    if paired.rows:
        click.echo(f"\n{paired.title}\n{paired.to_text()}")
    associated = associations(facts)
    if associated.rows:
        brief = associated.without("phi_low", "phi_high", "p", "low", "high")
        click.echo(f"\n{associated.title}\n{brief.to_text()}")
    hard = hardest(facts)
    for family in dict.fromkeys(row[0] for row in hard.rows) if problems else ():
        of_family = hard.where(partial(_is_of, family)).head(problems)
        click.echo(f"\nHardest problems of {family}\n{of_family.without('family').to_text()}")


def _is_of(family: str, row: dict[str, Any]) -> bool:
    return bool(row["family"] == family)

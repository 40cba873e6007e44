"""``codemind show``: the scores of some runs and the hardest problems, in the terminal."""

from pathlib import Path

import click

from lm_eval_codemind.commands import runs_argument

# The share of a task's responses without an answer above which it is worth a line.
_MANY = 0.05


@click.command("show")
@runs_argument
@click.option(
    "--all", "everything", is_flag=True, help="Also print all readings, lengths, associations and the hardest problems."
)
@click.option(
    "-n",
    "--problems",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="With --all: hardest problems to list.",
)
@click.option("--all-metrics", is_flag=True, help="Show every metric, not only those to report.")
def command(runs: tuple[Path, ...], everything: bool, problems: int, all_metrics: bool) -> None:
    """Print the scores of RUNS and compare their models.

    Responses without an answer are named where they are more than one in twenty.

    RUNS are result files of the harness (--output_path) or directories that hold some.
    """
    from lm_eval_codemind.families.table import Table
    from lm_eval_codemind.results.analysis import adjusted, comparisons, findings, hardest, overall, summary
    from lm_eval_codemind.results.associations import associations, on_same_problems
    from lm_eval_codemind.results.comparing import require_same_versions
    from lm_eval_codemind.results.observations import distinct, observe
    from lm_eval_codemind.results.provenance import READINGS, provenance
    from lm_eval_codemind.results.ranking import ranks
    from lm_eval_codemind.results.runs import read_runs, require_scores

    def section(table: Table, title: str = "") -> None:
        if table.rows:
            click.echo(f"\n{title or table.title}\n{table.to_text()}")

    results = read_runs(runs)
    require_scores(results)
    require_same_versions(results)
    observations = observe(results)
    scores = summary(results, every=all_metrics)
    reported = overall(results, scores).without("family")
    click.echo(reported.to_text() if reported.rows else "No score to report is defined on so few documents.")
    if everything or all_metrics or any(group.metrics for run in results for group in run.groups):
        section(scores.without("family", "n"), "By task")
    *_, readings, lengths = provenance(results)
    shares = readings if everything else readings.where(lambda row: any(row[name] > _MANY for name in READINGS))
    section(shares, f"{readings.title}, share of all")
    if not any(task.scored_samples for run in results for task in run.tasks):
        click.echo("\nNo samples were logged; run with --log_samples for problems, comparisons and the report.")
        return
    section(adjusted(results))
    compared = comparisons(observations, by_benchmark=False)
    ranked = ranks(compared, observations)
    # Of two models the comparison says it all.
    if len(distinct(row["model"] for row in ranked.rows)) != 2:
        section(ranked)
    section(compared.without("benchmark", "needed"), f"{compared.title}, all benchmarks together")
    for table in (*findings(observations), on_same_problems(observations)):
        section(table)
    if not everything:
        click.echo("\n--all prints readings, lengths, associations and the hardest problems, too.")
        return
    section(lengths, "Lengths of responses, mean")
    section(associations(observations).without("phi_low", "phi_high", "p", "low", "high"))
    hard = hardest(observations if problems else ())
    for family in distinct(row["family"] for row in hard.rows):
        of_family = hard.where(lambda row, family=family: row["family"] == family)  # type: ignore[misc]
        section(of_family.head(problems).without("family"), f"Hardest problems of {family}")

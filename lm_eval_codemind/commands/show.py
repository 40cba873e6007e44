"""``codemind show``: the scores of some runs and the hardest problems, in the terminal."""

from pathlib import Path

import click

from lm_eval_codemind.commands import runs_argument


@click.command("show")
@runs_argument
@click.option(
    "-n", "--problems", type=click.IntRange(0), default=10, show_default=True, help="Hardest problems to list."
)
@click.option("--all-metrics", is_flag=True, help="Show every metric, not only those to report.")
def command(runs: tuple[Path, ...], problems: int, all_metrics: bool) -> None:
    """Print the scores of RUNS and their hardest problems.

    If RUNS have several models, they are compared.

    RUNS are result files of the harness (--output_path) or directories that hold some.
    """
    from lm_eval_codemind.families.table import Table
    from lm_eval_codemind.results.analysis import comparisons, findings, hardest, overall, summary
    from lm_eval_codemind.results.associations import associations, on_same_problems
    from lm_eval_codemind.results.comparing import require_same_versions
    from lm_eval_codemind.results.observations import distinct, observe
    from lm_eval_codemind.results.provenance import provenance
    from lm_eval_codemind.results.runs import read_runs

    def section(title: str, table: Table) -> None:
        if table.rows:
            click.echo(f"\n{title}\n{table.to_text()}")

    results = read_runs(runs)
    require_same_versions(results)
    observations = observe(results)
    scores = summary(results, observations, every=all_metrics)
    click.echo(overall(results, scores).without("family").to_text())
    section("By task", scores.without("family", "n"))
    *_, readings, lengths = provenance(results)
    section(f"{readings.title}, share of all", readings)
    section("Lengths of responses, mean", lengths)
    if not observations:
        click.echo("\nNo samples were logged; run with --log_samples for problems, comparisons and the report.")
        return
    compared = comparisons(observations, by_benchmark=False)
    section(f"{compared.title}, all benchmarks together", compared.without("benchmark"))
    for table in (*findings(observations), on_same_problems(observations)):
        section(table.title, table)
    associated = associations(observations)
    section(associated.title, associated.without("phi_low", "phi_high", "p", "low", "high"))
    hard = hardest(observations if problems else ())
    for family in distinct(row["family"] for row in hard.rows):
        of_family = hard.where(lambda row, family=family: row["family"] == family)  # type: ignore[misc]
        section(f"Hardest problems of {family}", of_family.head(problems).without("family"))

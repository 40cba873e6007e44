"""``codemind report``: an HTML file of scores, analyses and samples, with its tables and figures as files if wanted."""

from pathlib import Path

import click

from lm_eval_codemind.commands import NEW_DIRECTORY, NEW_FILE, runs_argument
from lm_eval_codemind.errors import count
from lm_eval_codemind.files import write_whole


@click.command("report")
@runs_argument
@click.option(
    "-o",
    "--output_path",
    "output",
    type=NEW_FILE,
    default=Path("report.html"),
    show_default=True,
    help="The file to write.",
)
@click.option("--title", default="CodeMind report", show_default=True, help="The page's title.")
@click.option("--figures", type=NEW_DIRECTORY, help="Also write each figure as SVG into this directory.")
@click.option("--tables", type=NEW_DIRECTORY, help="Also write each table as CSV and JSON into this directory.")
def command(runs: tuple[Path, ...], output: Path, title: str, figures: Path | None, tables: Path | None) -> None:
    """Write scores, analyses and samples of RUNS as HTML.

    RUNS are result files of the harness (--output_path) or directories with result files. The samples are in the files
    that --log_samples wrote to the same directory.
    """
    from lm_eval_codemind.results.comparing import require_same_versions
    from lm_eval_codemind.results.observations import observe
    from lm_eval_codemind.results.report import make_report, render_html
    from lm_eval_codemind.results.runs import read_runs, require_scores

    results = read_runs(runs)
    require_scores(results)
    require_same_versions(results)
    report = make_report(results, observe(results))
    write_whole(output, render_html(report, title))
    numbers = f"{count(len(results), 'run')}, {count(len(report.observations), 'sample')}"
    click.echo(f"{output}: {numbers}, {output.stat().st_size / 1e6:.1f} MB")
    if tables is not None:
        for table in report.tables:
            write_whole(tables / f"{table.name}.csv", table.to_csv())
            write_whole(tables / f"{table.name}.json", table.to_json())
        click.echo(f"{tables}: {len(report.tables)} tables as CSV and JSON")
    if figures is not None:
        for figure in report.figures:
            content = figure.svg(report.series, standalone=True)
            write_whole(figures / f"{figure.name}.svg", content + "\n")
        click.echo(f"{figures}: {len(report.figures)} figures as SVG")

"""``codemind capture``: programs to ask about, from the tests of a package."""

import sys
from pathlib import Path

import click

from lm_eval_codemind.commands import NEW_DIRECTORY, value_errors
from lm_eval_codemind.data.own import PROGRAMS


@click.command("capture")
@click.option("--package", required=True, metavar="NAME", help="The package whose functions are asked about.")
@click.option("-o", "--output_path", "folder", required=True, type=NEW_DIRECTORY, help="The folder to write.")
@click.option("--lines", default=120, show_default=True, type=click.IntRange(1), help="The most lines of a program.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def command(package: str, folder: Path, lines: int, command: tuple[str, ...]) -> None:
    """Make programs to ask about from the tests of a package.

    COMMAND runs them, by default `pytest`: `codemind capture --package mypkg -o mine -- pytest tests`. The package must
    be installed where it runs.

    `codemind run --programs FOLDER --tasks own` asks a model about the programs.
    """
    from lm_eval_codemind.workshop.capture.pipeline import capture
    from lm_eval_codemind.workshop.capture.recording import record

    with value_errors():
        recording = record(package, command or (sys.executable, "-m", "pytest"))
        captured = capture(recording, folder, lines, click.echo)
    functions = {problem.problem_id.rpartition("/")[0] for problem in captured.problems}
    failed = f"; {len(recording.failed)} tests failed" if recording.failed else ""
    click.echo(f"{folder / PROGRAMS}: {len(captured.problems)} problems about {len(functions)} functions{failed}")
    click.echo(f"read {folder / 'summary.md'}, then: codemind run --programs {folder} --tasks own --model …")

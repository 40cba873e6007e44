"""``codemind data``: build, look at and verify the benchmarks."""

from pathlib import Path

import click

from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.commands.data_push import benchmarks_option, push
from lm_eval_codemind.commands.user_errors import value_errors
from lm_eval_codemind.data.build import build, downloading
from lm_eval_codemind.data.load import benchmark_path, data_directory, intact, read_manifest, released_digests

_upstream = click.option(
    "--upstream",
    type=click.Path(path_type=Path),
    help="Directory with clones or archives of the upstream repositories. Nothing is downloaded then.",
)
_out = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Data directory. By default $CODEMIND_DATA, else the user's cache directory.",
)


def _open(upstream: Path | None, directory: Path) -> Upstream:
    return Upstream(upstream) if upstream else downloading(directory)


@click.group()
def command() -> None:
    """Build, describe and verify the benchmarks."""


@command.command("build")
@benchmarks_option
@_upstream
@_out
def build_command(names: tuple[str, ...], upstream: Path | None, out: Path | None) -> None:
    """Build benchmarks from upstream repositories at pinned revisions. No program is executed."""
    directory = out or data_directory()
    entries = build(names or list(benchmarks()), _open(upstream, directory), directory)
    for name, entry in entries.items():
        click.echo(f"{benchmark_path(directory, name)}: {entry.problems} problems, sha256 {entry.digests[name]}")


@command.command("info")
@_out
def info(out: Path | None) -> None:
    """Print the built benchmarks, their sources, and the number of problems per category."""
    directory = out or data_directory()
    entries = read_manifest(directory)
    released = released_digests()
    click.echo(f"data directory: {directory}")
    for name in list(benchmarks()):
        if name not in entries:
            click.echo(f"{name}: not built (`codemind data build --benchmark {name}`)")
            continue
        entry = entries[name]
        counts = ", ".join(f"{count} {category}" for category, count in entry.categories.items())
        state = "as released" if entry.digests.items() <= released.items() else "differs from the released data"
        if not intact(directory, name):
            state = "damaged or outdated"
        click.echo(f"{name}: {entry.problems} problems ({counts}); {state}")
        for file, sha256 in entry.digests.items():
            click.echo(f"  {file}: sha256 {sha256}, builder {entry.builder_version}")
        for repository, revision in entry.revisions.items():
            click.echo(f"  {repository}@{revision}")


@command.command("verify")
@benchmarks_option
@_upstream
@_out
@click.option("--workers", default=1, show_default=True, help="Programs at a time. Each runs under three hash seeds.")
@click.option(
    "--only",
    type=click.Choice(["labels", "transformations"]),
    help="Verify only the labels, or only the transformed programs.",
)
def verify(names: tuple[str, ...], upstream: Path | None, out: Path | None, workers: int, only: str | None) -> None:
    """Execute every program and compare its output with the proven label, and its C+ with the program itself.

    The exit status is 1 if anything differs.
    """
    from lm_eval_codemind.proof.verify import verifiable, verify_benchmark, verify_transformations

    source = _open(upstream, out or data_directory())
    differences = 0
    for name in [name for name in verifiable() if not names or name in names]:
        with value_errors():
            if only != "transformations":
                found = verify_benchmark(name, source, workers)
                for problem_id, text in found.items():
                    click.echo(f"{name}, {problem_id}: {text}")
                size = get_benchmark(name).size
                click.echo(f"{name}: {size} problems executed, {len(found)} differ from their labels")
                differences += len(found)
            if only != "labels":
                compared = verify_transformations(name, source, workers)
                for problem_id, text in compared.differences.items():
                    click.echo(f"{name}, {problem_id}: {text}")
                click.echo(
                    f"{name}: {compared.programs} transformed programs compared with their originals on all tests and "
                    f"on {compared.inputs} further inputs, {len(compared.differences)} differ"
                )
                differences += len(compared.differences)
    if differences:
        raise SystemExit(1)


command.add_command(push)

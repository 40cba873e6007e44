"""``codemind data``: build, look at and verify the benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lm_eval_codemind.commands import ANY_PATH, NEW_DIRECTORY, value_errors
from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.data.manifest import benchmark_path, data_directory, intact, read_manifest, released_digests
from lm_eval_codemind.errors import did_you_mean

if TYPE_CHECKING:
    from lm_eval_codemind.workshop.benchmarks.upstream import Upstream


class Name(click.Choice):  # type: ignore[type-arg]
    """One of several names. The error for any other value suggests similar names."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name.

        Raises:
            click.BadParameter: If it is not one of the names.
        """
        if value not in self.choices:
            suggestion = did_you_mean(str(value), map(str, self.choices))
            self.fail(f"{value!r} is not one of {', '.join(map(str, self.choices))}{suggestion}", param, ctx)
        return value


_PARTS = ("labels", "transformations", "suites", "witnesses")
_benchmarks = click.option(
    "--benchmark",
    "names",
    multiple=True,
    type=Name(list(benchmarks())),
    default=list(benchmarks()),
    metavar="NAME",
    help="A benchmark; repeat the option for several. All benchmarks by default.",
)
_upstream = click.option(
    "--upstream",
    type=ANY_PATH,
    help="Directory with clones or archives of the upstream repositories. Nothing is downloaded then.",
)
_out = click.option(
    "-o",
    "--output_path",
    "out",
    type=NEW_DIRECTORY,
    help="Data directory. By default $CODEMIND_DATA, else the user's cache directory.",
)


def _open(upstream: Path | None, directory: Path) -> Upstream:
    from lm_eval_codemind.workshop.benchmarks.upstream import Upstream
    from lm_eval_codemind.workshop.build import downloading

    return Upstream(upstream) if upstream else downloading(directory)


@click.group()
def command() -> None:
    """Build, describe and verify the benchmarks."""


@command.command("build")
@_benchmarks
@_upstream
@_out
@click.pass_context
def build_command(context: click.Context, names: tuple[str, ...], upstream: Path | None, out: Path | None) -> None:
    """Build benchmarks from upstream repositories.

    Their revisions are pinned. No program is executed, except LiveCodeBench's, whose labels are proven when it is
    built. If a benchmark's files are missing or differ from the pinned ones, a warning says so and the others are
    built. The exit status is 1 if you named the benchmark, or if none was built.
    """
    from lm_eval_codemind.workshop.build import build

    directory = out or data_directory()
    by_default = context.get_parameter_source("names") is click.core.ParameterSource.DEFAULT
    entries = build(names, _open(upstream, directory), directory, skip_failing=by_default)
    for name, entry in entries.items():
        click.echo(f"{benchmark_path(directory, name)}: {entry.problems} problems, sha256 {entry.digests[name]}")
    for name in names:
        tasks = tasks_with_prompts_of(name)
        if tasks and name not in entries:
            click.echo(f"left out, for they send no other prompts than those of {name}: {', '.join(tasks)}", err=True)
    if not entries:
        raise click.ClickException("no benchmark was built")


def tasks_with_prompts_of(benchmark: str) -> list[str]:
    """Return the names of the tasks whose prompts are the texts of a benchmark, with a star for their ends."""
    from lm_eval_codemind.families import families

    return [
        f"codemind_{variant.name}*"
        for family in families().values()
        if family.prompt_texts == benchmark
        for variant in family.variants
    ]


@command.command("info")
@_out
def info(out: Path | None) -> None:
    """Print the built benchmarks, their problems and sources."""
    directory = out or data_directory()
    entries = read_manifest(directory)
    released = released_digests()
    click.echo(f"data directory: {directory}")
    for name in benchmarks():
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
@_benchmarks
@_upstream
@_out
@click.option("--workers", default=1, show_default=True, help="Programs at a time. Each runs under three hash seeds.")
@click.option(
    "--only",
    type=click.Choice(_PARTS),
    help="Verify only the labels, the transformed programs, the recorded steps of the suites, or the witnesses.",
)
def verify(names: tuple[str, ...], upstream: Path | None, out: Path | None, workers: int, only: str | None) -> None:
    """Execute every program and compare it with its label.

    Each C+ is compared with the program itself.

    The steps that the suites take are recorded again, and must be those of this release. The programs run on their
    witnesses again.

    The exit status is 1 if anything differs.
    """
    from lm_eval_codemind.workshop.proof.suites import BENCHMARKS, verify_lists
    from lm_eval_codemind.workshop.proof.verify import verifiable, verify_benchmark, verify_transformations
    from lm_eval_codemind.workshop.proof.witnesses import SETS, verify_witnesses

    source = _open(upstream, out or data_directory())
    parts = (only,) if only else _PARTS
    differences = 0
    for name in [name for name in verifiable() if name in names]:
        with value_errors():
            if "labels" in parts:
                texts = verify_benchmark(name, source, workers)
                for problem_id, text in texts.items():
                    click.echo(f"{name}, {problem_id}: {text}")
                size = get_benchmark(name).size
                click.echo(f"{name}: {size} problems executed, {len(texts)} differ from their labels")
                differences += len(texts)
            if "transformations" in parts:
                compared = verify_transformations(name, source, workers)
                for problem_id, text in compared.differences.items():
                    click.echo(f"{name}, {problem_id}: {text}")
                click.echo(
                    f"{name}: {compared.programs} transformed programs compared with their originals on all tests and "
                    f"on {compared.inputs} further inputs, {len(compared.differences)} differ"
                )
                differences += len(compared.differences)
    for name in [name for name in BENCHMARKS if name in names and "suites" in parts]:
        count, differing = verify_lists(name)
        click.echo(f"{name}: {count} suites recorded, {len(differing)} differ {' '.join(differing)}".rstrip())
        differences += len(differing)
    for kind, witnessed in SETS.items():
        for name in [name for name in witnessed if name in names and "witnesses" in parts]:
            count, differing = verify_witnesses(name, workers, kind)
            click.echo(
                f"{name}: {count} {kind.replace('_', ' ')} executed, {len(differing)} programs differ "
                f"{' '.join(differing)}".rstrip()
            )
            differences += len(differing)
    if differences:
        raise SystemExit(1)

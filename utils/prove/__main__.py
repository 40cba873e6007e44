"""Make a shipped file of results again, or check it.

    python -m utils.prove FILE [--upstream DIR] [--environments DIR] [--python PYTHON ...] [--check]
    python -m utils.prove --order FILE

FILE lies below ``lm_eval_codemind/``, such as ``data/facts/recipes/sample.json``. ``--check`` makes it in a copy of the
project and compares: it exits with 1 if a byte differs. ``--order`` prints what must be made again, in this order, when
FILE changes, which may also be a module or a folder. ``shipped.yaml`` has the table of the files. Data is read from
``$CODEMIND_DATA``.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import yaml

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parents[1]
PACKAGE = "lm_eval_codemind"


@dataclass(frozen=True)
class Row:
    """How some shipped files are made; see ``shipped.yaml``.

    Attributes:
        by_hand: Where files come from that no script makes; empty for others.
    """

    files: Sequence[str]
    make: Sequence[str] = ()
    reads: Sequence[str] = ()
    code: Sequence[str] = ()
    by_hand: str = ""


TABLE = [Row(**row) for row in yaml.safe_load((SCRIPTS / "shipped.yaml").read_text(encoding="utf-8"))]


def row_of(file: str) -> Row:
    """Return the row of a file.

    Raises:
        click.UsageError: If no row matches it.
    """
    for row in TABLE:
        if any(fnmatch(file, pattern) for pattern in row.files):
            return row
    raise click.UsageError(f"{file}: no row of {SCRIPTS / 'shipped.yaml'} matches it; give a path below {PACKAGE}/")


def files_of(row: Row) -> list[str]:
    """Return the files of a row."""
    package = ROOT / PACKAGE
    return sorted({path.relative_to(package).as_posix() for pattern in row.files for path in package.glob(pattern)})


def commands(file: str, values: Mapping[str, str]) -> list[list[str]]:
    """Return the commands that make a file, each as a script and its options.

    Args:
        values: What stands in the place of ``{upstream}``, ``{environments}`` and ``{pythons}``.

    Raises:
        click.UsageError: If no command makes it, or a value is missing.
    """
    row = row_of(file)
    if row.by_hand:
        raise click.UsageError(f"{file} is not made by a command: {row.by_hand}")
    known = {name: value for name, value in values.items() if value}
    known["benchmark"] = Path(file).name.partition(".")[0]
    try:
        return [shlex.split(command.format(**known)) for command in row.make]
    except KeyError as error:
        raise click.UsageError(f"{file}: add --{error.args[0].removesuffix('s')}") from error


def depending(changed: str) -> Iterator[str]:
    """Yield the files that must be made again when a shipped file, a module or a folder changes, in their order."""
    changes = {changed}
    for row in TABLE:
        code = [*row.code, *(f"utils/prove/{command.split()[0]}" for command in row.make)]
        by_code = any(f"{changed}/".startswith(f"{one}/") or f"{one}/".startswith(f"{changed}/") for one in code)
        for file in files_of(row):
            reads = [pattern.format(benchmark=Path(file).name.partition(".")[0]) for pattern in row.reads]
            if by_code or any(fnmatch(change, pattern) for change in changes for pattern in reads):
                changes.add(file)
                yield file


def make(file: str, values: Mapping[str, str], root: Path) -> float:
    """Run the commands that make a file in a copy of the project and return how many minutes they took."""
    start = time.monotonic()
    paths = [root, root / "utils", root / "utils/prove", root / "utils/release"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    for script, *options in commands(file, values):
        path = (root / "utils/prove" / script).resolve()
        subprocess.run([sys.executable, path, *options], check=True, cwd=root, env=environment)
    return (time.monotonic() - start) / 60


@click.command(help=__doc__)
@click.argument("file")
@click.option("--upstream", default="", help="Upstream's checkouts or archives.")
@click.option("--environments", default="", help="Where the environments of RE2-Bench's projects are made.")
@click.option("--python", "pythons", multiple=True, help="An interpreter that must agree; repeat it for several.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file would change.")
@click.option("--order", is_flag=True, help="Print what must be made again when FILE changes.")
def main(file: str, upstream: str, environments: str, pythons: Sequence[str], check: bool, order: bool) -> None:
    """Make, check or order shipped files."""
    if order:
        click.echo("\n".join(depending(file)))
        return
    upstream, environments = (path and str(Path(path).resolve()) for path in (upstream, environments))
    several = shlex.join(part for python in pythons for part in ("--python", python))
    values = {"upstream": upstream, "environments": environments, "pythons": several}
    if not check:
        click.echo(f"{file}: made in {make(file, values, ROOT):.1f} minutes")
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder, "project")
        for name in (PACKAGE, "tasks", "utils", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        minutes = make(file, values, copy)
        same = (copy / PACKAGE / file).read_bytes() == (ROOT / PACKAGE / file).read_bytes()
    click.echo(f"{file}: {'the same' if same else 'DIFFERS'} ({minutes:.1f} minutes)")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()

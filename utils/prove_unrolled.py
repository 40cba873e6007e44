"""Unroll the benchmarks' programs, execute the result, and write the decisions that the package ships.

    PYTHON utils/prove_unrolled.py prove [--benchmark NAME ...]
    PYTHON utils/prove_unrolled.py check [--benchmark NAME ...]     (with every other version of Python)

The data comes from `codemind data build`. ``check`` executes what is shipped; what does not give its label is left out
from then on. Read the names that both print before committing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

import click

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.execution import Sandbox
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.facts.unrolled import Unrolling, load_unrollings
from lm_eval_codemind.proof.prove_unrolled import checked, prove_unrolled

NAMES = ("sample", "humaneval", "cruxeval", "avatar", "classeval")

_NAMES = click.option(
    "--benchmark", "names", multiple=True, type=click.Choice(NAMES), default=NAMES, help="These only."
)
_WORKERS = click.option("--workers", default=len(os.sched_getaffinity(0)), show_default=True)
_SEED = click.option("--hash-seed", default=1, show_default=True)


@click.group()
def main() -> None:
    """Prove unrolled programs."""


@main.command()
@_NAMES
@_WORKERS
@_SEED
def prove(names: tuple[str, ...], workers: int, hash_seed: int) -> None:
    """Record, unroll and execute."""
    with Sandbox(workers=workers, hash_seed=hash_seed) as sandbox:
        for name in names:
            _write(name, prove_unrolled(load_benchmark(name), sandbox))


@main.command()
@_NAMES
@_WORKERS
@_SEED
def check(names: tuple[str, ...], workers: int, hash_seed: int) -> None:
    """Execute what is shipped with this version of Python."""
    with Sandbox(workers=workers, hash_seed=hash_seed) as sandbox:
        for name in names:
            _write(name, checked(load_benchmark(name), load_unrollings(name), sandbox))


def _write(name: str, found: Mapping[str, Unrolling]) -> None:
    file = shipped.save(f"unrolled_runs/{name}.json.gz", {key: each.to_json() for key, each in found.items()})
    kept = sum(not each.reason for each in found.values())
    reasons = Counter(each.reason for each in found.values() if each.reason)
    click.echo(f"{name}: {kept} unrolled, {file.stat().st_size:,} bytes; left out {dict(reasons)}")
    for problem_id, each in found.items():
        if each.reason not in ("", "size"):
            click.echo(f"  {problem_id}: {each.reason}")


if __name__ == "__main__":
    main()

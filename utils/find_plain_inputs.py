"""Execute every program on inputs that say nothing and write the names of the problems that these solve.

    python utils/find_plain_inputs.py [--benchmark NAME ...]

Works on the built data (``$CODEMIND_DATA``), and needs what the ``classeval`` extra installs.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from lm_eval_codemind.benchmarks import benchmarks
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.proof.plain_inputs import PLAIN_INPUTS, find_plain_inputs, shipped_plain_inputs

FILE = Path(__file__).resolve().parent.parent / "lm_eval_codemind" / "proof" / "proofs" / PLAIN_INPUTS
ASKED = ("humaneval", "cruxeval", "classeval", "avatar", "sample")


@click.command()
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), help="Examine these only.")
@click.option("--workers", default=1, show_default=True)
def main(names: tuple[str, ...], workers: int) -> None:
    """Write ``proofs/plain_inputs.json``; benchmarks that are not examined stay as they are in it."""
    known = dict(shipped_plain_inputs())
    for name in names or ASKED:
        problems = [problem for problem in load_benchmark(name) if problem.category != "excluded"]
        asked = [problem for problem in problems if kind_of(problem).masked_input(problem) is not None]
        known[name] = sorted(find_plain_inputs(asked, workers))
        click.echo(f"{name}: {len(known[name])} of {len(asked)}; nothing to predict in {len(problems) - len(asked)}")
    lines = [f" {json.dumps(name)}: {json.dumps(ids)}" for name, ids in sorted(known.items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

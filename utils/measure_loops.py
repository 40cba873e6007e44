"""Execute every problem and write the loop lengths that the package ships.

    python utils/measure_loops.py --upstream DIR [--benchmark NAME ...]

Needs what the ``classeval`` extra installs. Afterwards renew the digests: ``utils/prove_labels.py --digests-only``.
"""

from __future__ import annotations

from pathlib import Path

import click

from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.catalogue import benchmarks
from lm_eval_codemind.data.build import read_problems
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.facts.complexity import LOOP_LENGTHS, short_digest
from lm_eval_codemind.proof.measure_loops import measure_loop_lengths


@click.command()
@click.option("--upstream", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), help="Measure these only.")
@click.option("--workers", default=1, show_default=True)
def main(upstream: Path, names: tuple[str, ...], workers: int) -> None:
    """Write ``proofs/loop_lengths.json``; benchmarks that are not measured stay as they are in it."""
    lengths = {"code": {}, "transformed": {}} | dict(shipped.load(LOOP_LENGTHS))
    for name in names or benchmarks():
        # What does not end has no loop length.
        problems = [one for one in read_problems(name, Upstream(upstream)) if one.reason != "no_output"]
        code = measure_loop_lengths(problems, workers)
        found = measure_loop_lengths(problems, workers, transformed=True)
        transformed = {
            problem.problem_id: [found[problem.problem_id], short_digest(problem.transformed)]
            for problem in problems
            if problem.problem_id in found
        }
        for program, measured in (("code", code), ("transformed", transformed)):
            if measured:
                lengths[program][name] = measured
            click.echo(f"{name}, {program}: {len(measured)} of {len(problems)} measured")
    ordered = {program: dict(sorted(of_program.items())) for program, of_program in lengths.items()}
    shipped.save(LOOP_LENGTHS, ordered, levels=2)


if __name__ == "__main__":
    main()

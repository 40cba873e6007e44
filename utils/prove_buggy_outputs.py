"""Execute buggy programs on the calls of their suites and write what they return, which the package ships.

    python utils/prove_buggy_outputs.py --upstream DIR [--workers N]

Needs the tests that reveal the bugs (``utils/find_revealing_tests.py``). Afterwards make the recipes of the buggy
programs again: ``utils/make_recipes.py --benchmark NAME``.
"""

from __future__ import annotations

from pathlib import Path

import click

from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.catalogue import benchmarks, fixed_form
from lm_eval_codemind.execution import Sandbox
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.facts.buggy_suites import BUGGY_OUTPUTS
from lm_eval_codemind.facts.revealing_tests import with_revealing_tests
from lm_eval_codemind.proof.prove_buggy_outputs import prove_outputs


@click.command()
@click.option("--upstream", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--workers", default=1, show_default=True)
def main(upstream: Path, workers: int) -> None:
    """Write ``proofs/buggy_outputs.json``, for the benchmarks of buggy programs that have labels."""
    source = Upstream(upstream)
    proven = {}
    for benchmark in benchmarks().values():
        if not (fixed_form(benchmark.name) and benchmark.labelled):
            continue
        problems = with_revealing_tests(benchmark.name, benchmark.read(source))
        asked = [problem for problem in problems if problem.category != "excluded"]
        with Sandbox(workers=workers) as sandbox:
            found = prove_outputs(asked, sandbox, workers)
        without = [problem_id for problem_id, outputs in found.items() if not outputs]
        calls = sum(map(len, found.values()))
        click.echo(f"{benchmark.name}: {calls} calls of {len(found)} programs; none of {', '.join(without) or 'none'}")
        proven[benchmark.name] = found
    shipped.save(BUGGY_OUTPUTS, proven, levels=2)


if __name__ == "__main__":
    main()

"""Execute the suites' assertions one by one and write the tests that reveal the bugs, which the package ships.

    python utils/find_revealing_tests.py --upstream DIR [--workers N]

Those of programs in Java need a JDK. Afterwards prove the labels of the buggy programs, where they have any:
``utils/prove_labels.py --benchmark NAME``.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import click

from lm_eval_codemind.benchmarks import Upstream
from lm_eval_codemind.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.execution import SharedPool
from lm_eval_codemind.execution.sandbox import WORKERS_VARIABLE
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.facts.revealing_tests import REVEALING_TESTS
from lm_eval_codemind.proof.find_revealing_tests import find_revealing_tests


@click.command()
@click.option("--upstream", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--workers", default=1, show_default=True)
def main(upstream: Path, workers: int) -> None:
    """Write ``proofs/revealing_tests.json``; packaged benchmarks have such tests in their own files."""
    os.environ[WORKERS_VARIABLE] = str(workers)
    source = Upstream(upstream)
    tests = {}
    for benchmark in benchmarks().values():
        if not benchmark.buggy_as or benchmark.packaged:
            continue
        correct, buggy = benchmark.read(source), get_benchmark(benchmark.buggy_as).read(source)
        found = find_revealing_tests(correct, buggy, SharedPool())
        missing = [problem.problem_id for problem in correct if problem.problem_id not in found]
        silent = [problem_id for problem_id, test in found.items() if not test.returns]
        click.echo(f"{benchmark.name}: {len(found)} tests; none for {', '.join(missing) or 'nothing'}")
        click.echo(f"  the buggy program returns nothing: {', '.join(silent) or 'none'}")
        tests[benchmark.name] = {name: dataclasses.asdict(test) for name, test in found.items()}
    shipped.save(REVEALING_TESTS, tests, levels=2)


if __name__ == "__main__":
    main()

"""Execute buggy programs on the calls of their suites and write what they return, which the package ships.

    python utils/prove/prove_buggy_outputs.py --upstream DIR [--workers N]

Needs the tests that reveal the bugs (``utils/prove/find_revealing_tests.py``). Afterwards make the recipes of the buggy
programs again: ``utils/prove/make_recipes.py --benchmark NAME``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import click

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.catalogue import benchmarks, fixed_form
from lm_eval_codemind.data.facts.bugs import BUGGY_OUTPUTS, with_revealing_tests
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem
from lm_eval_codemind.proof.prove import prove_labels
from lm_eval_codemind.sandbox import Job, Limits, Sandbox
from ship import save
from suite_assertions import assertions

# What a buggy program does not return from within this is not asked about.
_SOON = Limits(cpu_seconds=2, wall_seconds=20)


def calls_of(problem: Problem) -> list[str]:
    """Return the calls that a buggy program's own suite asks about: that of its input, and those of the suite T."""
    own = [problem.input] if problem.input else []
    calls = [call for call in assertions(problem).values() if len(call) <= SHOWN_CHARACTERS]
    return list(dict.fromkeys([*own, *calls]))


def prove_outputs(problems: Sequence[Problem], sandbox: Sandbox, workers: int = 1) -> dict[str, dict[str, str]]:
    """Execute the calls of buggy programs and return the proven outputs, problem -> call -> output."""
    runs = []
    for problem in problems:
        if not fixed_form(problem.benchmark):
            raise ValueError(f"{problem.benchmark} is not a benchmark of buggy programs")
        runs += [
            (problem, call, sandbox.submit(Job.evaluate(problem.code, [call], limits=_SOON)))
            for call in calls_of(problem)
        ]
    asked = {}
    for number, (problem, call, run) in enumerate(runs):
        observations = run.result().observations
        if observations and observations[0].literal is not None:
            name = f"{problem.problem_id}#{number}"
            asked[name] = dataclasses.replace(problem, problem_id=name, input=call, output=None, category="confirmed")
    proofs = prove_labels(list(asked.values()), {}, workers)
    outputs: dict[str, dict[str, str]] = {problem.problem_id: {} for problem in problems}
    for name, proof in proofs.items():
        if proof.output is not None:
            outputs[name.partition("#")[0]][asked[name].input] = proof.output
    return outputs


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
            of_benchmark = prove_outputs(asked, sandbox, workers)
        without = [problem_id for problem_id, outputs in of_benchmark.items() if not outputs]
        calls = sum(map(len, of_benchmark.values()))
        click.echo(
            f"{benchmark.name}: {calls} calls of {len(of_benchmark)} programs; none of {', '.join(without) or 'none'}"
        )
        proven[benchmark.name] = of_benchmark
    save(BUGGY_OUTPUTS, proven, levels=2)


if __name__ == "__main__":
    main()

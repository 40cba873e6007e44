"""Execute every program on inputs that say nothing and write the names of the problems that these solve.

    python utils/find_plain_inputs.py [--benchmark NAME ...] [--constants]

With ``--constants`` it says instead how many problems one and the same answer solves. Works on the built data
(``$CODEMIND_DATA``), and needs what the ``classeval`` extra installs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import click

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.catalogue import benchmarks
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.execution import Job, Limits, Sandbox, ScriptCase
from lm_eval_codemind.facts.plain_inputs import PLAIN_INPUTS, load_plain_inputs
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from ship import save

ASKED = ("humaneval", "cruxeval", "classeval", "avatar", "sample")


def computed_outputs(
    problems: Iterable[tuple[Problem, str]], workers: int = 1, limits: Limits | None = None
) -> list[str | None]:
    """Return what programs give on inputs, in order; None where one gives nothing."""
    with Sandbox(workers=workers) as sandbox:
        pairs = list(problems)
        futures = [sandbox.submit(_job(problem, given, limits or Limits())) for problem, given in pairs]
        found: list[str | None] = []
        for (problem, _), future in zip(pairs, futures, strict=True):
            outcome = future.result()
            observation = outcome.observations[0] if outcome.passed and outcome.observations else None
            if observation is None or observation.exception_type:
                found.append(None)
            else:
                found.append(observation.stdout if kind_of(problem).printed else observation.literal)
        return found


def find_plain_inputs(problems: Iterable[Problem], workers: int = 1) -> dict[str, list[str]]:
    """Execute programs on the inputs that say nothing and return those that give the output, by problem.

    Args:
        problems: With proven outputs; others are passed over.
        workers: Programs at a time.
    """
    pairs = [
        (problem, given)
        for problem in problems
        if problem.output is not None and kind_of(problem).masked_input(problem) is not None
        for given in kind_of(problem).plain_inputs(problem)
    ]
    solved: dict[str, list[str]] = {}
    for (problem, given), output in zip(pairs, computed_outputs(pairs, workers), strict=True):
        if output is not None and same_computed(output, problem.output or "", kind_of(problem).printed):
            solved.setdefault(problem.problem_id, []).append(given)
    return solved


def _job(problem: Problem, given: str, limits: Limits) -> Job:
    execution = kind_of(problem).execution(problem, input=given)
    if execution.expression is None:
        return Job.script(execution.module, [ScriptCase(execution.stdin)], limits=limits)
    return Job.evaluate(execution.module, [execution.expression], limits=limits)


@click.command()
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), help="Examine these only.")
@click.option("--constants", is_flag=True, help="Try constant answers; write nothing.")
@click.option("--workers", default=1, show_default=True)
def main(names: tuple[str, ...], constants: bool, workers: int) -> None:
    """Write ``proofs/plain_inputs.json``; benchmarks that are not examined stay as they are in it."""
    known = load_plain_inputs()
    for name in names or ASKED:
        problems = [problem for problem in load_benchmark(name) if problem.category != "excluded"]
        if constants:
            try_constants(name, problems, workers)
            continue
        asked = [problem for problem in problems if kind_of(problem).masked_input(problem) is not None]
        known[name] = sorted(find_plain_inputs(asked, workers))
        click.echo(f"{name}: {len(known[name])} of {len(asked)}; nothing to predict in {len(problems) - len(asked)}")
    if constants:
        return
    save(PLAIN_INPUTS, dict(sorted(known.items())))


def try_constants(name: str, problems: Sequence[Problem], workers: int) -> None:
    """Print how many problems each common constant answer solves."""
    asked = [problem for problem in problems if kind_of(problem).masked_input(problem) is not None]
    common = Counter(given for problem in asked for given in kind_of(problem).plain_inputs(problem))
    for answer, _ in common.most_common(8):
        readable = [(problem, given) for problem in asked if (given := kind_of(problem).read_input(answer, problem))]
        outputs = computed_outputs([(problem, given.input) for problem, given in readable], workers)
        right = sum(
            output is not None and same_computed(output, problem.output or "", kind_of(problem).printed)
            for (problem, _), output in zip(readable, outputs, strict=True)
        )
        click.echo(f"{name}: {answer!r} solves {right} of {len(asked)}")


if __name__ == "__main__":
    main()

"""Find the questions that trivial answers solve, and write the names of their problems.

    python utils/prove/find_plain.py inputs [--benchmark NAME ...]
    python utils/prove/find_plain.py flows

``inputs`` executes every program on inputs that say nothing, and needs what the ``classeval`` extra installs. ``flows``
answers the questions about loops and branches of RE2-Bench by the rules of :mod:`baselines` on the syntax tree and the
input, also those that know the length of the right answer. Both work on the built data (``$CODEMIND_DATA``).
"""

from collections.abc import Iterable
from dataclasses import replace

import click

from baselines import FAMILIES, documents_of, policies
from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Sandbox, ScriptCase
from lm_eval_codemind.studies.re2.task import FACTS, compared
from lm_eval_codemind.workshop.build import PLAIN_INPUTS
from options import benchmarks_of
from ship import save

ASKED = ("humaneval", "cruxeval", "classeval", "avatar", "sample")


def find_plain_inputs(problems: Iterable[Problem]) -> dict[str, list[str]]:
    """Execute programs on the inputs that say nothing and return those that give the output, by problem."""
    pairs = [
        (problem, text)
        for problem in problems
        if problem.output is not None and kind_of(problem).masked_input(problem) is not None
        for text in python_kind(problem).plain_inputs(problem)
    ]
    with Sandbox(workers=1) as sandbox:
        outcomes = sandbox.run([_job(problem, text) for problem, text in pairs])
    solved: dict[str, list[str]] = {}
    for (problem, text), outcome in zip(pairs, outcomes, strict=True):
        observation = outcome.observations[0] if outcome.passed and outcome.observations else None
        if observation is None or observation.exception_type:
            continue
        printed = kind_of(problem).printed
        output = observation.stdout if printed else observation.literal
        if output is not None and same_computed(output, problem.output or "", printed):
            solved.setdefault(problem.problem_id, []).append(text)
    return solved


def _job(problem: Problem, text: str) -> Job:
    execution = kind_of(problem).execution(replace(problem, input=text))
    if execution.expression is None:
        return Job.script(execution.module, [ScriptCase(execution.stdin)])
    return Job.evaluate(execution.module, [execution.expression])


@click.group()
def main() -> None:
    """Find the questions that trivial answers solve."""


@main.command()
@benchmarks_of(ASKED)
def inputs(names: tuple[str, ...]) -> None:
    """Write ``proofs/plain_inputs.json``; benchmarks that are not examined stay as they are in it."""
    known = dict(shipped.load(PLAIN_INPUTS))
    for name in names:
        problems = [problem for problem in load_benchmark(name) if problem.category != "excluded"]
        asked = [problem for problem in problems if kind_of(problem).masked_input(problem) is not None]
        known[name] = sorted(find_plain_inputs(asked))
        click.echo(f"{name}: {len(known[name])} of {len(asked)}; nothing to predict in {len(problems) - len(asked)}")
    save(PLAIN_INPUTS, dict(sorted(known.items())))


@main.command()
def flows() -> None:
    """Write ``studies/re2/facts/plain.json``: task -> the problems of RE2-Bench that a rule answers."""
    plain = {}
    for task in ("loop", "branch"):
        documents = documents_of(FAMILIES[f"re2_{task}"], "re2")
        rules = policies(documents, f"re2_{task}", 0).values()
        plain[task] = sorted(
            document["problem_id"]
            for document in documents
            if any(all(place is None for *_, place in compared(document, task, rule(document))) for rule in rules)
        )
        easy = {document["problem_id"] for document in documents if document["difficulty"] == "easy"}
        click.echo(f"{task}: {len(plain[task])} of {len(documents)}, of the easy ones {len(easy & set(plain[task]))}")
    save("plain.json", plain, folder=FACTS)


if __name__ == "__main__":
    main()

"""What buggy programs return for the calls of their suites, proven by execution."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from lm_eval_codemind.catalogue import fixed_form
from lm_eval_codemind.execution import Job, Limits, Sandbox
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem
from lm_eval_codemind.proof.prove import prove_labels

# What a buggy program does not return from within this is not asked about.
_SOON = Limits(cpu_seconds=2, wall_seconds=20)


def calls_of(problem: Problem) -> list[str]:
    """Return the calls that a buggy program's own suite asks about: that of its input, and those of the suite T."""
    assertions = kind_of(problem).assertions(problem)
    own = [problem.input] if problem.input else []
    return list(dict.fromkeys([*own, *(call for call in assertions.values() if len(call) <= SHOWN_CHARACTERS)]))


def prove_outputs(problems: Sequence[Problem], sandbox: Sandbox, workers: int = 1) -> dict[str, dict[str, str]]:
    """Execute the calls of buggy programs and return the proven outputs, problem -> call -> output.

    Args:
        problems: Buggy programs with the suite T and the call of the test that reveals the bug, if it returns from it.
        sandbox: Where calls from which a program does not return are found.
        workers: Programs at a time, as for :func:`~lm_eval_codemind.proof.prove.prove_labels`.

    Raises:
        ValueError: if a benchmark that is not one of buggy programs is among them.
    """
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
    found: dict[str, dict[str, str]] = {problem.problem_id: {} for problem in problems}
    for name, proof in proofs.items():
        if proof.output is not None:
            found[name.partition("#")[0]][asked[name].input] = proof.output
    return found

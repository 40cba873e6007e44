"""The suites of buggy programs: what such a program itself returns for the calls of the suite that it fails.

Simplifying a buggy program means keeping what it does, its bug included. The suite T of the correct program cannot
tell: the buggy one fails it. Its own suite takes the calls of T that stand by themselves, and the call of the test that
reveals the bug, and expects of each what the buggy program returns for it. Calls from which it does not return, or
whose output cannot be proven, are left out.

``proofs/buggy_outputs.json`` is what executing them under differing circumstances has proven
(``utils/prove_buggy_outputs.py``): benchmark -> problem -> call -> output. It is shipped, so that a user's build
executes nothing.
"""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from lm_eval_codemind.benchmarks import fixed_form
from lm_eval_codemind.execution import Job, Limits, Sandbox
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem
from lm_eval_codemind.proof.prove import prove_labels

FILE = "buggy_outputs.json"

# How far floats may differ, as in HumanEval's suites.
_TOLERANCE = "1e-6"
# What a buggy program does not return from within this is not asked about.
_SOON = Limits(cpu_seconds=2, wall_seconds=20)

Outputs = Mapping[str, Mapping[str, str]]


@lru_cache(maxsize=1)
def _shipped() -> dict[str, dict[str, dict[str, str]]]:
    file = files("lm_eval_codemind.proof") / "proofs" / FILE
    if not file.is_file():
        return {}
    shipped: dict[str, dict[str, dict[str, str]]] = json.loads(file.read_text(encoding="utf-8"))
    return shipped


def with_own_suites(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a benchmark of buggy programs, each with its own suite in the place of the one it fails.

    A problem whose program returns from no call keeps the suite it has, and other benchmarks are returned as they are.

    Args:
        benchmark: Name of a benchmark.
        problems: Its problems.
    """
    outputs = _shipped().get(benchmark, {})
    return [
        dataclasses.replace(problem, tests=suite_of(outputs[problem.problem_id]))
        if outputs.get(problem.problem_id)
        else problem
        for problem in problems
    ]


def suite_of(outputs: Mapping[str, str]) -> str:
    """Return the suite that expects an output of each call; floats may differ as little as in HumanEval's suites."""
    return "".join(f"{_assertion(call, output)}\n" for call, output in outputs.items())


def _assertion(call: str, output: str) -> str:
    if isinstance(ast.literal_eval(output), float):
        return f"assert abs({call} - {output}) < {_TOLERANCE}"
    return f"assert {call} == {output}"


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
            raise ValueError(f"{problem.benchmark} is no benchmark of buggy programs")
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

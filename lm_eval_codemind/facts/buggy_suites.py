"""The suites of buggy programs: what such a program itself returns for the calls of the suite that it fails.

To simplify a buggy program means to keep what it does, its bug included. The suite T of the correct program is no
measure of that: the buggy one fails it. Its own suite takes the calls of T that stand by themselves, and the call of
the test that reveals the bug, and expects of each what the buggy program returns. It leaves out calls from which the
program does not return, or whose output cannot be proven.

``proofs/buggy_outputs.json`` is what executing them under differing circumstances has proven
(``utils/prove_buggy_outputs.py``): benchmark -> problem -> call -> output.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem

BUGGY_OUTPUTS = "proofs/buggy_outputs.json"

# How far floats may differ, as in HumanEval's suites.
_TOLERANCE = "1e-6"


def with_own_suites(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a benchmark of buggy programs, each with its own suite in the place of the one it fails.

    A problem whose program returns from no call keeps the suite it has, and other benchmarks are returned as they are.

    Args:
        benchmark: Name of a benchmark.
        problems: Its problems.
    """
    outputs = shipped.load(BUGGY_OUTPUTS).get(benchmark, {})
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

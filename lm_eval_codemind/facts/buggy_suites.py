"""The test suites of buggy programs: each expects the outputs of the buggy program itself.

A simplification of a buggy program must keep its behaviour, including the bug. The suite T of the correct program
cannot check that, because the buggy program fails T. The buggy program's suite uses the calls of T that need no other
code, and the call of the test that reveals the bug. It expects the value that the buggy program returns for each call.
A call is left out if the program does not return from it, or if its output cannot be proven.

``proofs/buggy_outputs.json`` has the outputs: benchmark -> problem -> call -> output. They are proven by execution
under different conditions (``utils/prove_buggy_outputs.py``).
"""

import ast
import dataclasses
from collections.abc import Mapping, Sequence

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem

BUGGY_OUTPUTS = "proofs/buggy_outputs.json"

# The tolerance for floats, as in HumanEval's suites.
_TOLERANCE = "1e-6"


def with_own_suites(benchmark: str, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a benchmark of buggy programs, each with the suite that its own program passes.

    A problem keeps its suite if its program returns from none of the calls. Other benchmarks are returned unchanged.

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
    """Return the suite that expects an output for each call. The tolerance for floats is that of HumanEval's suites."""
    return "".join(f"{_assertion(call, output)}\n" for call, output in outputs.items())


def _assertion(call: str, output: str) -> str:
    if isinstance(ast.literal_eval(output), float):
        return f"assert abs({call} - {output}) < {_TOLERANCE}"
    return f"assert {call} == {output}"

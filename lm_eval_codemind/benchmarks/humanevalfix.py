"""HumanEvalFix: HumanEval's functions with a bug in each, of HumanEvalPack (bigcode-project/octopack).

Two benchmarks hold the same problems under the same names: ``humanevalfix`` with the correct programs, and
``humanevalfix_buggy`` with the buggy ones, whose input is the call of the test that reveals the bug and whose label is
what the buggy program returns for it. Which test that is,
:mod:`lm_eval_codemind.proof.revealing` knows.

HumanEvalPack has the same problems in Java, in ``humaneval-x/data/java``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from lm_eval_codemind.benchmarks import licences
from lm_eval_codemind.benchmarks.archives import OCTOPACK, ArchivePart
from lm_eval_codemind.benchmarks.benchmark import Benchmark
from lm_eval_codemind.benchmarks.humaneval import BASE_CASES, CALLS, context_of, suite_of, without_docstring
from lm_eval_codemind.benchmarks.specifications import function_specification
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.problems import Problem

NAME, BUGGY = "humanevalfix", "humanevalfix_buggy"
_RECORDS = "humanevalpack.jsonl"
PART = ArchivePart(
    OCTOPACK,
    "evaluation/create/humaneval-x/data/python/data",
    (_RECORDS,),
    "accbf3533b6d9fc104c8793dfc0c7177c3d6dba555841b094c42ad16a2faed03",
)


def read(upstream: Upstream, *, buggy: bool = False) -> list[Problem]:
    """Return the problems in upstream's order; the label of a buggy program is not yet proven.

    Args:
        upstream: Where HumanEvalPack is read from.
        buggy: Whether with the buggy programs instead of the correct ones.
    """
    return [_problem(record, buggy) for record in _records(upstream)]


def _records(upstream: Upstream) -> Iterator[dict[str, Any]]:
    content = upstream.files(PART)[_RECORDS]
    for line in content.decode("utf-8").splitlines():
        yield json.loads(line)


def _problem(record: dict[str, Any], buggy: bool) -> Problem:
    problem_id = record["task_id"].replace("Python/", "HumanEval_")
    entry_point = record["entry_point"]
    body = record["buggy_solution" if buggy else "canonical_solution"]
    context = context_of(record["prompt"], entry_point)
    return Problem(
        problem_id=problem_id,
        benchmark=BUGGY if buggy else NAME,
        kind="function",
        language="python",
        code=without_docstring(record["prompt"] + body, entry_point),
        entry_point=entry_point,
        # Where a suite draws its arguments at random, the call is our own.
        input=CALLS.get(problem_id, ""),
        output="",
        specification=function_specification(f"{record['prompt']}    pass\n", entry_point, problem_id in BASE_CASES),
        context=context,
        tests=suite_of(_without_call(record["test"], entry_point), context),
        provenance=PART.place(_RECORDS),
    )


def _without_call(tests: str, entry_point: str) -> str:
    """Return the suite without the call at its end: it is called by what executes it."""
    return tests.strip().removesuffix(f"check({entry_point})").rstrip() + "\n"


_SHARED: dict[str, Any] = {
    "parts": (PART,),
    "sources": (licences.HUMAN_EVAL, licences.OCTOPACK),
    "extends": "humaneval",
}
HUMANEVALFIX = (
    Benchmark(NAME, "HumanEvalFix", "function", 164, read, labels="none", buggy_as=BUGGY, **_SHARED),
    Benchmark(BUGGY, "HumanEvalFix, buggy", "function", 164, partial(read, buggy=True), **_SHARED),
)

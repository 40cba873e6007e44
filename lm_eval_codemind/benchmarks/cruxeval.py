"""CRUXEval: 800 short functions, each with one call."""

from __future__ import annotations

import json

from lm_eval_codemind.benchmarks.archives import CRUXEVAL
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.problems import Problem

NAME = "cruxeval"
_FILE = "cruxeval.jsonl"


def read(upstream: Upstream) -> list[Problem]:
    """Return CRUXEval's problems in upstream's order, their labels not yet proven.

    Source: ``data/cruxeval.jsonl`` of facebookresearch/cruxeval.
    """
    content = upstream.files(CRUXEVAL.name, NAME)[_FILE]
    problems = []
    for line in content.decode("utf-8").splitlines():
        record = json.loads(line)
        call = f"f({record['input']})"
        problems.append(
            Problem(
                problem_id=record["id"],
                benchmark=NAME,
                kind="function",
                language="python",
                code=record["code"].strip() + "\n",
                entry_point="f",
                input=call,
                output=None,
                tests=f"assert {call} == {record['output']}\n",
                published_output=record["output"],
                provenance=f"{CRUXEVAL.repository}@{CRUXEVAL.revision}:data/{_FILE}",
            )
        )
    return problems

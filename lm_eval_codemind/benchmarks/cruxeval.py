"""CRUXEval: 800 short functions, each with one call."""

import jsonlines

from lm_eval_codemind.benchmarks.upstream import PARTS, Upstream
from lm_eval_codemind.problems import Problem

NAME = "cruxeval"
_FILE = "cruxeval.jsonl"


def read(upstream: Upstream) -> list[Problem]:
    """Return CRUXEval's problems in upstream's order, their labels not yet proven.

    Source: ``data/cruxeval.jsonl`` of facebookresearch/cruxeval.
    """
    content = upstream.files(PARTS[NAME])[_FILE]
    return [
        Problem(
            problem_id=record["id"],
            benchmark=NAME,
            kind="function",
            language="python",
            code=record["code"].strip() + "\n",
            entry_point="f",
            input=f"f({record['input']})",
            tests=f"assert f({record['input']}) == {record['output']}\n",
            published_output=record["output"],
            provenance=PARTS[NAME].place(_FILE),
        )
        for record in jsonlines.Reader(content.splitlines())
    ]

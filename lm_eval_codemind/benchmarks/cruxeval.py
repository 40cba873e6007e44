"""CRUXEval: 800 short functions, each with one call."""

import jsonlines

from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream
from lm_eval_codemind.catalogue.packaged import CRUXEVAL as ARCHIVE
from lm_eval_codemind.problems import Problem

NAME = "cruxeval"
_FILE = "cruxeval.jsonl"
PART = ArchivePart(ARCHIVE, "data", (_FILE,), "e0b55ba26cf1699873cf1444f65a1b706813d2555e67aff95a86c36ab09e8282")


def read(upstream: Upstream) -> list[Problem]:
    """Return CRUXEval's problems in upstream's order, their labels not yet proven.

    Source: ``data/cruxeval.jsonl`` of facebookresearch/cruxeval.
    """
    content = upstream.files(PART)[_FILE]
    problems = []
    for record in jsonlines.Reader(content.splitlines()):
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
                tests=f"assert {call} == {record['output']}\n",
                published_output=record["output"],
                provenance=PART.place(_FILE),
            )
        )
    return problems

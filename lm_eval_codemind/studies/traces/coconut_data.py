"""CoCoNUT: calls of HumanEval's solutions, each with the list of the lines that it executes, as its repository has it.

Beger and Dutta, "CoCoNUT: Structural Code Understanding does not fall out of a tree" (arXiv 2501.16456).
"""

import ast
import csv
import io
import json
import re
from collections import defaultdict

from lm_eval_codemind.data.benchmarks.upstream import ArchivePart, Upstream
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies import COCONUT

NAME = "coconut"
_TRACES = "HumanEval_trace.csv"
PART = ArchivePart(
    COCONUT,
    folder="Dataset/HumanEval",
    patterns=(_TRACES,),
    digest="6e1c2788ef0dbf2d9c4d1443ac54e6e860cbbe1ed822bec6a8f9e9e86628b33b",
)
_NUMBER = re.compile(r"  # \d+$", re.MULTILINE)


def read(upstream: Upstream) -> list[Problem]:
    """Return the programs in upstream's order. Their calls with the executed lines are in ``upstream_questions``."""
    text = upstream.files(PART)[_TRACES].decode("utf-8")
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(text)):
        rows[row["HumanEval_ID"]].append(row)
    return [_problem(name.replace("/", "_"), of_program) for name, of_program in rows.items()]


def _problem(name: str, rows: list[dict[str, str]]) -> Problem:
    calls = [{"arguments": row["FunctionCall"], "lines": ast.literal_eval(row["ExecutedLines"])} for row in rows]
    return Problem(
        problem_id=name,
        benchmark=NAME,
        kind="function",
        language="python",
        code=_NUMBER.sub("", rows[0]["Code_Indices"]).rstrip() + "\n",
        entry_point=rows[0]["Name"],
        upstream_questions=json.dumps(calls),
        provenance=PART.place(_TRACES),
    )

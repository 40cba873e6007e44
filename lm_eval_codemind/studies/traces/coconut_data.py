"""CoCoNUT: calls of HumanEval's solutions, each with the list of the lines that it executes, as its repository has it.

Beger and Dutta, "CoCoNUT: Structural Code Understanding does not fall out of a tree" (arXiv 2501.16456).
"""

import ast
import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies import COCONUT
from lm_eval_codemind.workshop.benchmarks.published_prompts import TEMPLATES, text_problem
from lm_eval_codemind.workshop.benchmarks.scripts import read_script
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart, Upstream

NAME = "coconut"
_TRACES = "HumanEval_trace.csv"
PART = ArchivePart(
    COCONUT,
    folder="Dataset/HumanEval",
    patterns=(_TRACES,),
    digest="6e1c2788ef0dbf2d9c4d1443ac54e6e860cbbe1ed822bec6a8f9e9e86628b33b",
)
PROMPTS = ArchivePart(
    COCONUT,
    folder="",
    patterns=("prompts.py",),
    digest="6c3285c76ed1ac773233677111f31db286c434779d14d151781cd81db471e6bb",
)
_NUMBER = re.compile(r"  # \d+$", re.MULTILINE)


def read(upstream: Upstream) -> list[Problem]:
    """Return the programs in upstream's order. Their calls with the executed lines are in ``upstream_questions``."""
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in _rows(upstream):
        rows[row["HumanEval_ID"]].append(row)
    return [_problem(name.replace("/", "_"), of_program) for name, of_program in rows.items()]


def read_prompts(upstream: Upstream) -> list[Problem]:
    """Return the template of the prompts, and of each program the listing that upstream shows.

    The template is one for ``str.format``, with the listing, the function's name and the arguments.
    """
    script = read_script(upstream, PROMPTS)
    place = script.place.replace(":/", ":")
    problems = [text_problem("coconut_prompts", TEMPLATES, place, {"template": script.item("HumanEval")})]
    listings = {row["HumanEval_ID"]: row["Code_Indices"] for row in _rows(upstream)}
    for program, listing in listings.items():
        texts = {"listing": listing}
        problems.append(text_problem("coconut_prompts", program.replace("/", "_"), PART.place(_TRACES), texts))
    return problems


def _rows(upstream: Upstream) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.StringIO(upstream.files(PART)[_TRACES].decode("utf-8")))


def _problem(name: str, rows: list[dict[str, str]]) -> Problem:
    calls = [{"arguments": row["FunctionCall"], "lines": ast.literal_eval(row["ExecutedLines"])} for row in rows]
    code, place = _NUMBER.sub("", rows[0]["Code_Indices"]).rstrip() + "\n", PART.place(_TRACES)
    return text_problem(NAME, name, place, calls, code=code, entry_point=rows[0]["Name"], category="confirmed")

"""Avatar: solutions of programming contests, from stdin to stdout."""

from __future__ import annotations

import re

from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream, plain_text
from lm_eval_codemind.catalogue.packaged import CODEMIND
from lm_eval_codemind.problems import Case, Problem

NAME = "avatar"
PART = ArchivePart(
    CODEMIND,
    "dataset/Avatar/Avatar-Python",
    ("*/main.py", "*/input.txt", "*/output.txt", "*/all_tests/*.txt"),
    "3f298c1ec6c9f20f2ededf948e3a2613b10d30800230c956668d186c79909c60",
)

# Avatar's tokenizer writes a space inside a string as U+2581 with a space to either side. CodeMind kept that, and this
# program splits its input at it, so it runs on no input at all.
_SPLIT_AT_THE_MARK = {"atcoder_ABC149_B": (" \u2581 ", " ")}


def read(upstream: Upstream) -> list[Problem]:
    """Return Avatar's problems sorted by name, their labels not yet proven.

    Source: ``dataset/Avatar/Avatar-Python`` of CodeMind. A problem's cases are its whole test suite, in the order of
    upstream's numbers, after the case that the label is about. Lines end in a line feed alone: a carriage
    return on standard input would be part of what a program reads.
    """
    files = upstream.files(PART)
    problems = []
    for problem_id in sorted({name.split("/")[0] for name in files}):

        def text(name: str, problem_id: str = problem_id) -> str:
            return plain_text(files[f"{problem_id}/{name}"])

        inputs = re.compile(rf"{re.escape(problem_id)}/all_tests/input/(\d+)_input\.txt")
        numbers = sorted(int(match[1]) for match in map(inputs.fullmatch, files) if match)
        suite = [
            Case(text(f"all_tests/input/{n}_input.txt"), text(f"all_tests/output/{n}_output.txt")) for n in numbers
        ]
        problems.append(
            Problem(
                problem_id=problem_id,
                benchmark=NAME,
                kind="script",
                language="python",
                code=_restored(problem_id, text("main.py")).strip() + "\n",
                input=text("input.txt"),
                cases=tuple(suite),
                published_output=text("output.txt"),
                provenance=PART.place(problem_id),
            )
        )
    return problems


def _restored(problem_id: str, code: str) -> str:
    """Return a program with what the tokenizer broke put right, where it could not run without."""
    broken, meant = _SPLIT_AT_THE_MARK.get(problem_id, ("", ""))
    return code.replace(broken, meant) if broken else code

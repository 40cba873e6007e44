"""Avatar's solutions in Java of the contest problems that :mod:`.avatar` has in Python."""

from __future__ import annotations

import re

from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream, plain_text
from lm_eval_codemind.catalogue.packaged import CODEMIND, CODEMIND_V1
from lm_eval_codemind.problems import Case, Problem

NAME = "avatar_java"
PART = ArchivePart(
    CODEMIND_V1,
    "dataset/Avatar/Avatar-Java",
    ("*/*.java", "*/input.txt", "*/output.txt"),
    "928e6858e05475373b71920d587af1198cd61f255c59cf6f0a30ad28a241efd0",
)
# The revision of the first study has no test suites, the later one lacks programs whose file is not called Main.java.
SUITES = ArchivePart(
    CODEMIND,
    "dataset/Avatar/Avatar-Java",
    ("*/all_tests/*.txt",),
    "132acc777452de31f6ec2dd79a137acbf2ea8c559b9d6b6b3f0d02704a935e9b",
)


def read(upstream: Upstream) -> list[Problem]:
    """Return Avatar's programs in Java sorted by name, their labels not yet proven.

    Source: ``dataset/Avatar/Avatar-Java`` of CodeMind. A problem's cases are its whole test suite, in the order of
    upstream's numbers. Lines end in a line feed alone.
    """
    files, suites = upstream.files(PART), upstream.files(SUITES)
    sources = {file.split("/")[0]: file for file in files if file.endswith(".java")}

    numbers: dict[str, list[int]] = {}
    for file in suites:
        match = re.fullmatch(r"(.+)/all_tests/input/(\d+)_input\.txt", file)
        if match:
            numbers.setdefault(match[1], []).append(int(match[2]))
    return [
        Problem(
            problem_id=problem_id,
            benchmark=NAME,
            kind="script",
            language="java",
            code=plain_text(files[file]),
            input=plain_text(files[f"{problem_id}/input.txt"]),
            cases=tuple(
                Case(
                    plain_text(suites[f"{problem_id}/all_tests/input/{n}_input.txt"]),
                    plain_text(suites[f"{problem_id}/all_tests/output/{n}_output.txt"]),
                )
                for n in sorted(numbers.get(problem_id, ()))
            ),
            published_output=plain_text(files[f"{problem_id}/output.txt"]),
            provenance=PART.place(problem_id),
        )
        for problem_id, file in sorted(sources.items())
    ]

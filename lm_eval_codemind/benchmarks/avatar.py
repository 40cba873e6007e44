"""Avatar: solutions of programming contests, from stdin to stdout, in Python and in Java.

Source: ``dataset/Avatar`` of CodeMind.
"""

import dataclasses
from functools import partial

from lm_eval_codemind.benchmarks.contests import read_contests
from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream
from lm_eval_codemind.catalogue.packaged import CODEMIND, CODEMIND_V1
from lm_eval_codemind.problems import Problem

PART = ArchivePart(
    CODEMIND,
    "dataset/Avatar/Avatar-Python",
    ("*/main.py", "*/input.txt", "*/output.txt", "*/all_tests/*.txt"),
    "3f298c1ec6c9f20f2ededf948e3a2613b10d30800230c956668d186c79909c60",
)
JAVA_PART = ArchivePart(
    CODEMIND_V1,
    "dataset/Avatar/Avatar-Java",
    ("*/*.java", "*/input.txt", "*/output.txt"),
    "928e6858e05475373b71920d587af1198cd61f255c59cf6f0a30ad28a241efd0",
)
# The revision of the first study has no test suites, the later one lacks programs whose file is not called Main.java.
_JAVA_SUITES = ArchivePart(
    CODEMIND,
    "dataset/Avatar/Avatar-Java",
    ("*/all_tests/*.txt",),
    "132acc777452de31f6ec2dd79a137acbf2ea8c559b9d6b6b3f0d02704a935e9b",
)

# Avatar's tokenizer writes a space inside a string as U+2581 with a space to either side. CodeMind kept that, and this
# program splits its input at it, so it runs on no input at all.
_SPLIT_AT_THE_MARK = {"atcoder_ABC149_B": (" \u2581 ", " ")}


def read(upstream: Upstream) -> list[Problem]:
    """Return Avatar's programs in Python sorted by name, their labels not yet proven."""
    problems = read_contests(upstream, "avatar", "python", PART, PART)
    return [dataclasses.replace(problem, code=_restored(problem).strip() + "\n") for problem in problems]


def _restored(problem: Problem) -> str:
    """Return a program with what the tokenizer broke put right, where it could not run without."""
    broken, meant = _SPLIT_AT_THE_MARK.get(problem.problem_id, ("", ""))
    return problem.code.replace(broken, meant) if broken else problem.code


read_java = partial(read_contests, benchmark="avatar_java", language="java", part=JAVA_PART, suites=_JAVA_SUITES)

"""MBPP: the sanitised problems that CodeMind's artifact holds, of which specification reasoning uses all."""

from __future__ import annotations

import ast

from lm_eval_codemind.benchmarks.archives import CODEMIND
from lm_eval_codemind.benchmarks.specifications import with_docstring, without_examples
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.languages.python.names import free_names
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.hint_tests import with_hint
from lm_eval_codemind.proof.sr_exceptions import with_exceptions

NAME = "mbpp"


def read(upstream: Upstream) -> list[Problem]:
    """Return MBPP's problems by number. Source: ``dataset/Intermediate/Synthesis/mbpp`` of CodeMind.

    A problem has a description, a signature, a program and assertions, and no input and output of its own.
    """
    files = upstream.files(CODEMIND.name, NAME)
    folder = CODEMIND.parts[NAME].folder

    def text(number: int, name: str) -> str:
        return files[f"{number}/{name}"].decode("utf-8").replace("\r\n", "\n").strip()

    problems = [
        Problem(
            problem_id=f"MBPP_{number}",
            benchmark=NAME,
            kind="function",
            language="python",
            code=text(number, "main.py") + "\n",
            entry_point=text(number, "name.txt"),
            input="",
            output="",
            specification=with_docstring(text(number, "signature.txt") + ":", without_examples(text(number, "nl.txt"))),
            tests=_tests(text(number, "asserts.txt")),
            provenance=f"{CODEMIND.repository}@{CODEMIND.revision}:{folder}/{number}",
        )
        for number in sorted({int(name.split("/")[0]) for name in files})
    ]
    return with_exceptions(NAME, [with_hint(problem) for problem in problems])


def _tests(assertions: str) -> str:
    """Return the assertions as a module: the artifact dropped the import of ``math`` that some of them need."""
    needed = "import math\n\n" if "math" in free_names(ast.parse(assertions)) else ""
    return f"{needed}{assertions}\n"

"""MBPP: the sanitised problems of CodeMind's artifact. Specification reasoning uses all of them."""

import ast
import dataclasses

from lm_eval_codemind.benchmarks.specifications import with_docstring, without_examples
from lm_eval_codemind.benchmarks.upstream import PARTS, Upstream, plain_text
from lm_eval_codemind.languages.python.names import free_names
from lm_eval_codemind.problems import Problem

NAME = "mbpp"


def read(upstream: Upstream) -> list[Problem]:
    """Return MBPP's problems by number. Source: ``dataset/Intermediate/Synthesis/mbpp`` of CodeMind.

    A problem has a description, a signature, a program and assertions. It has no input and no output.
    """
    files = upstream.files(PARTS[NAME])

    def text(number: int, name: str) -> str:
        return plain_text(files[f"{number}/{name}"]).strip()

    return [
        Problem(
            problem_id=f"MBPP_{number}",
            benchmark=NAME,
            kind="function",
            language="python",
            code=text(number, "main.py") + "\n",
            entry_point=text(number, "name.txt"),
            output="",
            specification=with_docstring(text(number, "signature.txt") + ":", without_examples(text(number, "nl.txt"))),
            tests=_tests(text(number, "asserts.txt")),
            provenance=PARTS[NAME].place(str(number)),
        )
        for number in sorted({int(name.split("/")[0]) for name in files})
    ]


def read_labelled(upstream: Upstream) -> list[Problem]:
    """Return the MBPP problems for which the artifact has a call and its output, by number, unproven."""
    calls = upstream.files(PARTS["mbpp_calls"])

    def text(number: str, name: str) -> str:
        return plain_text(calls[f"{number}/{name}"]).strip()

    numbers = {name.split("/")[0] for name in calls}
    return [
        dataclasses.replace(
            problem,
            benchmark="mbpp_labelled",
            input=text(number, "input.txt"),
            output=None,
            published_output=text(number, "output.txt"),
        )
        for problem in read(upstream)
        if (number := problem.problem_id.removeprefix("MBPP_")) in numbers
    ]


def _tests(assertions: str) -> str:
    """Return the assertions as a module: the artifact dropped the import of ``math`` that some of them need."""
    needed = "import math\n\n" if "math" in free_names(ast.parse(assertions)) else ""
    return f"{needed}{assertions}\n"

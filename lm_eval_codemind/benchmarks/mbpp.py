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
    texts = _texts(upstream, NAME)
    return [
        Problem(
            problem_id=f"MBPP_{number}",
            benchmark=NAME,
            kind="function",
            language="python",
            code=texts[f"{number}/main.py"] + "\n",
            entry_point=texts[f"{number}/name.txt"],
            output="",
            specification=with_docstring(
                texts[f"{number}/signature.txt"] + ":", without_examples(texts[f"{number}/nl.txt"])
            ),
            tests=_tests(texts[f"{number}/asserts.txt"]),
            provenance=PARTS[NAME].place(str(number)),
        )
        for number in sorted({int(name.split("/")[0]) for name in texts})
    ]


def read_labelled(upstream: Upstream) -> list[Problem]:
    """Return the MBPP problems for which the artifact has a call and its output, by number, unproven."""
    texts = _texts(upstream, "mbpp_calls")
    numbers = {name.split("/")[0] for name in texts}
    return [
        dataclasses.replace(
            problem,
            benchmark="mbpp_labelled",
            input=texts[f"{number}/input.txt"],
            output=None,
            published_output=texts[f"{number}/output.txt"],
        )
        for problem in read(upstream)
        if (number := problem.problem_id.removeprefix("MBPP_")) in numbers
    ]


def _texts(upstream: Upstream, part: str) -> dict[str, str]:
    return {name: plain_text(content).strip() for name, content in upstream.files(PARTS[part]).items()}


def _tests(assertions: str) -> str:
    """Return the assertions as a module: the artifact dropped the import of ``math`` that some of them need."""
    needed = "import math\n\n" if "math" in free_names(ast.parse(assertions)) else ""
    return f"{needed}{assertions}\n"

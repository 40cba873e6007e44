"""MBPP: the sanitised problems of CodeMind's artifact. Specification reasoning uses all of them."""

import ast
import dataclasses
import re

from lm_eval_codemind.languages.python.names import called_name, definition, free_names
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks.specifications import signature, with_docstring, without_examples
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream, plain_text

NAME = "mbpp"

# A link, with a remark on upstream's own test cases that follows one of them.
_LINK = re.compile(r"\s*(?:https?://)?\b[\w.]+\.(?:org|com)/\S*(?: - in this case a verbatim copy of test cases)?")


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
            specification=_specification(texts, number),
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


def _specification(texts: dict[str, str], number: int) -> str:
    """Return a problem's signature with its sentence, without links: a model cannot follow them.

    The signature is upstream's, unless a call of the suite does not fit it. Then it is the program's.
    """
    head, name = texts[f"{number}/signature.txt"] + ":", texts[f"{number}/name.txt"]
    parts = ast.walk(ast.parse(texts[f"{number}/asserts.txt"]))
    calls = [part for part in parts if isinstance(part, ast.Call) and called_name(part) == name]
    parameters = definition(ast.parse(f"{head}\n    pass"), name).args
    if not all(_accepts(parameters, call) for call in calls):
        head = signature(definition(ast.parse(texts[f"{number}/main.py"]), name))
    return with_docstring(head, without_examples(_LINK.sub("", texts[f"{number}/nl.txt"])))


def _accepts(parameters: ast.arguments, call: ast.Call) -> bool:
    """Whether a function with these parameters can be called with as many arguments."""
    most = len(parameters.posonlyargs) + len(parameters.args)
    count = len(call.args) + len(call.keywords)
    return most - len(parameters.defaults) <= count <= most


def _tests(assertions: str) -> str:
    """Return the assertions as a module: the artifact dropped the import of ``math`` that some of them need."""
    needed = "import math\n\n" if "math" in free_names(ast.parse(assertions)) else ""
    return f"{needed}{assertions}\n"

"""REval's programs and inputs, as its problems hold them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.problems import Problem


@dataclass(frozen=True)
class Input:
    """One input of a program.

    Attributes:
        index: Its position among the program's inputs; not all of them are used.
        shown: The call (functions) or the body of the test method (classes) that a model is shown, as REval has it.
        body: The call, or the body of the test method in the test file.
        before: Statements that run, untraced, after the program has been loaded: the test classes and ``setUp``.
        expression: What is evaluated and traced.
        set_up: For classes with a ``setUp``: its body; else empty.
        masked: The output question: source with ``??`` in place of each value asked for.
        expected: For functions the output as a literal; for classes the masked source with everything filled in.
        questions: REval's questions about coverage, state and path, in its order: each has ``line``, counted from 1,
            and ``variable``, the source of the expression asked about.
    """

    index: int
    shown: str
    body: str
    before: str
    expression: str
    set_up: str
    masked: str
    expected: str
    questions: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class TracedProgram:
    """A program of REval with the inputs that are asked about.

    Attributes:
        task_id: REval's name, such as ``DREval/12``.
        benchmark: ``humaneval`` or ``classeval``.
        code: Source.
        entry_point: Name of the function or of the class.
        inputs: In REval's order.
    """

    task_id: str
    benchmark: str
    code: str
    entry_point: str
    inputs: tuple[Input, ...]


def program_of(problem: Problem) -> TracedProgram:
    """Return REval's program that a problem of ``reval_humaneval`` or ``reval_classeval`` was made of."""
    record = json.loads(problem.upstream_questions)
    return TracedProgram(**{**record, "inputs": tuple(Input(**fields) for fields in record["inputs"])})

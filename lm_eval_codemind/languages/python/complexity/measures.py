"""All measures of one program together, and the columns that a problem gets from them."""

from __future__ import annotations

from typing import Any

from lm_eval_codemind.languages.python.complexity.constructs import construct_tags, nested_constructs
from lm_eval_codemind.languages.python.complexity.cyclomatic import cyclomatic_complexity
from lm_eval_codemind.languages.python.complexity.dependencies import dependencies
from lm_eval_codemind.languages.python.complexity.types import literal_type, text_type
from lm_eval_codemind.languages.python.lines import lines_of_code
from lm_eval_codemind.problems import Complexity, Problem


def measure(code: str, loop_length: int | None = None) -> Complexity | None:
    """Return the measures of a program; None if it is empty or does not parse.

    Args:
        code: Python source.
        loop_length: LL, where it is known: it takes an execution, see
            :mod:`lm_eval_codemind.languages.python.complexity.loops`.
    """
    if not code.strip():
        return None
    try:
        return Complexity(
            cc=cyclomatic_complexity(code),
            loc=lines_of_code(code),
            dep=dependencies(code),
            nc=nested_constructs(code),
            ll=loop_length,
            constructs=construct_tags(code),
        )
    except (SyntaxError, ValueError, RecursionError):
        return None


def complexity_columns(
    problem: Problem, loop_length: int | None = None, transformed_loop_length: int | None = None
) -> dict[str, Any]:
    """Return the columns of a problem that hold its complexity: name of the field -> value.

    Args:
        problem: The problem; its program, its C+ and its output are looked at.
        loop_length: LL of its program on its input, where it is known.
        transformed_loop_length: LL of its C+ on its input, where it is known.
    """
    type_of = text_type if problem.kind == "script" else literal_type
    return {
        "complexity": measure(problem.code, loop_length),
        "transformed_complexity": measure(problem.transformed, transformed_loop_length),
        "output_type": "" if problem.output is None else type_of(problem.output) or "",
    }

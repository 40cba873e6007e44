"""A search for inputs that give the same output as a recorded one, on the programs themselves."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Sandbox


def differing_inputs(problems: Sequence[Problem], number: int) -> list[tuple[str, str]]:
    """Return calls other than the recorded ones that give the recorded output, at most two a problem.

    They are found by changing one argument at a time, in a fixed order, and asking Python itself, in the sandbox,
    whether the values are equal and of the same types throughout.

    Args:
        problems: Of functions.
        number: How many to find.
    """
    inputs: list[tuple[str, str]] = []
    with Sandbox(workers=2) as sandbox:
        for start in range(0, len(problems), 25):
            tried = [(problem, list(_changed(problem))) for problem in problems[start : start + 25]]
            tried = [(problem, calls) for problem, calls in tried if calls]
            futures = [
                sandbox.submit(Job.evaluate(problem.code, [f"repr({call}) == {problem.output!r}" for call in calls]))
                for problem, calls in tried
            ]
            for (problem, calls), future in zip(tried, futures, strict=True):
                seen = zip(calls, future.result().observations, strict=False)
                right = [call for call, observation in seen if observation.literal == "True"]
                inputs += [(problem.problem_id, call) for call in right[:2]]
            if len(inputs) >= number:
                break
    return inputs[:number]


def _changed(problem: Problem) -> Iterator[str]:
    """Yield calls that differ from a problem's own in the value of one argument."""
    try:
        call = ast.parse(problem.input.strip(), mode="eval").body
        assert isinstance(call, ast.Call) and not call.keywords
        values = [ast.literal_eval(argument) for argument in call.args]
    except (ValueError, AssertionError):
        return
    for position, value in enumerate(values):
        for other in _others(value):
            yield f"{problem.entry_point}({', '.join(map(repr, [*values[:position], other, *values[position + 1 :]]))})"


def _others(value: Any) -> Iterator[Any]:
    """Yield a few values that are unlike a value, and of its type."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1, -value - 7)
    elif isinstance(value, str):
        yield from (value + "z", "Q" + value, value.swapcase() + "!", value[::-1] + " ", value[:-1] + "~")
    elif isinstance(value, list):
        yield from ([*value, *value[:1], 77], [*value[::-1], "q"], value[:-1] or [5])
    elif isinstance(value, dict):
        yield from ({**value, "other key": 3}, dict(list(value.items())[1:]) or {"k": 1})

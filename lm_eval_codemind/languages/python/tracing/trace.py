"""A trace as a value: the steps of a program's execution.

A *step* is one execution of a statement, or of the header of a compound one, in one frame. It ends when the same frame
begins another statement, returns, or is left by an exception; what calls, comprehensions, generator expressions and
lambdas do meanwhile is part of it. Leaving the body of ``with`` or ``try`` is not a step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.languages.python.tracing.recorder import CodeUnit


@dataclass(frozen=True)
class Value:
    """The value of a variable.

    Attributes:
        type_name: ``type(value).__name__``; "" where even that cannot be told without running the program's code.
        literal: The value as a Python literal, the same text for equal values; None where it has none, or a too long
            one.
    """

    type_name: str
    literal: str | None


@dataclass(frozen=True)
class Step:
    """One execution of a statement.

    Attributes:
        frame: Number of the frame, in the order in which frames began.
        unit: Number of the statement, see :class:`~lm_eval_codemind.languages.python.tracing.recorder.CodeUnit`.
        line: The first line of the statement, counted from 1.
        end: ``line``: another line of its frame; ``return``; ``exception``: one that left its frame; or "" where the
            program ended, or the trace was cut off, before the step did.
        values: Name -> value, of the variables that are not as they were when a step of the frame last ended; None for
            one that is gone.
    """

    frame: int
    unit: int
    line: int
    end: str
    values: Mapping[str, Value | None]


@dataclass(frozen=True)
class Trace:
    """The trace of one run of a program.

    Attributes:
        steps: In the order in which they began.
        callers: Frame -> the nearest frame of the program that it was entered from, -1 for none.
        truncated: Whether there were more steps than allowed, so that the rest is missing.
        threads: Whether the program ran code in other threads, which is not traced.
        output: The value of the expression; None if there was none.
        stdout: What the program printed.
        exception: Name of the type of the exception that ended it, or "".
    """

    steps: tuple[Step, ...]
    callers: tuple[int, ...]
    truncated: bool
    threads: bool
    output: Value | None
    stdout: str
    exception: str


def read_trace(record: Mapping[str, Any], program: list[CodeUnit]) -> Trace:
    """Return the trace that :func:`.recorder.record` wrote.

    Args:
        record: What it returned.
        program: The units of the program.
    """
    values = [Value(type_name, literal) for type_name, literal in record["values"]]
    output = record["output"]
    return Trace(
        steps=tuple(
            Step(
                frame,
                unit,
                program[unit].line,
                end,
                {name: None if number < 0 else values[number] for name, number in seen},
            )
            for frame, unit, end, seen in record["steps"]
        ),
        callers=tuple(record["frames"]),
        truncated=record["truncated"],
        threads=record["threads"],
        output=None if output is None else Value(*output),
        stdout=record["stdout"],
        exception=record["exception"],
    )

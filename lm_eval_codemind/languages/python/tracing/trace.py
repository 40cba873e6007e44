"""A trace as a value: its steps, and each run of a line with what held after it and what came next.

A *step* is one execution of a statement, or of the header of a compound one, in one frame. It ends when the same frame
begins another statement, returns, or is left by an exception; what calls, comprehensions, generator expressions and
lambdas do meanwhile is part of it. Leaving the body of ``with`` or ``try`` is not a step.

A *run* of a line is what a frame executes on that line without going elsewhere: mostly one step, several where several
statements share the line. A loop written on one line begins a new run with every turn. Calls in between do not end
a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
        end_line: Its last line, or that of its header.
        end: ``line``: another line of its frame; ``return``; ``exception``: one that left its frame; or "" where the
            program ended, or the trace was cut off, before the step did.
        values: What the watched expressions gave when the step ended; None for what had no value. Where everything is
            noted: what is not as it was when a step of the frame last ended.
        before: What the watched expressions gave when it began.
    """

    frame: int
    unit: int
    line: int
    end_line: int
    end: str
    values: Mapping[str, Value | None] = field(default_factory=dict)
    before: Mapping[str, Value | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace:
    """The trace of one run of a program.

    Attributes:
        steps: In the order in which they began.
        callers: Frame -> the nearest frame of the program that it was entered from, -1 for none.
        functions: Frame -> number of the unit of its function or class, -1 for the program itself.
        truncated: Whether there were more steps than allowed, so that the rest is missing.
        threads: Whether the program ran code in other threads, which is not traced.
        output: The value of the expression; None if there was none.
        stdout: What the program printed.
        exception: Name of the type of the exception that ended it, or "".
    """

    steps: tuple[Step, ...]
    callers: tuple[int, ...]
    functions: tuple[int, ...]
    truncated: bool = False
    threads: bool = False
    output: Value | None = None
    stdout: str = ""
    exception: str = ""


@dataclass(frozen=True)
class LineRun:
    """One run of a line.

    Attributes:
        first: Index of its first step.
        last: Index of its last step.
        end: How the last step ended, see :class:`Step`.
        values: The values when it ended.
        next: Index of the first step begun after ``first`` that is not of this run, in whatever frame; None where the
            program ended.
    """

    first: int
    last: int
    end: str
    values: Mapping[str, Value | None]
    next: int | None


def read_trace(record: Mapping[str, Any], program: list[CodeUnit], watches: Mapping[int, list[str]]) -> Trace:
    """Return the trace that :func:`.recorder.record` wrote.

    Args:
        record: What it returned.
        program: The units of the program.
        watches: What it was given; without an entry for a unit the step's own list of names and values is read.
    """
    values = [Value(type_name, literal) for type_name, literal in record["values"]]

    def value(number: int) -> Value | None:
        return None if number < 0 else values[number]

    def seen(unit: int, numbers: list[Any]) -> dict[str, Value | None]:
        if numbers and isinstance(numbers[0], list):
            return {name: value(number) for name, number in numbers}
        return {text: value(number) for text, number in zip(watches.get(unit, ()), numbers, strict=False)}

    output = record["output"]
    return Trace(
        steps=tuple(
            Step(frame, unit, program[unit].line, program[unit].end, end, seen(unit, after), seen(unit, before))
            for frame, unit, end, after, before in record["steps"]
        ),
        callers=tuple(caller for _, caller in record["frames"]),
        functions=tuple(function for function, _ in record["frames"]),
        truncated=record["truncated"],
        threads=record["threads"],
        output=None if output is None else Value(*output),
        stdout=record["stdout"],
        exception=record["exception"],
    )


def line_of(program: list[CodeUnit], line: int) -> int | None:
    """Return the first line of the innermost statement, or header, that a line belongs to; None if it is in none."""
    starts = [unit.line for unit in program if unit.line <= line <= unit.end]
    return max(starts, default=None)


def runs(trace: Trace, line: int) -> list[LineRun]:
    """Return the runs of a line in the order in which they began.

    Args:
        trace: A trace that was not cut off.
        line: First line of a statement, see :func:`line_of`.
    """
    return [_run(trace, members) for members in _members(trace, line)]


def _members(trace: Trace, line: int) -> list[list[int]]:
    """Return the indices of the steps of each run of a line."""
    found: list[list[int]] = []
    current: dict[int, list[int]] = {}
    for index, step in enumerate(trace.steps):
        if step.line != line:
            current.pop(step.frame, None)
            continue
        members = current.get(step.frame)
        if members is None or step.unit <= trace.steps[members[-1]].unit:
            members = current[step.frame] = []
            found.append(members)
        members.append(index)
    return found


def _run(trace: Trace, members: list[int]) -> LineRun:
    last = trace.steps[members[-1]]
    following: Iterator[int] = (index for index in range(members[0] + 1, len(trace.steps)) if index not in members)
    return LineRun(members[0], members[-1], last.end, last.values, next(following, None))

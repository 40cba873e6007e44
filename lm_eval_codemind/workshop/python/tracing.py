"""Tracing of a Python program's execution: its lines, its frames and the values of its variables.

:func:`trace` runs a program in the sandbox and returns a :class:`Trace`. The recorder's own source goes along with the
program as one job.

A *step* is one execution of a statement, or of the header of a compound one, in one frame. It ends when the same frame
begins another statement, returns, or is left by an exception; what calls, comprehensions, generator expressions and
lambdas do meanwhile is part of it. Leaving the body of ``with`` or ``try`` is not a step.

A *run* of a line is what a frame executes on that line without going elsewhere: mostly one step, several where several
statements share the line. A loop written on one line begins a new run with every turn. Calls in between do not end
a run.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lm_eval_codemind.languages.python.names import imported_modules
from lm_eval_codemind.languages.python.units import CodeUnit, units
from lm_eval_codemind.sandbox import Job, Limits, Outcome, shared_sandbox

# The lines of the recorder that are left out behind the text of the units.
NOT_INSIDE = re.compile(r"^from (?:__future__|lm_eval_codemind)\b.*\n", re.MULTILINE)

LIMITS = Limits(cpu_seconds=60, wall_seconds=120, output_bytes=64 << 20)

# The sandbox chooses a server by the imports that it sees, which must not hide in a text that is only executed later.
# A script may read descriptor 0 itself.
_WRAPPER = """

if False:
    pass
{imports}

def _traced():
    import json
    import os
    import tempfile

    options = json.loads({options!r})
    with tempfile.TemporaryFile() as file:
        file.write(options["stdin"].encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
    return json.dumps(record(**options))
"""


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
        unit: Number of the statement, see :class:`~lm_eval_codemind.languages.python.units.CodeUnit`.
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


class TraceFailed(RuntimeError):
    """A program could not be traced at all; the message says what became of it."""


def trace(program: str, expression: str | None = None, stdin: str = "", *, max_steps: int, max_value: int) -> Trace:
    """Run a program in the sandbox and return its trace.

    Args:
        expression: Evaluated in the program's namespace after it has been loaded; statements may come before it. Only
            what the program's own code does then is traced. None for a script: it is traced while it runs.
        max_steps: Steps after which the trace is cut off.
        max_value: Characters above which a value counts as having no literal.

    Raises:
        SyntaxError: If the program does not parse.
        TraceFailed: If it could not be loaded, or ended or took the process along before the trace was written.
    """
    job = tracing_job(program, expression, stdin, max_steps=max_steps, max_value=max_value)
    (outcome,) = shared_sandbox().run([job])
    return read_trace(result_of(outcome), units(ast.parse(program)))


def state_written(trace: Trace) -> int | None:
    """Return how many characters the values have that the steps of a trace write; None if one has no literal.

    A value counts each time that a variable gets it, or that it changes.
    """
    values = [value for step in trace.steps for value in step.values.values() if value is not None]
    literals = [value.literal for value in values]
    return None if None in literals else sum(len(literal or "") for literal in literals)


def tracing_job(program: str, expression: str | None, stdin: str, *, max_steps: int, max_value: int) -> Job:
    """Return the job that traces a program, with the arguments of :func:`trace`.

    Raises:
        SyntaxError: If the program does not parse.
    """
    options = {
        "program": program,
        "script": expression is None,
        "stdin": stdin,
        "expression": expression or "",
        "everything": True,
        "max_steps": max_steps,
        "max_value": max_value,
    }
    return Job.evaluate(job_source(recorder_source(), [program], options), ["_traced()"], limits=LIMITS)


@lru_cache(maxsize=1)
def recorder_source() -> str:
    """Return the source of the recorder with that of the units, which know nothing of this package."""
    units_source, recorder = (
        (files(package) / name).read_text(encoding="utf-8")
        for package, name in (("lm_eval_codemind.languages.python", "units.py"), (__package__, "recorder.py"))
    )
    return f"{units_source}\n{NOT_INSIDE.sub('', recorder)}"


def job_source(recorder: str, sources: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return a module whose ``_traced()`` calls the recorder's ``record`` and returns its result as JSON.

    Args:
        recorder: Source that defines ``record``.
        sources: The programs it will run, whose imports the sandbox has to know of.
        options: Plain values, the arguments.
    """
    names = {name for source in sources for name in imported_modules(source)} - {"__future__"}
    imports = "".join(f"    import {name}\n" for name in sorted(names))
    return recorder + _WRAPPER.format(imports=imports, options=json.dumps(options))


def result_of(outcome: Outcome) -> dict[str, Any]:
    """Return the result of ``_traced()``.

    Raises:
        TraceFailed: If it did not return.
    """
    observation = outcome.observations[0] if outcome.observations else None
    if observation is None or observation.literal is None:
        raised = observation or outcome
        raise TraceFailed(
            f"{outcome.job_id or 'the program'} could not be traced: {outcome.status}, "
            f"{raised.exception_type} {raised.exception_message}".rstrip(", ")
        )
    result: dict[str, Any] = json.loads(ast.literal_eval(observation.literal))
    return result


def read_trace(record: Mapping[str, Any], program: list[CodeUnit]) -> Trace:
    """Return the trace that :func:`.recorder.record` wrote."""
    values = [Value(*value) for value in record["values"]]
    steps = []
    for frame, unit, end, seen in record["steps"]:
        changes = {name: None if number < 0 else values[number] for name, number in seen}
        steps.append(Step(frame, unit, program[unit].line, end, changes))
    output = None if record["output"] is None else Value(*record["output"])
    others = {name: record[name] for name in ("truncated", "threads", "stdout", "exception")}
    return Trace(tuple(steps), tuple(record["frames"]), output=output, **others)


def runs_of(trace: Trace, line: int) -> list[LineRun]:
    """Return the runs of a line in the order in which they began."""
    return [_run(trace, members) for members in _members(trace, line)]


def _members(trace: Trace, line: int) -> list[list[int]]:
    lists: list[list[int]] = []
    current: dict[int, list[int]] = {}
    for index, step in enumerate(trace.steps):
        if step.line != line:
            current.pop(step.frame, None)
            continue
        members = current.get(step.frame)
        if members is None or step.unit <= trace.steps[members[-1]].unit:
            members = current[step.frame] = []
            lists.append(members)
        members.append(index)
    return lists


def _run(trace: Trace, members: list[int]) -> LineRun:
    last = trace.steps[members[-1]]
    following: Iterator[int] = (index for index in range(members[0] + 1, len(trace.steps)) if index not in members)
    return LineRun(members[0], members[-1], last.end, last.values, next(following, None))

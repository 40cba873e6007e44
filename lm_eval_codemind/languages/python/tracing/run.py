"""Tracing in the sandbox: the recorder's own source goes along with the program as one job."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lm_eval_codemind.execution import Job, Limits, Outcome, Sandbox, shared_sandbox
from lm_eval_codemind.languages.python.tracing.recorder import CodeUnit, units
from lm_eval_codemind.languages.python.tracing.trace import Trace, read_trace

LIMITS = Limits(cpu_seconds=60, wall_seconds=120, output_bytes=64 << 20)
MAX_STEPS = 20_000
MAX_VALUE = 1_000

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
    if "watches" in options:
        options["watches"] = {{int(unit): texts for unit, texts in options["watches"].items()}}
    with tempfile.TemporaryFile() as file:
        file.write(options["stdin"].encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
    return json.dumps(record(**options))
"""


class TraceFailed(RuntimeError):
    """A program could not be traced at all; the message says what became of it."""


@dataclass(frozen=True)
class Traced:
    """The program to trace, and the way to run it.

    Attributes:
        program: Source.
        expression: Evaluated in the program's namespace after it has been loaded; statements may come before it. Only
            what the program's own code does then is traced. None for a script: it is traced while it runs.
        before: Statements executed in the program's namespace before tracing starts.
        stdin: The text on standard input.
        watches: Line -> expressions whose values are noted whenever a statement on it ends. None to note everything
            that has changed instead.
    """

    program: str
    expression: str | None = None
    before: str = ""
    stdin: str = ""
    watches: Mapping[int, Sequence[str]] | None = None


def trace(
    traced: Traced, *, max_steps: int = MAX_STEPS, max_value: int = MAX_VALUE, sandbox: Sandbox | None = None
) -> Trace:
    """Run a program in the sandbox and return its trace.

    Args:
        traced: The program and how to run it.
        max_steps: Steps after which the trace is cut off.
        max_value: Characters above which a value counts as having no literal.
        sandbox: The shared one by default.

    Raises:
        SyntaxError: If the program does not parse.
        TraceFailed: If it could not be loaded, or ended or took the process along before the trace was written.
    """
    future, read = submit(sandbox or shared_sandbox(), traced, max_steps=max_steps, max_value=max_value)
    return read(future.result())


def submit(
    sandbox: Sandbox, traced: Traced, *, max_steps: int = MAX_STEPS, max_value: int = MAX_VALUE, job_id: str = ""
) -> tuple[Future[Outcome], _Reader]:
    """Start what :func:`trace` does and return the future outcome, and what reads a trace from it.

    Raises:
        SyntaxError: If the program does not parse.
    """
    tree = ast.parse(traced.program)
    program = units(tree)
    watches: dict[int, list[str]] = {}
    for number, unit in enumerate(program):
        texts = (traced.watches or {}).get(unit.line)
        if texts:
            watches[number] = list(texts)
    options: dict[str, Any] = {
        "program": traced.program,
        "script": traced.expression is None,
        "stdin": traced.stdin,
        "before": traced.before,
        "expression": traced.expression or "",
        "watches": watches,
        "everything": traced.watches is None,
        "max_steps": max_steps,
        "max_value": max_value,
    }
    source = job_source(recorder_source(), [traced.program, traced.before], options)
    job = Job.evaluate(source, ["_traced()"], limits=LIMITS, job_id=job_id)
    return sandbox.submit(job), _Reader(program, watches)


class _Reader:
    """Reads a trace from the outcome of its job."""

    def __init__(self, program: list[CodeUnit], watches: dict[int, list[str]]) -> None:
        self._program = program
        self._watches = watches

    def __call__(self, outcome: Outcome) -> Trace:
        return read_trace(result_of(outcome), self._program, self._watches)


@lru_cache(maxsize=1)
def recorder_source() -> str:
    """Return the source of the recorder, which knows nothing of this package."""
    return (files(__package__) / "recorder.py").read_text(encoding="utf-8")


def job_source(recorder: str, sources: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return a module whose ``_traced()`` calls the recorder's ``record`` and returns its result as JSON.

    Args:
        recorder: Source that defines ``record``.
        sources: The programs it will run, whose imports the sandbox has to know of.
        options: Plain values, the arguments.
    """
    names = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and node.module not in (None, "__future__"))
        for alias in node.names
    }
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

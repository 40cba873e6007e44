"""Runs programs of RE2-Bench that need no project, and writes what they return and what their loops do.

    python re2_program_runner.py JOBS.json RESULTS.json SECONDS

A job has ``code``, ``name``, ``class`` (empty for functions), ``inputs``, ``script`` and ``flow``. SECONDS are added to
the clock. Programs of ClassEval import the packages of the extra ``classeval``.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import datetime
import io
import json
import math
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

from flow_records import Record, Tracer, rewritten, spread

FILE = "<program>"
# Processor time of one execution.
SECONDS = 10
_PYTHON = re.compile(r"\(.*\)|datetime\.datetime\([\d, ]*\)", re.DOTALL)


def main() -> None:
    """Execute the jobs of a file and write their results."""
    jobs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for job in jobs.values():
        import_packages(job["code"])
    shift_clock(int(sys.argv[3]))
    signal.signal(signal.SIGPROF, too_long)
    results = {name: result_of(job) for name, job in jobs.items()}
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")


def import_packages(code: str) -> None:
    """Import what a program imports. Some packages crash if they are imported under another clock."""
    with contextlib.suppress(SyntaxError):
        for node in ast.parse(code).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                with contextlib.suppress(Exception):
                    exec(compile(ast.Module([node], []), FILE, "exec"), {})


def too_long(number: int, frame: Any) -> None:
    """End a program whose time is up."""
    raise TimeoutError


def shift_clock(seconds: int) -> None:
    """Add seconds to the time that programs see."""
    now = time.time

    class Shifted(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(now() + seconds, tz)

    time.time = lambda: now() + seconds
    datetime.datetime = Shifted  # type: ignore[misc]


def result_of(job: dict[str, Any]) -> dict[str, Any]:
    """Return the value of a job's call, or the two records of its loops and conditions, or why it fails."""
    try:
        if job["flow"]:
            traced, own = Record(repr, math.inf), Record(repr, math.inf)
            with Tracer(job["code"], FILE, traced, whole=True):
                returned(job, compile(spread(job["code"]), FILE, "exec"), {}, traced)
            names = {"_re2_iteration": own.iteration, "_re2_condition": own.condition}
            returned(job, compile(rewritten(job["code"], whole=True), FILE, "exec"), names, own)
            return {"traced": traced.to_json(), "rewritten": own.to_json()}
        code = compile(job["code"], FILE, "exec")
        result = {"value": returned(job, code, {})}
        return {**result, "plain": any(returned_for(job, code, inputs) == result["value"] for inputs in plain(job))}
    except (Exception, SystemExit) as error:
        return {"failed": type(error).__name__}


def returned_for(job: dict[str, Any], code: Any, inputs: Any) -> str | None:
    """Return what a program returns for inputs; None if it raises an exception."""
    try:
        return returned({**job, "inputs": inputs}, code, {})
    except (Exception, SystemExit):
        return None


def returned(job: dict[str, Any], code: Any, names: dict[str, Any], record: Record | None = None) -> str:
    """Return the value of a job's call as ``repr`` writes it, or the text that a script prints.

    The record is left with what belongs to the call, without what happens when the module is executed.
    """
    namespace = {"__name__": "__main__" if job["script"] else "program", **names}
    printed = io.StringIO()
    inputs = copy.deepcopy(job["inputs"])
    stdin, sys.stdin = sys.stdin, io.StringIO(str(inputs) if job["script"] else "")
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
            if job["script"]:
                return printed.getvalue()
            function = function_of(job, namespace, inputs)
            if record is not None:
                record.clear()
            return repr(function(**values(inputs["args"]), **values(inputs["kwargs"])))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdin = stdin


def function_of(job: dict[str, Any], namespace: dict[str, Any], inputs: dict[str, Any]) -> Any:
    """Return the function, or the method of an object with the recorded attributes."""
    if not job["class"]:
        return namespace[job["name"]]
    made = namespace[job["class"]]
    instance = made.__new__(made)
    with contextlib.suppress(TypeError):
        instance.__init__()
    for name, value in values(inputs["self"]).items():
        setattr(instance, name, value)
    name = job["name"]
    private = name.startswith("__") and not name.endswith("__")
    return getattr(instance, f"_{job['class'].lstrip('_')}{name}" if private else name)


def values(value: Any) -> Any:
    """Return a recorded value, with the complex numbers and dates that it writes as text."""
    if isinstance(value, dict):
        return {key: values(item) for key, item in value.items()}
    if isinstance(value, list):
        return [values(item) for item in value]
    if isinstance(value, str) and _PYTHON.fullmatch(value):
        if value.startswith("datetime"):
            return datetime.datetime(*map(int, re.findall(r"\d+", value)))  # type: ignore[arg-type]
        with contextlib.suppress(ValueError, SyntaxError):
            number = ast.literal_eval(value)
            return number if isinstance(number, complex) else value
    return value


def plain(job: dict[str, Any]) -> list[Any]:
    """Return inputs that say nothing: each argument empty or zero."""
    if job["script"]:
        return ["", "0", "1", "0 0", "a"]
    inputs = job["inputs"]
    return [{**inputs, "self": empty(inputs["self"]), "args": empty(inputs["args"]), "kwargs": empty(inputs["kwargs"])}]


def empty(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with an empty value of each type."""
    return {name: value if value is None else type(value)() for name, value in arguments.items()}


if __name__ == "__main__":
    main()

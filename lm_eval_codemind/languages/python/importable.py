"""A check before the first program of a run: what its programs import can be imported in the sandbox."""

import ast
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable

from lm_eval_codemind.errors import HiddenPackages
from lm_eval_codemind.sandbox.isolation import IsolationUnavailable
from lm_eval_codemind.sandbox.job import Job, Limits
from lm_eval_codemind.sandbox.python import EXECUTOR_VARIABLE
from lm_eval_codemind.sandbox.sandbox import Sandbox, shared_sandbox
from lm_eval_codemind.sandbox.visible import VARIABLE

# Importing a large package takes more time and memory than a program.
_LIMITS = Limits(cpu_seconds=120, wall_seconds=300, memory_bytes=8 << 30)
_HOST_SECONDS = 300

_INSIDE = """
def failure(name):
    import importlib
    try:
        importlib.import_module(name)
    except BaseException as error:
        missing = getattr(error, "name", None)
        return [f"{type(error).__name__}: {error}", missing if isinstance(missing, str) else name]
"""
_HOST = """
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    module = importlib.import_module(name)
print(json.dumps(getattr(module, "__file__", None) or list(getattr(module, "__path__", [""]))[0]))
"""

_checked: set[str] = set()


def require_importable(modules: Iterable[str]) -> None:
    """Check that programs can import modules that this interpreter can, in short: that right answers can pass.

    Modules that cannot be imported here either are ignored, and so is the standard library: without it no program
    starts. Each module is tried once a process. Nothing is checked on a machine without isolation, which may only ask
    the model.

    Raises:
        HiddenPackages: If a module is importable here and not inside.
    """
    packages = {name for name in modules if name.partition(".")[0] not in sys.stdlib_module_names}
    names = sorted(packages - _checked)
    if not names:
        return
    with contextlib.ExitStack() as stack:
        if os.environ.get(EXECUTOR_VARIABLE) == "ray":
            sandbox = shared_sandbox()
        else:
            try:
                sandbox = stack.enter_context(Sandbox(preload=()))
            except IsolationUnavailable:
                return
        problems = _problems(names, sandbox)
    if problems:
        raise HiddenPackages(
            f"programs in the sandbox ({sandbox.isolation}) can't import what {sys.executable} can, so that right "
            f"answers would count as errors: {'; '.join(problems)}. Install the packages into that interpreter's "
            f"environment, name their directory in PYTHONPATH, or let programs read it: {VARIABLE}=DIRECTORY (several "
            "like in PATH). What root alone may read, programs may not: chmod -R o+rX DIRECTORY"
        )
    _checked.update(names)


def _problems(names: list[str], sandbox: Sandbox) -> list[str]:
    # All in one process, for packages import each other; each alone if one of them fails.
    together = sandbox.submit(_imports(names)).result()
    if together.passed and {observation.literal for observation in together.observations} == {"None"}:
        return []
    problems = []
    for name, outcome in zip(names, sandbox.run(_imports([name]) for name in names), strict=True):
        failure: list[str] | None = [f"{outcome.status}: {outcome.exception_message}", name]
        if outcome.passed:
            failure = ast.literal_eval(outcome.observations[0].literal or "None")
        if failure is not None and (place := _place_on_host(name, failure[1])) is not None:
            problems.append(f"{name} ({failure[0]}; {failure[1]} lies in {place})")
    return problems


def _imports(names: list[str]) -> Job:
    return Job.evaluate(_INSIDE, [f"failure({name!r})" for name in names], limits=_LIMITS)


def _place_on_host(name: str, missing: str) -> str | None:
    """Return where this interpreter finds what is missing inside; None if it can't import the module either."""
    command = [sys.executable, "-c", _HOST, json.dumps(sys.path), name]
    for names in ([missing], []):
        with contextlib.suppress(subprocess.SubprocessError, ValueError, IndexError):
            done = subprocess.run(
                [*command, *names],
                capture_output=True,
                text=True,
                timeout=_HOST_SECONDS,
                check=True,
                stdin=subprocess.DEVNULL,
            )
            return str(json.loads(done.stdout.splitlines()[-1]))
    return None

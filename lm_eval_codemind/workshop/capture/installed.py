"""Evaluates calls of the installed package, each in a process of its own: ``python installed.py < CALLS``.

It needs Python only, for it runs in the environment of the package's tests. A line of its input is a call, as the
recorder writes it, with the source of functions that it needs; a line of its output says what came of it.
"""

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SECONDS, MEMORY, FILES, LONGEST = 5, 2 << 30, 1 << 20, 10_000


def value_of(place: str) -> Any:
    """Return what ``module:name`` stands for."""
    module, _, name = place.partition(":")
    value: Any = importlib.import_module(module)
    return getattr(value, name) if name else value


def written(value: Any, depth: int = 0) -> str:
    """Return a value as a literal, subclasses of Python's types as these.

    Raises:
        ValueError: If it is too large.
    """
    if depth > 50:
        raise ValueError("deep")
    if isinstance(value, dict):
        pairs = [f"{written(key, depth + 1)}: {written(item, depth + 1)}" for key, item in dict.items(value)]
        text = f"{{{', '.join(pairs)}}}"
    elif isinstance(value, (list, tuple, set, frozenset)):
        items = [written(item, depth + 1) for item in value]
        inside = ", ".join(items)
        if isinstance(value, tuple):
            text = f"({inside}{',' if len(items) == 1 else ''})"
        elif isinstance(value, list):
            text = f"[{inside}]"
        else:
            text = f"{{{inside}}}" if items else "set()"
            text = f"frozenset({text if items else ''})" if isinstance(value, frozenset) else text
    else:
        base = next((kind for kind in (bool, int, float, str, bytes) if isinstance(value, kind)), None)
        text = base.__repr__(value) if base is not None else repr(value)
    if len(text) > LONGEST:
        raise ValueError("long")
    return text


def evaluated(record: dict[str, Any]) -> str:
    """Return the value of a call as a literal."""
    names: dict[str, Any] = {name: value_of(place) for name, place in record["needs"].items()}
    for definition in (*record["definitions"], record["before"]):
        exec(definition, names)
    return written(eval(record["call"], names))


def _limited(record: dict[str, Any], end: int) -> None:
    """Evaluate a call in the child, write what came of it to a pipe, and end."""
    os.setsid()
    process = os.getpid()
    signal.alarm(2 * SECONDS)
    for limit, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, FILES)):
        resource.setrlimit(limit, (most, most))
    os.chdir(tempfile.mkdtemp(dir=Path.cwd()))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    try:
        answer = ["value", evaluated(record)]
    except BaseException as error:  # also SystemExit and MemoryError
        answer = ["raises", type(error).__name__]
    # If the call forks, its copy of the process comes here, too.
    if os.getpid() == process:
        with contextlib.suppress(OSError, ValueError):
            os.write(end, json.dumps(answer).encode())
    os._exit(0)


def outcome(record: dict[str, Any]) -> list[str]:
    """Evaluate a call in a child with limits, and end what it has left running."""
    start, end = os.pipe()
    child = os.fork()
    if not child:
        os.close(start)
        _limited(record, end)
    os.close(end)
    content, until = b"", time.monotonic() + 3 * SECONDS
    while time.monotonic() < until:
        ready, _, _ = select.select([start], [], [], 0.5)
        part = os.read(start, 1 << 16) if ready else b""
        content += part
        if ready and not part:
            break
        with contextlib.suppress(ValueError):
            json.loads(content)
            break
    os.close(start)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        answer: list[str] = json.loads(content)
    except ValueError:
        return ["ends", "its process ended, or did not end in time"]
    return answer


def main() -> None:
    """Read calls from standard input, and print what comes of them."""
    records = [json.loads(line) for line in sys.stdin]
    for record in records:
        for place in record["needs"].values():
            with contextlib.suppress(Exception):
                value_of(place)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for record in records:
            print(json.dumps(outcome(record)), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()

"""Run Python sources, each in a forked process, with any version of Python. Only the standard library is imported.

PYTHON utils/prove/run_sources.py < JOBS > RESULTS

The first line of the input is a source, as JSON, that runs once, before all others. Each further line is a JSON list
``[source, stdin]``. Each line of the output is the text, as JSON, that the source wrote to its last line of standard
output. The programs are those of benchmarks, so no sandbox is used.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile

SECONDS = 300


def run(source: str, stdin: str, names: dict[str, object]) -> str:
    """Return the standard output of a source that runs with some names, in a forked process and an empty directory."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as text:
        text.write(stdin.encode())
        text.seek(0)
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                signal.alarm(SECONDS)
                os.chdir(folder)
                os.dup2(text.fileno(), 0)
                os.dup2(output.fileno(), 1)
                sys.stdin = os.fdopen(0)
                exec(compile(source, "program.py", "exec"), names)
                sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        output.seek(0)
        return output.read().decode("utf-8", "replace")


if __name__ == "__main__":
    before, *jobs = sys.stdin.read().splitlines()
    shared: dict[str, object] = {"__name__": "__main__"}
    exec(compile(json.loads(before), "before.py", "exec"), shared)
    for job in jobs:
        source, stdin = json.loads(job)
        print(json.dumps(run(source, stdin, shared).rstrip("\n").rpartition("\n")[2]), flush=True)

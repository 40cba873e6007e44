"""Looking at processes from outside."""

import contextlib
import os
from pathlib import Path

from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox
from lm_eval_codemind.sandbox.workers import WorkerPool


def server_pids(sandbox: WorkerPool) -> list[int]:
    """Return the processes that a sandbox has started, not those below them."""
    places = list(sandbox._compilers) if isinstance(sandbox, JavaSandbox) else []
    places += [worker.units for worker in sandbox._workers]
    units = [unit for place in places for unit in list(place._units.values()) if not unit.closed]
    return [server.process.pid for unit in units for server in unit._servers]


def parents() -> dict[int, int]:
    """Return the parent of every process."""
    by_process = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        by_process[int(path.parent.name)] = int(text.rpartition(")")[2].split()[1])
    return by_process


def below(pid: int) -> list[int]:
    """Return the processes below one."""
    table = parents()
    processes, fresh = [], [pid]
    while fresh:
        fresh = [child for child, parent in table.items() if parent in fresh]
        processes += fresh
    return processes


def innermost(pid: int) -> int:
    """Return the process that is deepest below one; itself where none is."""
    return [pid, *below(pid)][-1]


def descriptors(pid: int) -> list[str]:
    """Return what a process has open; nothing where only root may look: servers let nobody else."""
    names = []
    try:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            # One of this process's own is that of the listing, and gone by now.
            with contextlib.suppress(FileNotFoundError):
                names.append(str(link.readlink()))
    except PermissionError:
        assert os.geteuid() != 0
    return names

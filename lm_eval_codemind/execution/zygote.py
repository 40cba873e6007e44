"""The candidate's server: a warm interpreter that forks one child per program and never sees a test.

It takes requests from the checker (:mod:`.judge`) over one stream socket. A request to start comes with the candidate's
end of a fresh socket pair; the request to end is answered with a report once the child, and whatever it left behind, is
gone.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from typing import Any

from . import agent, wire

_LENGTH = struct.Struct(">I")


def serve(control: socket.socket, preload: list[str]) -> None:
    """Serve until the checker is gone.

    Args:
        control: The socket to the checker.
        preload: Modules to import before the first fork; one that isn't installed is left out.
    """
    for name in preload:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    wire.send(control, {"ready": True})
    while True:
        try:
            request, channel = _receive_start(control)
        except EOFError:
            return
        wire.send(control, _Child(request, channel, control).follow())


def _receive_start(control: socket.socket) -> tuple[dict[str, Any], int]:
    body, descriptors, _, _ = socket.recv_fds(control, 65536, 4)
    if not body:
        raise EOFError
    return json.loads(body[_LENGTH.size :]), descriptors[0]


class _Child:
    """One candidate's process, from fork to the last of what it left behind."""

    def __init__(self, request: dict[str, Any], channel: int, control: socket.socket) -> None:
        self._request = request
        self._limits: dict[str, Any] = request["limits"]
        self._control = control
        self._out = os.memfd_create("stdout", os.MFD_CLOEXEC)
        self._err = os.memfd_create("stderr", os.MFD_CLOEXEC)
        self._started = time.monotonic()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                self._become_candidate(channel)
            finally:
                os._exit(70)
        os.close(channel)

    def _become_candidate(self, channel: int) -> None:
        os.setsid()
        os.dup2(self._out, 1)
        os.dup2(self._err, 2)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(channel, 3)
        os.closerange(4, 1024)
        limits = self._limits
        seconds = int(limits["cpu_seconds"]) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        size = in_use + limits["memory_bytes"]
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_bytes"], limits["file_bytes"]))
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits["open_files"], limits["open_files"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        if self._request.get("stdin") is not None:
            agent.set_standard_input(self._request["stdin"])
        agent.Agent(socket.socket(fileno=3), limits["output_bytes"]).serve()
        os._exit(0)

    def follow(self) -> dict[str, Any]:
        """Wait for the child's end or the checker's word, enforce the times, clean up, and return the report."""
        limits = self._limits
        clock = (~self._pid << 3) | 2
        pidfd = os.pidfd_open(self._pid)
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(pidfd, select.POLLIN)
        reason = ""
        cores = os.cpu_count() or 1
        asked = False
        pause = limits["cpu_seconds"] / cores
        while True:
            ready = poller.poll(max(10, int(pause * 1000)))
            descriptors = [descriptor for descriptor, _ in ready]
            if self._control.fileno() in descriptors:
                wire.receive(self._control)
                asked = True
                break
            if pidfd in descriptors:
                break
            used = time.clock_gettime(clock)
            elapsed = time.monotonic() - self._started - _waited(self._pid)
            if used >= limits["cpu_seconds"]:
                reason = "cpu"
                break
            if elapsed >= limits["wall_seconds"]:
                reason = "wall"
                break
            pause = min((limits["cpu_seconds"] - used) / cores, limits["wall_seconds"] - elapsed)
        os.close(pidfd)
        # A child that ended of its own accord keeps its status; one that didn't is ended here.
        done = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if done is None:
            os.kill(self._pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._pid, 0)
        wall = time.monotonic() - self._started
        if not asked:
            wire.receive(self._control)
        return {
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) and done is not None else None,
            "reason": reason,
            "cpu": usage.ru_utime + usage.ru_stime,
            "wall": wall,
            "memory": usage.ru_maxrss * 1024,
            "stdout": _take(self._out, limits["output_bytes"]),
            "stderr": _take(self._err, limits["output_bytes"]),
        }


def _waited(pid: int) -> float:
    """Return the seconds a process stood ready to run and waited for a processor."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _take(descriptor: int, limit: int) -> list[Any]:
    """Return the size of a captured stream and its text (as latin-1, which keeps every byte), and close it."""
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, min(size, limit), 0).decode("latin-1") if size else ""
    os.close(descriptor)
    return [size, text]


def main() -> None:
    """Serve as a process of its own; argument 1 is the descriptor of the socket, 2 the configuration as JSON."""
    settings = json.loads(sys.argv[2])
    serve(socket.socket(fileno=int(sys.argv[1])), settings["preload"])

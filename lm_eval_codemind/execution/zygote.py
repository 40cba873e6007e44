"""The candidate's server: a warm interpreter that forks one child per program and never sees a test.

It takes requests from the checker (:mod:`.judge`) over one stream socket. A request to start comes with the candidate's
end of a fresh socket pair; the request to end is answered with a report once the child, and whatever it left behind, is
gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
from typing import Any

from . import agent, cleanup, hardened, kernel, seccomp, wire

_GRACE_SECONDS = 0.5
_HIGH = 100
_LENGTH = struct.Struct(">I")


def serve(control: socket.socket, settings: dict[str, Any], rules: int) -> None:
    """Serve until the checker is gone.

    Args:
        control: The socket to the checker.
        settings: See :mod:`.server`.
        rules: Descriptor of the candidates' Landlock rules, or -1.
    """
    hardened.prepare()
    zygote = _Zygote(control, settings, rules)
    gc.collect()
    gc.freeze()
    wire.send(control, {"ready": True})
    while True:
        try:
            request, channel = _receive_start(control)
        except EOFError:
            return
        wire.send(control, zygote.run(request, channel))


def _receive_start(control: socket.socket) -> tuple[dict[str, Any], int]:
    body, descriptors, _, _ = socket.recv_fds(control, 65536, 4)
    if not body:
        raise EOFError
    (length,) = _LENGTH.unpack_from(body)
    while len(body) < _LENGTH.size + length:
        part = control.recv(1 << 20)
        if not part:
            raise EOFError
        body += part
    return json.loads(body[_LENGTH.size :]), descriptors[0]


class _Zygote:
    """Forks candidates' processes, one at a time, each with everything it may not do taken away."""

    def __init__(self, control: socket.socket, settings: dict[str, Any], rules: int) -> None:
        self._control = control
        self._level: str = settings["level"]
        self._home: str = settings["home"]
        # Out of the way of the low descriptors that a child moves about.
        self._rules = fcntl.fcntl(rules, fcntl.F_DUPFD_CLOEXEC, _HIGH) if rules >= 0 else -1
        self._defaults: dict[str, Any] = settings["limits"]
        self._filters: dict[bool, bytes] = {}
        if self._level != "none":
            attributes = self._level == "bubblewrap"
            self._filters = {several: seccomp.candidate_filter(attributes, several) for several in (False, True)}
        with open("/proc/self/statm") as file:
            self._in_use = int(file.read().split()[0]) * resource.getpagesize()
        self._cores = os.cpu_count() or 1
        # Children inherit them, which saves each of them the calls. Only the soft ones: a job may ask for more.
        self._set_limits(self._defaults)

    def _set_limits(self, limits: dict[str, Any]) -> None:
        for kind, value in (
            (resource.RLIMIT_AS, self._in_use + limits["memory_bytes"]),
            (resource.RLIMIT_FSIZE, max(limits["file_bytes"], limits["output_bytes"])),
            (resource.RLIMIT_NOFILE, limits["open_files"]),
        ):
            ceiling = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (value if ceiling < 0 else min(value, ceiling), ceiling))

    def run(self, request: dict[str, Any], channel: int) -> dict[str, Any]:
        """Run one candidate's process to its end and return the report."""
        limits = request["limits"]
        out = os.memfd_create("stdout", os.MFD_CLOEXEC)
        err = os.memfd_create("stderr", os.MFD_CLOEXEC)
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_candidate(request, channel, out, err)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(70)
        os.close(channel)
        reason, asked = self._follow(pid, limits, started)
        if asked is not None and asked.get("gone"):
            # The connection ended first; an exit of the process itself comes right after, and says more.
            self._await_exit(pid)
        # A child that ended of its own accord keeps its status; one that didn't is ended here.
        done = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if done is None:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        if limits["processes"]:
            self._end_descendants(pid)
        wall = time.monotonic() - started
        if not cleanup.is_empty(self._home):
            cleanup.wipe(self._home)
        if asked is None:
            wire.receive(self._control)
        return {
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) and done is not None else None,
            "reason": reason,
            "cpu": usage.ru_utime + usage.ru_stime,
            "wall": wall,
            "memory": usage.ru_maxrss * 1024,
            "stdout": _take(out, limits["output_bytes"]),
            "stderr": _take(err, limits["output_bytes"]),
        }

    def _become_candidate(self, request: dict[str, Any], channel: int, out: int, err: int) -> None:
        limits = request["limits"]
        os.setsid()
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.dup2(channel, 3)
        os.closerange(4, _HIGH)
        if limits != self._defaults:
            self._set_limits(limits)
        seconds = int(limits["cpu_seconds"]) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if limits["processes"]:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"] + 1, limits["processes"] + 1))
        # Python ignores it, which would turn too much output into an exception the program may swallow.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        if request.get("stdin") is not None:
            agent.set_standard_input(request["stdin"])
        if self._rules >= 0:
            kernel.landlock_restrict(self._rules)
            os.close(self._rules)
        if self._filters:
            several = limits["processes"] > 0
            kernel.install_filter(seccomp.for_process(self._filters[several], os.getpid()))
        agent.Agent(socket.socket(fileno=3)).serve()
        os._exit(0)

    def _follow(self, pid: int, limits: dict[str, Any], started: float) -> tuple[str, dict[str, Any] | None]:
        """Wait for the child's end, for the checker's word or for a time to run out.

        Returns:
            Which time ran out (``cpu``, ``wall`` or ``""``), and the checker's word if it came.
        """
        clock = (~pid << 3) | 2  # the process's own clock, as clock_getcpuclockid makes it
        pidfd = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(pidfd, select.POLLIN)
        pause = min(limits["cpu_seconds"] / self._cores, limits["wall_seconds"])
        try:
            while True:
                ready = [descriptor for descriptor, _ in poller.poll(max(5, int(pause * 1000)))]
                if self._control.fileno() in ready:
                    return "", wire.receive(self._control)
                if pidfd in ready:
                    return "", None
                used = time.clock_gettime(clock)
                elapsed = time.monotonic() - started
                if used >= limits["cpu_seconds"]:
                    return "cpu", None
                # On a busy machine a process is not to blame for waiting, but nothing may go on for ever.
                left = limits["wall_seconds"] - (elapsed - min(_waited(pid), 0.95 * elapsed))
                if left <= 0:
                    return "wall", None
                pause = min((limits["cpu_seconds"] - used) / self._cores, left)
        finally:
            os.close(pidfd)

    @staticmethod
    def _await_exit(pid: int) -> None:
        pidfd = os.pidfd_open(pid)
        select.select([pidfd], [], [], _GRACE_SECONDS)
        os.close(pidfd)

    def _end_descendants(self, leader: int) -> None:
        """End the processes that a program started, where it was allowed to start any."""
        if os.getpid() == 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(leader, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


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

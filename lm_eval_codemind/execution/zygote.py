"""The candidate's server: a warm interpreter that forks one child per program and never sees a test.

It takes requests from the checker (:mod:`.judge`) over one stream socket. A request to start comes with the candidate's
end of a fresh socket pair; the request to end is answered with a report once the child, and whatever it left behind, is
gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

from . import agent, cleanup, hardened, kernel, seccomp, wire

_GRACE_SECONDS = 0.5
_HIGH = 100


def serve(control: socket.socket, settings: dict[str, Any], rules: int) -> None:
    """Serve until the checker is gone.

    Args:
        control: The socket to the checker.
        settings: See :mod:`.server`.
        rules: Descriptor of the candidates' Landlock rules, or -1.
    """
    hardened.prepare()
    # Python ignores it, which would turn too much output into an exception the program may swallow.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    zygote = _Zygote(control, settings, rules)
    gc.collect()
    gc.freeze()
    wire.send(control.fileno(), {"ready": True})
    while True:
        try:
            request, ends = _receive_start(control)
        except EOFError:
            return
        wire.send(control.fileno(), zygote.run(request, ends))


def _receive_start(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a request to start, and the ends of the pipes by which the child gets its requests and answers them."""
    body, descriptors, _, _ = socket.recv_fds(control, 8192, 2)
    return wire.rest(control.fileno(), body), descriptors


class _Zygote:
    """Forks candidates' processes, one at a time, each with everything it may not do taken away."""

    def __init__(self, control: socket.socket, settings: dict[str, Any], rules: int) -> None:
        self._control = control.fileno()
        self._poller = select.poll()
        self._poller.register(self._control, select.POLLIN)
        self._level: str = settings["level"]
        self._home: str = settings["home"]
        # Out of the way of the low descriptors that a child moves about.
        self._rules = fcntl.fcntl(rules, fcntl.F_DUPFD_CLOEXEC, _HIGH) if rules >= 0 else -1
        self._defaults: dict[str, Any] = settings["limits"]
        self._filters: dict[bool, kernel.Filter] = {}
        if self._level != "none":
            # As a user of its own a program can change no file's attributes but those of its own files.
            attributes = self._level == "bubblewrap" or settings["user"] != 0
            for several in (False, True):
                program = seccomp.candidate_filter(attributes, several)
                self._filters[several] = kernel.Filter(program, seccomp.own_number_places(program))
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

    def run(self, request: dict[str, Any], ends: list[int]) -> dict[str, Any]:
        """Run one candidate's process to its end and return the report."""
        limits = request["limits"]
        out = os.memfd_create("stdout", os.MFD_CLOEXEC)
        err = os.memfd_create("stderr", os.MFD_CLOEXEC)
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_candidate(request, ends, out, err)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                sys.stderr.flush()
            finally:
                os._exit(70)
        for end in ends:
            os.close(end)
        reason, asked = self._follow(pid, limits, started)
        # A child that ended of its own accord keeps its status; one that didn't is ended here.
        own_end = asked is not None and asked["gone"] and self._ended(pid)
        if not own_end:
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
            "signal": os.WTERMSIG(status) if own_end and os.WIFSIGNALED(status) else None,
            "reason": reason,
            "cpu": usage.ru_utime + usage.ru_stime,
            "wall": wall,
            "memory": usage.ru_maxrss * 1024,
            "stdout": _take(out, limits["output_bytes"]),
            "stderr": _take(err, limits["output_bytes"]),
        }

    def _become_candidate(self, request: dict[str, Any], ends: list[int], out: int, err: int) -> None:
        limits = request["limits"]
        # A group of its own, and no session: the kernel's scheduler makes something of each new session.
        os.setpgid(0, 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        # By way of high numbers: one of the ends may have the other's place.
        requests, replies = (fcntl.fcntl(end, fcntl.F_DUPFD, _HIGH + 1) for end in ends)
        os.dup2(requests, 3)
        os.dup2(replies, 4)
        os.closerange(5, _HIGH)
        os.closerange(_HIGH + 1, _HIGH + 10)
        if limits != self._defaults:
            self._set_limits(limits)
        seconds = int(limits["cpu_seconds"]) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if limits["processes"]:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"] + 1, limits["processes"] + 1))
        if request.get("stdin") is not None:
            agent.set_standard_input(request["stdin"])
        if self._rules >= 0:
            kernel.landlock_restrict(self._rules)
            os.close(self._rules)
        if self._filters:
            self._filters[limits["processes"] > 0].install()
        agent.Agent(3, 4).serve()
        os._exit(0)

    def _follow(self, pid: int, limits: dict[str, Any], started: float) -> tuple[str, dict[str, Any] | None]:
        """Wait for the child's end, for the checker's word or for a time to run out.

        Returns:
            Which time ran out (``cpu``, ``wall`` or ``""``), and the checker's word if it came.
        """
        pause = min(limits["cpu_seconds"] / self._cores, limits["wall_seconds"])
        while True:
            # The checker has the other end of the child's pipe, and so is the first to know of its end.
            if self._poller.poll(max(5, int(pause * 1000))):
                return "", wire.receive(self._control)
            used = time.clock_gettime((~pid << 3) | 2)  # the process's own clock, as clock_getcpuclockid makes it
            elapsed = time.monotonic() - started
            if used >= limits["cpu_seconds"]:
                return "cpu", None
            # On a busy machine a process is not to blame for waiting, but nothing may go on for ever.
            left = limits["wall_seconds"] - (elapsed - min(_waited(pid), 0.95 * elapsed))
            if left <= 0:
                return "wall", None
            pause = min((limits["cpu_seconds"] - used) / self._cores, left)

    @staticmethod
    def _ended(pid: int) -> bool:
        """Return whether a child ends by itself right after its connection did, whose status then says more."""
        pidfd = os.pidfd_open(pid)
        try:
            return bool(select.select([pidfd], [], [], _GRACE_SECONDS)[0])
        finally:
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

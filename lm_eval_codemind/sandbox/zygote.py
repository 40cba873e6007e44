"""The candidate's server: a warm interpreter that forks one child per program and never sees a test.

The limits of a program come from the checker (:mod:`.connection`) with the child's descriptors. Once the child is gone,
a report goes back. It repeats a word that the checker chose after the child was forked, so that no program can have
known it.

What lies in this process's memory, each program inherits. So nothing of a program comes here: not its source, nor what
it reads, prints or answers, which all go between checker and child by the descriptors handed through.
"""

import contextlib
import gc
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

from . import agent, cleanup, kernel, seccomp, suites, wire

_GLANCE_SECONDS = 0.05
# The child's low descriptors: 0 to 2 the standard streams, 3 its request, 4 its answers, and on the way 5, its rules.
_REQUEST, _ANSWERS, _RULES = 3, 4, 5
_FRAMES = 11
# Of each thread: as many as a program may have fit into the memory that it may use by default.
_STACK_BYTES = 3 << 20
_MANY = 5  # descriptors that come with a request


class Zygote:
    """Forks candidates' processes, one at a time, each with everything it may not do taken away.

    ``control`` is the socket to the checker; :mod:`.server` explains ``settings``, ``rules`` and ``listener``.
    """

    def __init__(
        self, control: socket.socket, settings: dict[str, Any], rules: int, listener: kernel.Listener | None
    ) -> None:
        # Python ignores it, which would turn too much output into an exception the program may swallow.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        # As Python sets it at its start. Nothing sends it to servers, which have their own session.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cleanup.reset(settings["home"])
        self._socket, self._control = control, control.fileno()
        self._home: str = settings["home"]
        self._home_size = os.stat(self._home).st_size
        self._listener = listener
        self._rules = rules
        self._defaults: dict[str, Any] = settings["limits"]
        # A separate user can only change attributes of files that it owns.
        alone = settings["level"] == "bubblewrap" or settings["user"] != 0
        self._filter = kernel.Filter(seccomp.candidate_filter(alone)) if settings["level"] != "none" else None
        with open("/proc/self/statm") as file:
            self._in_use = int(file.read().split()[0]) * resource.getpagesize()
        self._cores = os.cpu_count() or 1
        self._processors: set[int] = settings["processors"]
        kernel.set_stacks(_STACK_BYTES)
        agent.rehearse()
        # A program can call as deep as it could without what lies below it here.
        sys.setrecursionlimit(sys.getrecursionlimit() + _FRAMES)
        # Every child starts from the same numbers.
        suites.seed()
        # Made here, as a child pays for every page of memory that it writes to first.
        self._agent = agent.Agent(_REQUEST, _ANSWERS)
        # Children inherit them, which saves each of them the calls. Only the soft ones: a job may ask for more.
        self._set_limits(self._defaults)

    def serve(self) -> None:
        """Serve until the checker is gone."""
        gc.collect()
        gc.freeze()
        wire.send(self._control, {"ready": True})
        with contextlib.suppress(EOFError):
            while True:
                limits, descriptors, _, _ = socket.recv_fds(self._socket, 8192, _MANY)
                wire.send(self._control, self._run(wire.rest(self._control, limits), descriptors))

    def _set_limits(self, limits: dict[str, Any]) -> None:
        for kind, value in (
            (resource.RLIMIT_AS, self._in_use + limits["memory_bytes"]),
            (resource.RLIMIT_FSIZE, max(limits["file_bytes"], limits["output_bytes"])),
            (resource.RLIMIT_NOFILE, limits["open_files"]),
        ):
            ceiling = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (value if ceiling < 0 else min(value, ceiling), ceiling))

    def _run(self, limits: dict[str, Any], ends: list[int]) -> dict[str, Any]:
        """Run one candidate's process to its end and return the report."""
        started = time.monotonic()
        pid = kernel.start(lambda: self._become_candidate(limits, ends))
        for end in ends:
            os.close(end)
        child = os.pidfd_open(pid)
        reason = self._follow(pid, child, limits, started)
        os.close(child)
        report = kernel.end(pid, reason, started)
        cleanup.reset(self._home)
        return {
            **report,
            "word": wire.receive(self._control),
            # Some file systems never let a directory shrink: then the next program needs another one.
            "last": os.stat(self._home).st_size != self._home_size,
        }

    def _become_candidate(self, limits: dict[str, Any], ends: list[int]) -> None:
        # A separate group, but no session: the kernel's scheduler makes a group for each new session.
        os.setpgid(0, 0)
        # Only servers keep to one processor: a program gets all that there are.
        if self._processors:
            os.sched_setaffinity(0, self._processors)
        # The fork leaves out what Python does after one; of that a program can see the main thread's number.
        if "threading" in sys.modules:
            sys.modules["threading"].main_thread()._set_native_id()
        request, answers, out, err, *inputs = ends
        # Opened for each program: the server's would carry flags from one program to the next.
        standard_input = inputs[0] if inputs else os.open("/dev/null", os.O_RDONLY)
        descriptors = [standard_input, out, err, request, answers, *([self._rules] if self._rules >= 0 else [])]
        kernel.arrange(descriptors)
        if limits != self._defaults:
            self._set_limits(limits)
        seconds = int(limits["cpu_seconds"]) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if inputs:
            agent.use_standard_input()
        kernel.give_up_saved_user()
        if self._rules >= 0:
            kernel.landlock_restrict(_RULES)
            os.close(_RULES)
        if self._filter is not None:
            self._filter.install()
        self._agent.serve()
        os._exit(0)

    def _follow(self, pid: int, child: int, limits: dict[str, Any], started: float) -> str:
        """Wait for the child's end, or for a time to run out; return which one: ``cpu``, ``wall`` or nothing."""
        poller = select.poll()
        poller.register(child, select.POLLIN)
        if self._listener is not None:
            poller.register(self._listener.descriptor, select.POLLIN)
        pause = min(limits["cpu_seconds"] / self._cores, limits["wall_seconds"], _GLANCE_SECONDS)
        glance, disk = started, 0.0
        while True:
            ready = {descriptor for descriptor, _ in poller.poll(max(5, int(pause * 1000)))}
            if child in ready:
                return ""
            if ready and self._listener is not None:
                self._listener.decide(lambda: kernel.status(pid, "Threads") <= limits["threads"])
            used = time.clock_gettime((~pid << 3) | 2)  # the process's own clock, as clock_getcpuclockid makes it
            if used >= limits["cpu_seconds"]:
                return "cpu"
            now = time.monotonic()
            disk += now - glance if kernel.state(str(pid)) == "D" else 0.0
            glance, elapsed = now, now - started
            # Waiting for a processor or for the disk is not the program's time. But nothing may go on for ever.
            left = limits["wall_seconds"] - (elapsed - min(disk + _waited(pid), 0.95 * elapsed))
            if left <= 0:
                return "wall"
            pause = min((limits["cpu_seconds"] - used) / self._cores, left, _GLANCE_SECONDS)


def _waited(pid: int) -> float:
    """Return the seconds a process stood ready to run and waited for a processor; 0 where the kernel does not count."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0

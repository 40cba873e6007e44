"""The candidate's server: a warm interpreter that forks one child per program and never sees a test.

The limits of a program come from the checker (:mod:`.connection`) with the child's descriptors. Once the child is gone,
a report goes back. It repeats a word that the checker chose after the child was forked, so that no program can have
known it.

What lies in this process's memory, each program inherits. So nothing of a program comes here: not its source, nor what
it reads, prints or answers, which all go between checker and child by the descriptors handed through.
"""

import gc
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

from . import agent, cleanup, kernel, suites, wire
from .confinement import Parent, address_space, limit

_GLANCE_SECONDS = 0.05
# The child's low descriptors: 0 to 2 are the standard streams.
_REQUEST, _ANSWERS = 3, 4
_FRAMES = 11
# Of each thread: as many as a program may have fit into the memory that it may use by default.
_STACK_BYTES = 3 << 20


class Zygote(Parent):
    """Forks candidates' processes, one at a time, each with everything it may not do taken away."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        super().__init__(control, settings)
        # As Python sets it at its start. Nothing sends it to servers, which have their own session.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cleanup.reset(self._home)
        self._home_size = os.stat(self._home).st_size
        self._defaults: dict[str, Any] = settings["limits"]
        self._in_use = address_space()
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
        gc.collect()
        gc.freeze()

    def _set_limits(self, limits: dict[str, Any]) -> None:
        limit(resource.RLIMIT_AS, self._in_use + limits["memory_bytes"], keep_ceiling=True)
        limit(resource.RLIMIT_FSIZE, max(limits["file_bytes"], limits["output_bytes"]), keep_ceiling=True)
        limit(resource.RLIMIT_NOFILE, limits["open_files"], keep_ceiling=True)

    def _run(self, limits: dict[str, Any], ends: list[int]) -> dict[str, Any]:
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
        standard_input, *further = inputs or [os.open("/dev/null", os.O_RDONLY)]
        self._take([standard_input, out, err, request, answers, *further])
        if limits != self._defaults:
            self._set_limits(limits)
        limit(resource.RLIMIT_CPU, int(limits["cpu_seconds"]) + 2)
        if inputs:
            agent.use_standard_input()
        self._give_up()
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

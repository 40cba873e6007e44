"""Inside the sandbox: start other programs than Python, such as an interpreter or a compiler.

As ``command`` the server confines itself and becomes one program, which talks to the host through one socket. As
``starter`` it takes requests to run a command on two files. Each run has a new process and an empty directory. The
report goes to the host once the process is gone.
"""

import contextlib
import os
import resource
import select
import time
from typing import Any, NoReturn

from . import cleanup, kernel, seccomp
from .confinement import Parent, limit

_GLANCE_SECONDS = 0.02
# Threads that an interpreter may have beyond the limit of a job.
_OWN_THREADS = 40 + (os.cpu_count() or 1)
_PIPE_BYTES = 1 << 16


def become_command(settings: dict[str, Any]) -> NoReturn:
    """Turn this process, confined already, into a command; the socket is its standard input and output."""
    resource.setrlimit(resource.RLIMIT_AS, (settings["memory_bytes"], settings["memory_bytes"]))
    os.dup2(3, 0)
    os.dup2(3, 1)
    kernel.close_from(3)
    kernel.give_up_saved_user()
    if settings["level"] != "none":
        kernel.Filter(seccomp.program_filter(settings["user"] != 0)).install()
    _execute(settings["command"], {})


def _execute(command: list[str], variables: dict[str, str]) -> NoReturn:
    environment = {**os.environ, "MALLOC_ARENA_MAX": "2", **variables}
    of_python = ("PYTHON", "CODEMIND", "OPENBLAS", "OMP", "MKL", "NUMEXPR", "MPL")
    remaining = {name: value for name, value in environment.items() if not name.startswith(of_python)}
    os.execve(command[0], command, remaining)


class Starter(Parent):
    """Starts programs, one at a time."""

    def _run(self, request: dict[str, Any], files: list[int]) -> dict[str, Any]:
        """Run a command on two files: its input, and the program, which it can reopen."""
        limits = request["limits"]
        pipes = [self._pipe(name) for name in ("stdout", "stderr")]
        started = time.monotonic()
        descriptors = [files[0], *(write for _, write in pipes), files[1]]
        pid = kernel.start(lambda: self._become_program(request, descriptors))
        for descriptor in descriptors:
            os.close(descriptor)
        outputs = {read: bytearray() for read, _ in pipes}
        reason = self._follow(pid, limits, started, outputs)
        report = kernel.end(pid, reason, started)
        for read, output in outputs.items():
            while _drain(read, output, limits["output_bytes"]):
                pass
            os.close(read)
        cleanup.reset(self._home)
        # As latin-1, which keeps every byte.
        stdout, stderr = (output.decode("latin-1") for output in outputs.values())
        if max(len(stdout), len(stderr)) > limits["output_bytes"]:
            report |= {"reason": "output", "signal": None}
        return {**report, "stdout": stdout[: limits["output_bytes"]], "stderr": stderr[: limits["output_bytes"]]}

    def _pipe(self, name: str) -> tuple[int, int]:
        """Return both ends of a pipe. A program that looks finds a name that tells nothing of this process."""
        path = os.path.join(self._home, f"jvm.{name}")
        os.mkfifo(path, 0o600)
        read = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        write = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        os.set_blocking(read, True)
        os.unlink(path)
        return read, write

    def _become_program(self, request: dict[str, Any], descriptors: list[int]) -> None:
        limits = request["limits"]
        os.setpgid(0, 0)
        self._take(descriptors)
        limit(resource.RLIMIT_FSIZE, limits["file_bytes"])
        limit(resource.RLIMIT_NOFILE, limits["open_files"])
        limit(resource.RLIMIT_CPU, int(limits["cpu_seconds"]) + 2)
        if self._settings["user"] != 0:
            limit(resource.RLIMIT_NPROC, self._threads(limits))
        self._give_up()
        _execute(request["command"], self._settings["environment"])

    def _threads(self, limits: dict[str, Any]) -> int:
        return int(1 + _OWN_THREADS + limits["threads"])

    def _follow(self, pid: int, limits: dict[str, Any], started: float, outputs: dict[int, bytearray]) -> str:
        """Return why a program ended: the limit that it crossed, ``gone`` if the host is gone, or else nothing."""
        child = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(child, select.POLLIN)
        poller.register(self._control, select.POLLHUP)
        for read in outputs:
            poller.register(read, select.POLLIN)
        if self._listener is not None:
            poller.register(self._listener.descriptor, select.POLLIN)
        memory = limits["memory_bytes"] + self._settings["own_bytes"]
        glance, idle = started, 0.0
        try:
            while True:
                ready = {descriptor for descriptor, _ in poller.poll(int(_GLANCE_SECONDS * 1000))}
                if child in ready:
                    return ""
                if self._control in ready:
                    return "gone"
                if self._listener is not None and self._listener.descriptor in ready:
                    self._listener.decide(lambda: kernel.status(pid, "Threads") < self._threads(limits))
                for read in ready & outputs.keys():
                    if not _drain(read, outputs[read], limits["output_bytes"]):
                        poller.unregister(read)
                    if len(outputs[read]) > limits["output_bytes"]:
                        return "output"
                now = time.monotonic()
                if now < glance + _GLANCE_SECONDS:
                    continue
                used = time.clock_gettime((~pid << 3) | 2)
                if used >= limits["cpu_seconds"]:
                    return "cpu"
                if kernel.status(pid, "VmRSS") << 10 > memory:
                    return "memory"
                # On a busy machine a program is not to blame for waiting, but nothing may go on for ever.
                idle += 0.0 if _is_ready(pid) else now - glance
                if max(used + idle, 0.05 * (now - started)) >= limits["wall_seconds"]:
                    return "wall"
                glance = now
        finally:
            os.close(child)


def _is_ready(pid: int) -> bool:
    """Whether a thread of a process runs, or is ready and waits for a processor."""
    with contextlib.suppress(OSError):
        return any(kernel.state(f"{pid}/task/{thread}") in ("R", "D") for thread in os.listdir(f"/proc/{pid}/task"))
    return False


def _drain(descriptor: int, output: bytearray, limit: int) -> bool:
    """Read what is there of an output, up to a byte more than a limit; return True if more may come."""
    data = os.read(descriptor, min(_PIPE_BYTES, limit + 1 - len(output)))
    output += data
    return bool(data)

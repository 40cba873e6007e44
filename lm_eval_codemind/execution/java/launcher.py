"""Inside the sandbox: becomes the resident compiler, or starts a virtual machine for each run of a program.

As ``java-compiler`` the server confines itself and becomes a virtual machine that talks to the host through one socket.
As ``java`` it takes class files, then requests to run them, from the host; each run is a new virtual machine, with
nothing that an earlier one left behind, and is answered with a report once it is gone.
"""

from __future__ import annotations

import base64
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

from .. import cleanup, kernel, seccomp, wire

_HIGH = 100
_GLANCE_SECONDS = 0.25
# Address space beyond the heap: code, classes, stacks, and what the machine itself takes.
_OWN_BYTES = 3 << 29
_COMPILER_BYTES = 4 << 30
_MACHINE_THREADS = 40


def become_compiler(settings: dict[str, Any]) -> None:
    """Turn this process, confined already, into the compiler; the socket is its standard input and output."""
    resource.setrlimit(resource.RLIMIT_AS, (_COMPILER_BYTES, _COMPILER_BYTES))
    os.dup2(3, 0)
    os.dup2(3, 1)
    kernel.close_from(3)
    _give_up_saved_user()
    if settings["level"] != "none":
        _filter(settings).install()
    _execute(settings["command"])


def serve(control: socket.socket, settings: dict[str, Any], rules: int) -> None:
    """Serve until the host is gone.

    Args:
        control: The socket to the host.
        settings: See :mod:`lm_eval_codemind.execution.server`; ``command`` starts a virtual machine.
        rules: Descriptor of the programs' Landlock rules, or -1.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    launcher = _Launcher(control, settings, rules)
    wire.send(control.fileno(), {"ready": True})
    while True:
        try:
            request = wire.receive(control.fileno())
        except EOFError:
            return
        wire.send(control.fileno(), launcher.answer(request))


def _filter(settings: dict[str, Any]) -> kernel.Filter:
    # As a user of its own a program can change no file's attributes but those of its own files.
    attributes = settings["level"] == "bubblewrap" or settings["user"] != 0
    program = seccomp.machine_filter(attributes)
    return kernel.Filter(program, seccomp.own_number_places(program))


def _give_up_saved_user() -> None:
    user, _, saved = os.getresuid()
    if saved != user:
        os.setresuid(user, user, user)


def _execute(command: list[str]) -> None:
    environment = {**os.environ, "MALLOC_ARENA_MAX": "2"}
    for name in [
        name for name in environment if name.startswith(("PYTHON", "OPENBLAS", "OMP", "MKL", "NUMEXPR", "MPL"))
    ]:
        del environment[name]
    os.execve(command[0], command, environment)


class _Launcher:
    """Starts virtual machines, one at a time."""

    def __init__(self, control: socket.socket, settings: dict[str, Any], rules: int) -> None:
        self._control = control.fileno()
        self._home: str = settings["home"]
        self._command: list[str] = settings["command"]
        self._rules = rules
        self._filter = _filter(settings) if settings["level"] != "none" else None
        self._own_user = settings["user"] != 0 and settings["level"] != "none"
        self._classes: dict[str, bytes] = {}
        self._cores = os.cpu_count() or 1

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Take class files, or run them."""
        if request["op"] == "load":
            self._classes = {name: base64.b64decode(body) for name, body in request["classes"].items()}
            return {"loaded": len(self._classes)}
        try:
            self._write_classes()
        except (OSError, ValueError) as error:
            cleanup.reset(self._home)
            return {"problem": f"the class files can't be written: {error}"}
        return self._run(request)

    def _write_classes(self) -> None:
        root = os.path.join(self._home, "classes")
        os.mkdir(root)
        os.mkdir(os.path.join(self._home, "work"))
        for name, body in self._classes.items():
            parts = name.split(".")
            if not all(parts) or "/" in name or "\0" in name:
                raise ValueError(f"no name of a class: {name!r}")
            folder = os.path.join(root, *parts[:-1])
            os.makedirs(folder, exist_ok=True)
            file = os.open(os.path.join(folder, parts[-1] + ".class"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                view = memoryview(body)
                while view:
                    view = view[os.write(file, view) :]
            finally:
                os.close(file)

    def _run(self, request: dict[str, Any]) -> dict[str, Any]:
        limits = request["limits"]
        streams = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("stdin", "stdout", "stderr")]
        data = memoryview(request["stdin"].encode("utf-8", "surrogateescape"))
        while data:
            data = data[os.write(streams[0], data) :]
        os.lseek(streams[0], 0, os.SEEK_SET)
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_program(request, streams)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                sys.stderr.flush()
            finally:
                os._exit(70)
        reason = self._follow(pid, limits, started, streams[1:])
        if reason:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - started
        cleanup.reset(self._home)
        os.close(streams[0])
        return {
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) and not reason else None,
            "reason": reason,
            "cpu": usage.ru_utime + usage.ru_stime,
            "wall": wall,
            "stdout": _take(streams[1], limits["output_bytes"]),
            "stderr": _take(streams[2], limits["output_bytes"]),
        }

    def _become_program(self, request: dict[str, Any], streams: list[int]) -> None:
        limits = request["limits"]
        os.setpgid(0, 0)
        os.chdir(os.path.join(self._home, "work"))
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        heap = limits["memory_bytes"]
        for kind, value in (
            (resource.RLIMIT_AS, heap + _OWN_BYTES),
            (resource.RLIMIT_FSIZE, max(limits["file_bytes"], limits["output_bytes"])),
            (resource.RLIMIT_NOFILE, limits["open_files"]),
            (resource.RLIMIT_CPU, int(limits["cpu_seconds"]) + 2),
        ):
            resource.setrlimit(kind, (value, value))
        if self._own_user:
            threads = 1 + _MACHINE_THREADS + self._cores + limits["threads"]
            resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
        _give_up_saved_user()
        if self._rules >= 0:
            kernel.landlock_restrict(self._rules)
        if self._filter is not None:
            self._filter.install()
        options = [f"-Xmx{heap >> 10}k", f"-XX:MaxDirectMemorySize={heap >> 2}", *request["options"]]
        options.append(f"-Djava.io.tmpdir={os.getcwd()}")
        classes = os.path.join(self._home, "classes")
        _execute([self._command[0], *options, *self._command[1:], "-cp", classes, request["main"]])

    def _follow(self, pid: int, limits: dict[str, Any], started: float, streams: list[int]) -> str:
        """Wait for a program's end, or for it to cross a limit; return which: ``cpu``, ``wall``, ``output`` or none."""
        child = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(child, select.POLLIN)
        poller.register(self._control, select.POLLHUP)
        try:
            while True:
                for descriptor, _ in poller.poll(int(_GLANCE_SECONDS * 1000)):
                    if descriptor == child:
                        return ""
                    return "gone"
                if any(os.fstat(stream).st_size > limits["output_bytes"] for stream in streams):
                    return "output"
                if time.clock_gettime((~pid << 3) | 2) >= limits["cpu_seconds"]:
                    return "cpu"
                # On a busy machine a program is not to blame for waiting, but nothing may go on for ever.
                elapsed = time.monotonic() - started
                if elapsed - min(_waited(pid), 0.95 * elapsed) >= limits["wall_seconds"]:
                    return "wall"
        finally:
            os.close(child)


def _waited(pid: int) -> float:
    """Return the seconds that a process's threads stood ready and waited for a processor, all together.

    The threads of a virtual machine wait for each other, so that what any of them waited may have kept the program.
    """
    waited = 0.0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                waited += int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        pass
    return waited


def _take(descriptor: int, limit: int) -> list[Any]:
    """Return the size of a captured stream and its text (as latin-1, which keeps every byte), and close it."""
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, min(size, limit), 0).decode("latin-1") if size else ""
    os.close(descriptor)
    return [size, text]

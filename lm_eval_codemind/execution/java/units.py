"""The servers for Java, as the host sees them: a resident compiler, and a starter of virtual machines."""

from __future__ import annotations

import base64
import contextlib
import socket
import struct
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import users, wire
from ..isolation import BUBBLEWRAP, Homes, Isolation, last_line
from ..job import Job
from ..unit import StartFailed, UnitGone
from .machine import Machine

_START_SECONDS = 120
# As in CompileServer: elapsed time for each second of processor time.
_PATIENCE = 6
_INSIDE = "/run/java"
_MAX_TEXT = 1 << 20
_MAX_JAR = 64 << 20

COMPILED, ERROR, TIMEOUT, MEMORY, TOO_LARGE = range(5)


class _Server:
    """A server's process with the socket to it.

    Args:
        isolation: The level to start it at.
        machine: The Java it uses.
        settings: For the server.

    Raises:
        StartFailed: If it can't be started.
    """

    def __init__(self, isolation: Isolation, machine: Machine, settings: dict[str, Any]) -> None:
        self._homes = None if isolation.name == BUBBLEWRAP else Homes()
        self._user: users.User | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._closing = threading.Lock()
        self.last_error = ""
        self._control, other = socket.socketpair()
        directories = {path: path for path in machine.directories() if not Path(path).is_relative_to("/usr")}
        directories[str(machine.directory)] = _INSIDE
        try:
            number = 0
            if isolation.needs_users:
                self._user = users.take()
                number = self._user.number
            home = self._homes.make("java") if self._homes else ""
            self._process = isolation.launch(
                settings, [other.fileno()], home, 0, self._errors, number, directories=directories
            )
        except OSError as error:
            self.close()
            raise StartFailed(str(error)) from None
        finally:
            other.close()

    def pids(self) -> list[int]:
        """Return the process this server is, not those below it."""
        return [] if self._process is None else [self._process.pid]

    def _patience(self, seconds: float) -> None:
        # In the kernel: the descriptor itself stays one that blocks.
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", int(seconds) + 1, 0))

    def close(self) -> None:
        """End the server and everything below it, and remove its directory."""
        with self._closing:
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            if self._user:
                self._user.release()
            if not self._errors.closed:
                self.last_error = last_line(self._errors)
                self._errors.close()
            if self._homes and Path(self._homes.root).is_dir():
                with contextlib.suppress(OSError):
                    self._homes.remove()


def _seen(isolation: Isolation, machine: Machine) -> str:
    """Return where a server finds the machine's files."""
    return _INSIDE if isolation.name == BUBBLEWRAP else str(machine.directory)


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of a source.

    Attributes:
        status: ``COMPILED``, or why not.
        message: The compiler's first message, where it has one.
        main_class: The first class that has a ``main`` method; ``""`` where none has one. With a suite, the suite's
            classes, separated by blanks.
        reflective: Whether the program uses ``setAccessible``.
        jar: The class files.
    """

    status: int
    message: str = ""
    main_class: str = ""
    reflective: bool = False
    jar: bytes = b""


class Compiler(_Server):
    """The resident compiler. It takes one program at a time; what it answers isn't trusted.

    Args:
        isolation: The level to start it at.
        machine: The Java it uses.

    Raises:
        StartFailed: If it doesn't come up.
    """

    def __init__(self, isolation: Isolation, machine: Machine) -> None:
        command = machine.compile_command(_seen(isolation, machine))
        super().__init__(isolation, machine, {"role": "java-compiler", "command": command})
        try:
            self._patience(_START_SECONDS)
            if self._number() != COMPILED:
                raise UnitGone("the compiler doesn't compile")
        except (UnitGone, OSError) as error:
            self.close()
            raise StartFailed(self.last_error or str(error)) from None

    def compile(self, job: Job, seconds: float, release: int = 0) -> Compiled:
        """Return what the compiler makes of a program, together with the suite of its job.

        Args:
            job: The program and its suite, see :meth:`.JavaSandbox.submit`.
            seconds: The processor time it may take.
            release: The version of Java to compile for; 0 for the compiler's own.

        Raises:
            UnitGone: If the compiler ended meanwhile, or doesn't answer. It is to be replaced then.
        """
        request = [struct.pack(">ii", release, int(seconds * 1000))]
        for text in (job.program, job.tests, job.entry_point if job.tests else ""):
            body = text.encode("utf-8", "replace")
            request += [struct.pack(">i", len(body)), body]
        try:
            self._patience(_PATIENCE * seconds + 30)
            self._control.sendall(b"".join(request))
            status = self._number()
            if status != COMPILED:
                return Compiled(status if ERROR <= status <= TOO_LARGE else ERROR, self._text())
            return Compiled(COMPILED, "", self._text(), bool(self._number()), self._bytes(self._number(_MAX_JAR)))
        except (OSError, ValueError) as error:
            self.close()
            raise UnitGone(str(error) or "the compiler ended") from None

    def _number(self, most: int = 1 << 30) -> int:
        (number,) = struct.unpack(">i", self._bytes(4))
        if not 0 <= number <= most:
            raise UnitGone(f"not a number it may send: {number}")
        return int(number)

    def _text(self) -> str:
        return self._bytes(self._number(_MAX_TEXT)).decode("utf-8", "replace")

    def _bytes(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._control.recv(min(size, 1 << 20))
            if not part:
                raise UnitGone("the compiler ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class Runner(_Server):
    """A starter of virtual machines, one at a time.

    Attributes:
        suites: The path of the suites' own classes inside the sandbox.

    Args:
        isolation: The level to start it at.
        machine: The Java it uses.
        limits: The default limits of jobs, as plain values.

    Raises:
        StartFailed: If it doesn't come up.
    """

    def __init__(self, isolation: Isolation, machine: Machine, limits: dict[str, Any]) -> None:
        command = machine.run_command()
        super().__init__(isolation, machine, {"role": "java", "command": command, "limits": limits})
        self.suites = f"{_seen(isolation, machine)}/suites"
        try:
            self._receive(_START_SECONDS)
        except UnitGone:
            raise StartFailed(self.last_error) from None

    def load(self, jar: bytes) -> None:
        """Hand over the class files of the program to run from now on.

        Raises:
            UnitGone: If the server ended.
        """
        self._exchange({"op": "load", "jar": base64.b64encode(jar).decode("ascii")}, 60)

    def run(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the report of one run.

        Args:
            request: ``command``, the end of the command line, with ``stdin`` and ``limits``.
            seconds: After which the server counts as gone.

        Raises:
            UnitGone: If the server ended meanwhile, or doesn't answer.
        """
        return self._exchange({"op": "run", **request}, seconds)

    def _exchange(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            wire.send(self._control.fileno(), message)
        except OSError as error:
            self.close()
            raise UnitGone(str(error)) from None
        return self._receive(seconds)

    def _receive(self, seconds: float) -> dict[str, Any]:
        try:
            self._patience(seconds)
            message: dict[str, Any] = wire.receive(self._control.fileno())
        except (EOFError, OSError, wire.WireError) as error:
            self.close()
            raise UnitGone(str(error) or "a server ended") from None
        return message

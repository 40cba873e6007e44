"""The servers that become or start other programs than Python, as the host sees them.

Inside the sandbox: :mod:`lm_eval_codemind.execution.starter`.
"""

from __future__ import annotations

import base64
import contextlib
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lm_eval_codemind.execution import users, wire
from lm_eval_codemind.execution.isolation import BUBBLEWRAP, Homes, Isolation, last_line
from lm_eval_codemind.execution.job import Limits
from lm_eval_codemind.execution.unit import StartFailed, UnitGone

START_SECONDS = 120
PROGRAM = "/proc/self/fd/3"
"""The path at which a command finds the file that was loaded for it."""


class Server:
    """A server's process with the socket to it.

    Args:
        isolation: The level to start it at.
        settings: For the server.
        directories: More of the machine that it may read, each with where bubblewrap shows it.

    Raises:
        StartFailed: If it can't be started.
    """

    def __init__(self, isolation: Isolation, settings: dict[str, Any], directories: Mapping[str, str]) -> None:
        self._homes = None if isolation.name == BUBBLEWRAP else Homes()
        self._user: users.User | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._closing = threading.Lock()
        self.last_error = ""
        self._control, other = socket.socketpair()
        try:
            number = 0
            if isolation.needs_users:
                self._user = users.take()
                number = self._user.number
            home = self._homes.make("program") if self._homes else ""
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

    def _wait_at_most(self, seconds: float) -> None:
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


class Starter(Server):
    """A server that starts programs, one at a time.

    Attributes:
        home: The directory, inside the sandbox, that a program may write in.

    Args:
        isolation: The level to start it at.
        directories: More of the machine that programs may read, each with where bubblewrap shows it.
        own_bytes: Resident memory that a program may use beyond the limit of its job, such as an interpreter's own.
        own_threads: Threads beyond the limit of its job, likewise.
        environment: Variables of the programs besides the usual ones.

    Raises:
        StartFailed: If it doesn't come up.
    """

    def __init__(
        self,
        isolation: Isolation,
        directories: Mapping[str, str],
        own_bytes: int,
        own_threads: int,
        environment: Mapping[str, str],
    ) -> None:
        settings = {"own_bytes": own_bytes, "own_threads": own_threads, "environment": dict(environment)}
        super().__init__(isolation, {"role": "starter", "limits": asdict(Limits()), **settings}, directories)
        try:
            self.home: str = self._receive(START_SECONDS)["home"]
        except UnitGone:
            raise StartFailed(self.last_error) from None

    def load(self, file: bytes) -> None:
        """Hand over the file at :data:`PROGRAM` for the commands from now on.

        Raises:
            UnitGone: If the server ended.
        """
        self._exchange({"op": "load", "file": base64.b64encode(file).decode("ascii")}, 60)

    def run(self, command: list[str], stdin: str, limits: Limits) -> dict[str, Any]:
        """Return the report of one run.

        Raises:
            UnitGone: If the server ended meanwhile, or doesn't answer.
        """
        request = {"op": "run", "command": command, "stdin": stdin, "limits": asdict(limits)}
        return self._exchange(request, 60 + 25 * limits.wall_seconds)

    def _exchange(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            wire.send(self._control.fileno(), message)
        except OSError as error:
            self.close()
            raise UnitGone(str(error)) from None
        return self._receive(seconds)

    def _receive(self, seconds: float) -> dict[str, Any]:
        try:
            self._wait_at_most(seconds)
            message: dict[str, Any] = wire.receive(self._control.fileno())
        except (EOFError, OSError, wire.WireError) as error:
            self.close()
            raise UnitGone(str(error) or "a server ended") from None
        return message

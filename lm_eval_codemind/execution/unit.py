"""One worker's pair of servers: the checker's and the candidate's."""

import contextlib
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from . import wire
from .isolation import Isolation, Server
from .job import Status

START_SECONDS = 120
# A program that takes longer leaves its turn to another worker's.
_SHORT_MILLISECONDS = 200
_CREDENTIALS = struct.Struct("iII")  # struct ucred: process, user, group


class UnitGone(Exception):
    """A server of the unit has ended, or doesn't answer."""


class JobEnded(Exception):
    """A job brought its unit to an end, and must not be tried again. The arguments are its status and a message."""


class StartFailed(Exception):
    """A server didn't come up. The text says what it said."""


class Unit:
    """Servers in a row: each is connected to the next, and the first one to this process.

    Args:
        isolation: The level to start them at.
        settings: For each server.
        hash_seed: ``PYTHONHASHSEED`` of all.
        directories: More of the machine that they may read, each with where bubblewrap shows it.

    Raises:
        StartFailed: If one can't be started.
    """

    def __init__(
        self,
        isolation: Isolation,
        *settings: dict[str, Any],
        hash_seed: int = 0,
        directories: Mapping[str, str] | None = None,
    ) -> None:
        self._servers: list[Server] = []
        self.last_error = ""
        # A worker's thread and whoever closes the sandbox may come at the same time.
        self._closing = threading.Lock()
        ends = [end for _ in settings for end in socket.socketpair()]
        self._control, *handed = ends
        try:
            # Each server gets a socket to the one before it, and one to the next.
            for number in reversed(range(len(settings))):
                sockets = [end.fileno() for end in handed[2 * number : 2 * number + 2]]
                self._servers.append(isolation.launch(settings[number], sockets, hash_seed, directories))
        except OSError as error:
            self.close()
            raise StartFailed(str(error)) from None
        finally:
            for end in handed:
                end.close()

    def _wait_at_most(self, seconds: float) -> None:
        # In the kernel: the descriptor itself stays one that blocks.
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", int(seconds) + 1, 0))

    def close(self) -> None:
        """End all servers and everything below them, and remove their directories."""
        with self._closing:
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()
            for server in self._servers:
                with contextlib.suppress(OSError):
                    self.last_error = server.end() or self.last_error


class ServerUnit(Unit):
    """A checker's and a candidate's server, connected to each other; the checker is connected to this process.

    Args:
        isolation: The level to start them at.
        preload: Modules to import before programs do.
        limits: The default limits of jobs, as plain values.
        hash_seed: ``PYTHONHASHSEED`` of both.
        processor: The one that both keep to, and programs don't; -1 for none. They take turns, and what one has
            written the other then finds in that processor's memory.

    Raises:
        StartFailed: If a server doesn't come up.
    """

    def __init__(
        self, isolation: Isolation, preload: list[str], limits: dict[str, Any], hash_seed: int, processor: int = -1
    ) -> None:
        settings = {"limits": limits, "processor": processor}
        candidate = {"role": "zygote", "preload": preload, **settings}
        super().__init__(isolation, {"role": "judge", **settings}, candidate, hash_seed=hash_seed)
        self._poller = select.poll()
        try:
            self._judge = self._ready()
        except (EOFError, OSError, wire.WireError):
            self.close()
            raise StartFailed(self.last_error or "no message") from None

    def _ready(self) -> int:
        """Wait for the checker's first word and return its process: bubblewrap's own stands between it and this one."""
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._wait_at_most(START_SECONDS)
        body, credentials, _, _ = self._control.recvmsg(8192, socket.CMSG_SPACE(_CREDENTIALS.size))
        wire.rest(self._control.fileno(), body)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        self._poller.register(self._control, select.POLLIN)
        return int(_CREDENTIALS.unpack(credentials[0][2][: _CREDENTIALS.size])[0])

    def exchange(
        self, job: dict[str, Any], seconds: float, checker_seconds: float, takes_long: Callable[[], None]
    ) -> dict[str, Any]:
        """Return the outcome of a job, as plain values.

        Args:
            job: As plain values.
            seconds: Elapsed time after which the unit is ended. The servers keep the job's own times; this is for when
                they don't.
            checker_seconds: Processor time after which it is ended, of the checker, which holds values of the program's
                choice and can't always interrupt itself.
            takes_long: Called if the job is none of the usual ones, which take milliseconds.

        Raises:
            JobEnded: If one of these times ran out and the unit was ended.
            UnitGone: If a server ended otherwise.
        """
        try:
            clock = (~self._judge << 3) | 2  # the process's own, as clock_getcpuclockid makes it
            ceiling = time.clock_gettime(clock) + checker_seconds
            deadline = time.monotonic() + seconds
            wire.send(self._control.fileno(), job)
            pause = checker_seconds
            if not self._poller.poll(_SHORT_MILLISECONDS):
                takes_long()
            while not self._poller.poll(max(5, int(min(pause, deadline - time.monotonic()) * 1000))):
                pause = ceiling - time.clock_gettime(clock)
                spent = "processor" if pause <= 0 else "elapsed" if time.monotonic() >= deadline else ""
                if spent:
                    self.close()
                    raise JobEnded(Status.TIMEOUT, f"the checks used up their {spent} time")
            message: dict[str, Any] = wire.receive(self._control.fileno())
        except (EOFError, OSError, wire.WireError) as error:
            self.close()
            raise UnitGone(str(error) or "a server ended") from None
        return message

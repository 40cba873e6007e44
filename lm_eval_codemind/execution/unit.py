"""One worker's pair of servers: the checker's and the candidate's."""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import users, wire
from .isolation import BUBBLEWRAP, Homes, Isolation, last_line

_START_SECONDS = 120
# A program that takes longer leaves its turn to another worker's.
_SHORT_MILLISECONDS = 200
_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP}
_CREDENTIALS = struct.Struct("iII")  # struct ucred: process, user, group


class UnitGone(Exception):
    """A server of the unit has ended, or doesn't answer."""


class OutOfBudget(Exception):
    """The checker used more than the job grants it, and was ended with its unit. The text says of what."""


class CheckerCrashed(Exception):
    """The checker died of a signal, over what the program returned to it. The job must not be tried again."""


class StartFailed(Exception):
    """A server didn't come up. The text says what it said."""


class ServerUnit:
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
        # Under bubblewrap each server has a separate file system.
        self._homes = None if isolation.name == BUBBLEWRAP else Homes()
        ours, judge_host = socket.socketpair()
        judge_zygote, zygote = socket.socketpair()
        self._control = ours
        self._poller = select.poll()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._processes: list[subprocess.Popen[bytes]] = []
        self._users: list[users.User] = []
        self.last_error = ""
        # A worker's thread and whoever closes the sandbox may come at the same time.
        self._closing = threading.Lock()
        try:
            for role, ends in (("zygote", [zygote]), ("judge", [judge_host, judge_zygote])):
                imported = preload if role == "zygote" else []
                settings = {"role": role, "preload": imported, "limits": limits, "processor": processor}
                descriptors = [end.fileno() for end in ends]
                home = self._homes.make(role) if self._homes else ""
                user = 0
                if isolation.needs_users:
                    self._users.append(users.take())
                    user = self._users[-1].number
                self._processes.append(isolation.launch(settings, descriptors, home, hash_seed, self._errors, user))
        except OSError as error:
            self.close()
            raise StartFailed(str(error)) from None
        finally:
            for end in (judge_host, judge_zygote, zygote):
                end.close()
        try:
            self._judge = self._ready()
        except (EOFError, OSError, wire.WireError):
            self.close()
            raise StartFailed(self.last_error) from None

    def pids(self) -> list[int]:
        """Return the processes this unit started, not those below them."""
        return [process.pid for process in self._processes]

    def _ready(self) -> int:
        """Wait for the checker's first word and return its process: bubblewrap's own stands between it and this one."""
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        # In the kernel: the descriptor itself stays one that blocks.
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _START_SECONDS, 0))
        body, credentials, _, _ = self._control.recvmsg(8192, socket.CMSG_SPACE(_CREDENTIALS.size))
        wire.rest(self._control.fileno(), body)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 0))
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
            OutOfBudget: If one of these times ran out; the unit is ended.
            CheckerCrashed: If the checker died of a signal.
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
                    raise OutOfBudget(f"the checks used up their {spent} time")
            message: dict[str, Any] = wire.receive(self._control.fileno())
        except (EOFError, OSError, wire.WireError) as error:
            crashed = self._checker_crashed()
            self.close()
            if crashed:
                raise CheckerCrashed from None
            raise UnitGone(str(error) or "a server ended") from None
        return message

    def _checker_crashed(self) -> bool:
        """Whether the checker has died of a signal that this process did not send."""
        try:
            status = self._processes[-1].wait(1)
        except subprocess.TimeoutExpired:
            return False
        # Bubblewrap's own process ends with the signal's number above 128.
        return (-status if status < 0 else status - 128) in _CRASHES

    def close(self) -> None:
        """End both servers and everything below them, and remove their directories."""
        with self._closing:
            self._close()

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        for user in self._users:
            user.release()
        if not self._errors.closed:
            self.last_error = last_line(self._errors)
            self._errors.close()
        if self._homes and Path(self._homes.root).is_dir():
            with contextlib.suppress(OSError):
                self._homes.remove()

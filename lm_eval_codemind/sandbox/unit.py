"""One worker's pair of servers: the checker's and the candidate's."""

import contextlib
import select
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any

from . import wire
from .isolation import Isolation, Server

START_SECONDS = 120
# A program that takes longer leaves its turn to another worker's.
_SHORT_MILLISECONDS = 200


class UnitGone(Exception):
    """A server of the unit has ended."""


class UnitHangs(Exception):
    """A server of the unit did not answer in time, and the unit was ended. What it did must not be tried again."""


class StartFailed(Exception):
    """A server didn't come up. The text says what it said."""


class Unit:
    """Servers in a row, each connected to the next, and the first to this process. StartFailed if one isn't up."""

    def __init__(self, isolation: Isolation, *settings: dict[str, Any], hash_seed: int = 0) -> None:
        self._servers: list[Server] = []
        self.last_error = ""
        self.closed = False
        # A worker's thread and whoever closes the sandbox may come at the same time.
        self._closing = threading.Lock()
        ends = [end for _ in settings for end in socket.socketpair()]
        self._control, *handed = ends
        try:
            # Each server gets a socket to the one before it, and one to the next.
            for number in reversed(range(len(settings))):
                sockets = [end.fileno() for end in handed[2 * number : 2 * number + 2]]
                self._servers.append(isolation.launch(settings[number], sockets, hash_seed))
        except OSError as error:
            self.close()
            raise StartFailed(str(error)) from None
        finally:
            for end in handed:
                end.close()

    def _wait_at_most(self, seconds: float) -> None:
        # In the kernel: the descriptor itself stays one that blocks.
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", int(seconds) + 1, 0))

    def _receive(self, seconds: float) -> Any:
        """Return the next message of the first server, or raise UnitGone or, after some seconds, UnitHangs."""
        try:
            self._wait_at_most(seconds)
            return wire.receive(self._control.fileno())
        except BlockingIOError:
            self.close()
            raise UnitHangs(f"no answer within {seconds:.0f} seconds") from None
        except (EOFError, OSError, wire.WireError) as error:
            self.close()
            raise UnitGone(str(error) or "a server ended") from None

    def _first_message(self) -> Any:
        try:
            return self._receive(START_SECONDS)
        except (UnitGone, UnitHangs):
            raise StartFailed(self.last_error or "no message") from None

    def _send(self, message: bytes, descriptors: Sequence[int] = ()) -> None:
        try:
            if descriptors:
                # These messages are short.
                socket.send_fds(self._control, [message], descriptors)
            else:
                wire.write_all(self._control.fileno(), message)
        except OSError as error:
            self.close()
            raise UnitGone(str(error)) from None

    def close(self) -> None:
        """End all servers and everything below them, and remove their directories."""
        with self._closing:
            self.closed = True
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()
            for server in self._servers:
                with contextlib.suppress(OSError):
                    self.last_error = server.end() or self.last_error


class ServerUnit(Unit):
    """A checker's and a candidate's server, connected to each other; the checker is connected to this process.

    Both keep to one processor (-1 for none), and programs don't. They take turns, and what one has written the other
    then finds in that processor's memory. ``limits`` are the default ones of jobs.
    """

    def __init__(
        self, isolation: Isolation, preload: list[str], limits: dict[str, Any], hash_seed: int, processor: int = -1
    ) -> None:
        settings = {"limits": limits, "processor": processor}
        candidate = {"role": "zygote", "preload": preload, **settings}
        # Test classes run in forks of the checker, and import much of what programs do.
        checker = {"role": "judge", "preload": preload if "unittest" in preload else [], **settings}
        super().__init__(isolation, checker, candidate, hash_seed=hash_seed)
        self._first_message()
        self._poller = select.poll()
        self._poller.register(self._control, select.POLLIN)

    def exchange(self, job: bytes, seconds: float, takes_long: Callable[[], None]) -> dict[str, Any]:
        """Return the outcome of a job, as plain values; UnitGone or UnitHangs if a server ends, or time runs out.

        ``takes_long`` is called if the job is none of the usual ones, which take milliseconds.
        """
        self._send(job)
        if not self._poller.poll(_SHORT_MILLISECONDS):
            takes_long()
        outcome: dict[str, Any] = self._receive(seconds)
        return outcome

"""What a server gives up before it serves, and what a program's process gives up beyond that."""

import contextlib
import errno
import os
import resource
import signal
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from . import kernel, seccomp, wire

_MOST_DESCRIPTORS = 64  # that come with a request
_PENDING_SIGNALS = 256
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_MACHINE_FILES = ("/proc/cpuinfo", "/proc/meminfo")


def address_space() -> int:
    """Return the bytes of address space that this process uses."""
    return kernel.status(os.getpid(), "VmSize") << 10


def limit(kind: int, value: int, keep_ceiling: bool = False) -> None:
    """Set a limit of this process and its ceiling, as far as the present ceiling allows."""
    ceiling = resource.getrlimit(kind)[1]
    value = value if ceiling < 0 else min(value, ceiling)
    resource.setrlimit(kind, (value, ceiling if keep_ceiling else value))


def confine(settings: dict[str, Any]) -> tuple[int, kernel.Listener | None]:
    """Restrict this process and all that come from it.

    Returns the descriptor of the candidates' Landlock rules, -1 where the level has none, and the listener that decides
    about new threads, None where there can't be one: then there are no new threads.
    """
    level, home = settings["level"], settings["home"]
    os.chdir(home)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Timers are paid for by these, and lie outside a program's memory.
    limit(resource.RLIMIT_SIGPENDING, _PENDING_SIGNALS)
    limit(resource.RLIMIT_MSGQUEUE, 0)
    if level == "none":
        return -1, None
    kernel.hide()
    user = settings["user"] if level == "landlock" else 0
    if user:
        kernel.become(user, keep_capabilities=True)
        # Becoming another user clears it.
        kernel.hide()
    kernel.set_capabilities(read_search=bool(user))
    kernel.no_new_privileges()
    rules = -1
    if level == "landlock":
        readable, listed = [*settings["readable"], *_MACHINE_FILES], settings["listed"]
        writable = [home, *_DEVICES]
        rules = kernel.landlock_ruleset(readable, writable, listed)
        own = kernel.landlock_ruleset([*readable, "/proc", os.path.dirname(__file__)], writable, listed)
        kernel.landlock_restrict(own)
        os.close(own)
    listener = None
    starts_programs = settings["role"] in ("starter", "command")
    # Other programs than Python find their own files by links.
    links = starts_programs or level != "landlock"
    if settings["role"] not in ("judge", "command"):
        try:
            program = seccomp.server_filter(starts_programs, links, seccomp.ASK)
            listener = kernel.Listener(kernel.Filter(program).install(kernel.LISTENER))
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
    if listener is None:
        # A virtual machine can't do without threads.
        threads = seccomp.ALLOW if starts_programs else seccomp.NO_THREADS
        kernel.Filter(seccomp.server_filter(starts_programs, links, threads)).install()
    return rules, listener


def prove_hidden(files: Iterable[str], rules: int) -> None:
    """End this process, with a message, if a program could open one of some files: a child tries it as a program."""

    def become() -> None:
        if rules >= 0:
            kernel.landlock_restrict(rules)
        for path in files:
            with contextlib.suppress(OSError):
                os.close(os.open(path, os.O_RDONLY))
                sys.stderr.write(f"programs could read {path}, which may hold answers: no program is started\n")
                sys.stderr.flush()
                os._exit(1)
        os._exit(0)

    if os.waitpid(kernel.start(become), 0)[1]:
        os._exit(1)


class Parent(ABC):
    """A server that runs programs, one at a time, each in a child that gives up more than the server did."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self._rules, self._listener = confine(settings)
        prove_hidden(settings["forbidden"], self._rules)
        # Python ignores it, which would turn too much output into an exception the program may swallow.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        self._socket, self._control = control, control.fileno()
        self._settings = settings
        self._home: str = settings["home"]
        # A separate user can only change attributes of files that it owns.
        program = seccomp.program_filter(settings["user"] != 0)
        self._filter = kernel.Filter(program) if settings["level"] != "none" else None

    def serve(self) -> None:
        """Serve until the other side is gone."""
        wire.send(self._control, {"home": self._home})
        with contextlib.suppress(EOFError):
            while True:
                request, descriptors, _, _ = socket.recv_fds(self._socket, 8192, _MOST_DESCRIPTORS)
                wire.send(self._control, self._run(wire.rest(self._control, request), descriptors))

    @abstractmethod
    def _run(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Run a program to its end and return the report."""

    def _take(self, descriptors: list[int]) -> None:
        """In a child: have these descriptors only, from 0 on. Landlock's rules follow until :meth:`_give_up`."""
        if self._rules >= 0:
            descriptors = [*descriptors, self._rules]
            self._rules = len(descriptors) - 1
        kernel.arrange(descriptors)

    def _give_up(self) -> None:
        """In a child: give up what only the server needs."""
        kernel.give_up_saved_user()
        if self._rules >= 0:
            kernel.landlock_restrict(self._rules)
            os.close(self._rules)
        if self._filter is not None:
            self._filter.install()

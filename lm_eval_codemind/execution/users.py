"""Users of this machine that programs run as where the host is root: one for each server, shared with nothing.

Numbers come from a counter, far from those that systems give out, and a number is taken only when no process has it:
neither one of this sandbox, nor of another on this machine. Who holds a number also holds an abstract socket named
after it, which the kernel gives up with its process, so that two hosts that choose at the same moment can't agree.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import pwd
import socket
import threading
from pathlib import Path

_FIRST, _COUNT = 1_970_000_000, 20_000_000
# Where only the usual 65,536 users exist, as in a rootless container.
_FEW_FIRST, _FEW_COUNT = 20_000, 40_000


class NoUser(OSError):
    """This machine, or this container, has no user left for a program."""


_lock = threading.Lock()


def take() -> tuple[int, socket.socket]:
    """Return the number of a user and group that no other process has, and the socket that holds it.

    Closing the socket lets the number be taken again, once no process has it any more.

    Raises:
        NoUser: If there is no such user.
    """
    with _lock:
        numbers, count = _numbers()
        taken = _users_of_processes()
        for number in itertools.islice(numbers, min(count, 100_000)):
            if number in taken or _is_known(number):
                continue
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                claim.bind(f"\0codemind-sandbox-user-{number}")
            except OSError:
                claim.close()
                continue
            return number, claim
    raise NoUser("no unprivileged user is free for a program")


@functools.cache
def _numbers() -> tuple[itertools.cycle[int], int]:
    """Return an endless cycle over the numbers of users, and how many numbers it has."""
    first, count = _range(Path("/proc/self/uid_map").read_text())
    # Processes that start at the same time begin at different places.
    start = first + os.getpid() * 257 % count
    return itertools.cycle(itertools.chain(range(start, first + count), range(first, start))), count


def _range(uid_map: str) -> tuple[int, int]:
    """Return the first number to give out and how many there are, by the users that exist here.

    Args:
        uid_map: What the kernel says about this user namespace: lines of first number, its number outside, and count.

    Raises:
        NoUser: If there is no room for any.
    """
    spans = [(int(first), int(count)) for first, _, count in (line.split() for line in uid_map.splitlines())]
    for first, count in spans:
        if first <= _FIRST and first + count >= _FIRST + _COUNT:
            return _FIRST, _COUNT
    for first, count in spans:
        start, end = max(first, _FEW_FIRST), min(first + count, _FEW_FIRST + _FEW_COUNT)
        if end > start:
            return start, end - start
    raise NoUser("this container has too few users to give each program a separate one")


def _users_of_processes() -> set[int]:
    """Return the numbers of all users that have a process."""
    found: set[int] = set()
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            # A process that ended meanwhile.
            with contextlib.suppress(OSError):
                for line in (path / "status").read_text(errors="replace").splitlines():
                    if line.startswith("Uid:"):
                        found.update(map(int, line.split()[1:]))
                        break
    return found


def _is_known(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True

"""The kernel's calls that Python has no names for, by ctypes: capabilities, Landlock, seccomp, mounting."""

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import seccomp

_libc = ctypes.CDLL(None, use_errno=True)
_fork = ctypes.PyDLL(None, use_errno=True).fork
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 8, 24, 38
_CAP_DAC_READ_SEARCH = 2
_LAST_CAPABILITY = 40
_SECCOMP_SET_MODE_FILTER = 1
LISTENER = 8  # SECCOMP_FILTER_FLAG_NEW_LISTENER
_MS_NOSUID, _MS_NODEV = 2, 4

# Not in the table of seccomp's rules, whose numbers differ between machines; these are the same everywhere.
_CLOSE_RANGE = 436
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ_RIGHTS = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, read a directory
_LIST_RIGHTS = 1 << 3
_FILE_RIGHTS = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14  # those that a file, not a directory, can have
_WRITE_RIGHTS = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8, 10, 12, 13, 14))  # all but devices, sockets, ioctl


def _checked(name: str, result: int) -> int:
    """Return the result of a call, or raise the error that a negative result stands for."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def _call(name: str, number: int, *arguments: object) -> int:
    return _checked(name, _syscall(ctypes.c_long(number), *arguments))


def _prctl(option: int, argument: int) -> None:
    _checked("prctl", _libc.prctl(option, argument, 0, 0, 0))


def fork() -> int:
    """Return what ``os.fork`` does, without what Python does for threads, which copies many pages of memory."""
    return _checked("fork", _fork())


def start(become: Callable[[], None]) -> int:
    """Return the number of a new child of this process, which calls a function, and ends if its parent ends."""
    pid = fork()
    if pid == 0:
        try:
            end_with_parent()
            become()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
        finally:
            os._exit(70)
    return pid


def end(pid: int, reason: str, started: float) -> dict[str, Any]:
    """Return the report on a child, which is killed first if there is a reason: the limit that it crossed."""
    if reason:
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    return {
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) and not reason else None,
        "reason": reason,
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.monotonic() - started,
    }


def set_stacks(size: int) -> None:
    """Give new threads a stack of a size in bytes, where they do not choose one."""
    attributes = ctypes.create_string_buffer(256)
    _checked("pthread_attr_init", -_libc.pthread_attr_init(attributes))
    _checked("pthread_attr_setstacksize", -_libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(size)))
    _checked("pthread_setattr_default_np", -_libc.pthread_setattr_default_np(attributes))


def end_with_parent() -> None:
    """Have this process killed when its parent's thread ends."""
    _prctl(_PR_SET_PDEATHSIG, 9)


def hide() -> None:
    """Deny other processes of this user to trace this one, read its memory, or its files under ``/proc``."""
    _prctl(_PR_SET_DUMPABLE, 0)


def no_new_privileges() -> None:
    """Make set-uid bits and file capabilities without effect from here on."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def become(uid: int, keep_capabilities: bool = False, saved: int | None = None) -> None:
    """Change from root to another user and group. With another saved user, a parent that is that user may end this."""
    if keep_capabilities:
        _prctl(_PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid if saved is None else saved)
    # Becoming another user clears it.
    end_with_parent()


def give_up_saved_user() -> None:
    """Forget the saved user that :func:`become` kept."""
    user = os.getuid()
    os.setresuid(user, user, user)


def bound_capabilities() -> None:
    """Give up all capabilities for what this process may become, if it still has the one to do so."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            _prctl(_PR_CAPBSET_DROP, capability)
        except OSError:
            break


def set_capabilities(read_search: bool = False) -> None:
    """Give up all capabilities, for this process and what it may become, but perhaps the one to read all files."""
    bound_capabilities()
    capabilities = 1 << _CAP_DAC_READ_SEARCH if read_search else 0
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(capabilities, capabilities, 0, 0, 0, 0)
    _checked("capset", _libc.capset(ctypes.byref(header), ctypes.byref(data)))


def mount_tmpfs(path: str, size: int, inodes: int, user: int, read_only: bool = False) -> None:
    """Mount an empty file system in memory, a user's own, of a limited size and number of files."""
    options = f"size={size},nr_inodes={inodes},mode=0700,uid={user},gid={user}".encode()
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | read_only)  # MS_RDONLY is 1
    _checked("mount", _libc.mount(b"tmpfs", path.encode(), b"tmpfs", flags, options))


def close_from(first: int) -> None:
    """Close every descriptor from a number on."""
    try:
        _call("close_range", _CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), ctypes.c_uint(0))
    except OSError:
        for name in os.listdir("/proc/self/fd"):
            if int(name) >= first:
                with contextlib.suppress(OSError):
                    os.close(int(name))


def arrange(descriptors: Sequence[int], first: int = 0, inheritable: bool = True) -> None:
    """Give descriptors the numbers from the first one on, and close all that have higher numbers."""
    # By way of high numbers: one of them may have another's place.
    above = max([first, *descriptors]) + len(descriptors) + 1
    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, above + place)
    for place in range(len(descriptors)):
        os.dup2(above + place, first + place, inheritable)
    close_from(first + len(descriptors))


def status(pid: int, name: str) -> int:
    """Return a number of the kernel's about a process, such as ``Threads``; 0 for one that has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0


def state(process: str) -> str:
    """Return the letter for the state of ``PID`` or ``PID/task/THREAD``, such as ``R``; empty if it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat", encoding="latin-1") as file:
        return file.read().rpartition(")")[2].split()[0]
    return ""


class Filter:
    """A seccomp filter, laid out in memory once so that each process that installs it has little to do.

    :data:`.seccomp.OWN_PID` in its instructions stands for the number of that process.
    """

    def __init__(self, program: bytes) -> None:
        marker = struct.pack("I", seccomp.OWN_PID)
        self._places = [place for place in range(4, len(program), 8) if program[place : place + 4] == marker]
        self._buffer = ctypes.create_string_buffer(program, len(program))
        self._description = struct.pack("HP", len(program) // 8, ctypes.addressof(self._buffer))  # struct sock_fprog
        self._call = (ctypes.c_long(seccomp.numbers()["seccomp"]), ctypes.c_ulong(_SECCOMP_SET_MODE_FILTER))

    def install(self, flags: int = 0) -> int:
        """Put the filter on this thread for good, after :func:`no_new_privileges`.

        With the flag :data:`LISTENER` return a :class:`Listener`'s descriptor; ``EBUSY`` if a parent listens already.
        """
        for place in self._places:
            struct.pack_into("I", self._buffer, place, os.getpid())
        return _checked("seccomp", _syscall(*self._call, ctypes.c_ulong(flags), self._description))


class Listener:
    """Decides about the system calls that a filter asks about; whoever made one stands still until then."""

    _RECEIVE, _SEND = seccomp.NOTIFICATIONS
    _NOTICE = struct.Struct("=QII64x")  # struct seccomp_notif: number, process, flags, the call
    _ANSWER = struct.Struct("=QqiI")  # struct seccomp_notif_resp: number, result, error, flags

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def decide(self, allowed: Callable[[], bool]) -> None:
        """Answer one call: let it go on, or have it fail as one for which there are no resources left."""
        notice = bytearray(self._NOTICE.size)
        # The one who asked may be gone.
        with contextlib.suppress(FileNotFoundError):
            fcntl.ioctl(self.descriptor, self._RECEIVE, notice, True)
            number = self._NOTICE.unpack(notice)[0]
            answer = (number, 0, 0, 1) if allowed() else (number, 0, -errno.EAGAIN, 0)
            fcntl.ioctl(self.descriptor, self._SEND, bytearray(self._ANSWER.pack(*answer)), True)


def landlock_version() -> int:
    """Return the version of the kernel's Landlock, 0 where there is none."""
    try:
        return _call("landlock", _LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


def landlock_ruleset(readable: Iterable[str], writable: Iterable[str], listed: Iterable[str] = ()) -> int:
    """Return the descriptor of a set of rules for the file system and TCP.

    Files and directories are readable with all below them. Below writable directories everything is allowed but devices
    and sockets. Of listed ones, and of all below them, the names may be read.
    """
    version = landlock_version()
    # Version 2 added moving files between directories, 3 truncating them, 5 the control of devices.
    handled = (1 << (13, 14, 15, 15, 16)[max(1, min(version, 5)) - 1]) - 1
    # struct landlock_ruleset_attr: files; net since version 4; scoped since version 6
    ruleset = struct.pack("=Q", handled) + struct.pack("=Q", 3) * ((version >= 4) + (version >= 6))
    descriptor = _call("landlock", _LANDLOCK_CREATE, ruleset, ctypes.c_size_t(len(ruleset)), ctypes.c_uint32(0))
    for paths, rights in ((readable, _READ_RIGHTS), (writable, _WRITE_RIGHTS), (listed, _LIST_RIGHTS)):
        for path in paths:
            try:
                parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            allowed = rights & handled
            if not os.path.isdir(path):
                allowed &= _FILE_RIGHTS
            rule = struct.pack("=Qi", allowed, parent)  # struct landlock_path_beneath_attr
            _call("landlock", _LANDLOCK_ADD, ctypes.c_int(descriptor), ctypes.c_int(1), rule, ctypes.c_uint32(0))
            os.close(parent)
    return descriptor


def landlock_restrict(ruleset: int) -> None:
    """Put a set of rules on this thread; it can't be taken off. Needs :func:`no_new_privileges` before."""
    _call("landlock", _LANDLOCK_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))

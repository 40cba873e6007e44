"""One worker's pair of servers: the checker's and the candidate's."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import wire

# The servers import these modules under a name of their own, so that the rest of the package is neither needed nor read.
_PACKAGE = "sandboxed"
_BOOT = (
    "import sys, types; sys.path[:] = [p for p in sys.path if p]; "
    "package = types.ModuleType({package!r}); package.__path__ = [{directory!r}]; sys.modules[{package!r}] = package; "
    "from {package}.{module} import main; main()"
)


class UnitGone(Exception):
    """A server of the unit has ended, or doesn't answer."""


def boot(module: str, directory: str) -> str:
    """Return the Python source that runs a module of this package as a server."""
    return _BOOT.format(package=_PACKAGE, directory=directory, module=module)


class Unit:
    """A checker's and a candidate's server, connected to each other; the checker is connected to this process."""

    def __init__(self, preload: tuple[str, ...], hash_seed: int) -> None:
        ours, judge_host = socket.socketpair()
        judge_zygote, zygote = socket.socketpair()
        self._control = ours
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            settings = json.dumps({"preload": preload})
            self._launch("zygote", [zygote], [settings], hash_seed)
            self._launch("judge", [judge_host, judge_zygote], [], hash_seed)
        finally:
            for end in (judge_host, judge_zygote, zygote):
                end.close()
        try:
            wire.receive(ours)
        except (EOFError, OSError) as error:
            self.close()
            raise UnitGone(f"a server didn't start: {error}") from None

    def _launch(self, module: str, ends: list[socket.socket], extra: list[str], hash_seed: int) -> None:
        directory = str(Path(__file__).parent)
        descriptors = [end.fileno() for end in ends]
        self._processes.append(
            subprocess.Popen(
                [sys.executable, "-s", "-B", "-c", boot(module, directory), *map(str, descriptors), *extra],
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                env={
                    "PYTHONHASHSEED": str(hash_seed),
                    "PATH": os.defpath,
                    "HOME": "/tmp",
                    "LANG": "C.UTF-8",
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                    "MKL_NUM_THREADS": "1",
                },
                start_new_session=True,
            )  # fmt: skip
        )

    def exchange(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a job.

        Raises:
            UnitGone: If a server ended meanwhile.
        """
        try:
            wire.send(self._control, job)
            outcome: dict[str, Any] = wire.receive(self._control)
        except (EOFError, OSError, wire.WireError) as error:
            raise UnitGone(str(error)) from None
        return outcome

    def close(self) -> None:
        """End both servers and everything below them."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

"""The server that starts other programs than Python, as the host sees it.

Inside the sandbox: :mod:`lm_eval_codemind.execution.starter`.
"""

import base64
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lm_eval_codemind.execution import wire
from lm_eval_codemind.execution.isolation import Isolation
from lm_eval_codemind.execution.job import Limits
from lm_eval_codemind.execution.unit import START_SECONDS, StartFailed, Unit, UnitGone

PROGRAM = "/proc/self/fd/3"
"""The path at which a command finds the file that was loaded for it."""


class Starter(Unit):
    """A server that starts programs, one at a time.

    Attributes:
        home: The directory, inside the sandbox, that a program may write in.

    Args:
        isolation: The level to start it at.
        directories: More of the machine that programs may read, each with where bubblewrap shows it.
        own_bytes: Resident memory that a program may use beyond the limit of its job, such as an interpreter's own.
        own_threads: Threads beyond the limit of its job, likewise.
        environment: Variables of the programs besides the usual ones.

    Raises:
        StartFailed: If it doesn't come up.
    """

    def __init__(
        self,
        isolation: Isolation,
        directories: Mapping[str, str],
        own_bytes: int,
        own_threads: int,
        environment: Mapping[str, str],
    ) -> None:
        settings = {"own_bytes": own_bytes, "own_threads": own_threads, "environment": dict(environment)}
        super().__init__(
            isolation, {"role": "starter", "limits": asdict(Limits()), **settings}, directories=directories
        )
        try:
            self.home: str = self._receive(START_SECONDS)["home"]
        except UnitGone:
            raise StartFailed(self.last_error or "no message") from None

    def load(self, file: bytes) -> None:
        """Hand over the file at :data:`PROGRAM` for the commands from now on.

        Raises:
            UnitGone: If the server ended.
        """
        self._exchange({"op": "load", "file": base64.b64encode(file).decode("ascii")}, 60)

    def run(self, command: list[str], stdin: str, limits: Limits) -> dict[str, Any]:
        """Return the report of one run.

        Raises:
            UnitGone: If the server ended meanwhile, or doesn't answer.
        """
        request = {"op": "run", "command": command, "stdin": stdin, "limits": asdict(limits)}
        return self._exchange(request, 60 + 25 * limits.wall_seconds)

    def _exchange(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            wire.send(self._control.fileno(), message)
        except OSError as error:
            self.close()
            raise UnitGone(str(error)) from None
        return self._receive(seconds)

    def _receive(self, seconds: float) -> dict[str, Any]:
        try:
            self._wait_at_most(seconds)
            message: dict[str, Any] = wire.receive(self._control.fileno())
        except (EOFError, OSError, wire.WireError) as error:
            self.close()
            raise UnitGone(str(error) or "a server ended") from None
        return message

"""The resident compiler, as the host sees it."""

import struct
from dataclasses import dataclass

from lm_eval_codemind.sandbox.isolation import Isolation
from lm_eval_codemind.sandbox.java.machine import Machine
from lm_eval_codemind.sandbox.job import Job
from lm_eval_codemind.sandbox.unit import START_SECONDS, StartFailed, Unit, UnitGone

# As in `CompileServer.java`: elapsed time for each second of processor time.
_PATIENCE = 6
_MAX_TEXT = 1 << 20
_MAX_JAR = 64 << 20
_ADDRESS_BYTES = 4 << 30

COMPILED, ERROR, TIMEOUT, MEMORY = range(4)


@dataclass(frozen=True)
class Compiled:
    """The result of compiling a source.

    Attributes:
        main_class: The first class that has a ``main`` method; ``""`` where none has one. With a suite, the suite's
            classes, separated by blanks.
    """

    status: int
    message: str = ""
    main_class: str = ""
    jar: bytes = b""


class Compiler(Unit):
    """The resident compiler; StartFailed if it doesn't come up. It takes one program at a time, and isn't trusted."""

    def __init__(self, isolation: Isolation, machine: Machine) -> None:
        settings = {
            "role": "command",
            "command": machine.compile_command(isolation),
            "memory_bytes": _ADDRESS_BYTES,
            "directories": machine.directories(),
        }
        super().__init__(isolation, settings)
        try:
            self._wait_at_most(START_SECONDS)
            if self._number() != COMPILED:
                raise UnitGone("the compiler doesn't compile")
        except (UnitGone, OSError) as error:
            self.close()
            raise StartFailed(self.last_error or str(error)) from None

    def compile(self, job: Job, seconds: float) -> Compiled:
        """Return the result for a program and the suite of its job, or raise UnitGone, also if it doesn't answer.

        It may take some seconds of processor time.
        """
        request = [struct.pack(">i", int(seconds * 1000))]
        for text in (job.program, job.tests, job.entry_point if job.tests else ""):
            body = text.encode("utf-8", "replace")
            request += [struct.pack(">i", len(body)), body]
        try:
            self._wait_at_most(_PATIENCE * seconds + 30)
            self._control.sendall(b"".join(request))
            status = self._number()
            if status != COMPILED:
                return Compiled(status if status in (TIMEOUT, MEMORY) else ERROR, self._text())
            return Compiled(COMPILED, "", self._text(), self._bytes(self._number(_MAX_JAR)))
        except (OSError, ValueError, UnitGone) as error:
            self.close()
            raise UnitGone(str(error) or "the compiler ended") from None

    def _number(self, most: int = 1 << 30) -> int:
        (number,) = struct.unpack(">i", self._bytes(4))
        if not 0 <= number <= most:
            raise UnitGone(f"not a number it may send: {number}")
        return int(number)

    def _text(self) -> str:
        return self._bytes(self._number(_MAX_TEXT)).decode("utf-8", "replace")

    def _bytes(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._control.recv(min(size, 1 << 20))
            if not part:
                raise UnitGone("the compiler ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

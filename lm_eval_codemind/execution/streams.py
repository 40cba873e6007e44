"""A program's standard streams: memory files that the checker makes, hands over and reads.

They pass through the candidate's server as descriptors only. What a program reads and prints, which often is the
expected output, so never lies in the memory of the process that the next program is forked from.
"""

from __future__ import annotations

import fcntl
import os

# What is written once can't be changed: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE.
_SEALS = 0x0001 | 0x0002 | 0x0004 | 0x0008


class Streams:
    """The standard input, output and errors of one program.

    Args:
        text: The standard input; None for an empty one.

    Attributes:
        output: Descriptor of what the program prints.
        errors: Descriptor of what it writes to standard error.
    """

    def __init__(self, text: str | None) -> None:
        self.output = os.memfd_create("stdout", os.MFD_CLOEXEC)
        self.errors = os.memfd_create("stderr", os.MFD_CLOEXEC)
        self._input = -1
        if text is not None:
            self._input = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            view = memoryview(text.encode("utf-8", "surrogateescape"))
            while view:
                view = view[os.write(self._input, view) :]
            os.lseek(self._input, 0, os.SEEK_SET)
            fcntl.fcntl(self._input, fcntl.F_ADD_SEALS, _SEALS)

    def to_send(self) -> list[int]:
        """Return the descriptors for the program's server: output, errors and, where there is one, the input."""
        return [self.output, self.errors, *([self._input] if self._input >= 0 else [])]

    def sent(self) -> None:
        """Close what only the program needs."""
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def take(self, limit: int) -> dict[str, list[object]]:
        """Return each stream's size in bytes and its text up to a limit (as latin-1, which keeps every byte); close it.

        The program must be gone.
        """
        return {"stdout": _take(self.output, limit), "stderr": _take(self.errors, limit)}


def _take(descriptor: int, limit: int) -> list[object]:
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, min(size, limit), 0).decode("latin-1") if size else ""
    os.close(descriptor)
    return [size, text]

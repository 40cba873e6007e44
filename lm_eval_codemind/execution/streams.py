"""A program's standard streams: memory files that the checker makes, hands over and reads.

They pass through the candidate's server as descriptors only. What a program reads and prints, which often is the
expected output, so never lies in the memory of the process that the next program is forked from.
"""

import fcntl
import os

from .wire import write_all

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
        self._inputs: list[int] = []
        if text is not None:
            made = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            write_all(made, text.encode("utf-8", "surrogateescape"))
            os.lseek(made, 0, os.SEEK_SET)
            fcntl.fcntl(made, fcntl.F_ADD_SEALS, _SEALS)
            self._inputs.append(made)

    def to_send(self) -> list[int]:
        """Return the descriptors for the program's server: output, errors and, where there is one, the input."""
        return [self.output, self.errors, *self._inputs]

    def sent(self) -> None:
        """Close what only the program needs."""
        while self._inputs:
            os.close(self._inputs.pop())

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


def printed_lines(text: str) -> list[str]:
    """Return the lines of an output as they are compared.

    ``answers/lines.py`` defines them in the same way. The sandbox's processes see this directory only.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines

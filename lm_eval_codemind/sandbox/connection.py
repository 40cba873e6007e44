"""The checker's connection to one program's process: its streams, a request, an answer, and the end."""

import contextlib
import fcntl
import os
import secrets
import select
import signal
from typing import Any

from . import wire

# What is written once can't be changed: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE.
_SEALS = 0x0001 | 0x0002 | 0x0004 | 0x0008


class ProgramGone(Exception):
    """The program's process ended, or broke the protocol."""


class Raised(Exception):
    """The program raised an exception, which :func:`.suites.describe` described."""

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described["type"], described["message"])
        self.described = described


class Streams:
    """A program's standard streams: memory files that the checker makes, hands over and reads.

    They pass through the candidate's server as descriptors only. What a program reads and prints, which often is the
    expected output, so never lies in the memory of the process that the next program is forked from. ``descriptors``
    are output, errors and, where there is a text, the input.
    """

    def __init__(self, text: str | None) -> None:
        self.descriptors = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("stdout", "stderr")]
        if text is not None:
            file = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            wire.write_all(file, text.encode("utf-8", "surrogateescape"))
            os.lseek(file, 0, os.SEEK_SET)
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
            self.descriptors.append(file)

    def sent(self) -> None:
        """Close what only the program needs."""
        for descriptor in self.descriptors[2:]:
            os.close(descriptor)
        del self.descriptors[2:]

    def take(self, limit: int) -> dict[str, list[object]]:
        """Return each stream's size in bytes and its text up to a limit (as latin-1, which keeps every byte); close it.

        The program must be gone.
        """
        texts: dict[str, list[object]] = {}
        for name, descriptor in zip(("stdout", "stderr"), self.descriptors, strict=True):
            size = os.fstat(descriptor).st_size
            texts[name] = [size, os.pread(descriptor, min(size, limit), 0).decode("latin-1") if size else ""]
            os.close(descriptor)
        return texts


class Connection:
    """A pipe for requests, and a pipe or a memory file for answers.

    ``printed`` counts the bytes of standard output that the program says it has printed so far; ``stdout`` is what it
    printed, once it has ended.
    """

    def __init__(self, replies: int, requests: int, streams: Streams, zygote: int, limit: int) -> None:
        self._replies, self._requests = replies, requests
        self._streams = streams
        self._zygote = zygote
        self._limit = limit
        self._gone = self._collects = False
        self.printed = 0
        self.stdout = b""

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            Raised: If the program raised.
            ProgramGone: If there is no answer, or it is malformed.
            wire.MessageTooLong: If the answer is longer than the limit of output.
        """
        try:
            wire.send(self._requests, request)
            reply: dict[str, Any] = wire.receive(self._replies, self._limit)
            if type(reply) is not dict:
                raise ProgramGone("malformed answer")
            raised = checked(reply["raised"]) if "raised" in reply else None
        except (wire.MessageTooLong, ProgramGone):
            raise
        except Exception as error:
            self._gone = isinstance(error, EOFError | OSError)
            raise ProgramGone(str(error)) from None
        printed = reply.get("out")
        if type(printed) is int and printed >= self.printed:
            self.printed = printed
        if raised is not None:
            raise Raised(raised)
        return reply

    def collect(self, request: dict[str, Any]) -> None:
        """Send a request whose answers the program writes into the memory file, and wait for the program's end."""
        self._collects = True
        with contextlib.suppress(OSError):
            wire.send(self._requests, request)
            poller = select.poll()
            # The other end is closed.
            poller.register(self._requests, select.POLLERR)
            poller.poll()
        self._gone = True

    def collected(self) -> bytes:
        """Return what the program, which has ended, wrote into the memory file, and close it."""
        with open(self._replies, "rb") as file:
            file.seek(0)
            return file.read()

    def end(self) -> dict[str, Any]:
        """End the program's process and return its server's report."""
        # The server must repeat this word. It is chosen only now, so that the program cannot know it.
        word = secrets.token_hex(16)
        wire.send(self._zygote, {"gone": self._gone, "word": word})
        os.close(self._requests)
        if not self._collects:
            os.close(self._replies)
        report: dict[str, Any] = wire.receive(self._zygote)
        if report.get("word") != word:
            raise SystemExit("this report is not from the program's server")
        return {**report, **self._streams.take(self._limit)}


def checked(described: Any) -> dict[str, Any]:
    """Return a description of an exception that is safe to read: the program wrote it."""
    if type(described) is not dict:
        raise ProgramGone("malformed answer")
    bases = described.get("bases")
    return {
        "type": str(described.get("type", "Exception"))[:200],
        "bases": [str(base)[:200] for base in bases[:50]] if type(bases) is list else [],
        "message": str(described.get("message", ""))[:4000],
        "errno": described.get("errno"),
    }


def classify(described: dict[str, Any]) -> dict[str, Any]:
    """Return the status that an exception of the program means, with its type and text."""
    bases = described["bases"]
    status = "error"
    if "MemoryError" in bases:
        status = "memory"
    elif "PermissionError" in bases and described["errno"] == 1:
        status = "blocked"
    elif "OSError" in bases and described["errno"] == 27:
        status = "output"
    return {"status": status, "exception_type": described["type"], "exception_message": described["message"]}


def ending(report: dict[str, Any]) -> dict[str, Any]:
    """Return the status of a process that ended early, with a message, by its server's report."""
    number = report["signal"]
    timeout = {"cpu": "processor time used up", "wall": "elapsed time used up", "gone": "elapsed time used up"}
    if report["reason"] in timeout:
        status, message = "timeout", timeout[report["reason"]]
    elif report["reason"] == "memory":
        status, message = "memory", "used more memory than allowed"
    elif report["reason"] == "output" or number == signal.SIGXFSZ:
        status, message = "output", "wrote more than allowed"
    elif number in (signal.SIGXCPU, signal.SIGKILL) and report["cpu"] > 1:
        status, message = "timeout", timeout["cpu"]
    elif number == signal.SIGSYS:
        status, message = "blocked", "made a system call that is not allowed"
    elif number is not None:
        status, message = "crashed", f"died of {signal.Signals(number).name}"
    elif report["exit"] is None:
        status, message = "crashed", "the program broke off the connection to the checker"
    else:
        status, message = "error", f"exited with status {report['exit']} before the checks ended"
    return {"status": status, "exception_type": "", "exception_message": message}

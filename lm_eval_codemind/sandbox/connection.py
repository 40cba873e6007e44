"""One program's process, as the checker sees it: what it gets, what it leaves, and how it ended."""

import contextlib
import fcntl
import os
import secrets
import select
import signal
import socket
from collections.abc import Callable, Sequence
from typing import Any

from . import wire
from .suites import MOST_TEXT

# What is written once can't be changed: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE.
_MARGIN_BYTES = 64
_SEALS = 0x0001 | 0x0002 | 0x0004 | 0x0008


def memory_file(name: str, data: bytes = b"", sealed: bool = False) -> int:
    """Return the descriptor of a new file in memory; nobody can change one that is sealed."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    wire.write_all(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    if sealed:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    return descriptor


def run(
    zygote: socket.socket,
    limits: dict[str, Any],
    request: dict[str, Any],
    inputs: Sequence[str] = (),
    steps: str = "null",
    parts: Sequence[tuple[int, str]] = (),
    goes_on: Callable[[dict[str, bytes]], bool] | None = None,
) -> dict[str, Any]:
    """Run a program's process to its end, and return its server's report.

    The process gets one request, by a pipe, with the first part of a list's steps, as JSON. The other ``parts`` follow,
    each with how many answers must be there before: what has been answered by then the program can't change. Where
    there are several inputs, ``goes_on`` decides after each whether the program runs on the next, by the answers and
    what is printed. All else are memory files made here: its inputs, and ``answers``, ``stdout`` and ``stderr``, of
    which the report has so many bytes as the limits allow. They pass through the server as descriptors only. So what
    a program reads and prints, which often is the expected output, never lies in the memory of the process that the
    next program is forked from.
    """
    files = {name: os.memfd_create(name, os.MFD_CLOEXEC) for name in ("answers", "stdout", "stderr")}
    is_talk = parts or goes_on
    read_end, write_end = (end.detach() for end in socket.socketpair()) if is_talk else os.pipe()
    most = request["limit"] + _MARGIN_BYTES

    def content(name: str, start: int = 0) -> bytes:
        size = min(os.fstat(files[name]).st_size, most)
        return os.pread(files[name], max(0, size - start), start)

    fixed, answered = bytearray(), 0
    handed = [read_end, *files.values()]
    handed += [memory_file("stdin", text.encode("utf-8", "surrogateescape"), sealed=True) for text in inputs]
    socket.send_fds(zygote, [wire.packed_message(limits)], handed)
    for descriptor in handed[:1] + handed[4:]:
        os.close(descriptor)
    with contextlib.suppress(OSError):
        wire.write_all(write_end, wire.with_item(request, "steps", steps))
        for count, part in parts:
            # The program asks for more, or is gone.
            if not os.read(write_end, 1):
                break
            more = content("answers", len(fixed))
            fixed += more
            answered += more.count(b"\n")
            if answered < count:
                break
            wire.write_all(write_end, f"{part}\n".encode("ascii"))
        while goes_on is not None and os.read(write_end, 1):
            wire.send(write_end, goes_on({name: content(name) for name in files}))
        poller = select.poll()
        # The other end is closed.
        poller.register(write_end, select.POLLERR)
        poller.poll()
    os.close(write_end)
    # The server must repeat this word. It is chosen only now, so that the program cannot know it.
    word = secrets.token_hex(16)
    wire.send(zygote.fileno(), word)
    report: dict[str, Any] = wire.receive(zygote.fileno())
    if report.get("word") != word:
        raise SystemExit("this report is not from the program's server")
    for name, descriptor in files.items():
        report[name] = content(name)
        os.close(descriptor)
    report["answers"] = bytes(fixed) + report["answers"][len(fixed) :]
    return report


def checked(described: Any) -> dict[str, Any]:
    """Return a description of an exception that is safe to read: the program wrote it."""
    described = described if type(described) is dict else {}
    bases, number = described.get("bases"), described.get("errno")
    return {
        "type": text_of(described.get("type", "Exception"))[:200],
        "bases": [text_of(base)[:200] for base in bases[:50]] if type(bases) is list else [],
        "message": text_of(described.get("message")),
        "errno": number if type(number) is int else None,
    }


def text_of(value: Any) -> str:
    """Return a text that a program wrote, of bounded length; an empty one if it is something else."""
    return value[:MOST_TEXT] if type(value) is str else ""


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
    else:
        status, message = "error", f"exited with status {report['exit']} before the checks ended"
    return {"status": status, "exception_type": "", "exception_message": message}

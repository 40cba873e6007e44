"""Messages between processes: a length and a JSON text, over a descriptor of a pipe or stream socket.

JSON, never pickle: what a program sends is then plain values for every reader. Descriptors rather than
socket objects, whose making and use costs more than the transfer.
"""

import json
import os
import struct
from typing import Any

_LENGTH = struct.Struct(">I")
_encode = json.JSONEncoder().encode
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
MAX_MESSAGE_BYTES = 256 << 20


class WireError(Exception):
    """The other side sent what isn't a message."""


def packed_message(message: Any) -> bytes:
    """Return a message made of plain values as the bytes to send."""
    body = _encode(message).encode("ascii")
    return _LENGTH.pack(len(body)) + body


def send(descriptor: int, message: Any) -> None:
    """Send a message made of plain values; an OSError if the other side is gone."""
    write_all(descriptor, packed_message(message))


def write_all(descriptor: int, data: bytes) -> None:
    """Write bytes, such as what :func:`packed_message` returned, to the last one."""
    sent = os.write(descriptor, data)
    while sent < len(data):
        sent += os.write(descriptor, memoryview(data)[sent:])


def receive(descriptor: int) -> Any:
    """Return the next message.

    Raises:
        EOFError, OSError: If the other side closed, also in mid-message, or reading failed.
        WireError: If it is too long, or not JSON.
    """
    return rest(descriptor, os.read(descriptor, 8192))


def rest(descriptor: int, first: bytes) -> Any:
    """Return the message whose first bytes are already read; see :func:`receive`."""
    if not first:
        raise EOFError
    while len(first) < _LENGTH.size:
        first += _read(descriptor, _LENGTH.size - len(first))
    (length,) = _LENGTH.unpack_from(first)
    if length > MAX_MESSAGE_BYTES:
        raise WireError(f"a message of {length} bytes")
    parts = [first[_LENGTH.size :]]
    missing = length - len(parts[0])
    if missing < 0:
        # Each side waits for an answer before it speaks again, so that more than one message is a violation.
        raise WireError(f"{-missing} bytes after a message of {length}")
    while missing:
        parts.append(_read(descriptor, missing))
        missing -= len(parts[-1])
    try:
        text = b"".join(parts).decode("ascii")
        message, end = _scan(text, 0)
    except (ValueError, RecursionError, StopIteration) as error:
        raise WireError(f"not a message: {error}") from None
    if end != len(text):
        raise WireError("not a message: more than one value")
    return message


def _read(descriptor: int, size: int) -> bytes:
    part = os.read(descriptor, min(size, 1 << 20))
    if not part:
        raise EOFError
    return part

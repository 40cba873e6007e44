"""Messages between processes: a line of JSON, over a descriptor of a pipe or stream socket.

JSON, never pickle: what a program sends is then plain values for every reader. Descriptors rather than
socket objects, whose making and use costs more than the transfer.
"""

import json
import os
from typing import Any

_encode = json.JSONEncoder().encode
_decode = json.JSONDecoder().decode
MAX_MESSAGE_BYTES = 256 << 20


class WireError(Exception):
    """The other side sent what isn't a message."""


def packed_message(message: Any) -> bytes:
    """Return a message made of plain values as the bytes to send."""
    return _encode(message).encode("ascii") + b"\n"


def with_item(message: dict[str, Any], name: str, text: str) -> bytes:
    """Return a message that has one more item, whose value is JSON already: a long one is not written twice."""
    return f"{_encode(message)[:-1]}, {_encode(name)}: {text}}}\n".encode("ascii")


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

    EOFError or OSError if the other side closed, also in mid-message. WireError if it is too long, or not one JSON
    value.
    """
    return rest(descriptor, os.read(descriptor, 8192))


def rest(descriptor: int, first: bytes) -> Any:
    """Return the message whose first bytes are already read; see :func:`receive`."""
    parts, size = [first], len(first)
    while not parts[-1].endswith(b"\n"):
        if not parts[-1]:
            raise EOFError
        if size > MAX_MESSAGE_BYTES:
            raise WireError("too long a message")
        parts.append(os.read(descriptor, 1 << 20))
        size += len(parts[-1])
    # Each side waits for an answer before it speaks again, so that more than one message is a violation.
    try:
        return _decode(b"".join(parts).decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a message: {error}") from None

"""Messages between processes: a length and a JSON text, over a stream socket.

JSON, never pickle: what a program sends can then be nothing but plain values, whoever reads it.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct(">I")
MAX_MESSAGE_BYTES = 256 << 20


class WireError(Exception):
    """The other side sent what isn't a message."""


class MessageTooLong(WireError):
    """The other side announced a message above the limit."""


def send(connection: socket.socket, message: Any) -> None:
    """Send a message made of plain values.

    Raises:
        OSError: If the other side is gone.
    """
    body = json.dumps(message).encode("ascii")
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: socket.socket, limit: int = MAX_MESSAGE_BYTES) -> Any:
    """Return the next message.

    Args:
        connection: A stream socket.
        limit: The longest message to take, in bytes.

    Raises:
        EOFError: If the other side closed, also in mid-message.
        MessageTooLong: If the message is longer than the limit.
        WireError: If it isn't JSON.
        OSError: If the socket failed.
    """
    first = connection.recv(65536)
    if not first:
        raise EOFError
    while len(first) < _LENGTH.size:
        first += _receive_some(connection, _LENGTH.size - len(first))
    (length,) = _LENGTH.unpack_from(first)
    if length > limit:
        raise MessageTooLong(f"a message of {length} bytes, limit {limit}")
    body = first[_LENGTH.size :]
    if len(body) < length:
        parts = [body]
        missing = length - len(body)
        while missing:
            part = _receive_some(connection, missing)
            parts.append(part)
            missing -= len(part)
        body = b"".join(parts)
    elif len(body) > length:
        # Each side waits for an answer before it speaks again, so that more than one message is a violation.
        raise WireError(f"{len(body) - length} bytes after a message of {length}")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a message: {error}") from None


def _receive_some(connection: socket.socket, size: int) -> bytes:
    part = connection.recv(min(size, 1 << 20))
    if not part:
        raise EOFError
    return part

"""A local server with the part of OpenAI's chat completions that the harness uses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answers = Callable[[list[dict[str, str]]], str]


@dataclass
class ChatServer:
    """A running server.

    Attributes:
        url: Of the chat completions.
        requests: The bodies of the requests so far.
    """

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def chat_server(answer: Answers) -> Iterator[ChatServer]:
    """Give a server on this machine that answers the messages of each request by a function."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(body)
            message = {"role": "assistant", "content": answer(body["messages"])}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"completion_tokens": len(message["content"].split())}
            reply = json.dumps({"choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ChatServer(f"http://127.0.0.1:{httpd.server_address[1]}/v1/chat/completions")
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        httpd.shutdown()
        httpd.server_close()

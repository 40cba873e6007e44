"""A local server with the part of OpenAI's chat completions that the harness uses."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, str]]
Answers = Callable[[Messages], Any]


def target_of(documents: Iterable[Mapping[str, Any]], default: str | None = None) -> Callable[[Messages], str]:
    """Return a function that answers a prompt of one of some documents right, and others with a default."""
    # Prompts that end alike belong to one problem; the longest one that fits is meant.
    targets = sorted(((one["prompt"], one["target"]) for one in documents), key=lambda one: -len(one[0]))

    def answer(messages: Messages) -> str:
        fitting = (target for prompt, target in targets if messages[-1]["content"].endswith(prompt))
        return str(next(fitting) if default is None else next(fitting, default))

    return answer


@dataclass(frozen=True)
class Raw:
    """A reply that is sent as it is: its status and its body; a text that is not JSON is sent unchanged."""

    body: Any
    status: int = 200


@dataclass
class ChatServer:
    """A running server.

    Attributes:
        url: Of the chat completions.
        requests: The bodies of the requests so far.
    """

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)


def completion(content: Any, **message: Any) -> dict[str, Any]:
    """Return a chat completion with a content and other fields of its message. Tokens are words."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}
    tokens = len(content.split()) if isinstance(content, str) else 0
    return {"choices": [choice], "usage": {"completion_tokens": tokens}}


@contextmanager
def chat_server(answer: Answers) -> Iterator[ChatServer]:
    """Give a server on this machine that answers the messages of each request by a function.

    The function returns the content of the reply's message, or a :class:`Raw` reply.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(body)
            content = answer(body["messages"])
            raw = content if isinstance(content, Raw) else Raw(completion(content))
            reply = (raw.body if isinstance(raw.body, str) else json.dumps(raw.body)).encode()
            self.send_response(raw.status)
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

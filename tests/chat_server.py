"""A local server with the part of OpenAI's chat completions that the harness uses."""

import json
import threading
import time
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

    @property
    def completions(self) -> str:
        """Of the completions, which take several prompts."""
        return self.url.replace("/chat/", "/")


def completion(content: Any, **message: Any) -> dict[str, Any]:
    """Return a chat completion with a content and other fields of its message. Tokens are words."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}
    tokens = len(content.split()) if isinstance(content, str) else 0
    return {"choices": [choice], "usage": {"completion_tokens": tokens}}


def completions(contents: Iterable[Any]) -> dict[str, Any]:
    """Return the completions of several prompts."""
    choices = [{"index": k, "text": text, "finish_reason": "stop"} for k, text in enumerate(contents)]
    return {"object": "text_completion", "choices": choices, "usage": {"completion_tokens": 9}}


@contextmanager
def chat_server(answer: Answers, shaped: Callable[[dict[str, Any]], Any] = lambda body: body) -> Iterator[ChatServer]:
    """Give a server on this machine that answers the messages of each request by a function.

    The function returns the content of the reply's message, or a :class:`Raw` reply. A prompt of a completion is one
    message. What is sent is what ``shaped`` makes of the body with the answers.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(body)
            if "messages" in body:
                content = answer(body["messages"])
                reply = content if isinstance(content, Raw) else shaped(completion(content))
            else:
                prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
                contents = [answer([{"role": "user", "content": prompt}]) for prompt in prompts]
                raws = [content for content in contents if isinstance(content, Raw)]
                reply = raws[0] if raws else shaped(completions(contents))
            self.send(reply if isinstance(reply, Raw) else Raw(reply))

        def send(self, raw: Raw) -> None:
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
    threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        httpd.shutdown()
        httpd.server_close()


# -- shapes: what becomes of a body with right answers


@dataclass(frozen=True)
class Shape:
    """A form in which an endpoint sends its answers.

    Attributes:
        change: Body with the answers -> what is sent.
        reading: What becomes of them: ``right``, ``empty`` or ``failed``.
        batch: The same for a request with several prompts.
    """

    change: Callable[[dict[str, Any]], Any]
    reading: str
    batch: str

    @classmethod
    def of(cls, change: Callable[[dict[str, Any]], Any], reading: str, batch: str = "") -> "Shape":
        return cls(change, reading, batch or reading)


def content(change: Callable[[str], Any]) -> Callable[[dict[str, Any]], Any]:
    """Return the change of a body in which each content, of a message or a completion, is another."""

    def changed(choice: dict[str, Any]) -> dict[str, Any]:
        if "text" in choice:
            return {**choice, "text": change(choice["text"])}
        return {**choice, "message": {**choice["message"], "content": change(choice["message"]["content"])}}

    return choices(changed)


def choices(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Return the change of a body in which each choice is another."""
    return lambda body: {**body, "choices": [change(choice) for choice in body["choices"]]}


def text_in(choice: dict[str, Any]) -> str:
    return str(choice["text"] if "text" in choice else choice["message"]["content"])


def without_text(choice: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"index": choice["index"], "finish_reason": "stop", **fields}


def numbered(*indices: Any) -> Callable[[dict[str, Any]], Any]:
    """Return the change of a body in which a choice with a wrong answer follows, and the choices have these indices."""

    def changed(body: dict[str, Any]) -> dict[str, Any]:
        wrong = content(lambda text: "<output>wrong</output>")({"choices": body["choices"][:1]})["choices"]
        choices = [*body["choices"], *wrong]
        numbers = [*indices[:1] * len(body["choices"]), indices[1]]
        return {**body, "choices": [{**choice, "index": n} for choice, n in zip(choices, numbers, strict=True)]}

    return changed


def second_broken(body: dict[str, Any]) -> dict[str, Any]:
    first, *others = body["choices"]
    others = [without_text(choice, error={"code": 502}) for choice in others[:1]] + others[1:]
    return {**body, "choices": [first, *others]}


def last_missing(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "choices": body["choices"][:-1] or body["choices"]}


def late(body: dict[str, Any]) -> dict[str, Any]:
    time.sleep(0.05)
    return body


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def thought(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [part(text)]}


ERROR = {"error": {"message": "overloaded", "code": 503}}
SHAPES: dict[str, Shape] = {
    "usual": Shape.of(lambda body: body, "right"),
    "parts": Shape.of(content(lambda right: [thought("hm"), part(right)]), "right"),
    "several text parts": Shape.of(content(lambda right: [part(right[:5]), part(right[5:])]), "right"),
    "one part": Shape.of(content(part), "right"),
    "only thoughts": Shape.of(content(lambda right: [thought(right)]), "failed"),
    "only thoughts before the limit": Shape.of(
        choices(
            lambda choice: without_text(choice, message={"content": [thought(text_in(choice))]}, finish_reason="length")
        ),
        "empty",
    ),
    "parts without text": Shape.of(content(lambda right: [{"type": "image_url", "image_url": right}]), "failed"),
    "no parts": Shape.of(content(lambda right: []), "failed"),
    "object": Shape.of(content(lambda right: {"answer": right}), "failed"),
    "number": Shape.of(content(lambda right: 55), "failed"),
    "null": Shape.of(content(lambda right: None), "empty"),
    "empty": Shape.of(content(lambda right: ""), "empty"),
    "missing content": Shape.of(choices(lambda choice: without_text(choice, message={})), "failed"),
    "missing message": Shape.of(choices(without_text), "failed"),
    "nothing before the limit": Shape.of(
        choices(lambda choice: without_text(choice, message={"role": "assistant"}, finish_reason="length")), "empty"
    ),
    "tool calls": Shape.of(
        choices(lambda choice: without_text(choice, message={"content": None, "tool_calls": [{"id": "f"}]})), "empty"
    ),
    "a chat's text": Shape.of(choices(lambda choice: without_text(choice, text=text_in(choice))), "right"),
    "a completion's message": Shape.of(
        choices(lambda choice: without_text(choice, message={"content": text_in(choice)})), "right"
    ),
    "delta": Shape.of(choices(lambda choice: without_text(choice, delta={"content": text_in(choice)})), "right"),
    "message a text": Shape.of(choices(lambda choice: without_text(choice, message=text_in(choice))), "right"),
    "message a number": Shape.of(choices(lambda choice: without_text(choice, message=55)), "failed"),
    "two choices": Shape.of(numbered(0, 1), "right", "failed"),
    "two choices, the second first": Shape.of(
        lambda body: {**body, "choices": numbered(0, 1)(body)["choices"][::-1]}, "right", "failed"
    ),
    "duplicated index": Shape.of(numbered(0, 0), "right", "failed"),
    "index out of range": Shape.of(numbered(7, 9), "right", "failed"),
    "another order": Shape.of(lambda body: {**body, "choices": body["choices"][::-1]}, "right"),
    "no index": Shape.of(
        choices(lambda choice: {name: value for name, value in choice.items() if name != "index"}), "right", "failed"
    ),
    "index from 1": Shape.of(choices(lambda choice: {**choice, "index": choice["index"] + 1}), "right", "failed"),
    "index a text": Shape.of(choices(lambda choice: {**choice, "index": str(choice["index"])}), "right", "failed"),
    "a list of one body": Shape.of(lambda body: [body], "right"),
    "reasoning in a field": Shape.of(choices(lambda choice: {**choice, "reasoning_content": "wrong"}), "right"),
    "usage as a list": Shape.of(lambda body: {**body, "usage": [1, 2]}, "right"),
    "1 MB": Shape.of(content(lambda right: "x " * 500_000 + right), "right"),
    "late": Shape.of(late, "right"),
    "no choices": Shape.of(lambda body: {"choices": []}, "failed"),
    "choices null": Shape.of(lambda body: {"choices": None}, "failed"),
    "error with status 200": Shape.of(lambda body: ERROR, "failed"),
    "error in a choice": Shape.of(
        choices(lambda choice: without_text(choice, **ERROR, message={"content": ""}, finish_reason="error")), "failed"
    ),
    "error as the end": Shape.of(choices(lambda choice: {**choice, "finish_reason": "error"}), "failed"),
    "detail": Shape.of(lambda body: {"detail": "out of credits"}, "failed"),
    "an object of errors": Shape.of(lambda body: {"object": "error", "message": "no such model"}, "failed"),
    "400": Shape.of(lambda body: Raw(ERROR, 400), "failed"),
    "429": Shape.of(lambda body: Raw(ERROR, 429), "failed"),
    "500": Shape.of(lambda body: Raw(ERROR, 500), "failed"),
    "broken body": Shape.of(lambda body: Raw('{"choices": [{"index"'), "failed"),
    "empty stream": Shape.of(lambda body: Raw(""), "failed"),
    "body twice": Shape.of(lambda body: Raw(2 * json.dumps(body)), "failed"),
    "a list as body": Shape.of(lambda body: [1], "failed"),
    # Of several prompts, some have an answer.
    "second broken": Shape.of(second_broken, "right", "second"),
    "last missing": Shape.of(last_missing, "right", "last"),
}

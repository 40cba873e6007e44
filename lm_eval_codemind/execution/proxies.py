"""The checker's view of the candidate: stand-ins that carry calls over and take plain values back."""

from __future__ import annotations

import builtins
import dis
import importlib
import socket
from collections.abc import Callable
from types import CodeType
from typing import Any

from . import values, wire


class CandidateGone(BaseException):
    """The candidate's process ended, or broke off, before the checks did. Not for the tests to catch."""


class Missing(Exception):
    """The program doesn't define its entry point."""


class Raised(Exception):
    """The program raised while it ran or was called.

    Attributes:
        described: What :func:`agent.describe_exception` said.
    """

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described["type"], described["message"])
        self.described = described
        self.from_candidate = described


class Opaque:
    """An object of the program that has no plain form and of which only that is known."""


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


class Candidate:
    """The connection to one candidate's process.

    Attributes:
        printed: Bytes of standard output the program says it has printed so far.
        stdout: What it printed, once it has ended.
    """

    def __init__(self, channel: socket.socket, zygote: socket.socket, limit: int) -> None:
        self._channel = channel
        self._zygote = zygote
        self._limit = limit
        self.printed = 0
        self.stdout = b""

    def ask(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request.

        Raises:
            Raised: If the program raised.
            CandidateGone: If there is no answer, or it isn't one.
            wire.MessageTooLong: If the answer is above the limit of output.
        """
        try:
            wire.send(self._channel, request)
            reply = wire.receive(self._channel, self._limit)
        except wire.MessageTooLong:
            raise
        except (EOFError, OSError, wire.WireError) as error:
            raise CandidateGone(str(error)) from None
        if type(reply) is not dict:
            raise CandidateGone("an answer that is none")
        printed = reply.get("out")
        if type(printed) is int and printed >= self.printed:
            self.printed = printed
        if "raised" in reply:
            raise Raised(_checked(reply["raised"]))
        if "value" not in reply:
            raise CandidateGone("an answer that is none")
        return reply["value"]

    def load(self, program: str, names: list[str]) -> dict[str, Any]:
        """Run the program and return what it defines of some names: values, or stand-ins of functions and classes."""
        found = self.ask({"op": "load", "program": program, "names": names})
        if type(found) is not dict or not found.keys() <= set(names):
            raise CandidateGone("an answer that is none")
        return {name: self.decode(found[name]) for name in found}

    def decode(self, data: Any) -> Any:
        """Return an answer's value, with stand-ins for objects that stay with the program."""
        try:
            return values.decode(data, self.stand_in)
        except ValueError as error:
            raise CandidateGone(str(error)) from None

    def stand_in(self, body: Any) -> Any:
        """Return what represents an object of the program here."""
        if "module" in body:
            return importlib.import_module(str(body["module"]))
        return Function(self, body["id"], str(body.get("class") or body["type"]))

    def end(self) -> dict[str, Any]:
        """End the candidate's process and return its server's report."""
        wire.send(self._zygote, {"end": True})
        self._channel.close()
        report: dict[str, Any] = wire.receive(self._zygote)
        return report


def _checked(described: Any) -> dict[str, Any]:
    """Return a description of an exception, made safe to read: the program wrote it."""
    if type(described) is not dict:
        raise CandidateGone("an answer that is none")
    bases = described.get("bases")
    return {
        **described,
        "type": str(described.get("type", "Exception"))[:200],
        "module": str(described.get("module", "")),
        "bases": [str(base) for base in bases] if type(bases) is list else [],
        "message": str(described.get("message", ""))[:4000],
        "errno": described.get("errno"),
    }


def exception_of(raised: Raised) -> BaseException:
    """Return the exception to raise in the tests for one that the program raised, of the same built-in type."""
    described = raised.described
    base: type[BaseException] = Exception
    for name in described["bases"]:
        known = getattr(builtins, name, None)
        if isinstance(known, type) and issubclass(known, Exception):
            base = known
            break
    try:
        arguments = values.decode(described.get("arguments"))
        error = base(*arguments) if type(arguments) is list else base(described["message"])
    except Exception:
        error = Exception(described["message"])
    error.from_candidate = described  # type: ignore[attr-defined]
    return error


class Function:
    """A function of the program: calling it calls the program and returns a plain value."""

    def __init__(self, candidate: Candidate, number: int, name: str) -> None:
        self._candidate = candidate
        self._number = number
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        encoded = [values.encode(item, self._refer) for item in args]
        request: dict[str, Any] = {"op": "call", "id": self._number, "args": encoded}
        if kwargs:
            request["kwargs"] = {name: values.encode(item, self._refer) for name, item in kwargs.items()}
        try:
            reply = self._candidate.ask(request)
        except Raised as raised:
            raise exception_of(raised) from None
        if type(reply) is not dict or "result" not in reply:
            raise CandidateGone("an answer that is none")
        if "changed" in reply:
            self._change(args, reply["changed"])
        same = reply.get("same")
        if type(same) is int and 0 <= same < len(args):
            return args[same]
        return self._candidate.decode(reply["result"])

    def _change(self, args: tuple[Any, ...], changed: Any) -> None:
        """Make arguments that the program changed in place what they are now."""
        try:
            for index, data in changed.items():
                replace_content(args[int(index)], self._candidate.decode(data))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise CandidateGone(str(error)) from None

    @staticmethod
    def _refer(value: Any) -> Any:
        if isinstance(value, Function):
            return {"object": {"id": value._number}}
        raise values.Unencodable(f"an argument of type {type(value).__name__}")


def replace_content(target: Any, content: Any) -> None:
    """Give a mutable container the content of another of its type; leave anything else alone."""
    if type(target) is not type(content):
        return
    if isinstance(target, list | bytearray):
        target[:] = content
    elif isinstance(target, dict | set):
        target.clear()
        target.update(content)
    elif hasattr(target, "extend") and hasattr(target, "clear"):
        target.clear()
        target.extend(content)


def global_names(code: CodeType) -> set[str]:
    """Return every name that code, or code inside it, might look up globally, and some that it doesn't."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= global_names(constant)
    return names


def names_loaded(code: CodeType) -> set[str]:
    """Return the names that code, or code inside it, looks up globally."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= names_loaded(constant)
    return names


Reference = Callable[[Any], Any]

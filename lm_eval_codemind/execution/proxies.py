"""The connection to one candidate's process: requests, answers, and what becomes of both in the checker."""

from __future__ import annotations

import builtins
import importlib
import os
import re
import secrets
import sys
import types
from collections.abc import Callable
from typing import Any

from . import aliases, placement, stand_ins, values, wire
from .aliases import Foreign
from .stand_ins import StandIn, handle_of
from .streams import Streams

__all__ = ["CandidateGone", "Connection", "Foreign", "Missing", "Raised", "classify"]

# Where tests' own code is; what calls the program from elsewhere is a library that the tests use.
_TEST_FILES = ("tests.py", "support.py")
_CALLS_FOR_TESTS = ("handle", "assertRaises", "assertRaisesRegex")


class CandidateGone(BaseException):
    """The candidate's process ended, or broke off, before the checks did. Not for the tests to catch."""


class Missing(Exception):
    """The program doesn't define its entry point."""


class Raised(Exception):
    """The program raised while it ran or was called.

    Attributes:
        described: What :func:`exceptions.describe` said.
        made: The exception as it is here, if the program described it.
    """

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described["type"], described["message"])
        self.described = described
        self.from_candidate = described
        self.made: Any = None


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


class Connection:
    """The connection to one candidate's process: a pipe for answers and one for requests.

    Attributes:
        printed: Bytes of standard output the program says it has printed so far.
        stdout: What it printed, once it has ended.
        operators: Whether operators between the program's objects and values of the tests are the program's own. Only
            where its classes are what is tested: otherwise an object it returns could agree with whatever it is
            compared to.
        relied: Whether the program has decided a comparison, or was handed what it is compared to.
        ended_by: What makes a pass impossible, whatever the tests make of it: that the process is gone, or broke the
            protocol, or that the tests need something that can't be carried.
        reading: Whether an answer is being read, so that nothing can be asked.
    """

    def __init__(self, channel: tuple[int, int], streams: Streams, zygote: int, limit: int, operators: bool) -> None:
        self._streams = streams
        self._replies, self._requests = channel
        self._zygote = zygote
        self._limit = limit
        self._stand_ins: dict[int, Any] = {}
        self._described: dict[int, Any] = {}
        self._shared = aliases.Shared(-1, stand_ins.named, self._refer, self.stand_in)
        # What the tests hold by their own doing: the entry point, what they made by it, what they handed over.
        self.trusted: set[int] = set()
        self._handed: set[int] = set()
        self._expected: set[int] | None = None
        self.operators = operators
        self.relied = False
        self.ended_by: BaseException | None = None
        self.reading = False
        self._gone = False
        self.printed = 0
        self.stdout = b""

    def ask(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request.

        Raises:
            Raised: If the program raised.
            CandidateGone: If there is no answer, or it isn't one.
            wire.MessageTooLong: If the answer is above the limit of output.
        """
        if self.ended_by is not None:
            raise self.ended_by
        try:
            if self.reading:
                raise CandidateGone("an answer that can't be read without another one")
            return self._ask(request)
        except (CandidateGone, wire.MessageTooLong) as error:
            self.ended_by = error
            raise

    def _ask(self, request: dict[str, Any]) -> Any:
        shared = self._shared
        try:
            wire.send(self._requests, request)
            reply = wire.receive(self._replies, self._limit)
        except wire.MessageTooLong:
            raise
        except (EOFError, OSError) as error:
            self._gone = True
            raise CandidateGone(str(error)) from None
        except (wire.WireError, RecursionError, ValueError) as error:
            raise CandidateGone(str(error)) from None
        if type(reply) is not dict:
            raise CandidateGone("an answer that is none")
        printed = reply.get("out")
        if type(printed) is int and printed >= self.printed:
            self.printed = printed
        self.reading = True
        try:
            for body in reply.get("objects", ()):
                self._described[body["id"]] = body
            if "content" in reply:
                shared.receive(reply["content"])
            value = reply.get("value")
            problem: Raised | None = None
            if "raised" in reply:
                problem = Raised(_checked(reply["raised"]))
                if type(problem.described["error"]) is dict:
                    problem.made = self.stand_in(problem.described["error"])
            elif "value" not in reply:
                raise CandidateGone("an answer that is none")
            elif request["op"] in ("call", "apply"):
                if type(value) is not dict or "result" not in value:
                    raise CandidateGone("an answer that is none")
                value = shared.decode(value["result"])
            if "gone" in reply:
                shared.forget(reply["gone"])
        except (ValueError, TypeError, LookupError) as error:
            raise CandidateGone(str(error)) from None
        finally:
            self.reading = False
        if problem is not None:
            raise problem
        return value

    def load(self, program: str, names: list[str], entry_point: str) -> dict[str, Any]:
        """Run the program and return what it defines of some names: values, or stand-ins of functions and classes."""
        found = self.ask({"op": "load", "program": program, "names": names})
        if type(found) is not dict or not found.keys() <= set(names):
            raise CandidateGone("an answer that is none")
        made = {}
        for name, data in found.items():
            # A name of a library's module means that module or nothing, whatever a program has under it.
            if name in placement.MODULES or name in placement.MODULE_ALIASES:
                if name != entry_point and (module := self._own_module(name, data)) is not None:
                    made[name] = module
                    continue
                if name != entry_point:
                    continue
            made[name] = self.decode(data)
        handle = handle_of(made.get(entry_point))
        if handle is not None:
            self.trusted.add(handle[1])
        elif not entry_point:
            self.trusted |= {handle[1] for item in made.values() if (handle := handle_of(item)) is not None}
        return made

    def _own_module(self, name: str, data: Any) -> Any:
        """Return this process's module for a name that is bound to it in the program, or None.

        Which module that is, the name alone decides: the program could otherwise give the tests another one.
        """
        expected = placement.MODULE_ALIASES.get(name, name)
        if type(data) is not dict or type(data.get("object")) is not dict:
            return None
        described = self._described.get(data["object"].get("id"))
        if type(described) is not dict or described.get("module") != expected:
            return None
        try:
            return importlib.import_module(expected)
        except ImportError:
            return None

    def decode(self, data: Any) -> Any:
        """Return an answer's value, with stand-ins for objects that stay with the program."""
        try:
            return self._shared.decode(data)
        except ValueError as error:
            self.ended_by = CandidateGone(str(error))
            raise self.ended_by from None

    def stand_in(self, body: Any) -> Any:
        """Return what represents an object of the program here; the same each time for the same object."""
        if type(body) is not dict:
            raise ValueError("an object without a description")
        number = body.get("id")
        if type(number) is not int:
            raise ValueError("an object without a number")
        found = self._stand_ins.get(number)
        if found is None:
            described = self._described.pop(number, None)
            if type(described) is not dict:
                raise ValueError("an object that nobody described")
            return stand_ins.make(self, number, described)
        # An object that comes back from a call though the tests don't expect it may be one for all.
        if self._expected is not None and number not in self._expected and isinstance(found, StandIn):
            self.relied = True
        return found

    def keep(self, number: int, made: Any) -> None:
        """Keep the stand-in of an object, before what it holds is decoded: that may hold the object itself."""
        self._stand_ins[number] = made

    def share(self, number: Any, made: Any, kind: str) -> None:
        """Take part in the content of an object whose class is derived from a container type."""
        self._shared.adopt(number, made, kind)

    def call(
        self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any], owner: int | None = None, makes: bool = False
    ) -> Any:
        """Call an object of the program and return its result.

        Args:
            number: The object's.
            args: Positional arguments.
            kwargs: Keyword arguments.
            owner: The number of the object whose attribute it is.
            makes: Whether it is a class, of which the tests make an object.
        """
        trusted = number in self.trusted or owner in self.trusted
        request: dict[str, Any] = {"op": "call", "id": number}

        def encode() -> None:
            request["args"] = [self._shared.encode(item) for item in args]
            if kwargs:
                request["kwargs"] = {name: self._shared.encode(item) for name, item in kwargs.items()}

        self._hand_over(request, encode, trusted)
        told = any(handle_of(item) is None for item in (*args, *kwargs.values()))
        if told and not _called_by_tests():
            self.relied = True
        before = self._stand_ins.keys() if not makes else set(self._stand_ins)
        self._expected = set() if makes else {*self._handed, -1 if owner is None else owner}
        try:
            result = self.ask_or_raise(request)
        finally:
            self._expected = None
        handle = handle_of(result)
        if makes and handle is not None:
            if handle[1] in before:
                self.relied = True
            self.trusted.add(handle[1])
        if told and not trusted and (handle is not None or _is_verdict(result)):
            # What it was handed may be what it is compared to, and this the comparison's outcome.
            self.relied = True
        return result

    def apply(self, what: str, number: int, *args: Any) -> Any:
        """Apply an operation of :data:`agent.APPLICATIONS` to an object of the program."""
        request: dict[str, Any] = {"op": "apply", "what": what, "id": number}

        def encode() -> None:
            request["args"] = [self._shared.encode(item) for item in args]

        self._hand_over(request, encode, number in self.trusted)
        return self.ask_or_raise(request)

    def _hand_over(self, request: dict[str, Any], encode: Callable[[], None], trusted: bool) -> None:
        """Complete a request by what the tests hand over, and by what they changed of what both sides have."""
        try:
            encode()
            content = self._shared.changes()
            if content:
                request["content"] = content
            gone = self._shared.release()
            if gone:
                request["gone"] = gone
        except values.Unencodable as error:
            # What the tests hand to what they test, every program is handed; what they hand to what a program gave
            # them, it may have brought about.
            problem: BaseException = error if trusted else TypeError(str(error))
            if self.ended_by is None:
                self.ended_by = problem
            raise problem from None

    def _refer(self, value: Any) -> Any:
        """Return how an object of the program, or of Python's own library, is named to the program.

        Raises:
            Foreign: If the value is an object of the tests, which only the program's own process could hold.
        """
        handle = handle_of(value)
        if handle is not None:
            self._handed.add(handle[1])
            return {"object": {"id": handle[1]}}
        place = _library_place(value)
        if place is not None:
            return {"object": {"import": place}}
        if isinstance(value, re.Pattern):
            return {"object": {"pattern": [self._shared.encode(value.pattern), value.flags]}}
        if isinstance(value, BaseException):
            arguments = [self._shared.encode(item) for item in value.args]
            return {"object": {"error": [self._refer(type(value)), arguments]}}
        raise Foreign(f"an argument of type {type(value).__name__}")

    def ask_or_raise(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request, or raise in the tests what the program raised."""
        try:
            return self.ask(request)
        except Raised as raised:
            error = self.exception_of(raised)
        raise error

    def exception_of(self, raised: Raised) -> BaseException:
        """Return the exception to raise in the tests: of the same type, or of the stand-in of its class."""
        error = raised.made
        if not isinstance(error, BaseException):
            error = exception_base(raised.described["bases"])(raised.described["message"])
        vars(error)["from_candidate"] = raised.described
        return error  # type: ignore[no-any-return]

    def end(self) -> dict[str, Any]:
        """End the candidate's process and return its server's report."""
        # Chosen only now: the program's process is a copy of its server from before.
        word = secrets.token_hex(16)
        wire.send(self._zygote, {"gone": self._gone, "word": word})
        os.close(self._requests)
        os.close(self._replies)
        report: dict[str, Any] = wire.receive(self._zygote)
        if report.get("word") != word:
            raise SystemExit("a report that isn't the candidate's server's")
        return {**report, **self._streams.take(self._limit)}


def _is_verdict(result: Any) -> bool:
    """Return whether a value says hardly more than yes or no: None, a truth value, 0, 1, -1 or nothing."""
    if type(result) in (int, float):
        return result in (0, 1, -1)
    return result is None or type(result) is bool or (hasattr(type(result), "__len__") and len(result) == 0)


def _called_by_tests() -> bool:
    """Return whether it is the tests' own code that calls the program, and not a library on its behalf."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename in (__file__, stand_ins.__file__):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename in _TEST_FILES:
        return True
    # unittest calls what is to raise; and then the result decides nothing.
    return frame.f_code.co_name in _CALLS_FOR_TESTS or frame.f_code.co_filename == _JUDGE


_JUDGE = os.path.join(os.path.dirname(__file__), "judge.py")


def _library_place(value: Any) -> list[str] | None:
    """Return the module and the name of a function or class of Python's own library."""
    holder = getattr(value, "__objclass__", value)
    if isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, type):
        holder = value.__self__
    module, name = getattr(holder, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str or module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return [module, name] if type(found) is type(value) and found == value else None


def _checked(described: Any) -> dict[str, Any]:
    """Return a description of an exception, made safe to read: the program wrote it."""
    if type(described) is not dict:
        raise CandidateGone("an answer that is none")
    bases = described.get("bases")
    return {
        "type": str(described.get("type", "Exception"))[:200],
        "bases": [str(base) for base in bases] if type(bases) is list else [],
        "message": str(described.get("message", ""))[:4000],
        "errno": described.get("errno"),
        "arguments": described.get("arguments"),
        "error": described.get("error"),
    }


def exception_base(bases: list[str]) -> type[Exception]:
    """Return the first of some names that is a built-in exception."""
    for name in bases:
        known = getattr(builtins, name, None)
        if isinstance(known, type) and issubclass(known, Exception):
            return known
    return Exception

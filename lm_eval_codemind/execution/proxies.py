"""The checker's view of the candidate: stand-ins that carry calls over and take plain values back."""

from __future__ import annotations

import builtins
import dis
import importlib
import os
import secrets
import sys
from types import CodeType
from typing import Any, cast

from . import values, wire
from .streams import Streams

_ALIASES = {"np": "numpy", "pd": "pandas"}
# What tests take from the program's imports rather than importing it themselves.
_MODULES = {*sys.stdlib_module_names, "numpy", "pandas", "scipy", "sklearn", "dateutil"} - {"antigravity", "this"}


class CandidateGone(BaseException):
    """The candidate's process ended, or broke off, before the checks did. Not for the tests to catch."""


class Foreign(values.Unencodable):
    """The tests pass the program an object of their own, such as a function."""


class Missing(Exception):
    """The program doesn't define its entry point."""


class Raised(Exception):
    """The program raised while it ran or was called.

    Attributes:
        described: What :func:`exceptions.describe` said.
    """

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described["type"], described["message"])
        self.described = described
        self.from_candidate = described


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
    """The connection to one candidate's process: a pipe for answers and one for requests.

    Attributes:
        printed: Bytes of standard output the program says it has printed so far.
        stdout: What it printed, once it has ended.
        operators: Whether operators and comparisons of the program's objects are the program's own. Only where its
            classes are what is tested: otherwise an object it returns could agree with whatever it is compared to.
        relied: Whether the program has decided a comparison.
    """

    def __init__(self, channel: tuple[int, int], streams: Streams, zygote: int, limit: int, operators: bool) -> None:
        self._streams = streams
        self._replies, self._requests = channel
        self._zygote = zygote
        self._limit = limit
        self._stand_ins: dict[int, Any] = {}
        self.operators = operators
        self.relied = False
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
        try:
            wire.send(self._requests, request)
            reply = wire.receive(self._replies, self._limit)
        except wire.MessageTooLong:
            raise
        except (EOFError, OSError) as error:
            self._gone = True
            raise CandidateGone(str(error)) from None
        except wire.WireError as error:
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
        return {name: _own_module(name, found[name]) or self.decode(found[name]) for name in found}

    def decode(self, data: Any) -> Any:
        """Return an answer's value, with stand-ins for objects that stay with the program."""
        try:
            return values.decode(data, self.stand_in)
        except ValueError as error:
            raise CandidateGone(str(error)) from None

    def stand_in(self, body: Any) -> Any:
        """Return what represents an object of the program here; the same each time for the same object."""
        if type(body) is not dict:
            raise ValueError("an object without a description")
        number = body.get("id")
        if type(number) is not int:
            raise ValueError("an object without a number")
        if number not in self._stand_ins:
            self._stand_ins[number] = self._make(number, body)
        return self._stand_ins[number]

    def _make(self, number: int, body: dict[str, Any]) -> Any:
        if "class" in body:
            return make_class(self, number, str(body["class"]), body.get("bases"))
        if body.get("function"):
            return Function(self, number, str(body.get("type")))
        kind = self.stand_in(body["of"]) if "of" in body else Instance
        if not isinstance(kind, _Class):
            kind = Instance
        made: Any = object.__new__(cast(Any, kind))
        object.__setattr__(made, "_handle", (self, number))
        return made

    def call(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an object of the program and return its result; arguments it changed in place are changed here too."""
        request: dict[str, Any] = {"op": "call", "id": number, "args": [values.encode(item, refer) for item in args]}
        if kwargs:
            request["kwargs"] = {name: values.encode(item, refer) for name, item in kwargs.items()}
        reply = self.ask_or_raise(request)
        if type(reply) is not dict or "result" not in reply:
            raise CandidateGone("an answer that is none")
        if "changed" in reply:
            try:
                for index, data in reply["changed"].items():
                    replace_content(args[int(index)], self.decode(data))
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise CandidateGone(str(error)) from None
        same = reply.get("same")
        if type(same) is int and 0 <= same < len(args):
            return args[same]
        return self.decode(reply["result"])

    def apply(self, what: str, number: int, *args: Any) -> Any:
        """Apply an operation of :data:`agent.APPLICATIONS` to an object of the program."""
        encoded = [values.encode(item, refer) for item in args]
        return self.decode(self.ask_or_raise({"op": "apply", "what": what, "id": number, "args": encoded}))

    def ask_or_raise(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request, or raise in the tests what the program raised."""
        try:
            return self.ask(request)
        except Raised as raised:
            error = self.exception_of(raised)
        raise error

    def exception_of(self, raised: Raised) -> BaseException:
        """Return the exception to raise in the tests: of the same built-in type, or of the stand-in of its class."""
        described = raised.described
        kind: Any = None
        if type(described.get("class")) is dict:
            kind = self.stand_in(described["class"])
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            kind = exception_base(described["bases"])
        try:
            arguments = values.decode(described.get("arguments"))
            error = kind(*arguments) if type(arguments) is list else kind(described["message"])
        except Exception:
            error = Exception(described["message"])
        error.from_candidate = described
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


def _own_module(name: str, data: Any) -> Any:
    """Return this process's module for a name that is bound to it in the program, or None.

    Which module that is, the name alone decides: the program could otherwise give the tests another one.
    """
    expected = _ALIASES.get(name, name)
    if expected not in _MODULES or type(data) is not dict or type(data.get("object")) is not dict:
        return None
    if data["object"].get("module") != expected:
        return None
    try:
        return importlib.import_module(expected)
    except ImportError:
        return None


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
        "class": described.get("class"),
    }


def exception_base(bases: list[str]) -> type[Exception]:
    """Return the first of some names that is a built-in exception."""
    for name in bases:
        known = getattr(builtins, name, None)
        if isinstance(known, type) and issubclass(known, Exception):
            return known
    return Exception


def refer(value: Any) -> Any:
    """Return how an object of the program is named to it.

    Raises:
        Foreign: If the value is an object of the tests, which only the program's own process could hold.
    """
    if isinstance(value, Function):
        return {"object": {"id": value._number}}
    handle = value.__dict__.get("_handle") if isinstance(value, type) else getattr(value, "_handle", None)
    if handle is not None and isinstance(value, type | Instance):
        return {"object": {"id": handle[1]}}
    raise Foreign(f"an argument of type {type(value).__name__}")


class Function:
    """A function of the program: calling it calls the program."""

    def __init__(self, candidate: Candidate, number: int, name: str) -> None:
        self._candidate = candidate
        self._number = number
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._candidate.call(self._number, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._candidate.apply("getattr", self._number, name)


class _Class(type):
    """The type of stand-ins of the program's classes: calling one makes an object in the program."""

    _handle: tuple[Candidate, int]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        candidate, number = cls._handle
        return candidate.call(number, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") or "_handle" not in type.__getattribute__(cls, "__dict__"):
            raise AttributeError(name)
        candidate, number = cls._handle
        return candidate.apply("getattr", number, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        candidate, number = cls._handle
        candidate.apply("setattr", number, name, value)

    def __iter__(cls) -> Any:
        candidate, number = cls._handle
        return candidate.apply("iter", number)


def _forward(what: str) -> Any:
    """Return a method that is the program's own, and decides nothing by itself."""

    def method(self: Any, *args: Any) -> Any:
        candidate, number = self._handle
        return candidate.apply(what, number, *args)

    return method


def _operator(what: str) -> Any:
    """Return an operator that is the program's own where its classes are tested, and missing otherwise."""

    def method(self: Any, other: Any) -> Any:
        candidate, number = self._handle
        if not candidate.operators:
            return NotImplemented
        candidate.relied = True
        return candidate.apply(what, number, other)

    return method


class Instance(metaclass=_Class):
    """An object of the program without a plain form."""

    _handle: tuple[Candidate, int]

    def __getattr__(self, name: str) -> Any:
        candidate, number = self._handle
        return candidate.apply("getattr", number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        candidate, number = self._handle
        candidate.apply("setattr", number, name, value)

    def __delattr__(self, name: str) -> None:
        candidate, number = self._handle
        candidate.apply("delattr", number, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        candidate, number = self._handle
        return candidate.call(number, args, kwargs)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        # Only objects of one type are compared by the type's own rule: to a value, nothing of the program is equal.
        candidate, number = self._handle
        if not candidate.operators or type(self) is not type(other):
            return False
        candidate.relied = True
        return candidate.apply("eq", number, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._handle[1])

    def __bool__(self) -> bool:
        candidate, number = self._handle
        if candidate.operators:
            candidate.relied = True
        return candidate.apply("bool", number) is True

    def __len__(self) -> int:
        candidate, number = self._handle
        length = candidate.apply("len", number)
        return length if type(length) is int else -1

    def __str__(self) -> str:
        return self._text("str")

    def __repr__(self) -> str:
        return self._text("repr")

    def _text(self, what: str) -> str:
        candidate, number = self._handle
        text = candidate.apply(what, number)
        return text if type(text) is str else ""

    def __exit__(self, *details: Any) -> None:
        candidate, number = self._handle
        candidate.apply("exit", number)

    __getitem__ = _forward("getitem")
    __setitem__ = _forward("setitem")
    __delitem__ = _forward("delitem")
    __iter__ = _forward("iter")
    __next__ = _forward("next")
    __enter__ = _forward("enter")
    __lt__ = _operator("lt")
    __le__ = _operator("le")
    __gt__ = _operator("gt")
    __ge__ = _operator("ge")
    __add__ = _operator("add")
    __sub__ = _operator("sub")
    __mul__ = _operator("mul")
    __truediv__ = _operator("truediv")
    __floordiv__ = _operator("floordiv")
    __mod__ = _operator("mod")
    __pow__ = _operator("pow")

    def __contains__(self, item: Any) -> bool:
        candidate, number = self._handle
        if candidate.operators:
            candidate.relied = True
            return candidate.apply("contains", number, item) is True
        return any(item is own or item == own for own in self)


def make_class(candidate: Candidate, number: int, name: str, bases: Any) -> type:
    """Return the stand-in of a class of the program; of an exception, one that can be raised and caught."""
    named = [str(base) for base in bases] if type(bases) is list else []
    if "BaseException" in named:
        return type(name, (exception_base(named),), {"_handle": (candidate, number)})
    return _Class(name, (Instance,), {"_handle": (candidate, number)})


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

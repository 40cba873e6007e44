"""Judging outside: the tests run in the checker, and the program runs in another process.

The tests see the program through three opaque objects. They can call a :class:`Function`, read and set attributes of a
:class:`Instance` and of a :class:`Class`, and that is all. Whatever else would look at one of these objects (comparing,
hashing, printing, iterating, ``isinstance``, a library that reads an attribute) raises :class:`.values.NotPlain`, and
so does every exchanged value that is not plain data. Then this module has no verdict, and the job is judged inside
(:mod:`.inside`). The program cannot manipulate a pass from this module.
"""

import builtins
import os
import sys
import threading
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

from . import suites
from .connection import Connection, Raised
from .values import Exchange, NotPlain

TEST_FILES = ("tests.py", "support.py")
# Exceptions cross as the name of one of these and its arguments. Left out are those whose arguments Python trusts.
_EXCEPTIONS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not name.startswith("Unicode")
    and name not in ("ExceptionGroup", "SyntaxError", "IndentationError", "TabError")
}  # fmt: skip


class Missing(Exception):
    """The program does not define its entry point."""


def _inside(*_: Any, **__: Any) -> Any:
    raise NotPlain("the tests look at an object of the program")


class _Opaque:
    """An object of the program. What it refers to lies in slots that no test reaches by their names.

    Reading or setting an attribute asks the program. Every special method leads inside.
    """

    __slots__ = ("_program", "_target")

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or sys._getframe(1).f_code.co_filename not in TEST_FILES:
            _inside()
        return _PROGRAM(self).request({"op": "get", **_TARGET(self), "name": name}, (), {})

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or sys._getframe(1).f_code.co_filename not in TEST_FILES:
            _inside()
        _PROGRAM(self).request({"op": "set", **_TARGET(self), "name": name}, (value,), {})

    __delattr__ = _inside


_PROGRAM = _Opaque.__dict__["_program"].__get__
_TARGET = _Opaque.__dict__["_target"].__get__
_UNARY = (
    "hash bool len iter next reversed str repr bytes int float complex index round trunc floor ceil neg pos abs "
    "invert enter exit aenter aexit await aiter anext dir sizeof copy deepcopy reduce reduce_ex getstate fspath "
    "length_hint"
)
_OTHERS = "format eq ne lt le gt ge contains getitem setitem delitem instancecheck subclasscheck mro_entries buffer"
_ARITHMETIC = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
for _name in (*_UNARY.split(), *_OTHERS.split()):
    setattr(_Opaque, f"__{_name}__", _inside)
for _name in _ARITHMETIC.split():
    for _prefix in ("", "r", "i"):
        setattr(_Opaque, f"__{_prefix}{_name}__", _inside)


class Instance(_Opaque):
    """An instance of the class under test, which the tests made."""

    __slots__ = ()


class Class(_Opaque):
    """A class of the program. Calling the class under test gives an :class:`Instance`."""

    __slots__ = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return _PROGRAM(self).request({"op": "call", **_TARGET(self)}, args, kwargs)


class Function(Class):
    """A function or method of the program."""

    __slots__ = ()

    __getattribute__ = __setattr__ = _inside
    # Python would bind a function that is an attribute of a class.
    __get__ = _inside


class Program:
    """What the tests may do with the program. They use one name of it: its entry point, or the first one they look up.

    Args:
        connection: To the program's process.
        entry_point: The name under test; empty if the job has none.
        makes_instances: Whether the entry point is a class, whose instances the tests use.
    """

    def __init__(self, connection: Connection, entry_point: str, makes_instances: bool) -> None:
        self._connection = connection
        self._name = entry_point
        self._makes_instances = makes_instances
        self._exchange = Exchange(self._encode_opaque, _refuse)
        self._thread = threading.get_ident()
        self._state = process_state()

    def find(self, name: str) -> Any:
        """Return the program's object for a name.

        Raises:
            NotPlain: If the tests use a second name: two of the program's functions could agree with each other.
            KeyError: If the program does not define it.
        """
        value = self.request({"op": "find", "name": name}, (), {})
        if self._name and name != self._name:
            raise self._connection.fail(NotPlain(f"the tests use {name} of the program"))
        self._name = name
        return value

    def request(self, request: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Send a request with the arguments of a call, and return the result of the call.

        Raises:
            NotPlain: If something would cross that is not plain data.
            ProgramGone: If there is no answer, or reading it fails in any way.
            Exception: A built-in exception that the program raised.
        """
        try:
            held = self._held()
            request["args"] = [self._exchange.encode(arg) for arg in args]
            if kwargs:
                request["kwargs"] = {name: self._exchange.encode(arg) for name, arg in kwargs.items()}
            value, problem = self._receive(request, held)
        except BaseException as error:
            raise self._connection.fail(error) from None
        if problem is not None:
            raise problem
        return value

    def end(self) -> None:
        """Make sure that nothing the tests held was changed after the program's last answer."""
        numbers = self._exchange.numbers()
        if numbers and self._connection.ended_by is None:
            try:
                self._receive({"op": "held", "args": [], "which": []}, numbers)
            except BaseException as error:
                raise self._connection.fail(error) from None

    def import_module(self, name: str, *rest: Any) -> Any:
        """Import a module for the tests. What patches modules leads inside: the program has other ones."""
        if name == "unittest.mock" or (name == "unittest" and len(rest) > 2 and "mock" in (rest[2] or ())):
            raise self._connection.fail(NotPlain("the tests patch modules"))
        return __import__(name, *rest)

    def _held(self) -> list[int]:
        """Return the numbers of the containers that tests and program both hold.

        Raises:
            NotPlain: If the tests have changed one of them.
        """
        if self._connection.ended_by is not None:
            raise self._connection.ended_by
        if threading.get_ident() != self._thread:
            raise NotPlain("the tests call the program from a thread")
        if process_state() != self._state:
            raise NotPlain("the tests changed their own process, which the program should see")
        changed = self._exchange.changed()
        if changed:
            # The program is asked only now which ones it really holds: that takes a garbage collection.
            answer, _ = self._receive({"op": "held", "args": [], "which": changed}, self._exchange.numbers())
            if answer:
                raise NotPlain("the tests changed a container that the program holds")
        return self._exchange.release()

    def _receive(self, request: dict[str, Any], held: list[int]) -> tuple[Any, Exception | None]:
        """Return the result of a request, or the exception that the program raised."""
        self._exchange.agree()
        request["keep"] = held
        described = None
        try:
            reply = self._connection.ask(request)
        except Raised as raised:
            described = reply = raised.described
        if reply.get("plain") is not True:
            raise NotPlain(f"not plain data: {reply.get('why', ''):.200}")
        if reply["content"] and request["op"] == "held":
            raise NotPlain("the program changed a container after its last answer")
        self._exchange.take_content(reply["content"])
        value = self._exchange.decode(reply["value"]) if "value" in reply else self._opaque(request, reply)
        self._exchange.keep(reply["keep"])
        self._exchange.agree()
        return value, None if described is None else _exception(described, value)

    def _opaque(self, request: dict[str, Any], reply: dict[str, Any]) -> Any:
        """Return the proxy for an object of the program."""
        kind, number = reply["kind"], reply["number"]
        makes = {"function": Function, "class": Class, "instance": Instance}[kind]
        if kind == "class" and request["op"] != "find":
            raise NotPlain("a class of the program other than the one under test")
        if kind == "instance" and not (request["op"] == "call" and self._makes_instances and "of" not in request):
            raise NotPlain("an object that the tests did not make")
        instance: Any = object.__new__(makes)
        target = {"on": request["on"], "of": request["name"]} if request["op"] == "get" else {"on": int(number)}
        _Opaque.__dict__["_program"].__set__(instance, self)
        _Opaque.__dict__["_target"].__set__(instance, target)
        return instance

    def _encode_opaque(self, value: Any) -> Any:
        if type(value) in (Instance, Function, Class) and "of" not in _TARGET(value):
            return {"object": _TARGET(value)["on"]}
        raise NotPlain("an object of the tests")


def _exception(described: dict[str, Any], arguments: list[Any]) -> Exception:
    """Return the exception to raise in the tests: a built-in one."""
    if described["type"] not in _EXCEPTIONS:
        raise NotPlain(f"an exception of the type {described['type']}")
    error: Exception = _EXCEPTIONS[described["type"]](*arguments)
    vars(error)["from_program"] = described
    return error


def _refuse(tag: str, body: Any) -> Any:
    raise ValueError(f"unknown tag {tag!r:.50}")


class _Names(dict[str, Any]):
    """The builtins of the tests. A name that is not one of them is looked up in the program."""

    def __init__(self, program: Program) -> None:
        super().__init__(vars(builtins), __import__=program.import_module)
        self._program = program

    def __missing__(self, name: str) -> Any:
        self[name] = value = self._program.find(name)
        return value


def run(job: dict[str, Any], connection: Connection, compiled: Callable[[str, str], CodeType]) -> suites.Result:
    """Run a job's tests and return what came of them.

    Args:
        job: As plain values.
        connection: To the program's process, where the program was loaded.
        compiled: Returns the code of a source, by the name of its file.

    Raises:
        BaseException: How the tests end otherwise. A pass also needs ``connection.ended_by`` to be None.
    """
    entry_point = job["entry_point"]
    program = Program(connection, entry_point, job["kind"] == "unittest")
    namespace = suites.new_module()
    namespace["__builtins__"] = _Names(program)
    if job["support"].strip():
        exec(compiled(job["support"], "support.py"), namespace)
    if entry_point:
        try:
            namespace[entry_point] = program.find(entry_point)
        except KeyError:
            raise Missing(entry_point) from None
    result = suites.run(namespace, compiled(job["tests"], "tests.py"), job["kind"], entry_point, job["only"])
    program.end()
    return result


def process_state() -> tuple[Any, ...]:
    """Return what tests may change of this process, and would then see a program change or use."""
    handlers = getattr(sys.modules.get("logging"), "_handlerList", ())
    captured = [each for each in handlers if type(each()).__module__ == "unittest._log"]
    return (
        sys.stdin, sys.stdout, sys.stderr, sys.getrecursionlimit(), sys.getprofile(), sys.gettrace(), len(sys.path),
        warnings.filters, warnings.showwarning, len(captured),
        os.getcwd(), dict(vars(os.environ)["_data"]), tuple(vars(builtins).values()),
    )  # fmt: skip

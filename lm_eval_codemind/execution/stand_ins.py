"""What stands in the checker for the program's objects: its functions, its classes with their inheritance, instances.

A stand-in has the special methods that the object's class has, of a fixed set, and each is carried over. What it holds
as an instance of a class derived from a plain type is the checker's own: an `int` that is an `int` here, a `list` kept
the same as the program's (see :mod:`.aliases`), and compared with values by the plain type's own rule.

No comparison with a value of the tests is ever left to the program: nothing of the program is equal to one, except by
what it holds as a plain type. Comparisons of its objects with each other are its own, and recorded.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import aliases
from .objects import BINARY, IN_PLACE, ORDER, READABLE, REFLECTED, SPECIAL, UNARY

if TYPE_CHECKING:
    from .proxies import Connection

_FIXED = (int, float, complex, str, bytes, tuple, frozenset)
_MUTABLE = tuple(aliases.KINDS.values())
# Importing these does something, or takes the screen.
_NOT_IMPORTED = {"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test", "lib2to3", "pydoc_data"}
_UNNAMED = {kind.__name__: kind for kind in vars(types).values() if isinstance(kind, type)}


def handle_of(value: Any) -> tuple[Connection, int] | None:
    """Return the connection and the number of what an object stands for, or None if it doesn't."""
    kind = type(value)
    if kind is Function:
        return value._candidate, value._number
    if isinstance(value, type):
        handle = type.__getattribute__(value, "__dict__").get("_handle")
    elif issubclass(kind, StandIn) or issubclass(kind, BaseException):
        handle = _instance_dict(value).get("_handle")
    else:
        return None
    return handle if type(handle) is tuple else None


def _instance_dict(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = object.__getattribute__(value, "__dict__")
    return found


def named(value: Any) -> Any:
    """Return how an object of the program is named to it, or None for anything else."""
    if isinstance(value, StandIn | Function | BaseException | _Class):
        handle = handle_of(value)
        if handle is not None:
            return {"object": {"id": handle[1]}}
    return None


def make(candidate: Connection, number: int, body: dict[str, Any]) -> Any:
    """Return the stand-in of an object that the program describes for the first time.

    Raises:
        ValueError: If that isn't a description.
    """
    try:
        if "class" in body:
            made: Any = _make_class(candidate, number, body)
            candidate.keep(number, made)
            return made
        if "function" in body:
            made = Function(candidate, number, *body["function"])
            candidate.keep(number, made)
            return made
        if "module" in body:
            made = Function(candidate, number, str(body["module"]), str(body["module"]), None, None)
            candidate.keep(number, made)
            return made
        kind = candidate.stand_in(body["of"])
        if "exception" in body:
            return _make_exception(candidate, number, kind, body["exception"])
        return _make_instance(candidate, number, kind, body)
    except (AttributeError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"not a description: {type(error).__name__}: {error}") from None


class Function:
    """A function of the program: calling it calls the program."""

    def __init__(
        self,
        candidate: Connection,
        number: int,
        name: str | None,
        qualname: str | None,
        module: str | None,
        doc: str | None,
        owner: int | None = None,
    ) -> None:
        self._candidate = candidate
        self._number = number
        self._owner = owner
        self.__name__ = str(name or "")
        self.__qualname__ = str(qualname or "")
        self.__module__ = str(module or "")
        self.__doc__ = doc if type(doc) is str else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._candidate.call(self._number, args, kwargs, self._owner)

    def __getattr__(self, name: str) -> Any:
        return _attribute(self._candidate, self._number, name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self


def _attribute(candidate: Connection, number: int, name: str) -> Any:
    """Return an attribute of an object of the program, of those names that are carried."""
    if name.startswith("__") and name.endswith("__") and name not in READABLE:
        raise AttributeError(name)
    found = candidate.apply("getattr", number, name)
    if type(found) is Function and found._owner is None:
        found._owner = number
    return found


class _Class(type):
    """The type of stand-ins of the program's classes: calling one makes an object in the program."""

    _handle: tuple[Connection, int]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        candidate, number = cls._handle
        return candidate.call(number, args, kwargs, makes=True)

    def __getattr__(cls, name: str) -> Any:
        handle = handle_of(cls)
        if handle is None:
            raise AttributeError(name)
        return _attribute(*handle, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        candidate, number = cls._handle
        candidate.apply("setattr", number, name, value)

    def __delattr__(cls, name: str) -> None:
        candidate, number = cls._handle
        candidate.apply("delattr", number, name)

    def __iter__(cls) -> Any:
        candidate, number = cls._handle
        return candidate.apply("iter", number)

    def __len__(cls) -> int:
        candidate, number = cls._handle
        return int(_typed(int, candidate.apply("len", number)))

    def __bool__(cls) -> bool:
        return True

    def __getitem__(cls, key: Any) -> Any:
        candidate, number = cls._handle
        return candidate.apply("getitem", number, key)

    def __contains__(cls, item: Any) -> bool:
        candidate, number = cls._handle
        if handle_of(item) is None:
            candidate.relied = True
        return candidate.apply("contains", number, item) is True


def _typed(kind: type, value: Any) -> Any:
    """Return a value of an exact type, or raise what Python raises where a special method returns something else."""
    if type(value) is not kind:
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value


class StandIn(metaclass=_Class):
    """An object of the program."""

    _handle: tuple[Connection, int]

    def __getattr__(self, name: str) -> Any:
        candidate, number = self._handle
        return _attribute(candidate, number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        candidate, number = self._handle
        candidate.apply("setattr", number, name, value)

    def __delattr__(self, name: str) -> None:
        candidate, number = self._handle
        candidate.apply("delattr", number, name)

    def __eq__(self, other: object) -> Any:
        if self is other:
            # One object for everything would be equal to itself.
            self._handle[0].relied = True
            return True
        return NotImplemented

    __hash__ = object.__hash__

    def __copy__(self) -> Any:
        candidate, number = self._handle
        return _object(candidate.apply("copy", number))

    def __deepcopy__(self, memo: Any) -> Any:
        candidate, number = self._handle
        return _object(candidate.apply("deepcopy", number))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an object of the program can't be pickled outside it")

    def __str__(self) -> str:
        candidate, number = self._handle
        return str(_typed(str, candidate.apply("str", number)))

    def __repr__(self) -> str:
        candidate, number = self._handle
        return str(_typed(str, candidate.apply("repr", number)))


def _object(value: Any) -> Any:
    if handle_of(value) is None:
        raise TypeError("a copy that is none")
    return value


def _unary(name: str) -> Callable[..., Any]:
    what = name.strip("_")

    def method(self: Any) -> Any:
        candidate, number = self._handle
        return candidate.apply(what, number)

    return method


def _text(name: str) -> Callable[..., Any]:
    what = name.strip("_")

    def method(self: Any) -> str:
        candidate, number = self._handle
        return str(_typed(str, candidate.apply(what, number)))

    return method


def _truth(self: Any) -> bool:
    candidate, number = self._handle
    if candidate.operators:
        candidate.relied = True
    return candidate.apply("bool", number) is True


def _operator(name: str) -> Callable[..., Any]:
    what = name.strip("_")
    order = name in ORDER

    def method(self: Any, other: Any, *more: Any) -> Any:
        candidate, number = self._handle
        if handle_of(other) is not None:
            if order:
                candidate.relied = True
            return candidate.apply(what, number, other, *more)
        candidate.relied = True
        if candidate.operators:
            return candidate.apply(what, number, other, *more)
        if order:
            return NotImplemented
        # A plain result could have been made of the very value it is going to be compared to.
        result = candidate.apply(what, number, other, *more)
        if handle_of(result) is None:
            return NotImplemented
        return result

    return method


def _equal(self: Any, other: Any) -> Any:
    candidate, number = self._handle
    if handle_of(other) is not None:
        candidate.relied = True
        if candidate.reading:
            return self is other
        return candidate.apply("eq", number, other) is True
    plain = plain_base(type(self))
    return False if plain is None else plain.__eq__(self, other)


def _unequal(self: Any, other: Any) -> Any:
    candidate, number = self._handle
    if handle_of(other) is None:
        plain = plain_base(type(self))
        if plain is not None and plain.__ne__(self, other) is not True:
            return plain.__ne__(self, other)
        # Two rules, and a value is another only if it is by both.
    candidate.relied = True
    return candidate.apply("ne", number, other) is True


def _contains(self: Any, item: Any) -> bool:
    candidate, number = self._handle
    if candidate.operators or handle_of(item) is not None:
        candidate.relied = True
        return candidate.apply("contains", number, item) is True
    return any(item is own or item == own for own in self)


def _format(self: Any, spec: str) -> str:
    candidate, number = self._handle
    if not candidate.operators:
        return object.__format__(self, spec)
    return str(_typed(str, candidate.apply("format", number, spec)))


def _round(self: Any, digits: Any = None) -> Any:
    candidate, number = self._handle
    return candidate.apply("round", number) if digits is None else candidate.apply("round", number, digits)


def _carried(name: str) -> Callable[..., Any]:
    what = name.strip("_")

    def method(self: Any, *args: Any) -> Any:
        candidate, number = self._handle
        return candidate.apply(what, number, *args)

    return method


def _call(self: Any, *args: Any, **kwargs: Any) -> Any:
    candidate, number = self._handle
    return candidate.call(number, args, kwargs, number)


def _exit(self: Any, kind: Any, error: Any, trace: Any) -> bool:
    candidate, number = self._handle
    if error is None:
        candidate.apply("exit", number)
        return False
    return bool(candidate.apply("exit", number, error))


def _hash(self: Any) -> int:
    known = _instance_dict(self).get("_hash")
    if known is None:
        candidate, number = self._handle
        known = _typed(int, candidate.apply("hash", number))
    return int(known)


_METHODS: dict[str, Any] = {
    **{name: _unary(name) for name in UNARY},
    **{name: _operator(name) for name in (*BINARY, *REFLECTED, *IN_PLACE, *ORDER)},
    **{name: _carried(name) for name in ("__getitem__", "__setitem__", "__delitem__", "__missing__", "__enter__")},
    "__hash__": _hash,
    "__str__": _text("__str__"),
    "__repr__": _text("__repr__"),
    "__bool__": _truth,
    "__eq__": _equal,
    "__ne__": _unequal,
    "__contains__": _contains,
    "__format__": _format,
    "__round__": _round,
    "__call__": _call,
    "__exit__": _exit,
}
# Of an exception, how it is shown and what it holds; not what it is equal to.
_OF_EXCEPTIONS = {
    "__str__", "__repr__", "__len__", "__iter__", "__getitem__", "__contains__", "__int__", "__float__", "__bool__",
}  # fmt: skip


def plain_base(kind: type) -> Any:
    """Return the plain type that a stand-in's class is derived from, or None."""
    return next((base for base in kind.__mro__ if base in _MUTABLE or base in _FIXED), None)


def _overriding(name: str) -> Any:
    """Return a method in place of a plain type's own, which the program's class replaces."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        candidate, number = self._handle
        return _attribute(candidate, number, name)(*args, **kwargs)

    method.__name__ = name
    return method


def _make_class(candidate: Connection, number: int, body: dict[str, Any]) -> type:
    name, qualname, module, doc = body["class"]
    known = body.get("known")
    real = None if known is None else known_type(*known)
    if real is not None and issubclass(real, BaseException):
        return real
    space: dict[str, Any] = {"_handle": (candidate, number), "__doc__": doc if type(doc) is str else None}
    space["__module__"], space["__qualname__"] = str(module), str(qualname)
    bases, virtual = _bases(candidate, body["bases"])
    exceptional = any(issubclass(base, BaseException) for base in bases)
    plain = next((each for base in bases if (each := plain_base(base)) is not None), None)
    for special, there in body["special"]:
        if special in SPECIAL and (not exceptional or special in _OF_EXCEPTIONS):
            space[special] = _METHODS[special] if there else None
    if "__eq__" in space:
        space.setdefault("__ne__", _unequal)
        space.setdefault("__hash__", None)
    if plain is not None:
        # Before those of all objects of the program.
        for special in ("__eq__", "__ne__", "__hash__"):
            space.setdefault(special, getattr(plain, special))
        for override in body.get("overrides", ()):
            space.setdefault(str(override), _overriding(str(override)))
    if real is not None:
        space["__class__"] = property(lambda self: real)
    safe = name if type(name) is str and name.isidentifier() else "object"
    if exceptional:
        space.pop("__hash__", None)
        space["__getattr__"] = _exception_attribute
        meta: Any = _Class
    else:
        meta = _Class
        if not any(issubclass(base, StandIn) for base in bases):
            bases = (StandIn, *bases)
    try:
        made: type = type.__call__(meta, safe, bases, space)
    except TypeError:
        # Bases that don't go together here, since some are left out.
        first = next((base for base in bases if issubclass(base, BaseException)), StandIn)
        made = type.__call__(meta, safe, (first,), space)
    for abstract in virtual:
        with contextlib.suppress(TypeError, RuntimeError):
            abstract.register(made)
    return made


def _exception_attribute(self: Any, name: str) -> Any:
    handle = handle_of(self)
    if handle is None:
        raise AttributeError(name)
    return _attribute(*handle, name)


def _bases(candidate: Connection, described: Any) -> tuple[tuple[type, ...], list[Any]]:
    """Return the classes that a stand-in's class is derived from, and abstract ones that it counts as derived from."""
    bases: list[type] = []
    virtual: list[Any] = []
    for base in described:
        if "known" not in base:
            kind = candidate.stand_in(base)
            if isinstance(kind, type) and kind not in bases:
                bases.append(kind)
            continue
        module, name = base["known"]
        real = known_type(module, name)
        if real is None:
            continue
        plain = plain_base(real)
        if issubclass(real, BaseException):
            bases.append(real)
        elif plain is not None:
            # As of IntEnum: what it adds to the plain type stays with the program.
            bases.append(plain)
        elif real.__module__ == "collections.abc":
            virtual.append(real)
    return tuple(bases), virtual


def known_type(module: Any, name: Any) -> type | None:
    """Return a class of Python's own library, or of numpy, by name; None if there is none in this process.

    What tests catch or ask for by name they have imported themselves; other modules are imported only from the
    standard library, where nothing but definitions comes of it.
    """
    if type(module) is not str or type(name) is not str:
        return None
    root = module.partition(".")[0]
    found: Any = sys.modules.get(module)
    if found is None and root in sys.stdlib_module_names and root not in _NOT_IMPORTED:
        with contextlib.suppress(Exception):
            found = importlib.import_module(module)
    if found is None or (root not in sys.stdlib_module_names and root != "numpy"):
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None and module == "builtins":
        found = _UNNAMED.get(name)
    return found if isinstance(found, type) else None


def _make_exception(candidate: Connection, number: int, kind: Any, body: dict[str, Any]) -> BaseException:
    """Return an exception of the program as one of the checker's own types, or of the stand-in of its class."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise ValueError("an exception of a class that is none")
    own = isinstance(kind, _Class)
    # What it was made of may hold the exception itself.
    waiting = BaseException()
    candidate.keep(number, waiting)
    arguments = [candidate.decode(item) for item in body["args"]]
    error: Any = None
    if not own:
        with contextlib.suppress(Exception):
            error = kind(*arguments)
    if error is None or (type(error) is not kind and own):
        try:
            error = kind.__new__(kind, *arguments)
        except Exception:
            error = BaseException.__new__(kind)
        base: Any = next(each for each in kind.__mro__ if not isinstance(each, _Class))
        with contextlib.suppress(Exception):
            base.__init__(error, *arguments)
    candidate.keep(number, error)
    with contextlib.suppress(Exception):
        error.args = tuple(arguments)
    if own:
        error.__dict__["_handle"] = (candidate, number)
    for name, item in body["attributes"]:
        if type(name) is str and not name.startswith("_"):
            with contextlib.suppress(Exception):
                BaseException.__setattr__(error, name, candidate.decode(item))
    for name in ("cause", "context"):
        if body[name] is not None:
            linked = candidate.stand_in(body[name])
            if isinstance(linked, BaseException) and linked is not error:
                setattr(error, f"__{name}__", linked)
    error.__suppress_context__ = body["suppress"] is True
    if body["notes"]:
        error.__notes__ = [str(note) for note in body["notes"]]
    return error  # type: ignore[no-any-return]


def _make_instance(candidate: Connection, number: int, kind: Any, body: dict[str, Any]) -> Any:
    if not (isinstance(kind, _Class) and issubclass(kind, StandIn)):
        raise ValueError("an object of a class that is none")
    plain = plain_base(kind)
    maker: Any = plain or object
    if plain in _FIXED:
        content = candidate.decode(body["content"])
        if type(content) is not plain:
            raise ValueError("an object that doesn't hold what its class is derived from")
        made: Any = maker.__new__(kind, content)
    else:
        made = maker.__new__(kind)
    own = _instance_dict(made)
    own["_handle"] = (candidate, number)
    if type(body.get("hash")) in (int, dict):
        # An answer that is being read may put it into a set, when nothing can be asked.
        own["_hash"] = candidate.decode(body["hash"])
    candidate.keep(number, made)
    if plain in _MUTABLE:
        named_kind = body["kind"]
        if aliases.KINDS.get(named_kind) is not plain:
            raise ValueError("an object that doesn't hold what its class is derived from")
        candidate.share(body["shared"], made, named_kind)
    return made

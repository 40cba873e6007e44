"""The program's objects, as the checker hears of them: by number, with what their classes are and can.

Within the program's reach, as all of the candidate's process: what is said here decides nothing. The checker makes
stand-ins of it that can do no more than carry calls over.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import re
import sys
import types
from typing import Any

from . import aliases, values

MODULE = "candidate"
# Of immutable types, whose content an instance keeps for life.
_FIXED = (int, float, complex, str, bytes, tuple, frozenset)
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    functools.partial,
    type(functools.lru_cache(lambda: None)),
)
_ARITHMETIC = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and", "or",
    "xor",
)  # fmt: skip
BINARY = tuple(f"__{name}__" for name in _ARITHMETIC)
REFLECTED = tuple(f"__r{name}__" for name in _ARITHMETIC)
IN_PLACE = tuple(f"__i{name}__" for name in _ARITHMETIC if name != "divmod")
ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
UNARY = (
    "__neg__", "__pos__", "__abs__", "__invert__", "__int__", "__float__", "__complex__", "__index__", "__trunc__",
    "__floor__", "__ceil__", "__len__", "__iter__", "__next__", "__reversed__", "__bytes__", "__hash__", "__bool__",
    "__str__", "__repr__",
)  # fmt: skip
OTHER = (
    "__eq__", "__ne__", "__contains__", "__getitem__", "__setitem__", "__delitem__", "__missing__", "__enter__",
    "__exit__", "__call__", "__round__", "__format__",
)  # fmt: skip
# Everything of a class that a stand-in has as well. No other name with two underscores is carried: to C code, as
# numpy's, several of them are addresses.
SPECIAL = frozenset({*BINARY, *REFLECTED, *IN_PLACE, *ORDER, *UNARY, *OTHER})
# Read from an object itself, as values.
READABLE = frozenset(
    {"__annotations__", "__members__", "__wrapped__", "__defaults__", "__kwdefaults__", "__doc__", "__notes__",
     "__self__", "__func__"}
)  # fmt: skip


class Objects:
    """The objects that stay in this process and the containers that both have."""

    def __init__(self) -> None:
        self._objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._described: set[int] = set()
        self._news: list[dict[str, Any]] = []
        self._forms: dict[type, str] = {}
        self.shared = aliases.Shared(1, self._special, self._refer, self._resolve)

    def __getitem__(self, number: int) -> Any:
        return self._objects[number]

    def _resolve(self, body: Any) -> Any:
        """Return the object that the checker names."""
        if "id" in body:
            return self._objects[body["id"]]
        if "import" in body:
            module, name = body["import"]
            found = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
            return found
        if "pattern" in body:
            return re.compile(self.shared.decode(body["pattern"][0]), body["pattern"][1])
        kind = self._resolve(body["error"][0]["object"])
        return kind(*[self.shared.decode(item) for item in body["error"][1]])

    def number(self, value: Any) -> int:
        """Return an object's number, for good."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)
        return number

    def _form(self, kind: type) -> str:
        """Return how instances of a class travel."""
        form = self._forms.get(kind)
        if form is None:
            form = self._forms[kind] = self._find_form(kind)
        return form

    def _find_form(self, kind: type) -> str:
        order = type.__dict__["__mro__"].__get__(kind)
        if BaseException in order:
            return "exception"
        if not is_programs(kind):
            return ""
        return aliases.kind_below(kind) or ("fixed" if any(base in order for base in _FIXED) else "object")

    def _special(self, value: Any) -> Any:
        return self._refer(value) if self._form(type(value)) else None

    def _refer(self, value: Any) -> dict[str, Any]:
        """Return what names an object to the checker; its description goes along with the next message."""
        number = self.number(value)
        name = {"object": {"id": number}}
        if number in self._described:
            return name
        self._described.add(number)
        body: dict[str, Any] = {"id": number}
        self._news.append(body)
        kind = type(value)
        if isinstance(value, type):
            self._describe_class(value, body)
        elif isinstance(value, types.ModuleType):
            body["module"] = value.__name__
        elif isinstance(value, _FUNCTIONS):
            body["function"] = [_text(value, name) for name in ("__name__", "__qualname__", "__module__", "__doc__")]
        else:
            form = self._form(kind)
            body["of"] = self._refer(kind)["object"]
            hashed: Any = kind.__hash__
            if form and hashed is not None and hashed is not object.__hash__:
                with contextlib.suppress(BaseException):
                    body["hash"] = values.encode(hash(value))
            if form == "exception":
                body["exception"] = self._describe_exception(value)
            elif form == "fixed":
                body["content"] = self._fixed(value)
            elif form and form != "object":
                body["kind"], body["shared"] = form, self.shared.enter_object(value, form)
        return name

    def news(self) -> list[dict[str, Any]]:
        """Return the descriptions that the checker hasn't got yet."""
        news, self._news = self._news, []
        return news

    def _fixed(self, value: Any) -> Any:
        """Return what an instance of a class derived from an immutable type holds, as that type."""
        order = type.__dict__["__mro__"].__get__(type(value))
        if tuple in order:
            return {"tuple": [self.shared.encode(item) for item in tuple.__iter__(value)]}
        if frozenset in order:
            return {"frozenset": [self.shared.encode(item) for item in frozenset.__iter__(value)]}
        if complex in order:
            return values.encode(complex.__pos__(value))
        if str in order:
            return str.__getitem__(value, slice(None))
        if bytes in order:
            return values.encode(bytes.__getitem__(value, slice(None)))
        return values.encode(int.__pos__(value) if int in order else float.__pos__(value))

    def _describe_class(self, kind: type, body: dict[str, Any]) -> None:
        order = type.__dict__["__mro__"].__get__(kind)
        body["class"] = [_text(kind, name) for name in ("__name__", "__qualname__", "__module__", "__doc__")]
        if not is_programs(kind):
            body["known"] = [str(kind.__module__), str(kind.__qualname__)]
        own = [base for base in order if base is not object and is_programs(base)]
        if BaseException not in order and not own:
            own = [base for base in order if base is not object]
        special: dict[str, bool] = {}
        for base in own:
            for name in SPECIAL & vars(base).keys():
                special.setdefault(name, vars(base)[name] is not None)
        body["special"] = [[name, there] for name, there in special.items()]
        body["bases"] = [self._base(base) for base in type.__dict__["__bases__"].__get__(kind) if base is not object]
        plain = next((base for base in order if base in _FIXED or base in aliases.KINDS.values()), None)
        if plain is not None:
            names = dir(plain)
            body["overrides"] = sorted(
                {
                    name
                    for base in own
                    for name, value in vars(base).items()
                    if name in names and not name.startswith("__") and callable(value)
                }
            )

    def _base(self, base: type) -> dict[str, Any]:
        if is_programs(base) or str(base.__module__).partition(".")[0] not in sys.stdlib_module_names:
            described: dict[str, Any] = self._refer(base)["object"]
            return described
        return {"known": [str(base.__module__), str(base.__qualname__)]}

    def _describe_exception(self, error: BaseException) -> dict[str, Any]:
        kind: type = type(error)
        own = is_programs(kind)
        attributes = {}
        for base in type(error).__mro__:
            for name, place in vars(base).items():
                if type(place) in (types.MemberDescriptorType, types.GetSetDescriptorType) and name[:2] != "__":
                    attributes[name] = getattr(error, name, None)
        if not own:
            attributes.update(vars(error))
        for name in ("args", "exceptions", "message", "__notes__"):
            attributes.pop(name, None)
        encode = self.shared.encode
        return {
            "args": [encode(item) for item in error.args],
            "attributes": [[name, encode(item)] for name, item in attributes.items() if item is not None],
            "cause": None if error.__cause__ is None else self._refer(error.__cause__)["object"],
            "context": None if error.__context__ is None else self._refer(error.__context__)["object"],
            "suppress": bool(error.__suppress_context__),
            "notes": [str(note) for note in getattr(error, "__notes__", ())],
        }

    def reference(self, value: Any) -> dict[str, Any]:
        """Return what names an object to the checker."""
        return self._refer(value)


@functools.cache
def is_programs(kind: type) -> bool:
    """Return whether a class comes from the program, and not from a module that others import it from."""
    module = kind.__module__
    if module == MODULE or module == "__main__":
        return True
    if module == "builtins":
        # Those without a name, such as the type of generators, are Python's own as well.
        return bool(kind.__flags__ & 1 << 9) and getattr(builtins, kind.__qualname__, None) is not kind
    found: Any = sys.modules.get(module) if isinstance(module, str) else None
    for part in str(kind.__qualname__).split("."):
        found = getattr(found, part, None)
    # A type that is written in C is nobody's program, whether its module shows it or not.
    return found is not kind and bool(kind.__flags__ & 1 << 9)


def _text(value: Any, name: str) -> str | None:
    text = getattr(value, name, None)
    return text if type(text) is str else None

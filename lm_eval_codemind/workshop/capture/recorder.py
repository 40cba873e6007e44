"""A plugin for pytest that records with which arguments a package's functions are called.

It needs Python only, for it runs in the environment of the package's tests, under the name ``codemind_recorder``. Each
process writes a file of its own when its tests have ended. Arguments are written down when a function begins, as source
that makes them again; nothing of theirs is called for that.
"""

import ast
import builtins
import collections
import datetime
import decimal
import dis
import enum
import fractions
import inspect
import itertools
import json
import os
import sys
import textwrap
import threading
import types
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

PACKAGE, FOLDER = "CODEMIND_CAPTURE_PACKAGE", "CODEMIND_CAPTURE_FOLDER"

# Different calls of a function that are kept, and calls that are looked at.
KEPT, TRIED = 40, 300
# Objects whose constructor is remembered for each class.
MADE = 2_000
# Characters of a call, and levels of its arguments.
LONGEST, DEEPEST = 400, 6

# Held in a tuple, for freezegun replaces what modules have under a name of their own. A datetime is a date, too.
_MOMENTS = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)
_FAKES = ("FakeDatetime", "FakeDate")
_UTC = datetime.timezone.utc  # noqa: UP017
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type)
_MAKERS = (iter, reversed, itertools.count, itertools.repeat, itertools.cycle)
_ITERABLES: tuple[Any, ...] = ([], (), "", b"", range(0), set(), {}, {}.values(), {}.items())
_ITERATORS = {type(iter(value)) for value in _ITERABLES} | {type(reversed([])), *_MAKERS[2:]}
_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Unwritable(Exception):
    """A value has no source. The text is the reason, such as the name of its type."""


class Writer:
    """Writes the arguments of one call as source, and notes the names that the source needs.

    Attributes:
        needs: Name in the source -> ``module:name``.
        definitions: Name of a function of the tests -> its source.
    """

    def __init__(self, recorder: "Recorder") -> None:
        self._recorder = recorder
        self._length = 0
        self.needs: dict[str, str] = {}
        self.definitions: dict[str, str] = {}

    def source(self, value: Any, depth: int = 0) -> str:
        """Return source that makes an equal value.

        Raises:
            Unwritable: If there is none, or it is too long.
        """
        if depth > DEEPEST:
            raise Unwritable("deep")
        kind = type(value)
        if kind in _PLAIN:
            return self._counted(self._plain(value, kind))
        if kind in (list, tuple, set, frozenset, dict):
            return self._counted(self._container(value, kind, depth))
        made = self._recorder.made(value)
        if made is not None:
            source, needs, definitions = made
            self._add(needs, definitions)
            return self._counted(source)
        return self._counted(self._object(value, kind, depth))

    def _plain(self, value: Any, kind: type) -> str:
        too_long = len(value) > LONGEST if kind in (str, bytes) else kind is int and value.bit_length() > 4 * LONGEST
        if too_long:
            raise Unwritable("long")
        text = repr(value)
        if kind is float and text.lstrip("-") in ("inf", "nan"):
            return f"float({text!r})"
        if kind is complex and ("inf" in text or "nan" in text):
            raise Unwritable("complex")
        return text

    def _container(self, value: Any, kind: type, depth: int) -> str:
        if len(value) > LONGEST:
            raise Unwritable("long")
        if kind is dict:
            pairs = [f"{self.source(key, depth + 1)}: {self.source(item, depth + 1)}" for key, item in value.items()]
            return f"{{{', '.join(pairs)}}}"
        items = [self.source(item, depth + 1) for item in list(value)]
        if kind in (set, frozenset):
            inside = f"{{{', '.join(sorted(items))}}}" if items else ""
            return inside if items and kind is set else f"{kind.__name__}({inside})"
        inside = ", ".join(items)
        return f"[{inside}]" if kind is list else f"({inside}{',' if len(items) == 1 else ''})"

    def _object(self, value: Any, kind: type, depth: int) -> str:
        if isinstance(value, _FUNCTIONS):
            return self._function(value)
        if value is _UTC:
            self._add({"timezone": "datetime:timezone"}, {})
            return "timezone.utc"
        if isinstance(value, enum.Enum) and value.name:
            return f"{self.name(kind)}.{value.name}"
        arguments = _arguments(value, kind)
        if arguments is None:
            raise Unwritable(kind.__name__)
        constructor, positional, named = arguments
        texts = [self.source(item, depth + 1) for item in positional]
        texts += [f"{name}={self.source(item, depth + 1)}" for name, item in named.items()]
        return f"{self.name(constructor)}({', '.join(texts)})"

    def _function(self, value: Any) -> str:
        code = getattr(value, "__code__", None)
        if code is None or self._recorder.importable(value):
            return self.name(value)
        if not isinstance(value, types.FunctionType) or code.co_freevars:
            raise Unwritable("function")
        node = _lambda(code) if value.__name__ == "<lambda>" else _definition(code)
        if not _has_defaults(value, node.args):
            raise Unwritable("function")
        source = f"({ast.unparse(node)})" if isinstance(node, ast.Lambda) else ast.unparse(node)
        for name in _globals_of(code):
            if name in value.__globals__:
                self._global(name, value.__globals__[name], value)
            elif not hasattr(builtins, name):
                raise Unwritable("function")
        if value.__name__ == "<lambda>":
            return source
        self._add({}, {value.__name__: source})
        return value.__name__

    def _global(self, name: str, value: Any, user: types.FunctionType) -> None:
        """Note what a function of the tests needs: a function of the same name, or a plain value."""
        if value is user:
            return
        if isinstance(value, _FUNCTIONS):
            if self._function(value) != name:
                raise Unwritable("function")
        else:
            self._add({}, {name: f"{name} = {self.source(value, DEEPEST - 1)}"})

    def name(self, value: Any) -> str:
        """Return the name of a class or a function, which the program has to import or to define.

        Raises:
            Unwritable: If it cannot be imported by this name, or another object has it.
        """
        module = getattr(value, "__module__", "") or "builtins"
        name = getattr(value, "__qualname__", "")
        public = module.lstrip("_")
        if public != module and public in sys.modules:
            module = public
        if value not in _MOMENTS and not self._recorder.importable(value, module):
            raise Unwritable(f"{module}.{name}")
        if module != "builtins":
            root = name.split(".")[0]
            self._add({root: f"{module}:{root}"}, {})
        return str(name)

    def _add(self, needs: dict[str, str], definitions: dict[str, str]) -> None:
        for mine, others in ((self.needs, needs), (self.definitions, definitions)):
            if any(mine.get(name, place) != place for name, place in others.items()):
                raise Unwritable("two objects of one name")
            mine.update(others)

    def _counted(self, text: str) -> str:
        if len(text) > LONGEST:
            raise Unwritable("long")
        return text


def _arguments(value: Any, kind: type) -> tuple[Any, Iterable[Any], dict[str, Any]] | None:
    """Return a constructor with the arguments that give an equal value; None if the type is not known."""
    if kind is range:
        return range, (value.start, value.stop, value.step)[: 3 if value.step != 1 else 2], {}
    if kind is slice:
        return slice, (value.start, value.stop, value.step), {}
    if kind is bytearray:
        return bytearray, (bytes(value),), {}
    if isinstance(value, _MOMENTS):
        return _moment(value, kind)
    if kind is decimal.Decimal or kind is fractions.Fraction:
        return kind, (str(value),), {}
    if kind is collections.deque:
        return kind, (list(value),), {"maxlen": value.maxlen} if value.maxlen is not None else {}
    if kind in (collections.OrderedDict, collections.Counter):
        return kind, (dict(value),), {}
    if kind is collections.defaultdict:
        return kind, (value.default_factory, dict(value)), {}
    if kind in _ITERATORS:
        maker, arguments, *state = value.__reduce__()
        known = maker in _MAKERS
        return (maker, arguments, {}) if known and not any(state) else None
    if isinstance(value, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
        return kind, tuple.__iter__(value), {}
    fields = vars(kind).get("__dataclass_fields__")
    if fields and "__dict__" in dir(kind) and all(field.init for field in fields.values()):
        values = object.__getattribute__(value, "__dict__")
        return (kind, (), {name: values[name] for name in fields}) if fields.keys() <= values.keys() else None
    if isinstance(value, BaseException) and kind.__module__ == "builtins":
        return kind, value.args, {}
    return None


def _moment(value: Any, kind: type) -> tuple[Any, Iterable[Any], dict[str, Any]] | None:
    base: Any = next(each for each in _MOMENTS if isinstance(value, each))
    if kind is not base and kind.__name__ not in _FAKES:
        return None
    if base.__name__ == "timedelta":
        parts = {name: getattr(value, name) for name in ("days", "seconds", "microseconds")}
        return base, (), {name: part for name, part in parts.items() if part}
    day, clock = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")
    least = 0 if base.__name__ == "time" else 3
    values = [getattr(value, name) for name in (*day, *clock) if hasattr(base, name)]
    while len(values) > least and not values[-1]:
        values.pop()
    zone = getattr(value, "tzinfo", None)
    return base, values, {} if zone is None else {"tzinfo": zone}


def _reference(value: Any) -> Callable[[], Any]:
    """Return a weak reference; one that keeps the value if its class has none, and nothing waits for its end."""
    try:
        return weakref.ref(value)
    except TypeError:
        if hasattr(type(value), "__del__"):
            raise
        return lambda: value


def _globals_of(code: types.CodeType) -> set[str]:
    """Return the names that code reads of its module, and of the builtins."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_globals_of(each) for each in code.co_consts if isinstance(each, types.CodeType)))


def _lambda(code: types.CodeType) -> ast.Lambda:
    """Return a lambda.

    Raises:
        Unwritable: If its file is not there, or several lambdas of its lines are alike.
    """
    for node in ast.walk(_tree(code)):
        if isinstance(node, ast.Lambda):
            text = ast.unparse(node)
            compiled = next(each for each in compile(text, "", "eval").co_consts if isinstance(each, types.CodeType))
            if compiled.co_code == code.co_code and compiled.co_consts == code.co_consts:
                return node
    raise Unwritable("lambda")


def _definition(code: types.CodeType) -> ast.FunctionDef:
    """Return the definition of a function, without its decorators, which made other objects of it."""
    statement = _tree(code).body[0]
    if not isinstance(statement, ast.FunctionDef):
        raise Unwritable("function")
    statement.decorator_list = []
    return statement


def _has_defaults(function: types.FunctionType, arguments: ast.arguments) -> bool:
    """Whether the default values of a function are literals of its source."""
    pairs: list[tuple[ast.expr, Any]] = list(zip(arguments.defaults, function.__defaults__ or (), strict=True))
    for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if node is not None:
            pairs.append((node, (function.__kwdefaults__ or {})[argument.arg]))
    try:
        return all(type(value) in _PLAIN and repr(ast.literal_eval(node)) == repr(value) for node, value in pairs)
    except ValueError:
        return False


def _tree(code: types.CodeType) -> ast.Module:
    try:
        text = textwrap.dedent(inspect.getsource(code))
        # The lines of a lambda may begin inside of brackets, or end there.
        for attempt in (
            text,
            f"({text.strip()})",
            text.strip().rstrip(",):"),
            f"f({text.strip()}",
            f"[{text.strip()}]",
        ):
            try:
                return ast.parse(attempt)
            except SyntaxError:
                continue
    except (OSError, TypeError, SyntaxError):
        pass
    raise Unwritable("function")


def _named(module: str, parts: list[str]) -> Any:
    """Return what a module has under a qualified name; None if it has no such thing."""
    found: Any = sys.modules.get(module)
    for part in parts:
        found = inspect.getattr_static(found, part, None)
    return found


class Function:
    """A function of the package, with its calls."""

    def __init__(self, module: str, name: str, file: str, kind: str, target: Any) -> None:
        self.module, self.name, self.file, self.kind, self.target = module, name, file, kind, target
        self.calls: dict[str, dict[str, Any]] = {}
        self.tried = 0
        self.reasons: collections.Counter[str] = collections.Counter()

    @property
    def full(self) -> bool:
        """Whether no more calls are recorded."""
        return self.tried >= (MADE if self.kind == "constructor" else TRIED) or len(self.calls) >= KEPT or not self.kind

    def row(self) -> dict[str, Any]:
        """Return the function as plain values."""
        return {
            "module": self.module, "name": self.name, "file": self.file, "kind": self.kind,
            "calls": list(self.calls.values()), "reasons": dict(self.reasons.most_common(5)),
        }  # fmt: skip


class Recorder:
    """Records the calls of a package's functions."""

    def __init__(self, package: str) -> None:
        self._package = package
        # By the number of the code object, whose hash takes long. The object is kept, so that the number stays its own.
        self._functions: dict[int, tuple[Function | None, types.CodeType]] = {}
        self._made: dict[int, tuple[Any, tuple[str, dict[str, str], dict[str, str]]]] = {}
        self._busy = threading.local()
        self.failed: list[str] = []
        self.stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin to record, in all threads: with ``sys.monitoring``, before Python 3.12 with a profile function.

        Neither takes the place of a trace function, which belongs to coverage and debuggers.
        """
        if sys.version_info >= (3, 12):
            self._monitor()
        else:
            self._profile()

    def _monitor(self) -> None:
        monitoring = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        tool = next(number for number in (4, 3, 0, 5, 2, 1) if monitoring.get_tool(number) is None)
        monitoring.use_tool_id(tool, "codemind capture")

        def began(code: types.CodeType, _: int) -> Any:
            function, _code = self._functions.get(id(code)) or self._seen(code, sys._getframe(1))
            if function is None or function.full:
                return monitoring.DISABLE
            self.record(function, sys._getframe(1))
            return None

        monitoring.register_callback(tool, monitoring.events.PY_START, began)
        monitoring.set_events(tool, monitoring.events.PY_START)

        def stop() -> None:
            # Freeing alone leaves events on in Python 3.12.
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, monitoring.events.PY_START, None)
            monitoring.free_tool_id(tool)

        self.stop = stop

    def _profile(self) -> None:
        before, functions = sys.getprofile(), self._functions

        def called(frame: types.FrameType, event: Any, argument: Any) -> None:
            if event == "call":
                function, _ = functions.get(id(frame.f_code)) or self._seen(frame.f_code, frame)
                if function is not None and not function.full:
                    self.record(function, frame)
            if before is not None:
                before(frame, event, argument)

        threading.setprofile(called)
        sys.setprofile(called)

        def stop() -> None:
            sys.setprofile(before)
            threading.setprofile(before)

        self.stop = stop

    def _seen(self, code: types.CodeType, frame: types.FrameType) -> tuple[Function | None, types.CodeType]:
        """Return the function of code that runs for the first time, None if it is none of the package; and the code."""
        function = None
        module = frame.f_globals.get("__name__")
        if isinstance(module, str) and self._is_of_package(module) and code.co_flags & inspect.CO_NEWLOCALS:
            name = code.co_qualname
            parts = name.split(".")
            if not any(part.startswith("<") and part != "<locals>" for part in parts):
                kind, target = self._kind(code, module, parts)
                function = Function(module, name, code.co_filename, kind, target)
        self._functions[id(code)] = function, code
        return function, code

    def _is_of_package(self, module: str) -> bool:
        if module != self._package and not module.startswith(f"{self._package}."):
            return False
        parts = module.split(".")[1:]
        return not any(part in ("tests", "test", "conftest") or part.startswith("test_") for part in parts)

    def _kind(self, code: types.CodeType, module: str, parts: list[str]) -> tuple[str, Any]:
        """Return the kind of a function, which is empty for those that cannot be called by name, and the function."""
        if "<locals>" in parts or code.co_flags & _ASYNC:
            return "", None
        target = _named(module, parts)
        if target is None or isinstance(target, property):
            return "", None
        if len(parts) == 1:
            return "function", target
        if isinstance(target, (staticmethod, classmethod)):
            return type(target).__name__, target.__func__
        return {"__init__": "constructor", "__new__": ""}.get(parts[-1], "method"), target

    def importable(self, value: Any, module: str = "") -> bool:
        """Whether a class or function is found by its name, in the package or in Python's own library."""
        module = module or getattr(value, "__module__", "") or "builtins"
        if not (self._is_of_package(module) or module.split(".")[0] in sys.stdlib_module_names):
            return False
        found = _named(module, getattr(value, "__qualname__", "<").split("."))
        return found is value or getattr(found, "__func__", None) is value

    def made(self, value: Any) -> tuple[str, dict[str, str], dict[str, str]] | None:
        """Return the source of the call that made an object, with what it needs; None if nobody saw it."""
        reference, source = self._made.get(id(value), (None, None))
        return source if reference is not None and reference() is value else None

    def record(self, function: Function, frame: types.FrameType) -> None:
        """Record a call that begins."""
        if getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            function.tried += 1
            writer = Writer(self)
            try:
                text = self._call(function, frame, writer)
            except Unwritable as reason:
                function.reasons[str(reason)] += 1
                return
            call = {"call": text, "needs": writer.needs, "definitions": writer.definitions}
            if function.kind != "constructor":
                function.calls.setdefault(text, call)
        except Exception as error:  # a value that is half made, or whose type misbehaves
            function.reasons[type(error).__name__] += 1
        finally:
            self._busy.now = False

    def _call(self, function: Function, frame: types.FrameType, writer: Writer) -> str:
        code, local = frame.f_code, frame.f_locals
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[: code.co_argcount])
        named = list(code.co_varnames[code.co_argcount : count])
        rest = code.co_varnames[count] if code.co_flags & inspect.CO_VARARGS else ""
        more = code.co_varnames[count + bool(rest)] if code.co_flags & inspect.CO_VARKEYWORDS else ""
        receiver = local[names.pop(0)] if function.kind in ("method", "constructor", "classmethod") else None
        target = inspect.unwrap(function.target)
        defaults = getattr(target, "__defaults__", None) or ()
        given = dict(zip(names[::-1], defaults[::-1], strict=False))
        given |= getattr(target, "__kwdefaults__", None) or {}
        if not (rest and local[rest]):
            while names and names[-1] in given and local[names[-1]] is given[names[-1]]:
                names.pop()
        texts = [writer.source(local[name]) for name in names]
        texts += [writer.source(value) for value in local[rest]] if rest else []
        texts += [
            f"{name}={writer.source(local[name])}"
            for name in named
            if name not in given or local[name] is not given[name]
        ]
        texts += [f"{name}={writer.source(value)}" for name, value in local[more].items()] if more else []
        arguments = f"({', '.join(texts)})"
        if function.kind == "constructor":
            self._remember(receiver, arguments, writer)
            return arguments
        return writer._counted(f"{self._called(function, receiver, writer)}{arguments}")

    def _called(self, function: Function, receiver: Any, writer: Writer) -> str:
        if function.kind == "method":
            return f"{writer.source(receiver)}.{function.name.rpartition('.')[2]}"
        root = function.name.split(".")[0]
        if function.kind == "classmethod":
            return f"{writer.name(receiver)}.{function.name.rpartition('.')[2]}"
        writer._add({root: f"{function.module}:{root}"}, {})
        return function.name

    def _remember(self, receiver: Any, arguments: str, writer: Writer) -> None:
        # The constructor of a base class is called by that of the class, whose arguments count.
        if self.made(receiver) is not None:
            return
        text = f"{writer.name(type(receiver))}{arguments}"
        self._made[id(receiver)] = (_reference(receiver), (text, writer.needs, writer.definitions))

    def write(self, folder: Path) -> None:
        """Write all calls of this process into a folder."""
        functions = [function.row() for function, _ in list(self._functions.values()) if function is not None]
        content = {
            "python": sys.executable, "functions": functions, "failed": self.failed,
            "modules": _sources(),
        }  # fmt: skip
        (folder / f"calls-{os.getpid()}.json").write_text(json.dumps(content), encoding="utf-8")


def _sources() -> dict[str, str]:
    """Return the modules that are loaded, without those of Python's library, and their files in Python."""
    sources = {}
    for name, module in list(sys.modules.items()):
        file = getattr(getattr(module, "__spec__", None), "origin", None)
        path = Path(file) if isinstance(file, str) else Path()
        parts = (*path.parts[:-1], *(() if path.name == "__init__.py" else (path.stem,)))
        names = name.split(".")
        if path.suffix == ".py" and list(parts[-len(names) :]) == names and names[0] not in sys.stdlib_module_names:
            sources[name] = str(path)
    return sources


# -- the plugin

if PACKAGE in os.environ:
    import pytest

    RECORDER = Recorder(os.environ[PACKAGE])

    def pytest_configure() -> None:
        """Begin to record."""
        RECORDER.start()

    def pytest_runtest_logreport(report: Any) -> None:
        """Note the tests that fail."""
        if report.failed:
            RECORDER.failed.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish() -> None:
        """Write what was recorded. A worker of xdist is ended soon after."""
        RECORDER.stop()
        RECORDER.write(Path(os.environ[FOLDER]))

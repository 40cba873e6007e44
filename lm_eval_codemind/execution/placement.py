"""Where a test suite can be judged, decided by its source alone, and which names it uses."""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import importlib
import sys
from types import CodeType

# Modules whose use in test classes says nothing of the program beyond its values: no files, no patching, no capture.
_HARMLESS = {
    "abc", "array", "bisect", "calendar", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions",
    "functools", "heapq", "ipaddress", "itertools", "json", "math", "numbers", "numpy", "operator", "pathlib", "random",
    "re", "statistics", "string", "textwrap", "time", "types", "typing", "unittest", "uuid", "zoneinfo",
}  # fmt: skip
# Modules that reach into the process that uses them, or around the values of a program.
_PROCESS_MODULES = {
    "asyncio", "atexit", "builtins", "capsys", "concurrent", "contextvars", "csv", "faulthandler", "gc", "getpass",
    "importlib", "inspect", "io", "linecache", "locale", "logging", "mock", "multiprocessing", "os", "pandas", "pickle",
    "pytest", "resource", "shelve", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile",
    "threading", "traceback", "tracemalloc", "warnings", "weakref",
}  # fmt: skip
# Names whose use does.
_PROCESS_NAMES = {
    *_PROCESS_MODULES, "open", "exec", "eval", "compile", "globals", "locals", "vars", "dir", "id", "input", "patch",
    "Mock", "MagicMock", "asdict", "astuple", "is_dataclass", "get_type_hints", "redirect_stdout", "redirect_stderr",
    "StringIO", "__import__",
}  # fmt: skip
_CLASS_NAMES = {*_PROCESS_NAMES, "deepcopy", "copy", "super"}
_PROCESS_ATTRIBUTES = {
    "assertLogs", "assertNoLogs", "assertWarns", "assertWarnsRegex", "seed", "setstate", "getstate", "redirect_stdout",
    "redirect_stderr", "catch_warnings", "asdict", "astuple", "is_dataclass", "get_type_hints", "patch", "mock",
    "default_rng",
}  # fmt: skip
_SYS_CONSTANTS = {"byteorder", "float_info", "getsizeof", "int_info", "maxsize", "maxunicode", "version_info"}
# The others are looked at in an object itself, where a stand-in has its own.
_CARRIED_DUNDERS = {
    "__class__", "__name__", "__doc__", "__qualname__", "__module__", "__annotations__", "__members__", "__wrapped__",
    "__defaults__", "__kwdefaults__", "__cause__", "__context__", "__notes__", "__suppress_context__", "__version__",
}  # fmt: skip
_CALLED_DUNDERS = {
    "__init__", "__call__", "__len__", "__iter__", "__next__", "__getitem__", "__setitem__", "__delitem__", "__str__",
    "__repr__", "__contains__", "__enter__", "__exit__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__hash__", "__bool__", "__add__", "__sub__", "__mul__",
}  # fmt: skip
_ITERATORS = {"iter", "map", "zip", "filter", "reversed", "enumerate"}
_TEST_CASES = {"TestCase", "unittest.TestCase"}
_BUILTINS = frozenset(vars(builtins))
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
# Its argument has the number of the name above one bit.
_FLAGS = 1 if sys.version_info >= (3, 11) else 0
_LOADS = {dis.opmap[name] for name in ("LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS") if name in dis.opmap}
_STORES = {dis.opmap[name] for name in ("STORE_NAME", "STORE_GLOBAL")}
# The names under which tests use modules that they didn't import: then they mean the module, whatever a program says.
MODULE_ALIASES = {"np": "numpy", "pd": "pandas"}
MODULES = {*sys.stdlib_module_names, "numpy", "pandas", "scipy", "sklearn", "dateutil"} - {"antigravity", "this"}


@functools.lru_cache(maxsize=256)
def needs_process(tests: str, support: str, kind: str, entry_point: str) -> str:
    """Return why a suite can only be judged inside the program's process, or an empty text.

    Decided by the suite alone, so that no program can bring it about: it looks at, or changes, the state of the
    process, as by files, patching, captured output or the seed of random numbers; it hands the program objects of its
    own, such as functions; it derives classes from the program's; or it uses names of the program other than the one
    it is about, so that what it compares with comes from the program anyway.

    Args:
        tests: The suite's source.
        support: Trusted source that runs before it.
        kind: ``function`` or ``unittest``.
        entry_point: The name in the program that the suite is about, or an empty text.
    """
    try:
        tree = ast.parse(support + "\n" + tests)
    except SyntaxError:
        return ""
    nodes = list(ast.walk(tree))
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    scan = _Scan(nodes, classes, kind, entry_point)
    for node in nodes:
        reason = scan.reason(node)
        if reason:
            return reason
    imported = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    helpers = borrowed_names(tests, support, imported) - {entry_point}
    if not entry_point:
        helpers = _deciding_names(tree, helpers) if len(helpers) > 1 else set()
    if helpers:
        return f"it uses {', '.join(sorted(helpers))} of the program"
    return ""


def _deciding_names(tree: ast.Module, names: set[str]) -> set[str]:
    """Return which functions of the program decide about the others, where none is named as what is tested.

    Those of a standard library's name, those that are given what another one returned, and those whose answer alone is
    asserted.
    """

    def called(node: ast.AST) -> str:
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
        return node.func.id if named else ""  # type: ignore[attr-defined]

    found = names & _library_names()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            tested: list[ast.expr] = [node.test]
            while tested:
                each = tested.pop()
                if isinstance(each, ast.BoolOp):
                    tested += each.values
                elif isinstance(each, ast.UnaryOp):
                    tested.append(each.operand)
                else:
                    found.add(called(each))
        elif own := called(node):
            inner = {called(part) for part in ast.walk(node) if part is not node}
            if inner - {"", own}:
                found.add(own)
    return found - {""}


@functools.lru_cache(maxsize=1)
def _library_names() -> frozenset[str]:
    """Return the names that the usual modules of the standard library offer."""
    modules = (
        "bisect", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq", "itertools", "json",
        "math", "operator", "random", "re", "statistics", "string", "unittest",
    )  # fmt: skip
    return frozenset(
        name for module in modules for name in vars(importlib.import_module(module)) if not name.startswith("_")
    )


def borrowed_names(tests: str, support: str, imported: list[ast.ImportFrom]) -> set[str]:
    """Return the names that a suite uses and neither it nor its support defines, except builtins and modules.

    Args:
        tests: The suite's source.
        support: Trusted source that runs before it.
        imported: What the two import from modules.
    """
    loaded, stored = names_used(tests)
    offered = {"__name__", "__file__", "__doc__"}
    for node in imported:
        if node.module and node.names[0].name == "*":
            offered |= _star(node.module)
    return set(loaded - stored - names_used(support)[1] - offered - _BUILTINS - MODULES - MODULE_ALIASES.keys())


def _star(module: str) -> set[str]:
    try:
        return set(vars(importlib.import_module(module)))
    except ImportError:
        return set()


@functools.lru_cache(maxsize=256)
def names_used(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a module, or code inside it, looks up globally, and those that it binds at any level."""
    loaded: set[str] = set()
    stored: set[str] = set()
    waiting = [compile(source, "tests.py", "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        instructions, names, extended = code.co_code, code.co_names, 0
        # What `dis` says of an instruction takes ten times as long.
        for place in range(0, len(instructions), 2):
            operation, argument = instructions[place], instructions[place + 1] | extended
            extended = argument << 8 if operation == dis.EXTENDED_ARG else 0
            if operation == _LOAD_GLOBAL:
                loaded.add(names[argument >> _FLAGS])
            elif operation in _LOADS:
                loaded.add(names[argument])
            elif operation in _STORES:
                stored.add(names[argument])
    return frozenset(loaded), frozenset(stored)


class _Scan:
    """Looks through a suite for what can't be judged from another process."""

    def __init__(self, nodes: list[ast.AST], classes: set[str], kind: str, entry_point: str) -> None:
        self._kind = kind
        self._classes = classes
        self._entry_point = entry_point
        self._names = _CLASS_NAMES if kind == "unittest" else _PROCESS_NAMES - {"sys"}
        # What the suite makes and the program has no form of.
        self._own = set(classes)
        self._modules: set[str] = set()
        self._functions: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                self._own.add(node.name)
                self._functions.add(node.name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda | ast.GeneratorExp):
                self._own |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.Import):
                self._modules |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        self._own -= {entry_point}

    def reason(self, node: ast.AST) -> str:
        """Return why one node of the suite can't, or an empty text."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self._import(node)
        if isinstance(node, ast.Name) and node.id in self._names and node.id not in self._functions:
            return f"it uses {node.id}"
        if isinstance(node, ast.Attribute):
            attribute = node.attr
            of_sys = isinstance(node.value, ast.Name) and node.value.id == "sys" and attribute not in _SYS_CONSTANTS
            if attribute in _PROCESS_ATTRIBUTES or of_sys:
                return f"it uses {ast.unparse(node)}"
            special = attribute.startswith("__") and attribute.endswith("__")
            if special and attribute not in _CARRIED_DUNDERS | _CALLED_DUNDERS:
                return f"it uses {ast.unparse(node)}"
        if isinstance(node, ast.AsyncFunctionDef | ast.Await):
            return "it has coroutines"
        if isinstance(node, ast.ClassDef) and not (self._kind == "function" and not node.bases):
            for base in node.bases:
                name = ast.unparse(base)
                plain = name in _BUILTINS and self._kind == "function"
                if name not in _TEST_CASES and name not in self._classes and not plain:
                    return f"class {node.name} is derived from {name}"
        if isinstance(node, ast.Call) and self._reaches_program(node):
            for argument in self._handed_over(node):
                if self._is_own(argument):
                    return f"it hands the program {ast.unparse(argument)[:80]}"
        return ""

    def _import(self, node: ast.Import | ast.ImportFrom) -> str:
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for name in names:
            first = name.partition(".")[0]
            if first == "sys" and self._kind == "function":
                continue
            if name == "unittest.mock" or first in _PROCESS_MODULES:
                return f"it imports {name}"
            if self._kind == "unittest" and first not in _HARMLESS:
                return f"it imports {name}"
        return ""

    def _reaches_program(self, node: ast.Call) -> bool:
        function = node.func
        if isinstance(function, ast.Name):
            return function.id not in _BUILTINS and function.id not in self._own
        if not isinstance(function, ast.Attribute):
            return True
        name = function.attr
        if name == "sort" or (name.startswith("assert") and not name.startswith("assertRaises")):
            return False
        root = function.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            return root.id not in self._modules and root.id not in MODULE_ALIASES
        return not isinstance(root, ast.Constant | ast.JoinedStr)

    @staticmethod
    def _handed_over(node: ast.Call) -> list[ast.expr]:
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assertRaises"):
            return arguments[3 if node.func.attr.endswith("Regex") else 2 :]
        return arguments

    def _is_own(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Lambda | ast.GeneratorExp):
            return True
        if isinstance(node, ast.Name):
            return node.id in self._own
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and (
                node.func.id in _ITERATORS or node.func.id in self._classes - {self._entry_point}
            )
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return any(map(self._is_own, node.elts))
        if isinstance(node, ast.Dict):
            return any(map(self._is_own, node.values))
        if isinstance(node, ast.ListComp):
            return self._is_own(node.elt)
        return isinstance(node, ast.Starred) and self._is_own(node.value)

"""Cuts a self-contained program out of a package: a function, and all that it needs of this and other packages.

What a name needs is read from the syntax trees; nothing is executed. Left out are docstrings, which hold results of
examples, annotations of functions, decorators that only check types, and members of classes that nobody mentions.
"""

import ast
import builtins
import copy
import operator
import symtable
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lm_eval_codemind.languages.python.names import DEFINITIONS, FUNCTIONS, IMPORTS, bound_names, is_text
from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse

# Decorators that change nothing that a call computes.
_TYPE_ONLY = {"typechecked", "beartype", "override", "final", "runtime_checkable", "validate_call", "no_type_check"}
_TYPED_CLASSES = {"NamedTuple", "TypedDict", "Protocol", "dataclass"}
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
_COMPARISONS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
# What uses members of classes whose names are texts.
_BY_TEXT = frozenset(
    ("getattr", "hasattr", "setattr", "attrgetter", "methodcaller", "vars", "__dict__", "__getattribute__")
)
# Special methods that are called where nothing shows it.
_ALWAYS = {
    "__init__", "__new__", "__call__", "__iter__", "__next__", "__len__", "__bool__", "__eq__", "__ne__",
    "__hash__", "__lt__", "__le__", "__gt__", "__ge__", "__getitem__", "__missing__", "__index__", "__int__",
    "__float__", "__del__", "__length_hint__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__",
    "__get__", "__set__", "__delete__", "__set_name__", "__post_init__", "__prepare__", "__init_subclass__",
    "__class_getitem__", "__instancecheck__", "__subclasscheck__", "__subclasshook__",
}  # fmt: skip
_OPERATORS = {
    "add": "Add", "sub": "Sub", "mul": "Mult", "truediv": "Div", "floordiv": "FloorDiv", "mod": "Mod", "pow": "Pow",
    "matmul": "MatMult", "lshift": "LShift", "rshift": "RShift", "and": "BitAnd", "or": "BitOr", "xor": "BitXor",
}  # fmt: skip
_TEXTS = frozenset(("repr", "str", "print", "format", "JoinedStr", "Mod"))
# Other special methods, and what calls them: syntax, or functions of Python's library.
_CALLED_BY: dict[str, Set[str]] = {
    **{f"__{prefix}{name}__": {kind} for name, kind in _OPERATORS.items() for prefix in ("", "r", "i")},
    "__contains__": {"In", "NotIn"}, "__setitem__": {"Store"}, "__delitem__": {"Del"}, "__reversed__": {"reversed"},
    "__enter__": {"With"}, "__exit__": {"With"}, "__invert__": {"Invert"}, "__neg__": {"USub"}, "__pos__": {"UAdd"},
    "__abs__": {"abs"}, "__round__": {"round"}, "__divmod__": {"divmod"},
    "__repr__": _TEXTS, "__str__": _TEXTS, "__format__": _TEXTS,
}  # fmt: skip
_BUILTINS = frozenset(dir(builtins))
_OF_MODULES = frozenset({"__name__", "__doc__", "__builtins__"})


class NotCut(Exception):
    """A function has no self-contained program. The text is the reason."""


@dataclass(eq=False)
class Statement:
    """A statement at the top of a module, cleaned.

    Attributes:
        node: The statement.
        names: The names that it binds in the module.
        imports: Name -> where it is imported from: a module, and a name in it or "" for the module itself.
        libraries: The names of its module that stand for modules of Python's library.
    """

    node: ast.stmt
    names: frozenset[str]
    imports: dict[str, tuple[str, str]]
    libraries: frozenset[str]
    _pruned: dict[frozenset[str], "Statement"] = field(default_factory=dict)

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names of the module that it reads."""
        return frozenset(_reads(self.node))

    @cached_property
    def mentions(self) -> frozenset[str]:
        """All names in it."""
        return frozenset(each.id for each in ast.walk(self.node) if isinstance(each, ast.Name))

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The names of members that it uses, but of those of texts and of modules of Python's library."""
        return frozenset(
            each.attr
            for each in ast.walk(self.node)
            if isinstance(each, ast.Attribute)
            and not isinstance(each.value, (ast.Constant, ast.JoinedStr))
            and not (isinstance(each.value, ast.Name) and each.value.id in self.libraries)
        )

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts in it that are names."""
        values = (each.value for each in ast.walk(self.node) if isinstance(each, ast.Constant))
        return frozenset(value for value in values if isinstance(value, str) and value.isidentifier())

    @cached_property
    def operations(self) -> frozenset[str]:
        """What it uses that may call special methods."""
        nodes = list(ast.walk(self.node))
        parts = {type(each.ctx).__name__ for each in nodes if isinstance(each, ast.Subscript)}
        kinds = {type(each).__name__ for each in nodes if not isinstance(each, (ast.Store, ast.Del))}
        return self.mentions | parts | kinds

    @cached_property
    def inner_imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The imports in it."""
        return [each for each in ast.walk(self.node) if isinstance(each, IMPORTS)]

    @cached_property
    def changes(self) -> bool:
        """Whether it is there for what it changes."""
        return _changes(self.node)

    def pruned(self, mentioned: Set[str], operations: Set[str]) -> "Statement":
        """Return a class without the methods that nobody mentions, and any other statement as it is."""
        node = self.node
        if not isinstance(node, ast.ClassDef):
            return self
        members = frozenset(
            each.name
            for each in node.body
            if isinstance(each, FUNCTIONS)
            and (each.name in mentioned | _ALWAYS or bool(_CALLED_BY.get(each.name, set()) & operations))
        )
        if members not in self._pruned:
            self._pruned[members] = Statement(_with_members(node, members), self.names, self.imports, self.libraries)
        return self._pruned[members]


class Module:
    """A module of the package, as statements.

    Args:
        name: Its name.
        file: Its source.
        works: Whether a module can be imported.
    """

    def __init__(self, name: str, file: Path, works: Callable[[str], bool]) -> None:
        self.name = name
        self.is_package = file.name == "__init__.py"
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError) as error:
            raise NotCut(f"{file.name} cannot be read as Python {sys.version_info[0]}.{sys.version_info[1]}") from error
        self.future = {
            alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
            for alias in node.names
        }
        bound = set().union(*map(_bound, tree.body))
        cleaned = _Cleaner().visit(tree)
        self._works = works
        self._receivers: dict[Statement, frozenset[str]] = {}
        nodes = [node for node in self._executed(cleaned.body) if _counts(node)]
        libraries = frozenset(
            name for node in nodes for name, (place, what) in self._imports(node).items()
            if not what and _is_library(place)
        )  # fmt: skip
        self.statements = [Statement(node, frozenset(_bound(node)), self._imports(node), libraries) for node in nodes]
        # Names that another version of Python, or a type checker, would bind.
        self.absent = bound.difference(*(statement.names for statement in self.statements))

    def _executed(self, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield statements, those of a block instead of it where it is known which of them are executed.

        These are blocks that try an import of something else than Python's library.
        """
        for node in body:
            imports = [each for each in node.body if isinstance(each, IMPORTS)] if isinstance(node, ast.Try) else []
            places = [place for each in imports for place, _ in self._imports(each).values()]
            if isinstance(node, ast.Try) and not all(map(_is_library, places)):
                handled = next((each.body for each in node.handlers if _catches_imports(each)), [])
                done = [*node.body, *node.orelse] if all(map(self._works, places)) else handled
                yield from self._executed([*done, *node.finalbody])
            else:
                yield node

    def _imports(self, node: ast.stmt) -> dict[str, tuple[str, str]]:
        if isinstance(node, ast.Import):
            # `import a.b` binds a.
            return {alias.asname or alias.name.split(".")[0]: (alias.name, "") for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            return {alias.asname or alias.name: (self.absolute(node), alias.name) for alias in node.names}
        return {}

    def receivers(self, statement: Statement) -> frozenset[str]:
        """Return the names that a statement may change: those that it mentions, and that functions it calls mention."""
        if statement not in self._receivers:
            names = statement.mentions
            called = [each for each in self.statements if isinstance(each.node, FUNCTIONS) and each.names & names]
            self._receivers[statement] = names.union(*(each.reads for each in called))
        return self._receivers[statement]

    def defines(self, name: str) -> bool:
        """Whether a statement of the module binds a name."""
        return any(name in statement.names for statement in self.statements)

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the name of the module that a statement imports from."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        base = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*base, *([node.module] if node.module else [])])


class Package:
    """The modules of a package, and of other packages that it needs.

    Args:
        files: Module -> file, of those that ran; others are found beside them.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = dict(files)
        self._modules: dict[str, Module] = {}
        self._tops = {module.split(".")[0] for module in files}
        self._roots = {_root(module, file) for module, file in files.items()}
        self._texts: dict[Statement, str] = {}
        self._others: dict[Module, dict[str, str]] = {}

    def has(self, module: str) -> bool:
        """Whether a module is one of the packages."""
        return module.split(".")[0] in self._tops

    def file(self, module: str) -> Path | None:
        """Return the file of a module; None if there is none."""
        if module in self._files:
            return self._files[module]
        for root in self._roots:
            path = root.joinpath(*module.split("."))
            for file in (path.with_suffix(".py"), path / "__init__.py"):
                if file.is_file():
                    return file
        return None

    def module(self, name: str) -> Module:
        """Return a module.

        Raises:
            NotCut: If it is not there, or no source of this Python's.
        """
        if name not in self._modules:
            file = self.file(name)
            if file is None:
                raise NotCut(f"{name} has no source")
            self._modules[name] = Module(name, file, lambda each: _is_library(each) or self.file(each) is not None)
        return self._modules[name]

    def text(self, source: Module, statement: Statement) -> str:
        """Return a statement of a module as it stands in a program.

        Raises:
            UnsupportedSyntaxError: If this Python does not read it.
        """
        if statement not in self._texts:
            self._texts[statement] = unparse(_Rewriter(self, source).visit(copy.deepcopy(statement.node)))
        return self._texts[statement]

    def of_packages(self, source: Module, node: ast.ImportFrom | ast.Import) -> bool:
        """Whether an import is one of the packages' modules."""
        if isinstance(node, ast.ImportFrom):
            return self.has(source.absolute(node))
        return any(self.has(alias.name) for alias in node.names)

    def modules_of(self, source: Module) -> dict[str, str]:
        """Return the names under which a module knows others of the packages, and those modules."""
        if source not in self._others:
            defined = {name for statement in source.statements for name in statement.names - {*statement.imports}}
            self._others[source] = {
                name: f"{place}.{what}" if what else place
                for statement in source.statements
                for name, (place, what) in statement.imports.items()
                if self.has(place) and (not what or self.file(f"{place}.{what}") is not None) and name not in defined
            }
        return self._others[source]


def _root(module: str, file: Path) -> Path:
    return file.parents[module.count(".") + (file.name == "__init__.py")]


class Program:
    """A program that is being cut.

    Args:
        package: The packages.
        attributes: Names of attributes that calls of the program mention.
    """

    def __init__(self, package: Package, attributes: Iterable[str]) -> None:
        self._package = package
        self._taken: dict[str, list[Statement]] = {}  # module -> its statements, in the order in which they were found
        self._library: dict[str, tuple[str, str]] = {}  # name -> what of Python's own library it is
        self._aliases: dict[tuple[str, str], str] = {}  # (module, name) -> the name of the package that it stands for
        self._owners: dict[str, str] = {}  # name of the program -> the module that defines it
        self._found: set[tuple[str, str]] = set()
        self._mentioned = set(attributes)
        self._texts: set[str] = set()
        self._texts_are_used = False
        self._operations: set[str] = set()

    def add(self, module: str, name: str) -> None:
        """Add what a name of a module needs.

        Raises:
            NotCut: If that is not possible.
        """
        if (module, name) in self._found:
            return
        self._found.add((module, name))
        source = self._package.module(module)
        binding = [statement for statement in source.statements if name in statement.names]
        if not binding:
            is_set_elsewhere = name in source.absent or any("globals" in each.mentions for each in source.statements)
            if not self._from_star(source, name) and not is_set_elsewhere:
                raise NotCut(f"{module} does not define {name}")
            return
        # An import that comes last takes the place of a definition.
        if name in binding[-1].imports:
            binding = binding[-1:]
        for statement in binding:
            if name in statement.imports:
                self._import(source, name, statement.imports[name])
            else:
                self._own(name, module)
                self._take(source, statement)

    def _from_star(self, source: Module, name: str) -> bool:
        """Add a name that a module imports from another one with all its names; return whether there is one."""
        for statement in source.statements:
            for star, (place, what) in statement.imports.items():
                if star == what == "*" and self._package.has(place) and self._package.module(place).defines(name):
                    self.add(place, name)
                    return True
        return False

    def _own(self, name: str, module: str) -> None:
        if self._owners.setdefault(name, module) != module:
            raise NotCut(f"{name} is defined in two modules")

    def _import(self, source: Module, name: str, place: tuple[str, str]) -> None:
        module, what = place
        if not self._package.has(module):
            self.add_library(name, place)
            return
        submodule = f"{module}.{what}" if what else module
        if not what or (self._package.file(submodule) is not None and not self._package.module(module).defines(what)):
            raise NotCut(f"it uses the module {submodule} as a value")
        self.add(module, what)
        if what != name:
            self._aliases[source.name, name] = what
            self._own(name, f"{source.name}, as another name")

    def add_library(self, name: str, place: tuple[str, str]) -> None:
        """Add an import of Python's own library.

        Raises:
            NotCut: If it is of another one, or the name means something else already.
        """
        _check_library(place[0])
        if self._library.setdefault(name, place) != place:
            raise NotCut(f"{name} is defined in two modules")
        self._own(name, "the library")

    def _take(self, source: Module, statement: Statement) -> None:
        taken = self._taken.setdefault(source.name, [])
        if statement in taken:
            return
        taken.append(statement)
        if not isinstance(statement.node, ast.ClassDef):
            self._needs(source, statement)
        for name in statement.names - {*statement.imports}:
            self._own(name, source.name)

    def _needs(self, source: Module, statement: Statement) -> None:
        self._mentioned |= statement.attributes
        self._operations |= statement.operations
        self._texts |= statement.texts
        if self._texts_are_used or {*statement.mentions, *statement.attributes} & _BY_TEXT:
            self._texts_are_used = True
            self._mentioned |= self._texts
        for inner in statement.inner_imports:
            if self._package.of_packages(source, inner):
                if isinstance(inner, ast.Import):
                    raise NotCut("it imports a module of a package while it runs")
                for alias in inner.names:
                    self.add(source.absolute(inner), alias.name)
            else:
                # What such an import gives depends on what is installed where the program runs.
                of_names = [alias.name for alias in inner.names]
                for place in [source.absolute(inner)] if isinstance(inner, ast.ImportFrom) else of_names:
                    _check_library(place)
        modules = self._package.modules_of(source)
        for name in statement.reads:
            if name in modules:
                for attribute in _attributes_of(statement.node, name):
                    self.add(modules[name], attribute)
            elif source.defines(name) or name not in _BUILTINS | _OF_MODULES:
                self.add(source.name, name)

    def complete(self) -> None:
        """Add the members of classes, and statements that change what the program has, until nothing is missing.

        Raises:
            NotCut: If that is not possible.
        """
        before: tuple[int, ...] = ()
        while before != (before := self._size()):
            for module in list(self._taken):
                source = self._package.module(module)
                for statement in list(self._taken[module]):
                    if isinstance(statement.node, ast.ClassDef):
                        self._needs(source, statement.pruned(self._mentioned, self._operations))
                own = {name for statement in self._taken[module] for name in statement.names}
                for statement in source.statements:
                    if statement.changes and own & source.receivers(statement):
                        self._take(source, statement)

    def _size(self) -> tuple[int, ...]:
        return sum(map(len, self._taken.values())), len(self._mentioned), len(self._operations), len(self._found)

    def source(self) -> str:
        """Return the program.

        Raises:
            NotCut: If it has no source that this Python reads.
        """
        futures = sorted(set().union(*(self._package.module(name).future for name in self._taken)) & {"annotations"})
        lines = [f"from __future__ import {name}" for name in futures]
        for name, (module, what) in sorted(
            self._library.items(), key=lambda each: (bool(each[1][1]), each[1], each[0])
        ):
            same = name == (what or module) or (not what and module.startswith(f"{name}."))
            line = f"from {module} import {what}" if what else f"import {module}"
            lines.append(line if same else f"{line} as {name}")
        try:
            for module in self._modules_in_order():
                lines += self._statements_of(module)
            return unparse(ast.parse("\n".join(lines)))
        except (UnsupportedSyntaxError, ValueError, SyntaxError, RecursionError) as error:
            raise NotCut("its source cannot be written") from error

    def _modules_in_order(self) -> list[str]:
        """Return the modules, each after those that it imports from, as far as they are not in a circle."""
        done: list[str] = []

        def visit(name: str, above: frozenset[str]) -> None:
            if name in done or name in above:
                return
            for statement in self._package.module(name).statements:
                for place, what in statement.imports.values():
                    for other in (place, f"{place}.{what}"):
                        if other in self._taken:
                            visit(other, above | {name})
            done.append(name)

        names = {*self._taken, *(module for module, _ in self._aliases)}
        for name in sorted(names):
            visit(name, frozenset())
        return done

    def _statements_of(self, module: str) -> Iterator[str]:
        source = self._package.module(module)
        for (place, name), what in self._aliases.items():
            if place == module:
                yield f"{name} = {what}"
        taken = self._taken.get(module, [])
        for statement in source.statements:
            if statement in taken:
                yield self._package.text(source, statement.pruned(self._mentioned, self._operations))


class _Rewriter(ast.NodeTransformer):
    """Makes the names of other modules those of the program, and removes imports of the package inside of blocks."""

    def __init__(self, package: Package, source: Module) -> None:
        self._package, self._source = package, source
        self._modules = package.modules_of(source)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in self._modules:
            return ast.Name(node.attr, node.ctx)
        self.generic_visit(node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if not self._package.of_packages(self._source, node):
            return node
        aliases: list[ast.stmt] = [
            ast.Assign([ast.Name(alias.asname, ast.Store())], ast.Name(alias.name, ast.Load()), lineno=0)
            for alias in node.names
            if alias.asname and alias.asname != alias.name
        ]
        return aliases or ast.Pass()


class _Cleaner(ast.NodeTransformer):
    """Removes docstrings, annotations of functions, overloads, and decorators that only check types.

    Of a condition on Python's version, what this version executes stays.
    """

    _typed = False

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST | None:
        if any(_last_name(decorator) == "overload" for decorator in node.decorator_list):
            return None
        node.decorator_list = [each for each in node.decorator_list if _last_name(each) not in _TYPE_ONLY]
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        self._body(node, typed=False)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        names = {_last_name(each) for each in (*node.bases, *node.decorator_list)}
        node.decorator_list = [each for each in node.decorator_list if _last_name(each) not in _TYPE_ONLY]
        self._body(node, typed=bool(names & _TYPED_CLASSES))
        return node

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, typed: bool) -> None:
        if is_text(node.body[0]):
            del node.body[0]
        before, self._typed = self._typed, typed
        self.generic_visit(node)
        self._typed = before

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if not isinstance(node, ast.Module) and getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        holds = False if _last_name(node.test) == "TYPE_CHECKING" else _of_version(node.test)
        self.generic_visit(node)
        return node if holds is None else node.body if holds else node.orelse

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if self._typed:
            return node
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _counts(node: ast.stmt) -> bool:
    if is_text(node) or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
        return False
    return not (isinstance(node, ast.If) and "__main__" in ast.dump(node.test))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module binds there, also inside of blocks."""
    if isinstance(node, (*DEFINITIONS, *IMPORTS)):
        return bound_names(node) - {"*"}
    names: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            names |= _bound(child)
        elif isinstance(child, ast.ExceptHandler):
            names |= set().union(*map(_bound, child.body))
        elif not isinstance(node, (ast.Expr, ast.Delete)):
            names |= {
                each.id for each in ast.walk(child) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return names


def _changes(node: ast.stmt) -> bool:
    """Whether a statement of a module is there for what it changes: it calls, deletes or assigns to a part."""
    if isinstance(node, (ast.Expr, ast.Delete, ast.AugAssign, ast.For, ast.While, ast.With)):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets) or (
        isinstance(node, (ast.If, ast.Try)) and any(map(_changes, node.body))
    )


def _with_members(node: ast.ClassDef, names: Set[str]) -> ast.ClassDef:
    """Return a class with those of its methods, and with what the body of the class itself uses."""
    # As in `total = property(_total)`.
    parts = [part for part in node.body if not isinstance(part, DEFINITIONS)]
    used = {each.id for part in parts for each in ast.walk(part) if isinstance(each, ast.Name)} | names
    pruned = copy.copy(node)
    kept = [each for each in node.body if not isinstance(each, FUNCTIONS) or each.name in used]
    pruned.body = kept or [ast.Pass()]
    return pruned


def _is_library(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names


def _check_library(module: str) -> None:
    if not _is_library(module):
        raise NotCut(f"it needs {module.split('.')[0]}, which is not of Python's library and has no source")


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type] if handler.type else []
    return not kinds or bool({*map(_last_name, kinds)} & _IMPORT_ERRORS)


def _of_version(test: ast.expr) -> bool | None:
    """Return whether a condition on Python's version holds; None if it is another condition."""
    if not isinstance(test, ast.Compare) or not ast.unparse(test.left).endswith("version_info") or len(test.ops) > 1:
        return None
    try:
        version = ast.literal_eval(test.comparators[0])
    except (ValueError, TypeError):
        return None
    compare = _COMPARISONS.get(type(test.ops[0]))
    return compare(sys.version_info, version) if compare and isinstance(version, tuple) else None


def _reads(node: ast.stmt) -> set[str]:
    """Return the names that a statement reads of its module, at once or when its functions are called."""
    try:
        top = symtable.symtable(ast.unparse(node), "program", "exec")
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotCut("its source cannot be written") from error
    names: set[str] = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                names.add(symbol.get_name())
    return {_unmangled(name, node) for name in names}


def _unmangled(name: str, node: ast.stmt) -> str:
    prefix = f"_{node.name.lstrip('_')}__" if isinstance(node, ast.ClassDef) else ""
    return name[len(prefix) - 2 :] if prefix and name.startswith(prefix) else name


def _attributes_of(node: ast.AST, name: str) -> set[str]:
    """Return the attributes of a module that a statement reads.

    Raises:
        NotCut: If it uses the module in another way.
    """
    attributes, uses = [], 0
    for each in ast.walk(node):
        match each:
            case ast.Attribute(ast.Name(module), attribute) if module == name:
                attributes.append(attribute)
            case ast.Name(module) if module == name:
                uses += 1
    if uses > len(attributes):
        raise NotCut(f"it uses the module {name} as a value")
    return set(attributes)


def cut(package: Package, needs: Iterable[tuple[str, str]], attributes: Iterable[str]) -> str:
    """Return a program with some names of a package, and all that these need.

    Args:
        package: The package.
        needs: Module and name of each.
        attributes: The names of members that calls of the program use.

    Raises:
        NotCut: If there is no such program. The message says why.
    """
    program = Program(package, attributes)
    for module, name in needs:
        if package.has(module):
            program.add(module, name)
        else:
            program.add_library(name, (module, name))
    program.complete()
    return program.source()

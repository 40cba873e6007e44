"""A program as the rules see it: its tree, its blocks, and what may be assumed about it."""

# ruff: noqa: SIM905

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.languages.python.names import DEFINITIONS, IMPORTS, imported_modules
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.workshop.transforms.scopes import COMPREHENSIONS, FunctionNode, Occurrence, Scope, SymbolTable

Owner = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
_IDENTIFIER = re.compile(r"[^\W\d]\w*")

# What runs code that stands in a string: it sees the names of the function it is called in.
_EVALUATING = {"eval", "exec", "compile", "__import__"}
# A program that uses one of these may see names, frames or code objects, which most rules change.
_REFLECTIVE_NAMES = {"globals", "locals", "breakpoint"}
_REFLECTIVE_IF_BARE = {"vars", "dir"}
_REFLECTIVE_MODULES = {"inspect", "traceback", "gc", "dis", "ast", "symtable", "pdb", "trace", "tracemalloc", "pickle"}
_REFLECTIVE_ATTRIBUTES = set(
    """
    _getframe _current_frames settrace setprofile exc_info tb_frame f_locals f_globals f_code __code__ __closure__
    __globals__ __wrapped__ __defaults__ __kwdefaults__ __qualname__ __name__ __annotations__ stack_info findCaller
    """.split()
)

# The words of new names.
_CONTENT = read_yaml(files(__package__) / "names.yaml")
_QUALITIES, _THINGS, _ACTIONS = (_CONTENT[name].split() for name in ("qualities", "things", "actions"))


@dataclass(eq=False)
class Block:
    """One list of statements of the tree.

    Attributes:
        statements: The very list, to be changed in place.
        owner: The module, function or class whose scope the statements run in.
        scope: That scope.
        in_loop: Whether a loop of the owner is around the block.
        handling: Whether an exception may be being handled here (an `except` or `finally` clause).
        elif_arm: Whether the block is the `else` of an `if` and holds only an `if`: an `elif`.
        parent: The block of the same owner around this one, and the index of the statement that holds this one.
        outer: The block that the owner's definition stands in; None for a module.
        start: The index of the first statement that may be changed (after docstring, `__future__`, `global`).
    """

    statements: list[ast.stmt]
    owner: Owner
    scope: Scope
    in_loop: bool = False
    handling: bool = False
    elif_arm: bool = False
    parent: tuple[Block, int] | None = None
    outer: Block | None = None
    start: int = 0

    @property
    def function(self) -> FunctionNode | None:
        """The function that owns the block, None in modules and classes."""
        return self.owner if isinstance(self.owner, (ast.FunctionDef, ast.AsyncFunctionDef)) else None

    @property
    def is_top(self) -> bool:
        """Whether this is the owner's own body."""
        return self.parent is None


class Site(NamedTuple):
    """A statement, with its block and its position there."""

    block: Block
    position: int
    node: Any


class Program:
    """A program under transformation.

    Args:
        code: Its source.
        script: Whether it runs from top to bottom and nobody imports it, so that all of its names are its own.
        public: Identifiers that code outside of the program (its tests) may use, for instance as function or keyword
            names; None if unknown, then every name that could be reached from outside counts.
        focus: Functions of the module, or a method as ``Class.method``, that are to be transformed; the rest of the
            program stays as it is. None for the whole program.

    Attributes:
        tree: The syntax tree, which rules change in place.
        modules: The top-level modules that the program itself imports.
        reflective: Whether the program may look at its own names, frames or code.
        evaluating: Whether it runs code that stands in strings, which may mention any of its names.
        keywords: Names that its calls pass by keyword.
        made_names: The names that rules gave.

    Raises:
        SyntaxError: If the code is not Python.
    """

    def __init__(
        self,
        code: str,
        *,
        script: bool = False,
        public: Collection[str] | None = None,
        focus: Collection[str] | None = None,
    ) -> None:
        self.tree = ast.parse(code)
        self.script = script
        self.public = None if public is None else frozenset(public)
        self.focus = None if focus is None else frozenset(focus)
        self.original_names = frozenset(node.name for node in self.tree.body if isinstance(node, DEFINITIONS))
        # What the program itself does; rules add nothing to any of these.
        nodes = list(ast.walk(self.tree))
        self.modules = frozenset(name.partition(".")[0] for name in imported_modules(code))
        self._imports_star = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
        self.reflective = bool(self.modules & _REFLECTIVE_MODULES) or any(map(_reflects, nodes))
        self.evaluating = any(isinstance(node, ast.Name) and node.id in _EVALUATING for node in nodes)
        self.keywords = {k.arg for node in nodes if isinstance(node, ast.Call) for k in node.keywords if k.arg}
        self._looks_up = any(map(_looks_up, nodes))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
        self._written = {word for text in texts for word in _IDENTIFIER.findall(text)}
        self._imported: dict[str, str] = {}
        self.made_names: set[str] = set()
        self.taken = set(_IDENTIFIER.findall(code)) | set(public or ())

    @property
    def code(self) -> str:
        """The program's text."""
        return unparse(self.tree)

    def changed(self) -> None:
        """Forget what was derived from the tree; called after every rule."""
        for name in [name for name, value in vars(type(self)).items() if isinstance(value, cached_property)]:
            self.__dict__.pop(name, None)

    # -- names ----------------------------------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> SymbolTable:
        """Scopes and occurrences of names."""
        return SymbolTable(self.tree)

    def variable_name(self, rng: Random) -> str:
        """Return a fresh name for a variable."""
        return self._fresh(rng, _QUALITIES)

    def function_name(self, rng: Random) -> str:
        """Return a fresh name for a function."""
        return self._fresh(rng, _ACTIONS)

    def _fresh(self, rng: Random, first: Sequence[str]) -> str:
        while True:
            name = f"{rng.choice(first)}_{rng.choice(_THINGS)}"
            if name not in self.taken and name not in _RESERVED:
                self.taken.add(name)
                self.made_names.add(name)
                return name

    @cached_property
    def rebound(self) -> set[str]:
        """Names that the program binds, anywhere; builtins among them are not sure to be builtins."""
        return {occurrence.name for occurrence in self.symbols.occurrences if occurrence.binds}

    @cached_property
    def _names(self) -> dict[ast.AST, Occurrence]:
        return {occurrence.node: occurrence for occurrence in self.symbols.occurrences}

    def bindings(self, name: ast.Name) -> list[ast.AST]:
        """Return the places where a variable gets its values, in order; empty if others may give it values, too."""
        home = self._names[name].home
        if home.kind == "class" or (home.kind == "module" and not self.script):
            return []
        return [o.node for o in self.symbols.variable(home, name.id) if o.binds]

    def is_builtin(self, name: str) -> bool:
        """Whether `name` can only mean Python's builtin."""
        return name in _RESERVED and name not in self.rebound and not self._imports_star

    def writes(self, name: str) -> bool:
        """Whether a name is written in a string, where a lookup by name could find it.

        Only counts where the program looks up names or passes keywords by way of strings.
        """
        return self._looks_up and name in self._written

    # -- functions ------------------------------------------------------------------------------------------------

    @cached_property
    def _calls(self) -> tuple[set[str], set[str]]:
        """The names of functions and classes that a recursive one reaches, and of those that may run many times."""
        defined = [node for node in self.symbols.scopes if isinstance(node, DEFINITIONS)]
        refers: dict[str, set[str]] = {node.name: set() for node in defined}
        repeated = {node.name for node in defined if not isinstance(node, ast.ClassDef) and _runs_implicitly(node)}
        _note_references(self.tree, refers, repeated, self._imported_modules)
        reached = {name: _closure(name, refers) for name in refers}
        recursive = {name for name in refers if name in reached[name]}
        repeated |= recursive
        return (
            recursive.union(*(reached[name] for name in recursive)),
            repeated.union(*(reached[name] for name in repeated)),
        )

    @cached_property
    def _imported_modules(self) -> set[str]:
        bindings = [o for o in self.symbols.occurrences if o.binds]
        others = {o.name for o in bindings if o.node not in self.symbols.modules}
        return {o.name for o in bindings if o.node in self.symbols.modules} - others

    def is_deep(self, function: FunctionNode | None) -> bool:
        """Whether a function is recursive or called by a recursive one, so that the stack may be nearly full."""
        return function is not None and function.name in self._calls[0]

    def is_repeated(self, block: Block | None) -> bool:
        """Whether one run of the program, or one call from outside, may run the block many times."""
        while block is not None:
            if block.in_loop or (block.function is not None and block.function.name in self._calls[1]):
                return True
            block = block.outer
        return False

    # -- blocks ---------------------------------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks that rules may change, in the order of the source."""
        return [block for block in self._blocks_in(self.tree) if self._in_focus(block)]

    def _in_focus(self, block: Block) -> bool:
        # New variables of a module that others import would become part of what it offers.
        if isinstance(block.owner, ast.Module) and not self.script:
            return False
        if self.focus is None:
            return True
        chain: list[str] = []
        scope = block.scope
        while scope.parent is not None:
            chain.insert(0, getattr(scope.node, "name", ""))
            scope = scope.parent
        # Functions that earlier rules added or renamed belong to those they were made from.
        return bool({chain[0], ".".join(chain[:2])} & self.focus) or chain[0] not in self.original_names

    def _blocks_in(self, owner: Owner, outer: Block | None = None) -> Iterator[Block]:
        scope = self.symbols.scopes[owner]
        yield from self._walk(Block(owner.body, owner, scope, outer=outer, start=_start(owner.body)))

    def _walk(self, block: Block) -> Iterator[Block]:
        yield block
        for index, node in enumerate(block.statements):
            if isinstance(node, DEFINITIONS):
                yield from self._blocks_in(node, block)
                continue
            for body, kind in _bodies(node):
                inner = replace(block, statements=body, parent=(block, index), start=0)
                inner.in_loop = block.in_loop or (isinstance(node, LOOPS) and kind == "body")
                inner.handling = block.handling or kind in ("handler", "finally")
                inner.elif_arm = isinstance(node, ast.If) and kind == "else" and len(body) == 1
                yield from self._walk(inner)

    def statements(self) -> Iterator[Site]:
        """Yield the statements that rules may change; not those of classes.

        A new name in a class's own block would become an attribute.
        """
        for block in self.blocks:
            if not isinstance(block.owner, ast.ClassDef):
                for index, node in enumerate(block.statements):
                    yield Site(block, index, node)

    # -- additions to the module ----------------------------------------------------------------------------------

    def add_import(self, text: str) -> None:
        """Put an import at the end of the module's leading imports, unless the very same is there."""
        (node,) = ast.parse(text).body
        end = _start(self.tree.body)
        if ast.dump(node) not in map(ast.dump, self.tree.body[first_index(self.tree.body) : end]):
            self.tree.body.insert(end, node)

    def imported(self, text: str, rng: Random) -> str:
        """Add an import of one name and return the name to use, an alias where the program uses the same one."""
        if text in self._imported:
            return self._imported[text]
        name = text.split()[-1]
        used = name if name not in self.taken or self._is_imported(text, name) else self.variable_name(rng)
        self._imported[text] = used
        self.taken.add(used)
        self.add_import(text if used == name else f"{text} as {used}")
        return used

    def _is_imported(self, text: str, name: str) -> bool:
        """Whether this import is one of the module's leading imports, and the name has no other binding."""
        bindings = [o for o in self.symbols.occurrences if o.binds and o.name == name]
        first = self.tree.body[: _start(self.tree.body)]
        return len(bindings) == 1 and any(unparse(node) == text for node in first)

    def add_function(self, function: ast.stmt, before: Iterable[ast.AST]) -> None:
        """Put a function before the module's first definition, or before the first statement that needs it."""
        needing = {id(node) for node in before}
        for index, node in enumerate(self.tree.body):
            if isinstance(node, DEFINITIONS) or any(id(part) in needing for part in ast.walk(node)):
                self.tree.body.insert(index, function)
                return
        self.tree.body.append(function)


def _reflects(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _REFLECTIVE_NAMES
    if isinstance(node, ast.Attribute):
        return node.attr in _REFLECTIVE_ATTRIBUTES
    if isinstance(node, ast.Call):
        bare = isinstance(node.func, ast.Name) and node.func.id in _REFLECTIVE_IF_BARE and not node.args
        return bare or any(keyword.arg == "stacklevel" for keyword in node.keywords)
    return False


def _looks_up(node: ast.AST) -> bool:
    """Whether a node finds something by its name in a string, or passes keywords that way."""
    if isinstance(node, ast.Name):
        return node.id in ("getattr", "setattr", "hasattr", "delattr", "vars", "dir")
    return isinstance(node, ast.Call) and any(keyword.arg is None for keyword in node.keywords)


def discards(node: ast.stmt) -> bool:
    """Whether a statement is a call of constants only, whose value is thrown away."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    arguments = [*node.value.args, *(keyword.value for keyword in node.value.keywords)]
    names_in = any(isinstance(part, (ast.Name, ast.Call)) for argument in arguments for part in ast.walk(argument))
    return bool(arguments) and not names_in


def leaves(node: ast.stmt) -> bool:
    """Whether a statement always leaves its function, so that nothing behind it runs."""
    if isinstance(node, (ast.Return, ast.Raise)):
        return True
    if isinstance(node, (ast.If, ast.With)):
        parts = [node.body] if isinstance(node, ast.With) else [node.body, node.orelse]
        return all(any(map(leaves, part)) for part in parts)
    if isinstance(node, ast.Try):
        parts = [node.orelse or node.body, *(handler.body for handler in node.handlers)]
        return any(map(leaves, node.finalbody)) or all(any(map(leaves, part)) for part in parts)
    return False


def first_index(body: list[ast.stmt]) -> int:
    """Return the number of statements that must stay first: docstring, `__future__`, `global`, `nonlocal`."""
    for index, node in enumerate(body):
        docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future or isinstance(node, (ast.Global, ast.Nonlocal))):
            return index
    return len(body)


def _start(body: list[ast.stmt]) -> int:
    """Return the index of the first statement after the leading imports, where rules may start to change code."""
    index = first_index(body)
    while index < len(body) and isinstance(body[index], IMPORTS):
        index += 1
    return index


def _bodies(node: ast.stmt) -> list[tuple[list[ast.stmt], str]]:
    """Return the blocks of a compound statement, in the order of the source, with what they are."""
    bodies = [
        (getattr(node, "body", []), "body"),
        *((handler.body, "handler") for handler in getattr(node, "handlers", ())),
        *((case.body, "case") for case in getattr(node, "cases", ())),
        (getattr(node, "orelse", []), "else"),
        (getattr(node, "finalbody", []), "finally"),
    ]
    return [(body, kind) for body, kind in bodies if body]


def _runs_implicitly(node: FunctionNode) -> bool:
    """Whether Python itself may call a function, unseen and often."""
    special = node.name.startswith("__") and node.name.endswith("__") and node.name not in ("__init__", "__call__")
    return special or any(not isinstance(d, ast.Name) or d.id == "property" for d in node.decorator_list)


def _note_references(tree: ast.Module, refers: dict[str, set[str]], repeated: set[str], modules: set[str]) -> None:
    """Note which functions each function's body mentions, and which mentions may mean many calls.

    Many: in a loop, comprehension or lambda, or mentioned without a call (as `key=`, for `map`, as an attribute).
    An attribute of an imported module is not a function of the program.
    """
    # Nodes, each with whether it may run many times, and the functions whose bodies it is in.
    pending: list[tuple[ast.AST, bool, frozenset[str]]] = [(tree, False, frozenset())]
    while pending:
        node, often, within = pending.pop()
        mentioned = node
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            mentioned = node.func
            pending += [(part, often, within) for part in (*node.args, *node.keywords)]
        if isinstance(mentioned, (ast.Name, ast.Attribute)):
            if isinstance(mentioned, ast.Name):
                name = mentioned.id
            else:
                pending.append((mentioned.value, often, within))
                of_module = isinstance(mentioned.value, ast.Name) and mentioned.value.id in modules
                name = "" if of_module else mentioned.attr
            if name in refers:
                if often or mentioned is node:
                    repeated.add(name)
                for function in within:
                    refers[function].add(name)
            continue
        inner = often or isinstance(node, (*LOOPS, *COMPREHENSIONS, ast.Lambda))
        # A decorator's mention is one call.
        decorators = node.decorator_list if isinstance(node, DEFINITIONS) else []
        body = within | {node.name} if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else within
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.Name) and child in decorators):
                pending.append((child, inner, body if isinstance(child, ast.stmt) else within))


def _closure(name: str, refers: dict[str, set[str]]) -> set[str]:
    reached = list(refers[name])
    # The list grows during the loop.
    for other in reached:
        reached += refers[other].difference(reached)
    return set(reached)

"""Which name means what: scopes, bindings and every occurrence of a name in a program."""

# A visitor's methods are named after the nodes they visit.

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from lm_eval_codemind.languages.python.names import DEFINITIONS

ScopeKind = Literal["module", "function", "class", "comprehension"]
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False)
class Scope:
    """A region with its own names; lambdas count as functions.

    Attributes:
        node: The module, definition, lambda or comprehension that opens the scope.
        bound: Names bound here, parameters included, without those declared global or nonlocal.
    """

    node: ast.AST
    kind: ScopeKind
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)

    def resolve(self, name: str) -> Scope:
        """Return the scope whose variable `name` means here; builtins resolve to the module."""
        scope, is_global = self, False
        while scope.parent is not None:
            if scope.kind != "class" or scope is self:
                is_global = is_global or name in scope.global_names
                if name in scope.bound and not is_global:
                    return scope
            scope = scope.parent
        return scope


@dataclass(eq=False)
class Occurrence:
    """One occurrence of a variable's name.

    Attributes:
        attribute: The attribute of `node` that holds the name (``id``, ``arg``, ``name``, ``asname``, ``rest``, or
            ``names`` for global and nonlocal statements).
        scope: The scope the name is looked up from.
        binds: Whether the place gives the variable a value or deletes it.
    """

    name: str
    node: ast.AST
    attribute: str
    scope: Scope
    binds: bool

    @property
    def home(self) -> Scope:
        """The scope whose variable this is."""
        return self.scope.resolve(self.name)

    def rename(self, new: str) -> None:
        """Write the new name at this place."""
        if self.attribute == "names":
            assert isinstance(self.node, (ast.Global, ast.Nonlocal))
            self.node.names = [new if name == self.name else name for name in self.node.names]
        else:
            setattr(self.node, self.attribute, new)


class SymbolTable(ast.NodeVisitor):
    """All scopes and occurrences of a module, in the order of the source.

    Attributes:
        scopes: The scope each module, definition, lambda and comprehension opens.
        occurrences: Every place of every name.
        modules: The places where `import` binds names.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.scopes: dict[ast.AST, Scope] = {}
        self.occurrences: list[Occurrence] = []
        self.modules: set[ast.AST] = set()
        self._scope = self.scopes[tree] = Scope(tree, "module", None)
        for node in tree.body:
            self.visit(node)
        self._homes: dict[tuple[Scope, str], list[Occurrence]] | None = None

    def variable(self, home: Scope, name: str) -> list[Occurrence]:
        """Return all occurrences of the variable `name` of the scope `home`."""
        if self._homes is None:
            self._homes = {}
            for occurrence in self.occurrences:
                self._homes.setdefault((occurrence.home, occurrence.name), []).append(occurrence)
        return self._homes.get((home, name), [])

    def bound_in(self, nodes: Iterable[ast.AST], scope: Scope) -> list[str]:
        """Return the names that these nodes bind in `scope` itself, in order, without repetition."""
        inside = {id(node) for top in nodes for node in ast.walk(top)}
        names = (o.name for o in self.occurrences if o.binds and id(o.node) in inside and o.scope is scope)
        return list(dict.fromkeys(names))

    def free_names(self, node: ast.expr, scope: Scope) -> list[str]:
        """Return the names an expression evaluated in `scope` reads from outside of itself, in order."""
        inside = {id(part) for part in ast.walk(node)}
        names = (o.name for o in self.occurrences if id(o.node) in inside and id(o.home.node) not in inside)
        return list(dict.fromkeys(names))

    def _add(self, name: str, node: ast.AST, attribute: str, binds: bool, scope: Scope | None = None) -> None:
        scope = scope or self._scope
        self.occurrences.append(Occurrence(name, node, attribute, scope, binds))
        if binds and name not in scope.global_names and name not in scope.nonlocal_names:
            scope.bound.add(name)

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _inside(self, node: ast.AST, kind: ScopeKind) -> Iterator[Scope]:
        outer = self._scope
        self._scope = self.scopes[node] = Scope(node, kind, outer)
        yield self._scope
        self._scope = outer

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        self._add(node.name, node, "name", binds=True)
        arguments = _all_arguments(node.args)
        self._visit_all(node.decorator_list)
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])
        self._visit_all([argument.annotation for argument in arguments] + [node.returns])
        for scope in self._inside(node, "function"):
            _declare(scope, node.body)
            for argument in arguments:
                self._add(argument.arg, argument, "arg", binds=True)
            self._visit_all(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])
        for _ in self._inside(node, "function"):
            for argument in _all_arguments(node.args):
                self._add(argument.arg, argument, "arg", binds=True)
            self.visit(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._add(node.name, node, "name", binds=True)
        self._visit_all([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
        for scope in self._inside(node, "class"):
            _declare(scope, node.body)
            self._visit_all(node.body)

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        for _ in self._inside(node, "comprehension"):
            self._visit_all([first.target, *first.ifs])
            for generator in others:
                self._visit_all([generator.iter, generator.target, *generator.ifs])
            self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self._add(node.target.id, node.target, "id", binds=True, scope=scope)

    def visit_Name(self, node: ast.Name) -> None:
        self._add(node.id, node, "id", binds=not isinstance(node.ctx, ast.Load))

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self._add(name, node, "names", binds=False)

    visit_Nonlocal = visit_Global

    def visit_Import(self, node: ast.Import) -> None:
        self.modules.update(node.names)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        if node.asname is not None:
            self._add(node.asname, node, "asname", binds=True)
        elif node.name != "*":
            self._add(node.name.partition(".")[0], node, "name", binds=True)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar | ast.ExceptHandler) -> None:
        if node.name is not None:
            self._add(node.name, node, "name", binds=True)
        self.generic_visit(node)

    visit_MatchStar = visit_ExceptHandler = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self._add(node.rest, node, "rest", binds=True)
        self.generic_visit(node)


def _all_arguments(node: ast.arguments) -> list[ast.arg]:
    optional = [argument for argument in (node.vararg, node.kwarg) if argument is not None]
    return [*node.posonlyargs, *node.args, *node.kwonlyargs, *optional]


def _declare(scope: Scope, body: Iterable[ast.stmt]) -> None:
    """Note the global and nonlocal statements of a scope, which hold for the whole of it."""
    pending: list[ast.AST] = [*body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global):
            scope.global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocal_names.update(node.names)
        elif not isinstance(node, (*DEFINITIONS, ast.expr)):
            pending += ast.iter_child_nodes(node)

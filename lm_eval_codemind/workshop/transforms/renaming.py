"""Renaming: one variable or function gets another name, at all places that mean it."""

import ast
from collections.abc import Iterable
from random import Random

from lm_eval_codemind.workshop.transforms.program import Program
from lm_eval_codemind.workshop.transforms.rule import Rule
from lm_eval_codemind.workshop.transforms.scopes import FunctionNode, Occurrence, Scope

Site = tuple[Scope, str]


def _variables(program: Program) -> list[tuple[Scope, str, list[Occurrence]]]:
    """Return the variables bound in blocks that rules may change, in the order of the source; only sure ones."""
    if program.evaluating:
        return []
    scopes = {block.scope for block in program.blocks}
    module = program.symbols.scopes[program.tree]
    pairs: dict[tuple[Scope, str], None] = {}
    for occurrence in program.symbols.occurrences:
        of_module = occurrence.home is module and (program.focus is None or occurrence.name in program.focus)
        if occurrence.binds and (of_module or occurrence.home in scopes):
            pairs.setdefault((occurrence.home, occurrence.name))
    return [(home, name, program.symbols.variable(home, name)) for home, name in pairs if _is_sure(program, home, name)]


def _is_sure(program: Program, home: Scope, name: str) -> bool:
    """Whether only the variable's occurrences depend on its name."""
    if home.kind == "class" or name.startswith("__") or name in program.made_names:
        return False
    if home.kind == "module":
        # What is imported from outside is whatever the tests mention; without tests, anything.
        reachable = not program.script and (program.public is None or name in program.public)
        return not reachable and not program.writes(name)
    return not program.writes(name)


def _rename(program: Program, site: Site, new: str) -> None:
    for occurrence in program.symbols.variable(*site):
        occurrence.rename(new)


class RenameVariable(Rule, rule="rename_variable", group="renaming", limit=2):
    """Renames a local variable or parameter; in scripts also a variable of the module.

    Callers may pass a parameter by keyword: it is renamed only if no call of the program and, as far as they are known,
    no test uses its name, and if its function is not a method that another one could stand in for.
    """

    def find(self, program: Program) -> Iterable[Site]:
        for home, name, occurrences in _variables(program):
            if all(self._fits(program, home, occurrence) for occurrence in occurrences):
                yield home, name

    @staticmethod
    def _fits(program: Program, home: Scope, occurrence: Occurrence) -> bool:
        node = occurrence.node
        if isinstance(node, ast.arg):
            if occurrence.name in program.keywords or occurrence.name in ("self", "cls", "args", "kwargs"):
                return False
            if program.public is not None:
                return occurrence.name not in program.public
            return home.parent is not None and home.parent.kind == "function"
        return isinstance(node, (ast.Name, ast.ExceptHandler, ast.Global, ast.Nonlocal))

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        _rename(program, site, program.variable_name(rng))


class RenameFunction(Rule, rule="rename_function", group="renaming", limit=2):
    """Renames a function that nobody outside of the program calls; never a method.

    A function that is used other than by calling it could be asked for its name: no site.
    """

    def find(self, program: Program) -> Iterable[Site]:
        called = {id(node.func) for node in ast.walk(program.tree) if isinstance(node, ast.Call)}
        for home, name, occurrences in _variables(program):
            is_function = all(isinstance(o.node, FunctionNode) for o in occurrences if o.binds)
            if is_function and all(o.binds or id(o.node) in called for o in occurrences):
                yield home, name

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        _rename(program, site, program.function_name(rng))

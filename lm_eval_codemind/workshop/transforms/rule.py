"""The base classes of transformation rules, and syntax trees from source text with gaps."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, cast

from lm_eval_codemind.workshop.transforms.program import Program, Site

Filling = ast.expr | Sequence[ast.stmt]


class Rule(ABC):
    """One semantics-preserving rewriting.

    A rule lists only sites where it is sure that no test could tell the difference, so that an empty list is its way
    to refuse. Running time, stack depth by a constant number of frames, error messages and addresses don't count.

    Attributes:
        name: The rule's name in recipes and in the data set.
        group: One of the paper's four groups.
        limit: How often the composer applies it to one program at most.
        builtins: Names that have to mean Python's builtins.
    """

    name: str
    group: str
    limit: int
    builtins: tuple[str, ...]

    def __init_subclass__(
        cls, rule: str = "", group: str = "", limit: int = 1, builtins: tuple[str, ...] = (), **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        cls.name, cls.group, cls.limit, cls.builtins = rule, group, limit, builtins

    def sites(self, program: Program) -> list[Any]:
        """Return the places where the rule applies, in the order of the source; none in a reflective program."""
        if program.reflective or not all(map(program.is_builtin, self.builtins)):
            return []
        return list(self.find(program))

    @abstractmethod
    def find(self, program: Program) -> Iterable[Any]:
        """Yield the places where the rule applies to a program that is not reflective."""

    @abstractmethod
    def apply(self, program: Program, site: Any, rng: Random) -> None:
        """Rewrite the program's tree in place at one of its :meth:`sites`."""


class StatementRule(Rule):
    """A rule whose sites are statements."""

    def find(self, program: Program) -> Iterable[Site]:
        return (site for site in program.statements() if self.fits(program, site))

    @abstractmethod
    def fits(self, program: Program, site: Site) -> bool:
        """Whether a statement is a site."""


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: Mapping[str, Filling]) -> None:
        self.parts = parts

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        if isinstance(node.value, ast.Name):
            part = self.parts.get(node.value.id)
            if part is not None and not isinstance(part, ast.expr):
                return list(part)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        part = self.parts.get(node.id)
        return part if isinstance(part, ast.expr) else node


def statements(text: str, **parts: Filling) -> list[ast.stmt]:
    """Return the statements of `text`; a name that is a key of `parts` stands for that expression or block.

    A block's name stands alone on its line. Names of gaps are written ``_LIKE_THIS_``, as no program's are.
    """
    return cast(ast.Module, _Fill(parts).visit(ast.parse(text))).body


def expression(text: str, **parts: ast.expr) -> ast.expr:
    """Return the expression `text`, its gaps filled as in :func:`statements`."""
    return cast(ast.expr, _Fill(parts).visit(ast.parse(text, mode="eval").body))

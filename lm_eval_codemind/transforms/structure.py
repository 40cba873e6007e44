"""Structure: guards and loops that change nothing, wrapped around a program's own."""

import ast
from random import Random

from lm_eval_codemind.transforms.moving import jumps
from lm_eval_codemind.transforms.program import Block, Program, discards
from lm_eval_codemind.transforms.rule import Rule
from lm_eval_codemind.transforms.templates import statements

Site = tuple[Block, int]


def _loops(program: Program, *kinds: type[ast.stmt]) -> list[Site]:
    """Return the loops that no `break` or `continue` in their `else` leaves."""
    if program.reflective:
        return []
    found = program.statements()
    return [(block, index) for block, index, node in found if isinstance(node, kinds) and not jumps([node])]


def _wrap(site: Site, rng: Random, values: dict[str, int], header: str) -> None:
    """Put a statement under a header, after assignments to new variables at drawn places of its block."""
    block, index = site
    places = sorted(rng.randrange(block.start, index + 1) for _ in values)
    for (name, value), place in zip(reversed(values.items()), reversed(places), strict=True):
        block.statements[place:place] = statements(f"{name} = {value}")
    index += len(values)
    block.statements[index : index + 1] = statements(f"{header}\n    _BODY_", _BODY_=[block.statements[index]])


class AlwaysTrueGuard(Rule):
    """Puts an `if`, whole with its `else`, under `if a & b:`, two integers with a bit in common.

    An `elif` is not a site: it belongs to the `if` above it.
    """

    name = "always_true_guard"
    group = "structure"
    limit = 2

    def sites(self, program: Program) -> list[Site]:
        """Return the `if` statements."""
        if program.reflective:
            return []
        found = program.statements()
        return [(block, index) for block, index, node in found if isinstance(node, ast.If) and not block.elif_arm]

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        left, right = program.variable_name(rng), program.variable_name(rng)
        common = 1 << rng.randrange(2, 9)
        values = {left: rng.randrange(100, 1000) | common, right: rng.randrange(100, 1000) | common}
        _wrap(site, rng, values, f"if {left} & {right}:")


class SingleTripFor(Rule):
    """Puts a `for` into `for _ in range(a // b)` with a = b + 1: one trip.

    Two numbers k and k - 1 with k >= 4 give k // (k - 1) == 1. A `break` or `continue` in the loop's `else` belongs to
    a loop further out and would now hit the new one: no site.
    """

    name = "single_trip_for"
    group = "structure"
    limit = 2

    def sites(self, program: Program) -> list[Site]:
        """Return the `for` statements."""
        return _loops(program, ast.For) if program.is_builtin("range") else []

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        left, right, turn = (program.variable_name(rng) for _ in range(3))
        size = rng.randrange(4, 1000)
        _wrap(site, rng, {left: size, right: size - 1}, f"for {turn} in range({left} // {right}):")


class SingleTripWhile(Rule):
    """Puts a loop into `while a % b == 1` with a = b + 1, which it increments first: one trip.

    With k >= 4: k % (k - 1) is 1, and (k + 1) % (k - 1) is 2. The increment comes first: no `continue` can skip it.
    """

    name = "single_trip_while"
    group = "structure"
    limit = 2

    def sites(self, program: Program) -> list[Site]:
        """Return the loops."""
        return _loops(program, ast.For, ast.While)

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        left, right = program.variable_name(rng), program.variable_name(rng)
        size = rng.randrange(4, 1000)
        _wrap(site, rng, {left: size, right: size - 1}, f"while {left} % {right} == 1:\n    {left} += 1")


class TryExcept(Rule):
    """Puts a statement into `try` with a handler that raises the exception again."""

    name = "try_except"
    group = "structure"
    limit = 2
    _SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.While, ast.With)

    def sites(self, program: Program) -> list[Site]:
        """Return the statements that compute a value, without definitions, imports and jumps."""
        if program.reflective or not program.is_builtin("Exception"):
            return []
        return [
            (block, index)
            for block, index, node in program.statements()
            if index >= block.start and not block.elif_arm and self._fits(node)
        ]

    def _fits(self, node: ast.stmt) -> bool:
        return isinstance(node, self._SIMPLE) and not _is_trivial(node) and not discards(node)

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index = site
        kind = rng.choice(["Exception", "ArithmeticError", "LookupError", "TypeError", "ValueError"])
        if not program.is_builtin(kind):
            kind = "Exception"
        if rng.randrange(2):
            name = program.variable_name(rng)
            text = f"try:\n    _BODY_\nexcept {kind} as {name}:\n    raise {name}"
        else:
            text = f"try:\n    _BODY_\nexcept {kind}:\n    raise"
        block.statements[index : index + 1] = statements(text, _BODY_=[block.statements[index]])


def _is_trivial(node: ast.stmt) -> bool:
    """Whether a statement can't fail: a bare `return`, or only constants or a name on the right."""
    if not isinstance(node, (ast.Return, ast.Assign, ast.AnnAssign, ast.Expr)):
        return False
    value = node.value
    if value is None or isinstance(value, ast.Name):
        return True
    plain = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Subscript, ast.expr_context)
    return all(isinstance(part, plain) for part in ast.walk(value))

"""Library calls: `sum`, `min` and `max` of small integers by NumPy."""

import ast
from collections.abc import Iterator
from random import Random

from lm_eval_codemind.transforms.moving import escapes, has_walrus
from lm_eval_codemind.transforms.program import DEFINITIONS, Program
from lm_eval_codemind.transforms.rule import Rule
from lm_eval_codemind.transforms.templates import expression

_SMALL = 2**31


class NumpyBuiltin(Rule):
    """Makes `max(a, b)` into `int(np.max(np.array([a, b])))`; likewise `min` and `sum`.

    Only where every operand is sure to be a small integer: literals, lengths, character codes, indices of ranges of
    such, counters of such, and sums of a few of them. Then the type is an integer again, nothing overflows, and an
    empty sequence does what it did: 0 for `sum`, `ValueError` for the others.
    """

    name = "numpy_builtin"
    group = "library"
    limit = 2

    def sites(self, program: Program) -> list[ast.Call]:
        """Return the calls."""
        names = ("sum", "min", "max", "int", "range", "enumerate")
        if program.reflective or not all(program.is_builtin(name) for name in names):
            return []
        small = SmallIntegers(program)
        found = []
        for block, _, node in program.statements():
            if not isinstance(block.function, ast.AsyncFunctionDef):
                calls = [part for part in own_expressions(node) if isinstance(part, ast.Call)]
                found += [call for call in calls if small.operands(call) is not None]
        return found

    def apply(self, program: Program, site: ast.Call, rng: Random) -> None:
        operands = SmallIntegers(program).operands(site)
        assert operands is not None
        assert isinstance(site.func, ast.Name)
        numpy = "np" if "np" not in program.taken else program.variable_name(rng)
        program.taken.add(numpy)
        program.add_import(f"import numpy as {numpy}")
        text = f"int({numpy}.{site.func.id}({numpy}.array(_OPERANDS_, dtype={numpy}.int64)))"
        new = expression(text, _OPERANDS_=operands)
        assert isinstance(new, ast.Call)
        site.func, site.args, site.keywords = new.func, new.args, new.keywords


class SmallIntegers:
    """Says of an expression whether it is sure to be an `int` far from 64 bits."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._values = dict(_bindings(program.tree))

    def operands(self, call: ast.Call) -> ast.expr | None:
        """Return the argument of `sum`, `min` or `max` as a list; None if the list may be long."""
        if not isinstance(call.func, ast.Name) or call.func.id not in ("sum", "min", "max") or call.keywords:
            return None
        if len(call.args) == 1:
            (argument,) = call.args
            if isinstance(argument, ast.List):
                elements = argument.elts
            elif isinstance(argument, (ast.ListComp, ast.GeneratorExp)):
                # A generator turns StopIteration into another exception, a list does not.
                if escapes(argument) or has_walrus(argument) or _advances(argument):
                    return None
                return ast.ListComp(argument.elt, argument.generators) if self._is_small(argument.elt) else None
            else:
                return None
        elif call.func.id == "sum":
            return None
        else:
            elements = call.args
        if not elements or any(isinstance(e, ast.Starred) or not self._is_small(e) for e in elements):
            return None
        return ast.List(list(elements), ast.Load())

    def _is_small(self, node: ast.expr, visited: frozenset[ast.AST] = frozenset(), depth: int = 0) -> bool:
        if depth > 4:
            return False
        if isinstance(node, ast.Constant):
            return type(node.value) is int and abs(node.value) < _SMALL
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self._is_small(node.operand, visited, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.FloorDiv)):
            return self._is_small(node.left, visited, depth + 1) and self._is_small(node.right, visited, depth + 1)
        if isinstance(node, ast.IfExp):
            return self._is_small(node.body, visited, depth + 1) and self._is_small(node.orelse, visited, depth + 1)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if not self._program.is_builtin(node.func.id):
                return False
            if node.func.id in ("len", "ord"):
                return True
            if node.func.id in ("min", "max") and len(node.args) > 1:
                return all(self._is_small(argument, visited, depth + 1) for argument in node.args)
        if isinstance(node, ast.Name):
            places = self._program.bindings(node)
            if not places or places[0] in visited:
                return False
            values = [self._values.get(id(place)) for place in places]
            known = visited | {places[0]}
            return all(value is not None and self._is_small(value, known, depth + 1) for value in values)
        return False


def own_expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement itself, not those of the statements inside of it, in the source's order.

    Annotations, decorators and defaults don't count.
    """
    if isinstance(node, (*DEFINITIONS, ast.Match)):
        return
    for name, value in ast.iter_fields(node):
        if name == "annotation":
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, (ast.expr, ast.withitem)):
                yield from (inner for inner in _preorder(part) if isinstance(inner, ast.expr))


def _preorder(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _preorder(child)


def _advances(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id in ("next", "iter") for part in ast.walk(node))


def _bindings(tree: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """Yield, for each name that is given integers in a plain way, the expression that bounds them.

    A counter's steps bound the counter: no program lives long enough to count to 2**63.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield id(node.targets[0]), node.value
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield id(node.target), node.value
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.op, (ast.Add, ast.Sub)):
                yield id(node.target), node.value
        elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Call):
            call = node.iter
            if not isinstance(call.func, ast.Name) or call.keywords:
                continue
            if call.func.id == "range" and call.args and not any(isinstance(a, ast.Starred) for a in call.args):
                bound = call.args[0]
                for argument in call.args[1:]:
                    bound = ast.BinOp(bound, ast.Add(), argument)
                yield id(node.target), bound
            elif call.func.id == "enumerate" and len(call.args) == 1 and isinstance(node.target, ast.Tuple):
                yield id(node.target.elts[0]), ast.Constant(0)

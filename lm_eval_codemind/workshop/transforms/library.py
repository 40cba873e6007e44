"""Library calls: calls whose value is thrown away, and `sum`, `min` and `max` of small integers by NumPy.

Every discarded call gets written-out arguments and touches nothing: no clock, no connection, no shared random state.
"""

import ast
import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from lm_eval_codemind.languages.python.names import DEFINITIONS
from lm_eval_codemind.workshop.transforms.moving import escapes, has_walrus
from lm_eval_codemind.workshop.transforms.program import Block, Program, leaves
from lm_eval_codemind.workshop.transforms.rule import Rule, expression, statements

# What the rules import besides the standard library and NumPy.
PACKAGES = ("cryptography", "dateutil", "sklearn")


class DiscardedCall(Rule, group="library"):
    """A library call as a separate statement, at the top of a function that runs once, or of a script.

    Never behind a statement that always returns or raises, where it could not run.

    Args:
        call: The imported name and a source of random numbers -> the call.
    """

    def __init__(self, name: str, statement: str, call: Callable[[str, Random], str]) -> None:
        self.name = name
        self._import, self._call = statement, call

    def find(self, program: Program) -> Iterable[tuple[Block, int]]:
        for block in program.blocks:
            is_code = block.function is not None or (program.script and isinstance(block.owner, ast.Module))
            if not block.is_top or not is_code or program.is_repeated(block):
                continue
            for index in range(block.start, len(block.statements) + 1):
                yield block, index
                if index < len(block.statements) and leaves(block.statements[index]):
                    break

    def apply(self, program: Program, site: tuple[Block, int], rng: Random) -> None:
        block, index = site
        behind = len(block.statements) - index
        (call,) = statements(self._call(program.imported(self._import, rng), rng))
        # The import may have moved the gap within the module's own block.
        block.statements.insert(len(block.statements) - behind, call)


def _b64encode(module: str, rng: Random) -> str:
    return f"{module}.b64encode(b'{''.join(str(rng.randrange(10)) for _ in range(20))}')"


def _ttest(function: str, rng: Random) -> str:
    # Distinct numbers: equal ones would make SciPy warn about lost precision.
    first, second = ([low + rng.randrange(10) for low in (10, 40, 70)] for _ in range(2))
    return f"{function}({first}, {second})"


def _shuffle(function: str, rng: Random) -> str:
    return f"{function}({[rng.randrange(10, 100) for _ in range(3)]}, random_state={rng.randrange(100)})"


def _fernet(function: str, rng: Random) -> str:
    return f"{function}({base64.urlsafe_b64encode(bytes(rng.randrange(256) for _ in range(32)))!r})"


def _isoparse(function: str, rng: Random) -> str:
    """Return the parsing of a date. Unlike `parse`, `isoparse` does not ask for today's."""
    date = f"{rng.randrange(1990, 2030)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    return f"{function}('{date}T{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}')"


def _connection(function: str, rng: Random) -> str:
    return f"{function}('localhost', port={rng.randrange(1024, 10000)})"


DISCARDED_CALLS = (
    DiscardedCall("base64", "import base64", _b64encode),
    DiscardedCall("ttest_ind", "from scipy.stats import ttest_ind", _ttest),
    DiscardedCall("shuffle", "from sklearn.utils import shuffle", _shuffle),
    DiscardedCall("fernet", "from cryptography.fernet import Fernet", _fernet),
    DiscardedCall("dateutil", "from dateutil.parser import isoparse", _isoparse),
    DiscardedCall("http_connection", "from http.client import HTTPConnection", _connection),
)


class NumpyBuiltin(
    Rule,
    rule="numpy_builtin",
    group="library",
    limit=2,
    builtins=("sum", "min", "max", "int", "range", "enumerate"),
):
    """Makes `max(a, b)` into `int(np.max(np.array([a, b])))`; likewise `min` and `sum`.

    Only where every operand is sure to be a small integer: literals, lengths, character codes, indices of ranges of
    such, counters of such, and sums of a few of them. Then the type is an integer again, nothing overflows, and an
    empty sequence does what it did: 0 for `sum`, `ValueError` for the others.
    """

    def find(self, program: Program) -> Iterable[ast.Call]:
        small = SmallIntegers(program)
        for block, _, node in program.statements():
            if not isinstance(block.function, ast.AsyncFunctionDef):
                for part in own_expressions(node):
                    if isinstance(part, ast.Call) and small.operands(part) is not None:
                        yield part

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


_SMALL = 2**31


class SmallIntegers:
    """Says of an expression whether it is sure to be an `int` far from 64 bits."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._values = dict(_bindings(program.tree))

    def operands(self, call: ast.Call) -> ast.expr | None:
        """Return the argument of `sum`, `min` or `max` as a list; None if the list may be long."""
        match call:
            case ast.Call(ast.Name("sum" | "min" | "max"), [ast.ListComp() | ast.GeneratorExp() as argument], []):
                # A generator turns StopIteration into another exception, a list does not.
                if escapes(argument) or has_walrus(argument) or _advances(argument):
                    return None
                return ast.ListComp(argument.elt, argument.generators) if self._is_small(argument.elt) else None
            case ast.Call(ast.Name("sum" | "min" | "max"), [ast.List(elements)], []):
                pass
            case ast.Call(ast.Name("min" | "max"), [_, _, *_] as elements, []):
                pass
            case _:
                return None
        return ast.List(list(elements), ast.Load()) if elements and all(map(self._is_small, elements)) else None

    def _is_small(self, node: ast.expr, visited: frozenset[ast.AST] = frozenset(), depth: int = 0) -> bool:
        if depth > 4:
            return False
        parts: Sequence[ast.expr | None]
        match node:
            case ast.Constant(value):
                return type(value) is int and abs(value) < _SMALL
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                return self._is_small(operand, visited, depth)
            case ast.Call(ast.Name("len" | "ord" as name), _, []):
                return self._program.is_builtin(name)
            case ast.Call(ast.Name("min" | "max" as name), [_, _, *_] as arguments, []):
                parts = arguments if self._program.is_builtin(name) else []
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.FloorDiv(), right) | ast.IfExp(_, left, right):
                parts = [left, right]
            case ast.Name():
                places = self._program.bindings(node)
                parts = [self._values.get(id(place)) for place in places if places[0] not in visited]
                visited = visited.union(places[:1])
            case _:
                return False
        return bool(parts) and all(part is not None and self._is_small(part, visited, depth + 1) for part in parts)


def own_expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement itself, not those of the statements inside of it, in the source's order.

    Annotations, decorators and defaults don't count.
    """
    if isinstance(node, (*DEFINITIONS, ast.Match)):
        return
    for name, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if name != "annotation" and isinstance(part, (ast.expr, ast.withitem)):
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
        match node:
            case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
                yield id(target), value
            case ast.AugAssign(target, ast.Add() | ast.Sub(), value):
                yield id(target), value
            case ast.For() | ast.comprehension():
                match node.iter:
                    case ast.Call(ast.Name("range"), [bound, *more], []):
                        for argument in more:
                            bound = ast.BinOp(bound, ast.Add(), argument)
                        yield id(node.target), bound
                    case ast.Call(ast.Name("enumerate"), [_], []) if isinstance(node.target, ast.Tuple):
                        yield id(node.target.elts[0]), ast.Constant(0)

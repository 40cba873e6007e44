"""Inputs without their arguments.

The recorded input of a function is an expression with one call; the input of a method is a test method. The model
predicts the arguments of the call, or the literals that the test passes to the program. The rest of an input comes from
the problem.
"""

import ast
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from lm_eval_codemind.languages.python.filled import MaskedInput
from lm_eval_codemind.languages.python.layout import Spans
from lm_eval_codemind.languages.python.names import DEFINITIONS, FUNCTIONS, called_name

# Constructors that only make a value from values. Every answer may call those of collections; the problem must name the
# others.
COLLECTIONS = frozenset({"dict", "frozenset", "list", "set", "tuple"})
PLAIN_CONSTRUCTORS = COLLECTIONS | {
    *("bool", "bytearray", "bytes", "complex", "float", "int", "range", "str"),
    *("Counter", "Decimal", "Fraction", "OrderedDict", "date", "datetime", "deque", "time", "timedelta"),
}
# Their other names in annotations.
_ALIASES = {"List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple", "Text": "str"}


@lru_cache(maxsize=4096)
def masked_input(code: str, entry_point: str, text: str, is_test: bool) -> MaskedInput | None:
    """Return an input without its arguments; None if it has none to predict.

    In a test method these are the literals in the arguments of calls of the program's classes and methods, the values
    of variables that the test uses only in such arguments, and the values of attributes that the test never reads. An
    expression must have exactly one call of the function; then they are all arguments of that call.

    Args:
        code: The program.
        entry_point: The function or method.
        text: The recorded input: a test method or an expression.
        is_test: Whether it is a test method.
    """
    source = text.strip("\n") if is_test else text.strip()
    try:
        tree: Any = ast.parse(source, mode="exec" if is_test else "eval")
        module = ast.parse(code)
    except SyntaxError:
        return None
    spans = Spans(source)
    signatures = [node for node in ast.walk(module) if isinstance(node, FUNCTIONS)]
    holes, parameters = list[tuple[int, int]](), tuple[str, ...]()
    if is_test:
        test = test_in(tree)
        if test is not None:
            literals = [(node, spans.of(node)) for node in handed_over(test, program_names(code))]
            # A tuple without brackets is left alone.
            holes = sorted(at for node, at in literals if not isinstance(node, ast.Tuple) or source[at[0]] == "(")
    else:
        calls = [node for node in calls_of(tree, entry_point) if isinstance(node.func, ast.Name)]
        if len(calls) == 1:
            holes = [(source.index("(", spans.of(calls[0].func)[1]) + 1, spans.of(calls[0])[1] - 1)]
        signatures = [node for node in signatures if node.name == entry_point]
        # Parameters that may be given by position and by name.
        open_ones = [node.args.args for node in signatures[-1:] if not node.args.posonlyargs]
        parameters = tuple(parameter.arg for arguments in open_ones for parameter in arguments)
    if not holes:
        return None
    ends = [0, *(end for _, end in holes)]
    starts = [*(start for start, _ in holes), len(source)]
    segments = tuple(source[end:start] for end, start in zip(ends, starts, strict=True))
    constructors = _constructors(module, signatures, tree)
    return MaskedInput(text.strip(), segments, parameters, not is_test, constructors)


def test_in(module: ast.Module) -> ast.FunctionDef | None:
    """Return the last function of a module."""
    return next((node for node in reversed(module.body) if isinstance(node, ast.FunctionDef)), None)


def calls_of(tree: ast.AST, name: str) -> list[ast.Call]:
    """Return the calls of a function in a tree."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called_name(node) == name]


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the values of a call's arguments."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


@cache
def program_names(code: str) -> frozenset[str]:
    """Return the names of a program's classes, functions and methods."""
    return frozenset(node.name for node in ast.walk(ast.parse(code)) if isinstance(node, DEFINITIONS))


def handed_over(test: ast.FunctionDef, names: frozenset[str]) -> Iterator[ast.expr]:
    """Yield the literals of a test that reach the program, outermost first."""
    nodes = list(ast.walk(test))
    # Before Python 3.12 the parts of an f-string have no position.
    formatted = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and id(node) not in formatted]
    arguments = [part for call in calls if called_name(call) in names for part in arguments_of(call)]
    seen: set[int] = set()
    for argument in arguments:
        yield from _literals(argument, seen)
    inside = {id(part) for argument in arguments for part in ast.walk(argument)}
    loads = {
        id(node): ast.unparse(node)
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    }
    used = set(loads.values())
    elsewhere = {path for number, path in loads.items() if number not in inside}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
                path = ast.unparse(target)
                state = isinstance(target, ast.Attribute) and ast.unparse(target.value) != "self"
                if (path not in used) if state else (path in used and path not in elsewhere):
                    yield from _literals(node.value, seen)


def _literals(node: ast.AST, seen: set[int]) -> Iterator[ast.expr]:
    """Yield the largest literals in an expression; those in strings, subscripts and inner functions are left alone."""
    if id(node) in seen:
        return
    if isinstance(node, ast.expr) and is_literal(node):
        seen.update(id(part) for part in ast.walk(node))
        yield node
        return
    inner = (ast.JoinedStr, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    if isinstance(node, inner):
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Subscript) and child is node.slice):
            yield from _literals(child, seen)


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a literal value."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        return False
    return not any(isinstance(part, ast.Call) for part in ast.walk(node))  # set()


def _constructors(
    module: ast.Module, signatures: list[ast.FunctionDef | ast.AsyncFunctionDef], tree: ast.AST
) -> frozenset[str]:
    """Return the plain constructors that an answer may call: those of collections, and those that the problem names.

    The problem names them in signatures and in the recorded input. Names that the program defines are not included.
    """
    parts = [tree, *(node.args for node in signatures)]
    names = {part.id for root in parts for part in ast.walk(root) if isinstance(part, ast.Name)}
    own = {node.name for node in ast.walk(module) if isinstance(node, DEFINITIONS)}
    own |= {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    named = {_ALIASES.get(name, name) for name in names} & PLAIN_CONSTRUCTORS
    return (COLLECTIONS | named) - own

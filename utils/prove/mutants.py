"""Programs in Python made wrong: copies with one place changed, or two."""

import ast
import copy
import hashlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from lm_eval_codemind.languages.python.names import definition

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_COMPUTED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Add),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}
_TWINS = (
    *(("upper", "lower"), ("lstrip", "rstrip"), ("strip", "rstrip"), ("startswith", "endswith"), ("find", "rfind")),
    *(("index", "rindex"), ("isalpha", "isalnum"), ("isdigit", "isalnum"), ("isupper", "islower"), ("split", "rsplit")),
    *(("ljust", "rjust"), ("partition", "rpartition"), ("min", "max"), ("any", "all"), ("keys", "values")),
    *(("title", "capitalize"), ("swapcase", "upper"), ("removeprefix", "removesuffix"), ("append", "extend")),
    *(("floor", "ceil"), ("union", "intersection"), ("center", "ljust"), ("isspace", "isalpha"), ("round", "int")),
)
_OTHER_NAMES: dict[str, tuple[str, ...]] = {}
for _one, _other in _TWINS:
    _OTHER_NAMES[_one] = (*_OTHER_NAMES.get(_one, ()), _other)
    _OTHER_NAMES[_other] = (*_OTHER_NAMES.get(_other, ()), _one)

Edit = tuple[list[tuple[str, int | None]], ast.AST | None]


def mutants(source: str, entry_point: str = "") -> list[str]:
    """Return the programs that differ from one in a single place, in the order of the places.

    Args:
        source: The program.
        entry_point: ``Class.method`` if only that method is changed.
    """
    tree, root, edits = _parsed(source, entry_point)
    plain = ast.unparse(tree)
    made = (_applied(tree, root, edit) for edit in edits)
    return [text for text in dict.fromkeys(made) if text and text != plain]


def double_mutants(source: str, rng: Random, count: int, entry_point: str = "") -> list[str]:
    """Return programs that differ from one in two places, drawn by chance."""
    single = mutants(source, entry_point)
    made: dict[str, None] = {}
    for first in rng.sample(single, min(len(single), 1 + count // 6)):
        tree, root, edits = _parsed(first, entry_point)
        drawn = rng.sample(edits, min(len(edits), 6))
        made.update(dict.fromkeys(_applied(tree, root, edit) for edit in drawn))
    known = {"", ast.unparse(ast.parse(source)), *single}
    return [text for text in made if text not in known]


def drawn_mutants(
    source: str, rng: Random, wanted: Callable[[str], bool], singles: int, doubles: int, entry_point: str = ""
) -> tuple[list[str], list[str]]:
    """Return so many wanted mutants with one change, and all wanted ones of twice as many with two."""
    single = [text for text in mutants(source, entry_point) if wanted(text)]
    double = [text for text in double_mutants(source, rng, 2 * doubles, entry_point) if wanted(text)]
    return rng.sample(single, min(len(single), singles)), double


def _parsed(source: str, entry_point: str) -> tuple[ast.Module, ast.AST, list[Edit]]:
    """Return the tree of a program, the part of it that may change, and the changes."""
    tree = ast.parse(source)
    class_name, _, method = entry_point.partition(".")
    root: ast.AST = definition(definition(tree, class_name), method) if method else tree
    return tree, root, list(_edits(root))


def in_choice(mutant: str) -> bool:
    """Whether a mutant is of the half that chooses witnesses."""
    return _number(mutant) % 2 == 0


def in_strengthening(mutant: str) -> bool:
    """Whether a mutant is of the three eighths that more witnesses are chosen for."""
    return _number(mutant) % 8 in (3, 5, 7)


def in_measure(mutant: str) -> bool:
    """Whether a mutant is of the eighth that measures witnesses. No witness is chosen for it."""
    return _number(mutant) % 8 == 1


def _number(mutant: str) -> int:
    return hashlib.sha256(mutant.encode("utf-8", "replace")).digest()[0]


def _applied(tree: ast.Module, root: ast.AST, edit: Edit) -> str:
    """Return the source of a program with an edit below a node of it; empty if it is none. The program is unchanged."""
    path, new = edit
    holder: Any = root
    for name, place in path[:-1]:
        holder = getattr(holder, name) if place is None else getattr(holder, name)[place]
    name, place = path[-1]
    old = getattr(holder, name) if place is None else getattr(holder, name)[place]

    def put(node: ast.AST | None) -> None:
        if place is None:
            setattr(holder, name, node)
        else:
            getattr(holder, name)[place] = node

    put(new)
    try:
        text = ast.unparse(tree)
        ast.parse(text)
    except (ValueError, SyntaxError, AttributeError, RecursionError):
        return ""
    finally:
        put(old)
    return text


def _edits(tree: ast.AST) -> Iterator[Edit]:
    nodes = list(ast.walk(tree))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    variables = sorted(stored | {node.arg for node in nodes if isinstance(node, ast.arg)})

    def walk(node: ast.AST, path: list[tuple[str, int | None]]) -> Iterator[Edit]:
        for name, value in ast.iter_fields(node):
            for place, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(item, ast.AST) and name not in ("annotation", "returns", "decorator_list"):
                    here = [*path, (name, place)]
                    if not (_is_text(item) and place is not None):
                        yield from ((here, new) for new in _others(item))
                        if isinstance(item, ast.Name) and item.id in variables and name != "func":
                            yield from ((here, new) for new in _other_variables(item, variables))
                        if name == "iter" and isinstance(item, ast.expr):
                            yield from ((here, new) for new in _shortened(item))
                        yield from walk(item, here)
        if isinstance(node, ast.Slice):
            yield from (([*path, (end, None)], None) for end in ("lower", "upper", "step") if getattr(node, end))

    yield from walk(tree, [])


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _other_variables(node: ast.Name, variables: list[str]) -> Iterator[ast.AST]:
    """Yield the next two variables in the alphabet in place of one that is read."""
    if isinstance(node.ctx, ast.Load):
        place = variables.index(node.id)
        yield from (ast.Name(other, node.ctx) for other in (variables + variables)[place + 1 : place + 3])


def _shortened(node: ast.expr) -> Iterator[ast.AST]:
    """Yield what a loop goes over without its first item, and without its last one."""
    items = ast.Call(ast.Name("list", ast.Load()), [node], [])
    for part in (ast.Slice(lower=ast.Constant(1)), ast.Slice(upper=ast.UnaryOp(ast.USub(), ast.Constant(1)))):
        yield ast.Subscript(items, part, ast.Load())


def _others(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.cmpop():
            yield from (kind() for kind in _COMPARED[type(node)])
        case ast.operator():
            yield from (kind() for kind in _COMPUTED.get(type(node), ()))
        case ast.And():
            yield ast.Or()
        case ast.Or():
            yield ast.And()
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(value):
            yield from (ast.Constant(other) for other in _other_constants(value))
        case ast.BoolOp():
            yield from node.values
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.Attribute(attr=called):
            for other in _OTHER_NAMES.get(called, ()):
                changed = copy.deepcopy(node)
                changed.attr = other
                yield changed
        case ast.Name(id=called):
            yield from (ast.Name(other, node.ctx) for other in _OTHER_NAMES.get(called, ()))
        case ast.Call(args=[first, second, *rest]):
            yield ast.Call(node.func, [second, first, *rest], node.keywords)
        case ast.Call(func=ast.Name("len")):
            yield from (ast.BinOp(node, kind(), ast.Constant(1)) for kind in (ast.Add, ast.Sub))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield from (ast.Continue(), ast.Pass())
        case ast.Continue():
            yield from (ast.Break(), ast.Pass())
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield ast.Pass()
        case ast.If(test=test):
            yield ast.If(ast.UnaryOp(ast.Not(), test), node.body, node.orelse)
            yield ast.If(ast.Constant(False), node.body, node.orelse)
            yield ast.If(ast.Constant(True), node.body, node.orelse)


def _other_constants(value: object) -> list[int | float | str]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value - 1, *([0] if value not in (0, 1, -1) else [])]
    if isinstance(value, str):
        return [value + "x", value[1:]] if value else ["x"]
    return []

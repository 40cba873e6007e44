"""When statements or expressions may move into a new function, and what that function must declare."""

import ast
from collections.abc import Iterable, Sequence

from lm_eval_codemind.languages.python.names import DEFINITIONS
from lm_eval_codemind.workshop.transforms.program import LOOPS, Block, Program, Site

JUMPS = (ast.Break, ast.Continue)
_EAGER = {"sum", "any", "all", "max", "min", "sorted", "list", "set", "tuple", "dict", "frozenset", "len"}

# fmt: off
_ESCAPING = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Return, ast.Global, ast.Nonlocal, ast.Delete,
    ast.Import, ast.ImportFrom, *DEFINITIONS
)
# fmt: on
_OWN_FUNCTION = {"super", "__class__", "eval", "exec", "locals", "vars", "dir", "globals"}


def escapes(node: ast.AST) -> bool:
    """Whether a node's meaning depends on the very function it stands in, apart from its names.

    These are: `return`, `yield`, `await`, `super()` and `__class__`, `eval` and its like, declarations, deletions,
    definitions, imports, and `raise` without an exception.
    """
    return any(
        isinstance(part, _ESCAPING)
        or (isinstance(part, ast.Name) and part.id in _OWN_FUNCTION)
        or (isinstance(part, ast.Raise) and part.exc is None)
        or (isinstance(part, ast.comprehension) and part.is_async)
        for part in ast.walk(node)
    )


def has_walrus(node: ast.AST) -> bool:
    """Whether an expression assigns."""
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def jumps(statements: Iterable[ast.AST], kinds: tuple[type[ast.stmt], ...] = JUMPS) -> list[ast.stmt]:
    """Return the `break` and `continue` statements that belong to a loop around these statements."""
    matches: list[ast.stmt] = []
    for node in statements:
        if isinstance(node, kinds):
            matches.append(node)
        elif isinstance(node, LOOPS):
            matches += jumps(node.orelse, kinds)
        elif not isinstance(node, (*DEFINITIONS, ast.expr)):
            matches += jumps(ast.iter_child_nodes(node), kinds)
    return matches


def declare(program: Program, site: Site, *, runs_once: bool) -> list[ast.stmt] | None:
    """Return the declarations with which a statement may become a nested function's body.

    A name bound nowhere else becomes the nested function's own, which is only sure where the body runs once or gives
    the name its value before every use. None if no declarations make it right.
    """
    moved, symbols, scope = site.node, program.symbols, site.block.scope
    if not reads_bound_names(program, site, moved):
        return None
    inside = {id(part) for part in ast.walk(moved)}
    globals_: list[str] = []
    nonlocals: list[str] = []
    for name in symbols.bound_in([moved], scope):
        if scope.kind == "module" or name in scope.global_names:
            globals_.append(name)
        elif name in scope.nonlocal_names:
            nonlocals.append(name)
        else:
            elsewhere = [o for o in symbols.variable(scope, name) if id(o.node) not in inside]
            if any(o.binds and o.scope is scope for o in elsewhere):
                nonlocals.append(name)
            elif elsewhere or not (runs_once or (_assigned_first([moved], name) and not _captured(moved, name))):
                return None
    return [*([ast.Global(globals_)] if globals_ else []), *([ast.Nonlocal(nonlocals)] if nonlocals else [])]


def reads_bound_names(program: Program, site: Site, node: ast.AST) -> bool:
    """Whether the function's variables that `node`, part of a statement, reads surely have a value there.

    To read one that has none raises UnboundLocalError in the function itself, but NameError in a nested one.
    """
    scope = site.block.scope
    if scope.kind != "function":
        return True
    inside = {id(part) for part in ast.walk(node)}
    read = {
        o.name
        for o in program.symbols.occurrences
        if id(o.node) in inside and not o.binds and o.attribute == "id" and o.home is scope
    }
    return all(
        surely_bound(program, site, name) or (isinstance(node, ast.stmt) and _assigned_first([node], name))
        for name in sorted(read)
    )


def _mentions(node: ast.AST, name: str) -> bool:
    return any(
        (isinstance(part, ast.Name) and part.id == name)
        or (isinstance(part, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and part.name == name)
        or (isinstance(part, ast.MatchMapping) and part.rest == name)
        for part in ast.walk(node)
    )


def _assigned_first(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether every run of `body` gives `name` a value before anything reads it."""
    mentioning = [node for node in body if _mentions(node, name)]
    match mentioning[:1]:
        case [ast.Assign(targets=targets, value=value)]:
            return not _mentions(value, name) and any(_is_target(target, name) for target in targets)
        case [ast.AnnAssign(target=target, value=value)]:
            return value is not None and not _mentions(value, name) and _is_target(target, name)
    return len(mentioning) == 1 and _block_assigns_first(mentioning[0], name)


def _block_assigns_first(node: ast.stmt, name: str) -> bool:
    """Whether every run of a statement with a body, the only one that mentions `name`, gives it a value first."""
    match node:
        case ast.For(iter=head, body=body, orelse=rest) | ast.While(test=head, body=body, orelse=rest):
            bound = isinstance(node, ast.For) and _is_target(node.target, name)
            return not any(_mentions(part, name) for part in [head, *rest]) and (bound or _assigned_first(body, name))
        case ast.With(items=items, body=body):
            return _assigned_first(body, name) and not any(_mentions(item, name) for item in items)
        case ast.If(test=test, body=body, orelse=rest):
            parts = (part for part in (body, rest) if any(_mentions(one, name) for one in part))
            return not _mentions(test, name) and all(_assigned_first(part, name) for part in parts)
    return False


def _is_target(target: ast.expr, name: str) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_is_target(part, name) for part in target.elts)
    return isinstance(target, ast.Name) and target.id == name


def _captured(statement: ast.stmt, name: str) -> bool:
    """Whether a function or generator made in a statement could outlive it and read `name` later."""
    eager: set[ast.expr] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Call(ast.Name(called), [ast.GeneratorExp() as sole]) if called in _EAGER:
                eager.add(sole)
            case ast.Call(ast.Attribute(attr="join"), [ast.GeneratorExp() as sole]):
                eager.add(sole)
        match node:
            case ast.Call(ast.Name("sorted" | "max" | "min") | ast.Attribute(attr="sort"), _, keywords):
                eager.update(keyword.value for keyword in keywords if keyword.arg == "key")
    return any(
        isinstance(node, (ast.Lambda, ast.GeneratorExp)) and node not in eager and _mentions(node, name)
        for node in ast.walk(statement)
    )


def surely_bound(program: Program, site: Site, name: str) -> bool:
    """Whether `name`, read by a statement, has a value there whatever happened before."""
    scope = site.block.scope
    places = program.symbols.variable(scope, name)
    if any(isinstance(o.node, ast.ExceptHandler) or isinstance(getattr(o.node, "ctx", None), ast.Del) for o in places):
        return False
    if any(isinstance(o.node, ast.arg) and o.scope is scope for o in places):
        return True
    inside: list[ast.stmt] | None = None
    place: tuple[Block, int] | None = (site.block, site.position)
    while place is not None:
        block, index = place
        holder = block.statements[index]
        # In a loop's body the target has a value; in its `else` it need not.
        if isinstance(holder, ast.For) and holder.body is inside and _is_target(holder.target, name):
            return True
        for node in block.statements[:index]:
            if isinstance(node, ast.Assign) and any(_is_target(target, name) for target in node.targets):
                return True
            if isinstance(node, (ast.AnnAssign, ast.AugAssign)) and _is_target(node.target, name):
                return node.value is not None
        inside, place = block.statements, block.parent
    return False


def has_private_names(node: ast.AST) -> bool:
    """Whether a node has names that a class would mangle (`__x`)."""
    return any(
        name.startswith("__") and not name.endswith("__")
        for part in ast.walk(node)
        for name in (getattr(part, "id", None), getattr(part, "attr", None), getattr(part, "arg", None))
        if isinstance(name, str)
    )

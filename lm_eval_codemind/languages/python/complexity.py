"""Static and dynamic measures of how complex a program is: what the analyses set against the scores."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.languages.base import tags_of
from lm_eval_codemind.languages.python.names import DEFINITIONS, FUNCTIONS, IMPORTS, is_text
from lm_eval_codemind.problems import Complexity

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_TRY = (ast.Try, ast.TryStar)
_DOCUMENTED = (ast.Module, *DEFINITIONS)
_KINDS: dict[type[ast.AST], str] = {
    ast.For: "for",
    ast.AsyncFor: "for",
    ast.While: "while",
    ast.If: "if",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.Match: "match",
}
_TYPES: dict[type, str] = {
    bool: "Binary",
    int: "Int",
    float: "Decimal",
    complex: "Decimal",
    str: "String",
    bytes: "String",
    list: "List",
    tuple: "Tuple",
}


def measure(source: str, loop_length: int | None = None) -> Complexity | None:
    """Return the measures of a program's source; None if it is empty or does not parse.

    Python 3.12 and newer can parse an f-string with its own quotes inside, older versions can't. The result is None on
    all of them, so built data does not depend on the version.

    Args:
        loop_length: LL, where it is known: it takes an execution, see ``utils/prove/measure_loops.py``.
    """
    if not source.strip():
        return None
    try:
        occurrences = constructs(source)
        if _nests_quotes(source):
            return None
        return Complexity(
            cc=cyclomatic_complexity(source),
            loc=lines_of_code(source),
            dep=dependencies(source),
            # Control constructs inside another one of the same function: three loops inside each other have NC = 2.
            nc=sum(bool(around) for _, around in occurrences),
            ll=loop_length,
            constructs=tags_of(occurrences),
        )
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return None


def _nests_quotes(source: str) -> bool:
    """Whether an f-string has its own quotes inside one of its expressions, as Python 3.12 and newer allow."""
    around: list[str] = []
    for part in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[part.type]
        if name in ("STRING", "FSTRING_START") and any(quotes in part.string for quotes in around):
            return True
        if name == "FSTRING_START":
            around.append(part.string.lstrip("fFrR"))
        elif name == "FSTRING_END":
            around.pop()
    return False


@lru_cache(maxsize=1)
def _parsed(source: str) -> ast.Module:
    """Return the syntax tree of a program, for readers that change nothing in it.

    The last one is kept: a program is measured in several ways, one after another.
    """
    return ast.parse(source)


# -- lines of code after normalisation, so that a program's layout has no effect


def executing_names(source: str) -> set[str]:
    """Return by which of ``exec``, ``eval`` and ``compile`` a program may execute a text as code.

    Raises:
        SyntaxError: If it does not parse.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            # `re.compile` executes nothing, and `getattr(builtins, "exec")` does.
            case ast.Name(("exec" | "eval" | "compile") as name) | ast.Attribute(attr=("exec" | "eval") as name):
                names.add(name)
            case ast.Constant(("exec" | "eval" | "compile") as name):
                names.add(name)
    return names


def lines_of_code(source: str) -> int:
    """Return LoC of a program's source: the lines of its normal form.

    In the normal form every simple statement, every header of a compound statement (``if``, ``elif``, ``else``,
    ``for``, ``except``, ``case`` and so on) and every decorator takes one line; blank lines, comments and docstrings
    take none. It is counted on the syntax tree, so the count depends neither on layout (semicolons, backslashes,
    brackets over several lines) nor on the version of Python that counts.

    Raises:
        SyntaxError: If the source does not parse.
    """
    # A walk, not a recursion: a sum of a thousand terms is a tree of a thousand levels.
    return sum(map(_own_lines, ast.walk(_parsed(source))))


def _own_lines(node: ast.AST) -> int:
    own = int(isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)))
    if isinstance(node, DEFINITIONS):
        own += len(node.decorator_list)
    if isinstance(node, _DOCUMENTED) and _has_docstring(node):
        own -= 1
    if isinstance(node, (ast.If, *_LOOPS)):
        # An `if` goes on with `elif` where its `else` holds only another `if`.
        is_elif = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        own += bool(node.orelse) and not is_elif
    if isinstance(node, _TRY):
        own += bool(node.orelse) + bool(node.finalbody)
    return own


def _has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a body starts with a docstring that it could do without."""
    # A body that is a docstring only could not do without the line.
    alone = len(node.body) == 1 and not isinstance(node, ast.Module)
    return bool(node.body) and is_text(node.body[0]) and not alone


def undocumented(source: str) -> ast.Module:
    """Return the syntax tree of a program without docstrings that it could do without."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and _has_docstring(node):
            del node.body[0]
    return tree


# -- control constructs


def constructs(code: str) -> list[tuple[str, frozenset[str]]]:
    """Return the control constructs of a program: kind, and kinds of the constructs around it in the same function.

    Control constructs are ``for``, ``while``, ``if``, ``try`` and ``match`` statements; an ``elif`` belongs to its
    ``if``. Comprehensions and conditional expressions are expressions and not among them.

    Raises:
        SyntaxError: If the source does not parse.
    """
    occurrences: list[tuple[str, frozenset[str]]] = []

    def walk(node: ast.AST, parent: ast.AST | None, around: frozenset[str]) -> None:
        if isinstance(node, DEFINITIONS):
            around = frozenset()
        kind = _KINDS.get(type(node), "")
        # An elif is another branch of the `if` in whose column it starts. Its statements are inside the same `if`.
        is_elif = (
            isinstance(parent, ast.If)
            and isinstance(node, ast.If)
            and parent.orelse == [node]
            and parent.col_offset == node.col_offset
        )
        if kind and not is_elif:
            occurrences.append((kind, around))
            around |= {kind}
        for child in ast.iter_child_nodes(node):
            # No statement stands in an expression.
            if not isinstance(child, ast.expr):
                walk(child, node, around)

    walk(_parsed(code), None, frozenset())
    return occurrences


# -- cyclomatic complexity (McCabe, 1976), with the decision points that radon counts


def cyclomatic_complexity(code: str) -> int:
    """Return the cyclomatic complexity CC of a whole program.

    A program is a graph of as many connected components as it has units (functions, methods, and the module's own
    statements), so McCabe's ``M = E - N + 2P`` is the sum over the units:

        CC = sum over units u of (1 + decisions(u))

    It is at least 1: an empty program counts as one straight path.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return sum(unit_complexities(code).values()) or 1


def unit_complexities(code: str) -> dict[tuple[str, int], int]:
    """Return the cyclomatic complexity of every unit of a program.

    Decision points are those of radon (https://radon.readthedocs.io/en/latest/intro.html): each ``if``, ``elif``,
    conditional expression, ``for``, ``while``, ``except``, ``case`` other than the catch-all one, ``assert``, ``for``
    and ``if`` of a comprehension, each further operand of ``and`` or ``or``, and the ``else`` of a loop or of a
    ``try``. A nested function is a separate unit; a lambda belongs to the unit around it. Unlike in radon, the
    condition of an ``assert`` counts.

    Returns:
        Name and line number of each unit -> its complexity. The module's own statements, if it has others
        than imports, definitions and its docstring, are the unit ``("<module>", 0)``.

    Raises:
        SyntaxError: If the source does not parse.
    """
    tree = _parsed(code)
    units = {
        (node.name, node.lineno): 1 + sum(map(_decisions, node.body))
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS)
    }
    own = _decisions(tree)
    others = [node for node in tree.body if not isinstance(node, (*DEFINITIONS, *IMPORTS))]
    if own or any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in others):
        units[("<module>", 0)] = 1 + own
    return units


def _decisions(node: ast.AST) -> int:
    """Count the decision points in a node, those of functions inside it excepted."""
    count, pending = 0, [node]
    while pending:
        inner = pending.pop()
        if isinstance(inner, FUNCTIONS):
            continue
        pending += ast.iter_child_nodes(inner)
        if isinstance(inner, (ast.If, ast.IfExp, ast.Assert)):
            count += 1
        elif isinstance(inner, _LOOPS):
            count += 1 + bool(inner.orelse)
        elif isinstance(inner, _TRY):
            count += len(inner.handlers) + bool(inner.orelse)
        elif isinstance(inner, ast.BoolOp):
            count += len(inner.values) - 1
        elif isinstance(inner, ast.comprehension):
            count += 1 + len(inner.ifs)
        elif isinstance(inner, ast.match_case):
            count += not (isinstance(inner.pattern, ast.MatchAs) and inner.pattern.pattern is None)
    return count


# -- dependencies between functions and methods


@dataclass
class _Scope:
    """A module, class or function with the functions and classes defined in it, and the scope it stands in."""

    name: str
    node: ast.AST
    parent: _Scope | None
    inner: dict[str, _Scope] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)


def dependencies(code: str) -> int:
    """Return DEP, the number of dependencies between the functions and methods of a program.

    A dependency is an ordered pair of different functions of the program of which the first names the second: by its
    name (a function of the module, of the function around it, or nested in it), as ``self.method`` or ``cls.method``
    (intra-class dependency, also on a method that a base class in the same program defines), as ``Class.method``, or
    by constructing a class of the program that defines ``__init__``. A pair counts once, however often it is named;
    recursion is not a dependency. The module's own statements count as a caller.

    Raises:
        SyntaxError: If the source does not parse.
    """
    root = _scope("", _parsed(code), None)
    return len({(caller.name, callee.name) for caller, callee in _pairs(root) if caller is not callee})


def _scope(name: str, node: ast.AST, parent: _Scope | None) -> _Scope:
    scope = _Scope(name, node, parent)

    def collect(inner: ast.AST) -> None:
        for child in ast.iter_child_nodes(inner):
            if isinstance(child, DEFINITIONS):
                # A property and its setter, or overloads, share their name: one function with several bodies.
                repeated = child.name in scope.inner and isinstance(child, FUNCTIONS)
                scope.inner[child.name] = _scope(f"{name}.{child.name}" + "'" * repeated, child, scope)
            elif not isinstance(child, ast.expr):
                collect(child)

    collect(node)
    return scope


def _pairs(scope: _Scope) -> Iterator[tuple[_Scope, _Scope]]:
    pending = [] if scope.is_class else [scope.node]
    while pending:
        inside = [n for n in ast.iter_child_nodes(pending.pop()) if not isinstance(n, DEFINITIONS)]
        pending += inside
        callees = (_resolve(node, scope) for node in inside)
        yield from ((scope, callee) for callee in callees if callee is not None)
    for inner in scope.inner.values():
        yield from _pairs(inner)


def _resolve(node: ast.AST, scope: _Scope) -> _Scope | None:
    """Return the function of the program that an expression names, or None."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        target = _lookup(node.id, scope)
        return _method(target, "__init__") if target is not None and target.is_class else target
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        owner = _receiver(node.value.id, scope) or _lookup(node.value.id, scope)
        return _method(owner, node.attr) if owner is not None and owner.is_class else None
    return None


def _lookup(name: str, scope: _Scope | None) -> _Scope | None:
    while scope is not None:
        # A method does not see the names of its class's body.
        if not scope.is_class and name in scope.inner:
            return scope.inner[name]
        scope = scope.parent
    return None


def _receiver(name: str, scope: _Scope | None) -> _Scope | None:
    """Return the class whose method calls its first parameter by that name, looking outwards from a scope."""
    while scope is not None:
        if isinstance(scope.node, FUNCTIONS) and scope.parent is not None and scope.parent.is_class:
            arguments = [*scope.node.args.posonlyargs, *scope.node.args.args]
            decorators = [item.id for item in scope.node.decorator_list if isinstance(item, ast.Name)]
            if arguments and arguments[0].arg == name and "staticmethod" not in decorators:
                return scope.parent
        scope = scope.parent
    return None


def _method(owner: _Scope, name: str, seen: frozenset[str] = frozenset()) -> _Scope | None:
    own = owner.inner.get(name)
    if own is not None and not own.is_class:
        return own
    if isinstance(owner.node, ast.ClassDef):
        for base in owner.node.bases:
            parent = _lookup(base.id, owner.parent) if isinstance(base, ast.Name) else None
            if parent is not None and parent.is_class and parent.name not in seen:
                method = _method(parent, name, seen | {owner.name})
                if method is not None:
                    return method
    return None


# -- outputs


@lru_cache(maxsize=1024)
def literal_type(output: str) -> str | None:
    """Return the class of ``OUTPUT_TYPES`` that a Python literal belongs to, or None if it is not a literal.

    Int: ``int``; Decimal: ``float`` and ``complex``; String: ``str`` and ``bytes``; Binary: ``bool``; List; Tuple;
    Object: everything else (``dict``, ``set``, ``None``).

    Args:
        output: A problem's ``output``, or a model's answer; whatever
            :func:`~lm_eval_codemind.answers.literals.parse_literal` reads for the score has a type.
    """
    try:
        return _TYPES.get(type(parse_literal(output)), "Object")
    except NotALiteralError:
        return None

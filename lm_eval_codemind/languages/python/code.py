"""Extraction of Python from a response: a definition, a method or a script, with what it needs.

A response is read block by block (:mod:`~lm_eval_codemind.languages.blocks`). A block with code that does not parse is
one piece of text; all other blocks are statements. ``docs/architecture.md`` has the rules: which definition or block
is the answer, and what is joined to it. If the response ends inside the answer, that is :class:`Unfinished`. The
functions raise no exception on any text; a response without code gives None. ``header`` is the ``def`` line at the end
of the prompt, if the response may be only the body. ``original`` is the program in the prompt, which the response may
quote.
"""

import ast
import builtins
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

from lm_eval_codemind.languages.base import Unfinished
from lm_eval_codemind.languages.blocks import blocks, last_program, preferred
from lm_eval_codemind.languages.python.complexity import undocumented
from lm_eval_codemind.languages.python.names import DEFINITIONS, FUNCTIONS, IMPORTS
from lm_eval_codemind.languages.python.statements import (
    DEFINED,
    MOST_STATEMENTS,
    PARSE_ERRORS,
    Parser,
    Statement,
    is_idle,
)

Pool = Sequence[Statement]

# Stands for the name of what every answer needs.
_ALWAYS = "*"
_BUILTINS = frozenset(dir(builtins))
_MARGIN = " " * 4
# Calls that change the interpreter's settings. An answer may depend on them.
_SETTINGS = frozenset(
    {"setrecursionlimit", "set_int_max_str_digits", "stack_size", "seed", "simplefilter", "filterwarnings"}
)
# `input = sys.stdin.readline` gives no input.
_DEMO = re.compile(
    r"(?:\.(?:stdin|input)|^[ \t]*input(?= = (?:lambda|\w+$))) = (?![^\n]*\bstdin\b)"
    r"|['\"](?:sys\.stdin|builtins\.input)['\"]|\bopen\([^()\n]*, ['\"][wax]",
    re.MULTILINE,
)
# The header of a class.
_CLASS = re.compile(r"[\s\S]*?^class\b[^:]*:", re.MULTILINE)
# Not in a text such as `"Sample input:"`.
_READS = re.compile(r"\b(?:input|open)(?=[(),]|$)|\b(?:stdin|fileinput)\b", re.MULTILINE)
_PRINTS = re.compile(r"\b(?:print|stdout|write)\b")


@dataclass(frozen=True)
class MethodCode:
    """A method from a response.

    Attributes:
        name: The method's name.
        source: Its definition at column 0, with decorators.
        members: Other definitions of the response's class, by name, at column 0.
        prelude: The module-level statements that method and members need: imports, helpers, constants.
    """

    name: str
    source: str
    members: tuple[tuple[str, str], ...] = ()
    prelude: tuple[Statement, ...] = ()


class _Response:
    """The blocks of a response: their texts, the statements of those that parse, and the texts of the others."""

    def __init__(self, response: str) -> None:
        self.parser = Parser()
        self.texts: list[str] = []
        self.pool: list[Statement] = []
        self.broken: dict[int, list[str]] = {}
        for number, block in enumerate(blocks(response, self.parser.parses)):
            self.texts.append(block.text)
            opened = block.language.startswith("py")
            statements, broken = self.parser.statements(block.text, number, block.fenced, opened)
            self.pool += statements
            self.broken |= {number: broken} if broken else {}
        self.pool = self.pool[-MOST_STATEMENTS:]


def extract_definition(response: str, name: str, header: str = "", original: str = "") -> str | Unfinished | None:
    """Return the source of a module with the response's definition of a function or class, and what it needs.

    It is code that does not parse if no other code gives the definition a body, Unfinished if the response ends inside
    the module, and None if the response does not define the name at module level.
    """
    read = _Response(response)
    target = _chosen(read, [part for part in read.pool if _defines(part, name)], name, original)
    if not isinstance(target, Statement):
        return target or _from_body(read, header)
    position = read.pool.index(target)
    # `double = cache(double)` below the definition belongs to it. Any other binding of the name is another version.
    others = [
        part
        for n, part in enumerate(read.pool)
        if name not in part.binds or part is target or (n > position and name in part.uses and _is_plain(part.node))
    ]
    return _joined(_needed(others, [target], [name]))


def extract_method(
    response: str, class_name: str, name: str, header: str = "", original: str = ""
) -> MethodCode | str | Unfinished | None:
    """Return the response's definition of a method, in the class, outside the class or only the body; what it needs.

    The other results are those of :func:`extract_definition`.
    """
    read = _Response(response)
    # The definitions, with the members next to them.
    places: dict[Statement, Pool] = {}
    owners: list[Statement] = []
    for part in read.pool:
        if isinstance(part.node, (ast.ClassDef, type(None))) and class_name in part.binds:
            owners.append(part)
            members, _ = read.parser.statements(_CLASS.sub("", part.source, count=1), part.block)
            places |= {member: members for member in members if name in member.binds}
        elif isinstance(part.node, (*FUNCTIONS, type(None))) and name in part.binds:
            places[part] = [one for one in read.pool if one.block == part.block and _is_method(one.node)]
    target = _chosen(read, list(places), name, original)
    if not isinstance(target, Statement):
        body = _from_body(read, header)
        return target or (MethodCode(name, body) if body else None)
    members = [part for part in places[target] if not part.binds & {name, "__init__"}]
    own = {target, *members, *owners}
    outside = [part for part in read.pool if part not in own and not _defines(part, name)]
    prelude = tuple(part for part in _needed(outside, [target, *members]) if part not in own)
    cut_off = [part for part in members if not part.node and any(f".{key}" in target.source for key in part.binds)]
    if cut_off or not all(part.node for part in (target, *prelude)):
        return Unfinished("\n\n".join(part.source for part in (*prelude, target)))
    return MethodCode(
        name, target.source, tuple((key, part.source) for part in members for key in sorted(part.binds)), prelude
    )


def extract_script(response: str, original: str = "") -> str | Unfinished | None:
    """Return the source of a response's script; Unfinished if the response ends inside it; None without a script."""
    read = _Response(response)
    code = (part for part in read.pool if part.block not in read.broken and not (part.node and is_idle(part.node)))
    by_block = [list(parts) for _, parts in groupby(code, lambda part: part.block)]
    scripts = [
        parts
        for parts in by_block
        if not all(isinstance(part.node, IMPORTS) or _stubs(part.node) == 1 for part in parts)
    ]
    finished = [parts for parts in scripts if all(part.node for part in parts)]
    if not finished:
        return _joined(scripts[-1]) if scripts else read.texts[max(read.broken)] if read.broken else None
    programs = {"\n".join(ast.unparse(part.node) for part in parts if part.node): parts for parts in finished}
    texts = preferred(programs, lambda text: not _DEMO.search(text), lambda text: _tree(text) != _tree(original))
    program = last_program(preferred(texts, _READS.search, _PRINTS.search))
    steps = [program]
    if _READS.search(program) and not (_PRINTS.search(program) and _runs(programs[program])):
        # A script in several blocks ends with the last one that prints.
        later = [
            text
            for text in texts[texts.index(program) + 1 :]
            if _runs(programs[text]) and any(_PRINTS.search(part.source) for part in _needed(read.pool, programs[text]))
        ]
        start = next(n for n, text in enumerate(texts) if _READS.search(text))
        steps = texts[start : texts.index(later[-1]) + 1] if later else steps
    return _joined(_needed(read.pool, [part for text in steps for part in programs[text]]))


def _runs(parts: Pool) -> bool:
    """Whether a block does more than to define functions and classes."""
    return any(_is_plain(part.node) for part in parts)


def _tree(source: str) -> str | None:
    """Return a text that is equal for modules of the same syntax, docstrings left out; None if it does not parse."""
    with suppress(*PARSE_ERRORS):
        return ast.dump(undocumented(source))
    return None


def _defines(part: Statement, name: str) -> bool:
    """Whether a statement defines the name, and does not only change its value."""
    node = part.node
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return name in part.binds - part.uses and not isinstance(node.value, (ast.Constant, type(None)))
    return isinstance(node, (*DEFINITIONS, ast.If, ast.Try, type(None))) and name in part.binds and not _is_main(node)


def _chosen(read: _Response, definitions: Pool, name: str, original: str) -> Statement | str | None:
    """Return the last definition that has a body, is finished, is not the original, and is no stub in part.

    Code that does not parse counts if it defines the name, and no definition has a body.
    """
    nodes = ast.walk(ast.parse(original))
    quoted = {_tree(ast.unparse(node)) for node in nodes if isinstance(node, DEFINITIONS) and node.name == name}
    best = preferred(
        definitions,
        lambda part: _stubs(part.node) < 1,
        lambda part: part.node is not None,
        lambda part: _tree(part.source) not in quoted,
        lambda part: not _stubs(part.node),
    )
    target = best[-1] if best else None
    if target and _stubs(target.node) < 1:
        return target
    broken = [text for texts in read.broken.values() for text in texts if name in DEFINED.findall(text)]
    return broken[-1] if broken else target


def _stubs(node: ast.stmt | None) -> float:
    """Return the share of a definition's functions that are stubs, from 0 to 1; ``__init__`` does not count."""
    if not isinstance(node, DEFINITIONS):
        return 0
    methods = [part for part in node.body if isinstance(part, FUNCTIONS) and part.name != "__init__"]
    functions = methods if isinstance(node, ast.ClassDef) and methods else [node]
    return sum(map(_is_void, functions)) / len(functions)


def _is_void(node: ast.stmt) -> bool:
    """Whether a statement does nothing: an import, words, a definition of nothing, or the end of one."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return all(map(_is_void, node.body))
        case ast.Pass() | ast.Raise() | ast.Return(None | ast.Constant(None)) | ast.Import() | ast.ImportFrom():
            return True
    return is_idle(node)


def _needed(pool: Pool, roots: Pool, names: Iterable[str] = ()) -> list[Statement]:
    """Return the statements of the pool that the roots need, including the roots, in execution order.

    The block of the roots has priority; other blocks are searched only for names that it does not bind. Imports of this
    block stay, except those that only left-out statements use, such as ``import pytest`` for the model's own tests.
    """
    home = roots[-1].block
    chosen = dict.fromkeys(roots)
    near, far = list[Statement](), list[Statement]()
    for part in pool:
        if part in chosen or not _is_main(part.node):
            (near if part.block == home else far).append(part)
    missing = set(names).union(*(root.uses for root in roots))
    available = frozenset[str]()
    for candidates in (near, far):
        variables = {name for part in candidates if _is_plain(part.node) for name in part.binds}
        # A call of the roots is a demo.
        effects = {
            part.node.name: (part.uses & _changed(part.node, variables)) | (part.binds - {part.node.name})
            for part in candidates
            if isinstance(part.node, FUNCTIONS) and part not in roots
        }
        providers: dict[str, list[Statement]] = defaultdict(list)
        for part in candidates:
            for name in _provided(part, variables, effects):
                providers[name].append(part)
        pending = [_ALWAYS, *(missing - available)]
        while pending:
            for part in providers.pop(pending.pop(), ()):
                if part not in chosen:
                    chosen[part] = None
                    missing |= part.uses
                    pending += part.uses - available
        available = _BUILTINS.union(*(part.binds for part in near))
    elsewhere = {name for part in pool if part.block == home and part not in chosen for name in part.uses}
    chosen |= dict.fromkeys(part for part in near if isinstance(part.node, IMPORTS) and not part.binds & elsewhere)
    order = {part: n for n, part in enumerate([*far, *near])}
    return sorted(chosen, key=lambda part: (not part.is_future, order.get(part, len(order))))


def _provided(part: Statement, variables: Set[str], effects: Mapping[str, Set[str]]) -> Set[str]:
    """Return the names that a statement binds or changes; :data:`_ALWAYS` if every answer needs it.

    ``variables`` are those of the candidates, and ``effects`` has the ones that each function changes.
    """
    match part.node:
        case ast.Assert():
            return set()
        case ast.ImportFrom("__future__") | ast.ImportFrom(names=[ast.alias("*")]):
            return {_ALWAYS}
        case ast.Expr(ast.Call(ast.Attribute(attr=setting))) if setting in _SETTINGS:
            return {_ALWAYS}
    if part.node is None or not _is_plain(part.node):
        return part.binds
    names = part.binds | _changed(part.node, variables)
    for inner in ast.walk(part.node):
        match inner:
            # A call whose result is not used is there for what it changes.
            case ast.Expr(ast.Call(function, arguments)) if _root(function) not in _BUILTINS:
                names |= variables & {one.id for one in arguments if isinstance(one, ast.Name)}
                names |= effects.get(function.id, set()) if isinstance(function, ast.Name) else set()
    return names


def _changed(node: ast.stmt, variables: Set[str]) -> Set[str]:
    """Return the names whose parts a statement sets, and the variables of which it calls a method by itself."""
    names = set[str]()
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                names.add(_root(inner))
            case ast.Expr(ast.Call(ast.Attribute() as function)):
                names |= {_root(function)} & variables
    return names


def _is_plain(node: ast.stmt | None) -> bool:
    """Whether a statement binds only variables: it is not a definition and not an import."""
    return not isinstance(node, (*DEFINITIONS, *IMPORTS, type(None)))


def _root(node: ast.expr) -> str:
    """Return the first name of an expression such as ``a.b[0].c()``."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_main(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test)


def _joined(parts: Pool) -> str | Unfinished:
    """Return a module's source; Unfinished if a statement is unfinished."""
    text = "".join(f"{part.source}\n" for part in parts)
    return text if all(part.node for part in parts) else Unfinished(text)


def _is_method(node: ast.stmt | None) -> bool:
    return isinstance(node, FUNCTIONS) and bool(node.args.args) and node.args.args[0].arg in ("self", "cls")


def _from_body(read: _Response, header: str) -> str | None:
    """Return the definition from the header and the response's first block as its body, if the body has an effect."""
    head = textwrap.dedent(header).rstrip()
    for text in read.texts if head else ():
        for body in _indented(text.strip("\n")):
            match read.parser.statements(f"{head}\n{body}"):
                case [Statement(source, ast.FunctionDef() | ast.AsyncFunctionDef() as node)], _ if not _stubs(node):
                    return source
    return None


def _indented(body: str) -> Iterator[str]:
    """Yield a body as it is, moved to a function's margin, and moved there if only its first line lost its blanks."""
    first, line_end, others = body.partition("\n")
    yield body
    yield textwrap.indent(textwrap.dedent(body), _MARGIN)
    yield textwrap.indent(first + line_end + textwrap.dedent(others), _MARGIN)

"""Extraction of code from a response: the requested definition, with the imports and helpers that it needs.

A response may contain fenced blocks, prose, tags, thinking, several versions of the answer, the model's own tests and
a ``main`` block. It is parsed into Python statements (:mod:`~lm_eval_codemind.languages.python.statements`). Only the
statements that the requested definition needs are kept, so other code of the response is never executed.

If a response defines the same name several times, the last definition with a body counts. A correction follows the
version that it corrects, and a simplified program follows the original program.

If the response ends inside a definition, the definition is :class:`Unfinished`. Its first part may run, but it is not
the complete answer. Text after a finished definition may be cut off.

Prose around code is not code. Any other text that does not parse is code that does not compile. Then the answer is the
whole block with this text, unless the response has another version that parses.

The functions raise no exception on any text; a response without code gives None.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from lm_eval_codemind.answers.response import own_text, visible_text, without_tags
from lm_eval_codemind.languages.base import Unfinished
from lm_eval_codemind.languages.python.names import DEFINITIONS, FUNCTIONS, IMPORTS
from lm_eval_codemind.languages.python.statements import Parser, Statement, first_line

_Code = TypeVar("_Code")
Pool = Sequence[Statement]
# Definitions, each with the statements of its block.
Places = Sequence[tuple[Statement, Pool]]

_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s|@")
# The mark before a line of an interactive session.
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.) ", re.MULTILINE)

# Calls that change the interpreter's settings. An answer may depend on them.
_SETTINGS = frozenset(
    {"setrecursionlimit", "set_int_max_str_digits", "stack_size", "seed", "simplefilter", "filterwarnings"}
)


@dataclass(frozen=True)
class MethodCode:
    """A method from a response.

    Attributes:
        name: The method's name.
        source: Its definition at column 0, with decorators.
        members: Other definitions of the response's class that the method uses as attributes, by name, at column 0.
            Only members that the problem's class does not have are useful.
        prelude: The module-level statements that method and members need: imports, helpers, constants.
    """

    name: str
    source: str
    members: tuple[tuple[str, str], ...] = ()
    prelude: tuple[Statement, ...] = ()


def extract_definition(response: str, name: str, header: str = "") -> str | Unfinished | None:
    """Return the source of a module with the response's definition of a function or class.

    Args:
        response: The model's response.
        name: The requested function or class. The response must define it at module level.
        header: The ``def`` line (with or without a docstring) at the end of the prompt, if the response may be only the
            function's body.

    Returns:
        The definition with the response's imports, helpers and constants that it needs, in their order. If the
        definition is in a text that does not parse, that text. Unfinished if the response ends inside the definition,
        or inside a statement that it needs. None if the response does not define the name.
    """
    definition = _extracted(
        response,
        name,
        lambda pool: [(part, ()) for part in pool if _defines(part, name)],
        lambda pool, chosen, _: _module(pool, chosen, name),
    )
    return definition or _from_body(response, header)


def extract_script(response: str) -> str | Unfinished | None:
    """Return the source of the script in a response; Unfinished if the response ends inside it; None without a script.

    If there are several blocks, the last one that reads its input counts, or else the last one that has an effect. A
    finished block that parses has priority.
    """

    def answers() -> Iterator[tuple[str | Unfinished, bool]]:
        for text in _variants(response):
            parser = Parser()
            scripts = {}
            for number, (piece, fenced) in enumerate(parser.blocks(text)):
                statements = [part for part in parser.statements(piece, number, fenced) if not _is_idle(part)]
                acts = any(not isinstance(part.node, ast.Pass) for part in statements)
                if acts or (fenced and number in parser.broken):
                    scripts[number] = statements
            reading = [number for number in scripts if any(map(_reads_input, scripts[number]))]
            candidates = reading or list(scripts)
            whole = [number for number in candidates if number not in parser.broken]
            finished = [number for number in whole if not any(part.unfinished for part in scripts[number])]
            for number in (finished or whole or candidates)[-1:]:
                yield parser.broken.get(number) or _joined(scripts[number]), bool(finished)

    return _first_complete(answers())


def extract_method(
    response: str, class_name: str, method_name: str, header: str = ""
) -> MethodCode | str | Unfinished | None:
    """Return the response's definition of a method: in the class, outside the class, or only the body.

    Args:
        response: The model's response.
        class_name: The class of the method.
        method_name: The requested method.
        header: The method's ``def`` line, if the response may be only its body.

    Returns:
        The method and the parts of the response that it needs. If the definition is in a text that does not parse, that
        text. Unfinished if the response ends inside one of these. None if the response does not define the method.
    """

    def places(pool: Pool) -> Places:
        matches: list[tuple[Statement, Pool]] = []
        for part in pool:
            if isinstance(part.node, ast.ClassDef) and part.node.name == class_name:
                members = Parser().statements(_body_text(part), part.block)
                matches.extend((member, members) for member in members if _defines(member, method_name))
            elif isinstance(part.node, FUNCTIONS) and part.node.name == method_name:
                others = [one for one in pool if isinstance(one.node, FUNCTIONS) and one.block == part.block]
                matches.append((part, others))
        return matches

    answer = _extracted(response, method_name, places, partial(_method, class_name=class_name, name=method_name))
    if answer is not None:
        return answer
    body = _from_body(response, header)
    return MethodCode(method_name, body) if isinstance(body, str) else body


def _extracted(
    response: str, name: str, places: Callable[[Pool], Places], make: Callable[[Pool, Statement, Pool], _Code]
) -> _Code | str | None:
    """Return the answer from the best definition of a name; a text that does not parse if there is no better one."""

    def answers() -> Iterator[tuple[_Code | str, bool]]:
        for text in _variants(response):
            parser = Parser()
            pieces = enumerate(parser.blocks(text))
            pool = [part for number, (piece, fenced) in pieces for part in parser.statements(piece, number, fenced)]
            candidates, broken = places(pool), parser.broken
            chosen = _choose([part for part, _ in candidates], broken)
            if chosen is None or chosen.block in broken:
                definition = re.compile(rf"^[ \t]*(?:async\s+)?(?:def|class)\s+{re.escape(name)}\b", re.MULTILINE)
                yield from ((text, False) for text in [*filter(definition.search, broken.values())][-1:])
            else:
                code = make(pool, chosen, next(siblings for part, siblings in candidates if part is chosen))
                yield code, not isinstance(code, Unfinished)

    return _first_complete(answers())


def _first_complete(answers: Iterable[tuple[_Code, bool]]) -> _Code | None:
    """Return the first complete answer, or else the first answer; None if there are no answers."""
    first: _Code | None = None
    for answer, complete in answers:
        if complete:
            return answer
        first = first or answer
    return first


def _variants(response: str) -> Iterable[str]:
    """Return versions of a response: first the unchanged text, then texts with corrections that help it to parse."""
    text = visible_text(response)
    readings = []
    for literal in (own_text(text), text):
        untagged = without_tags(literal)
        plain = untagged.replace("\u00a0", " ").replace("\u200b", "").replace("\ufeff", "").expandtabs(4)
        readings += [literal, untagged, plain, _PROMPT.sub("", plain)]
    return dict.fromkeys(readings)


def _defines(part: Statement, name: str) -> bool:
    """Whether a statement defines the name, and does not only change its value."""
    node = part.node
    if isinstance(node, DEFINITIONS):
        return node.name == name
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        binds = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        return binds and name not in part.uses and not isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.If, ast.Try)) and name in part.binds and not _is_main_block(node)


def _choose(definitions: Sequence[Statement], broken: Container[int]) -> Statement | None:
    """Return the last definition that parses and has a body, preferably finished; otherwise the last definition."""
    whole = [part for part in definitions if part.block not in broken]
    full = [part for part in whole if not part.unfinished and not _is_stub(part.node)]
    candidates = full or [part for part in whole if part.unfinished] or [*whole, *definitions]
    return candidates[-1] if candidates else None


def _is_stub(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        methods = [part for part in node.body if isinstance(part, FUNCTIONS) and part.name != "__init__"]
        return bool(methods) and all(_is_stub(method) for method in methods)
    if not isinstance(node, FUNCTIONS):
        return False
    return all(
        isinstance(part, ast.Pass)
        or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        or (isinstance(part, ast.Raise) and part.exc and (_root(part.exc) or "").startswith("NotImplemented"))
        for part in node.body
    )


def _module(pool: Sequence[Statement], target: Statement, name: str) -> str | Unfinished:
    """Return the selected definition with all statements of the pool that it needs."""
    position = next(index for index, part in enumerate(pool) if part is target)
    # `double = cache(double)` below the definition belongs to it. Any other binding of the name is another version.
    without_rivals = [
        part
        for index, part in enumerate(pool)
        if name not in part.binds or part is target or (index > position and name in part.uses and _is_plain(part.node))
    ]
    return _joined(_needed(without_rivals, [target], {name}))


def _needed(
    pool: Sequence[Statement], roots: Sequence[Statement], names: set[str], left_out: Sequence[Statement] = ()
) -> list[Statement]:
    """Return the statements of the pool that the roots need, including the roots, in execution order.

    The block of the roots has priority; other blocks are searched only for names that it does not define. An import of
    this block is removed if only removed statements use it, such as ``import pytest`` for the model's own tests. An
    import that no statement uses is kept, because it is part of the model's answer.

    Args:
        pool: The available statements.
        roots: The statements to start from.
        names: Names that are needed even if the roots do not refer to them.
        left_out: Other removed statements, outside the pool.
    """
    home = roots[0].block
    by_id: dict[int, Statement] = {id(root): root for root in roots}
    near = [part for part in pool if part.block == home and not _is_main_block(part.node)]
    far = [part for part in pool if part.block != home and not _is_main_block(part.node)]
    missing = set(names).union(*(root.uses for root in roots))
    for candidates in (near, far):
        # Other blocks are not searched for a name that the roots' block binds.
        available = {name for part in near for name in part.binds} if candidates is far else set()
        variables = {name for part in candidates if _is_plain(part.node) for name in part.binds}
        growing = True
        while growing:
            growing = False
            for part in candidates:
                if id(part) not in by_id and _is_needed(part, missing - available, variables):
                    by_id[id(part)] = part
                    missing |= part.uses.union(*_changed(part.node))
                    growing = True
    unused = [*left_out, *(part for part in pool if part.block == home and id(part) not in by_id)]
    elsewhere = {name for part in unused for name in part.uses}
    for part in near:
        if isinstance(part.node, IMPORTS) and not part.binds & elsewhere:
            by_id[id(part)] = part
    order = {id(part): index for index, part in enumerate([*far, *near])}
    return sorted(by_id.values(), key=lambda part: (not part.is_future, order.get(id(part), len(order))))


def _is_needed(part: Statement, missing: set[str], variables: set[str]) -> bool:
    """Whether a statement assigns or changes a needed name, or changes the interpreter's settings."""
    node = part.node
    if isinstance(node, ast.Assert):
        return False
    if part.is_future or (isinstance(node, ast.ImportFrom) and node.names[0].name == "*"):
        return True
    if isinstance(node, DEFINITIONS):
        decorators = {_root(decorator) for decorator in node.decorator_list}
        return node.name in missing or (node.name == "_" and bool(decorators & missing))  # singledispatch's `_`
    if part.binds & missing:
        return True
    if isinstance(node, IMPORTS):
        return False
    match node:
        case ast.Expr(ast.Call(ast.Attribute(attr=setting))) if setting in _SETTINGS:
            return True
    assigned, called = _changed(node)
    return bool(assigned & missing or called & missing & variables)


def _is_plain(node: ast.stmt) -> bool:
    """Whether a statement binds only variables: it is not a definition and not an import."""
    return not isinstance(node, (*DEFINITIONS, *IMPORTS))


def _changed(node: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the names whose parts a statement assigns, and the names whose methods it calls."""
    assigned: set[str | None] = set()
    called: set[str | None] = set()
    for part in ast.walk(node) if _is_plain(node) else ():
        match part:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                assigned.add(_root(part))
            case ast.Expr(ast.Call(ast.Attribute() as function)):
                called.add(_root(function))
    return {name for name in assigned if name}, {name for name in called if name}


def _root(node: ast.expr) -> str | None:
    """Return the first name of an expression such as ``a.b[0].c()``."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_main_block(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def _joined(parts: Sequence[Statement]) -> str | Unfinished:
    """Return a module's source, with blank lines around definitions; Unfinished if a statement is unfinished."""
    text = ""
    for previous, part in zip([None, *parts], parts, strict=False):
        apart = previous and any(isinstance(one.node, DEFINITIONS) for one in (previous, part))
        text += ("\n\n\n" if apart else "\n" if previous else "") + (part.unfinished or part.source)
    text += "\n"
    return Unfinished(text) if any(part.unfinished for part in parts) else text


def _method(
    pool: Sequence[Statement], target: Statement, siblings: Sequence[Statement], class_name: str, name: str
) -> MethodCode | Unfinished:
    """Return the selected method, the members that it uses, and the prelude that all of them need."""
    by_name = {bound: sibling for sibling in siblings for bound in sibling.binds}
    members: dict[str, Statement] = {}
    pending = [target]
    while pending:
        part = pending.pop()
        reached = {inner.attr for inner in ast.walk(part.node) if isinstance(inner, ast.Attribute)}
        for attribute in sorted(reached | part.uses):
            is_dunder = attribute.startswith("__") and attribute.endswith("__")
            if attribute in by_name and attribute not in members and attribute != name and not is_dunder:
                # A plain name refers to a member only inside the class body.
                if attribute not in reached and by_name[attribute].block == target.block and by_name[attribute] in pool:
                    continue
                members[attribute] = by_name[attribute]
                pending.append(by_name[attribute])
    inside = [target, *members.values()]
    own = {id(part) for part in inside}
    own |= {id(part) for part in pool if isinstance(part.node, ast.ClassDef) and part.node.name == class_name}
    outside = [part for part in pool if id(part) not in own and not _defines(part, name)]
    left_out = [sibling for sibling in siblings if id(sibling) not in own]
    prelude = tuple(part for part in _needed(outside, inside, set(), left_out) if id(part) not in own)
    if any(part.unfinished for part in (*inside, *prelude)):
        return Unfinished("\n\n".join(part.unfinished or part.source for part in (*prelude, *inside)))
    return MethodCode(name, target.source, tuple((key, part.source) for key, part in members.items()), prelude)


def _body_text(part: Statement) -> str:
    """Return the text of a class's body with its indentation; for an unfinished class all of its text."""
    node = part.node
    assert isinstance(node, ast.ClassDef)
    text = part.unfinished or part.source
    first = first_line(node.body[0])
    if first == node.lineno:  # class C: pass
        return ast.get_source_segment(part.source, node.body[0]) or ""
    return "\n".join(text.split("\n")[first - 1 :])


def _from_body(response: str, header: str) -> str | Unfinished | None:
    """Return the definition from the header and the response's first block as its body, if the body has an effect."""
    if not header.strip():
        return None
    header = textwrap.dedent(header).rstrip()
    unfinished: Statement | None = None
    for text in _variants(response):
        parser = Parser()
        for piece, _ in parser.blocks(text):
            lines = piece.strip("\n").split("\n")
            stop = next((n for n, line in enumerate(lines) if n > 0 and line.strip() and not line[0].isspace()), None)
            indented_first = ["    " + lines[0].lstrip(), *lines[1:stop]]
            for shape in (["    " + line for line in lines], lines[:stop], indented_first):
                whole = parser.statements("\n".join([header, *shape]))
                definition = whole[0] if len(whole) == 1 and isinstance(whole[0].node, FUNCTIONS) else None
                if definition is None:
                    continue
                if definition.unfinished:
                    # Text that starts with a definition at its margin is a definition, not a body.
                    if not _DEFINITION.match(piece.lstrip("\n")):
                        unfinished = unfinished or definition
                    # If a body at the margin is unfinished, its first lines are not the model's whole answer.
                    if not lines[0][:1].isspace():
                        break
                elif not _is_stub(definition.node) and _does_something(definition.node):
                    return definition.source
    return Unfinished(unfinished.unfinished) if unfinished else None


def _does_something(node: ast.stmt) -> bool:
    acts = (ast.Return, ast.Yield, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Raise, ast.Call)
    return any(isinstance(part, acts) for part in ast.walk(node))


def _is_idle(part: Statement) -> bool:
    """Whether a statement of a script has no effect, like words of prose that parse as Python."""
    node = part.node
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    return isinstance(node, ast.Expr) and not any(
        isinstance(inner, (ast.Call, ast.Await, ast.Yield)) for inner in ast.walk(node)
    )


def _reads_input(part: Statement) -> bool:
    return bool({"input", "open"} & part.uses) or any(
        isinstance(inner, ast.Attribute) and inner.attr in ("stdin", "fileinput") for inner in ast.walk(part.node)
    )

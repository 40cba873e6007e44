"""Taking code out of a response: the part that defines what was asked for, with the imports and helpers it needs.

A response may hold fenced blocks, prose, tags, thinking, several versions of the answer, the model's own tests and a
``main`` block. It is read as Python statements (:mod:`~lm_eval_codemind.languages.python.statements`), and of
these only what the asked-for definition needs is kept: so nothing the model wrote around its answer is run.

Where a response defines the same thing several times, the last definition counts that has a body: corrections come
after what they correct, and a simplified program after the program it simplifies.

A definition that the response breaks off in is :class:`Unfinished`: what is there of it may run, but is not what the
model was about to write. What follows a finished definition may be cut off.

Prose around code is not code. Everything else that does not parse is code that does not compile: then the answer is the
whole text it stands in, unless the response has another version that parses.

No function here raises on any text; a response without code gives None.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lm_eval_codemind.answers.response import own_text, visible_text
from lm_eval_codemind.languages.base import Unfinished
from lm_eval_codemind.languages.python.blocks import blocks, without_tags
from lm_eval_codemind.languages.python.statements import DEFINITIONS, Parser, Statement, first_line

_Code = TypeVar("_Code")
Pool = Sequence[Statement]
# Definitions, each with the statements next to it.
Places = Sequence[tuple[Statement, Pool]]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s|@")

# Calls made for their effect on the interpreter, on which an answer may rely.
_SETTINGS = frozenset(
    {"setrecursionlimit", "set_int_max_str_digits", "stack_size", "seed", "simplefilter", "filterwarnings"}
)


@dataclass(frozen=True)
class MethodCode:
    """A method taken out of a response.

    Attributes:
        name: The method's name.
        source: Its definition at column 0, decorators included.
        members: What else the response's class defines and the method reaches through an attribute, by name, at
            column 0. Only members that the true class lacks are of use.
        prelude: The module-level statements that method and members need: imports, helpers, constants.
    """

    name: str
    source: str
    members: tuple[tuple[str, str], ...] = ()
    prelude: tuple[Statement, ...] = ()

    @property
    def text(self) -> str:
        """The answer as one piece of text, for logs."""
        return "\n\n".join([*(part.source for part in self.prelude), self.source, *(text for _, text in self.members)])


def extract_definition(response: str, name: str, header: str = "") -> str | Unfinished | None:
    """Return the source of a module that defines a function or class as the response does.

    Args:
        response: What the model wrote.
        name: The function or class asked for; it must be bound at module level.
        header: The ``def`` line (with or without a docstring) that the prompt ended with, if the response may be the
            function's body alone.

    Returns:
        The definition with the imports, helpers and constants of the response that it needs, in their order;
        a text that does not parse if the definition stands in one; Unfinished if the response breaks off in it, or in
        something it needs; None if the response defines nothing of that name.
    """

    def places(pool: Pool) -> Places:
        return [(part, ()) for part in pool if _defines(part, name)]

    def module(pool: Pool, chosen: Statement, siblings: Pool) -> str | Unfinished:
        return _module(pool, chosen, name)

    return _extracted(response, name, places, module) or _from_body(response, header)


def extract_script(response: str) -> str | Unfinished | None:
    """Return the source of the script a response holds; Unfinished if it breaks off in it; None if there is none.

    Of several blocks the last counts that reads its input, else the last that does anything; one that parses and is
    finished before one that does not and is not.
    """

    def answers() -> Iterator[tuple[str | Unfinished, bool]]:
        for text in _variants(response):
            parser = Parser()
            scripts = {}
            for number, (piece, fenced) in enumerate(blocks(text, parser.parses)):
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
    """Return a method as the response defines it: in the class, by itself, or as a body alone.

    Args:
        response: What the model wrote.
        class_name: The class the method belongs to.
        method_name: The method asked for.
        header: The method's ``def`` line, if the response may be its body alone.

    Returns:
        The method and what it needs of the response; a text that does not parse if the definition stands in one;
        Unfinished if the response breaks off in it, or in something it needs; None if the response does not define it.
    """

    def places(pool: Pool) -> Places:
        found: list[tuple[Statement, Pool]] = []
        for part in pool:
            if isinstance(part.node, ast.ClassDef) and part.node.name == class_name:
                members = Parser().statements(_body_text(part), part.block)
                found.extend((member, members) for member in members if _defines(member, method_name))
            elif isinstance(part.node, _FUNCTIONS) and part.node.name == method_name:
                others = [one for one in pool if isinstance(one.node, _FUNCTIONS) and one.block == part.block]
                found.append((part, others))
        return found

    def method(pool: Pool, chosen: Statement, siblings: Pool) -> MethodCode | Unfinished:
        return _method(pool, chosen, siblings, class_name, method_name)

    answer = _extracted(response, method_name, places, method)
    if answer is not None:
        return answer
    body = _from_body(response, header)
    return MethodCode(method_name, body) if isinstance(body, str) else body


def _extracted(
    response: str, name: str, places: Callable[[Pool], Places], make: Callable[[Pool, Statement, Pool], _Code]
) -> _Code | str | None:
    """Return what is made of the best definition of a name; a text that does not parse if there is no better one."""

    def answers() -> Iterator[tuple[_Code | str, bool]]:
        for pool, broken in _readings(response):
            found = places(pool)
            chosen = _choose([part for part, _ in found], broken)
            if chosen is None or chosen.block in broken:
                definition = re.compile(rf"^[ \t]*(?:async\s+)?(?:def|class)\s+{re.escape(name)}\b", re.MULTILINE)
                yield from ((text, False) for text in [*filter(definition.search, broken.values())][-1:])
            else:
                code = make(pool, chosen, next(siblings for part, siblings in found if part is chosen))
                yield code, not isinstance(code, Unfinished)

    return _first_complete(answers())


def _first_complete(answers: Iterable[tuple[_Code, bool]]) -> _Code | None:
    """Return the first answer that is complete, else the first of all; None if there are none."""
    first: _Code | None = None
    for answer, complete in answers:
        if complete:
            return answer
        first = first or answer
    return first


def _variants(response: str) -> Iterable[str]:
    """Return readings of a response: the literal one first, then those that correct what keeps it from parsing."""
    text = visible_text(response)
    readings = []
    for literal in (own_text(text), text):
        untagged = without_tags(literal)
        plain = untagged.replace("\u00a0", " ").replace("\u200b", "").replace("\ufeff", "").expandtabs(4)
        readings += [literal, untagged, plain, _without_prompts(plain)]
    return dict.fromkeys(readings)


def _without_prompts(text: str) -> str:
    """Return an interactive session's input: the lines after ``>>>`` and ``...``, without these marks."""
    return "\n".join(
        line.lstrip()[4:] if line.lstrip().startswith((">>> ", "... ")) else line for line in text.split("\n")
    )


def _readings(response: str) -> Iterable[tuple[list[Statement], Mapping[int, str]]]:
    """Yield, for each reading of the response, all its statements in order, and its blocks that do not parse."""
    for text in _variants(response):
        parser = Parser()
        statements = [
            statement
            for number, (piece, fenced) in enumerate(blocks(text, parser.parses))
            for statement in parser.statements(piece, number, fenced)
        ]
        yield statements, parser.broken


def _defines(part: Statement, name: str) -> bool:
    """Say whether a statement is a definition of the name rather than a change to it."""
    node = part.node
    if isinstance(node, DEFINITIONS):
        return node.name == name
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        binds = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        return binds and name not in part.uses and not isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.If, ast.Try)) and name in part.binds and not _is_main_block(node)


def _choose(definitions: Sequence[Statement], broken: Container[int]) -> Statement | None:
    """Return the last definition that parses and has a body, a finished one if there is one; else the last of all."""
    whole = [part for part in definitions if part.block not in broken]
    full = [part for part in whole if not part.unfinished and not _is_stub(part.node)]
    candidates = full or [part for part in whole if part.unfinished] or [*whole, *definitions]
    return candidates[-1] if candidates else None


def _is_stub(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        methods = [part for part in node.body if isinstance(part, _FUNCTIONS) and part.name != "__init__"]
        return bool(methods) and all(_is_stub(method) for method in methods)
    if not isinstance(node, _FUNCTIONS):
        return False
    return all(
        isinstance(part, ast.Pass)
        or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        or (isinstance(part, ast.Raise) and any(map(_is_not_implemented, ast.walk(part))))
        for part in node.body
    )


def _is_not_implemented(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith("NotImplemented")


def _module(pool: Sequence[Statement], chosen: Statement, name: str) -> str | Unfinished:
    """Return the chosen definition with all it needs of the pool."""
    position = next(index for index, part in enumerate(pool) if part is chosen)
    # `double = cache(double)` below the definition belongs to it; whatever else binds the name is another version.
    without_rivals = [
        part
        for index, part in enumerate(pool)
        if name not in part.binds or part is chosen or (index > position and name in part.uses and _is_plain(part.node))
    ]
    return _joined(_needed(without_rivals, [chosen], {name}))


def _needed(
    pool: Sequence[Statement], roots: Sequence[Statement], names: set[str], left_out: Sequence[Statement] = ()
) -> list[Statement]:
    """Return the statements of the pool that the roots need, roots included, in the order they must run.

    The block of the roots goes before other blocks: these are searched only for names it leaves open. Of its imports
    those go that serve only what goes, such as ``import pytest`` for the model's own tests; one that nothing uses is
    part of the answer as the model wrote it.

    Args:
        pool: The statements to choose from.
        roots: Those to start from.
        names: Names that are needed whether or not the roots refer to them.
        left_out: Further statements that are not kept, outside the pool.
    """
    home = roots[0].block
    kept: dict[int, Statement] = {id(root): root for root in roots}
    near = [part for part in pool if part.block == home and not _is_main_block(part.node)]
    far = [part for part in pool if part.block != home and not _is_main_block(part.node)]
    wanted = set(names).union(*(root.uses for root in roots))
    for candidates in (near, far):
        # A name that the home block binds is not looked for elsewhere.
        available = {name for part in near for name in part.binds} if candidates is far else set()
        variables = {name for part in candidates if _is_plain(part.node) for name in part.binds}
        growing = True
        while growing:
            growing = False
            for part in candidates:
                if id(part) not in kept and _is_needed(part, wanted - available, variables):
                    kept[id(part)] = part
                    wanted |= part.uses.union(*_changed(part.node))
                    growing = True
    unused = [*left_out, *(part for part in pool if part.block == home and id(part) not in kept)]
    elsewhere = {name for part in unused for name in part.uses}
    for part in near:
        if isinstance(part.node, _IMPORTS) and not part.binds & elsewhere:
            kept[id(part)] = part
    order = {id(part): index for index, part in enumerate([*far, *near])}
    return sorted(kept.values(), key=lambda part: (not part.is_future, order.get(id(part), len(order))))


def _is_needed(part: Statement, wanted: set[str], variables: set[str]) -> bool:
    """Say whether a statement gives a wanted name its value, changes it, or changes the interpreter's settings."""
    node = part.node
    if isinstance(node, ast.Assert):
        return False
    if part.is_future or (isinstance(node, ast.ImportFrom) and node.names[0].name == "*"):
        return True
    if isinstance(node, DEFINITIONS):
        decorators = {_root(decorator) for decorator in node.decorator_list}
        return node.name in wanted or (node.name == "_" and bool(decorators & wanted))  # singledispatch's `_`
    if part.binds & wanted:
        return True
    if isinstance(node, _IMPORTS):
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr in _SETTINGS:
            return True
    assigned, called = _changed(node)
    return bool(assigned & wanted or called & wanted & variables)


def _is_plain(node: ast.stmt) -> bool:
    """Say whether a statement neither defines nor imports: what it binds are variables."""
    return not isinstance(node, (*DEFINITIONS, *_IMPORTS))


def _changed(node: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the names a statement changes by assigning to a part of theirs, and those whose methods it calls."""
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
    """Return the name an expression such as ``a.b[0].c()`` starts from."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_main_block(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def _joined(parts: Sequence[Statement]) -> str | Unfinished:
    """Return statements as a module's source, definitions set apart by blank lines; marked if one is unfinished."""
    text = ""
    for previous, part in zip([None, *parts], parts, strict=False):
        apart = previous and any(isinstance(one.node, DEFINITIONS) for one in (previous, part))
        text += ("\n\n\n" if apart else "\n" if previous else "") + (part.unfinished or part.source)
    text += "\n"
    return Unfinished(text) if any(part.unfinished for part in parts) else text


def _method(
    pool: Sequence[Statement], chosen: Statement, siblings: Sequence[Statement], class_name: str, name: str
) -> MethodCode | Unfinished:
    """Return the chosen method with the members it reaches and the prelude they need."""
    by_name: dict[str, Statement] = {}
    for sibling in siblings:
        for bound in sibling.binds:
            by_name[bound] = sibling
    members: dict[str, Statement] = {}
    pending = [chosen]
    while pending:
        part = pending.pop()
        reached = {inner.attr for inner in ast.walk(part.node) if isinstance(inner, ast.Attribute)}
        for attribute in sorted(reached | part.uses):
            is_dunder = attribute.startswith("__") and attribute.endswith("__")
            if attribute in by_name and attribute not in members and attribute != name and not is_dunder:
                # A name used as such is a member only where the class body itself refers to it.
                if attribute not in reached and by_name[attribute].block == chosen.block and by_name[attribute] in pool:
                    continue
                members[attribute] = by_name[attribute]
                pending.append(by_name[attribute])
    inside = [chosen, *members.values()]
    outside = [
        part
        for part in pool
        if not any(part is member for member in inside)
        and not (isinstance(part.node, ast.ClassDef) and part.node.name == class_name)
        and not _defines(part, name)
    ]
    left_out = [sibling for sibling in siblings if not any(sibling is member for member in inside)]
    needed = _needed(outside, inside, set(), left_out)
    prelude = tuple(part for part in needed if not any(part is member for member in inside))
    if any(part.unfinished for part in (*inside, *prelude)):
        return Unfinished("\n\n".join(part.unfinished or part.source for part in (*prelude, *inside)))
    return MethodCode(name, chosen.source, tuple((key, part.source) for key, part in members.items()), prelude)


def _body_text(part: Statement) -> str:
    """Return the text of a class's body, its indentation kept; all there is of one that breaks off."""
    node = part.node
    assert isinstance(node, ast.ClassDef)
    text = part.unfinished or part.source
    first = first_line(node.body[0])
    if first == node.lineno:  # class C: pass
        return ast.get_source_segment(part.source, node.body[0]) or ""
    return "\n".join(text.split("\n")[first - 1 :])


def _from_body(response: str, header: str) -> str | Unfinished | None:
    """Return the definition that a header and the first block of the response make together, if it does anything."""
    if not header.strip():
        return None
    header = textwrap.dedent(header).rstrip()
    unfinished: Statement | None = None
    for text in _variants(response):
        parser = Parser()
        for piece, _ in blocks(text, parser.parses):
            lines = piece.strip("\n").split("\n")
            stop = next((n for n, line in enumerate(lines) if n > 0 and line.strip() and not line[0].isspace()), None)
            shapes = (
                ["    " + line for line in lines],
                lines[:stop],
                ["    " + lines[0].lstrip(), *lines[1:stop]],
            )
            for shape in shapes:
                whole = parser.statements("\n".join([header, *shape]))
                definition = whole[0] if len(whole) == 1 and isinstance(whole[0].node, _FUNCTIONS) else None
                if definition is None:
                    continue
                if definition.unfinished:
                    # What begins with a definition at its margin is judged as such, and is no body.
                    if not _DEFINITION.match(piece.lstrip("\n")):
                        unfinished = unfinished or definition
                    # A body at the margin breaks off: its first lines alone are not what the model wrote.
                    if not lines[0][:1].isspace():
                        break
                elif not _is_stub(definition.node) and _does_something(definition.node):
                    return definition.source
    return Unfinished(unfinished.unfinished) if unfinished else None


def _does_something(node: ast.stmt) -> bool:
    acts = (ast.Return, ast.Yield, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Raise, ast.Call)
    return any(isinstance(part, acts) for part in ast.walk(node))


def _is_idle(part: Statement) -> bool:
    """Say whether a statement of a script does nothing, as words of prose that happen to parse."""
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

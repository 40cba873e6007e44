"""Extraction of a Java program from a response: its classes, with the imports that they need.

A response may contain fenced blocks, prose, tags, thinking, several versions of the program, helpers in separate blocks
and a second class that tries the program. A declaration counts wherever a line starts with one. Prose around it is left
out. Other code next to it stays, so code that does not compile as a whole does not compile.

The last program that reads its input counts, or else the last program: a correction follows the version that it
corrects. An unfinished program does not count. Methods without a class get a class.

The functions raise no exception on any text; a response without code gives None.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lm_eval_codemind.answers.response import visible_text, without_tags
from lm_eval_codemind.languages.base import Unfinished
from lm_eval_codemind.languages.java.declarations import Declaration, declarations, starts, without_public
from lm_eval_codemind.languages.java.syntax import METHODS, TYPES, Node, Tree, is_valid, parse

WRAPPER = "Main"
SOLUTION = "Solution"
"""The class of a method that is asked for."""

_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*\d{1,4}(?:[ \t]*[:|.)][ \t]?|\t|  )", re.MULTILINE)
_READS = re.compile(r"\bSystem\s*\.\s*(?:in|console)\b|\bFiles\b|\bFileReader\b|/dev/stdin|\bFileDescriptor\b")
# The number of classes with a `main` that are examined, from the last.
_MOST_CLASSES = 50


@dataclass(frozen=True)
class Code:
    """A program from a response.

    Attributes:
        source: One compilation unit: its package, imports and classes.
        main_class: The class to start, as ``java`` takes it (``Main``, ``contest.Main``, ``Outer$Main``); ``""`` where
            none has a ``main`` method.
    """

    source: str
    main_class: str = ""


def code(response: str) -> Code | None:
    """Return the program in a response; None without a program."""
    without_main: Code | None = None
    variants = list(_variants(response))
    for anywhere in (False, True):
        for text in variants:
            if without_main is not None and "main" not in text:
                continue
            candidate = _program(declarations(text, anywhere)[0])
            if candidate is not None and candidate.main_class:
                return candidate
            without_main = without_main or candidate
    return without_main


def main_class(program: str) -> str:
    """Return the class that a program starts from, as ``java`` takes it; empty if none has a ``main`` method.

    It is the class that :func:`code` finds in a response with this program.
    """
    candidate = _program(declarations(program)[0])
    return "" if candidate is None else candidate.main_class


def unfinished(response: str) -> Unfinished | None:
    """Return the code inside which a response ends, as far as it goes; None if it does not end inside code."""
    broken = (declarations(text)[1] for text in _variants(response))
    return next((Unfinished(source) for source in broken if source is not None), None)


def _variants(response: str) -> Iterable[str]:
    """Yield readings of a response, the literal one first, then those without tags, quotation marks or line numbers."""
    text = visible_text(response)
    yield text
    clean = without_tags(text).replace("\u00a0", " ").replace("\u200b", "").replace("\ufeff", "")
    if clean != text:
        yield clean
    for marks in (_QUOTED, _NUMBERED):
        bare = marks.sub("", clean)
        if bare != clean:
            yield bare


def _program(parts: Sequence[Declaration]) -> Code | None:
    types = [part for part in parts if part.kind == "type"]
    main_type = _choose(types, [one for one in types if one.members.main])
    if main_type is not None:
        return _joined(parts, types, main_type)
    wrapped = _wrapped(parts)
    if wrapped is not None:
        return wrapped
    main_type = _choose(types, types)
    return None if main_type is None else _joined(parts, types, main_type)


def _choose(types: Sequence[Declaration], candidates: Sequence[Declaration]) -> Declaration | None:
    """Return the last class that is complete, starts no other class, is valid and reads its input.

    If no class meets all conditions, the last condition is dropped first. If several classes of a block are left, the
    public one counts, which gives a file its name.
    """
    best = list(candidates)[-_MOST_CLASSES:]
    if len(best) > 1:
        best = [one for one in best if not one.members.is_stub] or best
        trying = re.compile(rf"\b(?:{'|'.join(sorted(re.escape(one.name) for one in best))})\s*\.\s*main\s*\(")
        best = [one for one in best if not trying.search(one.source)] or best
        best = [one for one in best if is_valid(one.source)] or best
        reading = _reading(types)
        best = [one for one in best if id(one) in reading] or best
        best = [one for one in best if one.block == best[-1].block]
        best = [one for one in best if without_public(one.source) != one.source] or best
    return best[-1] if best else None


def _reading(types: Sequence[Declaration]) -> set[int]:
    """Return the ids of the types that read input, directly or through a type that they use.

    Using a class with a ``main`` method does not count.
    """
    users: dict[str, list[Declaration]] = {one.name: [] for one in types}
    for one in types:
        for word in one.words & users.keys():
            users[word].append(one)
    reading: set[int] = set()
    pending = [one for one in types if _READS.search(one.source)]
    while pending:
        one = pending.pop()
        if id(one) not in reading:
            reading.add(id(one))
            pending += [] if one.members.main else users[one.name]
    return reading


def _joined(parts: Sequence[Declaration], types: Sequence[Declaration], main_type: Declaration) -> Code:
    """Return the chosen class with the other classes of its block, and the classes of other blocks that these need."""
    home = main_type.block
    near = [one for one in types if one.block == home]
    if sum(one.name == main_type.name for one in near) > 1:
        # These are versions of a program. The last version of each class counts.
        latest = {one.name: one for one in near if not one.members.is_stub}
        near = list({**latest, main_type.name: main_type}.values())
    far = {one.name: one for one in types if one.block != home}
    classes = list(near)
    declared = {name for one in near for name in (one.name, *one.members.types)}
    # The list grows during the loop.
    for one in classes:
        for name in sorted(one.words & far.keys() - declared):
            classes.append(far[name])
            declared |= {name, *far[name].members.types}
    blocks = {one.block for one in classes}
    packages = {part.block: part for part in parts if part.kind == "package"}
    foreign = {part.name for part in packages.values()}
    imports: dict[str, str] = {}
    for number, part in enumerate(parts):
        if part.kind == "import" and part.block in blocks:
            if len(blocks) == 1:
                imports[str(number)] = part.source
            # All classes of the response are in one package now.
            elif part.name.rpartition(".")[0] not in foreign:
                imports.setdefault(part.name, part.source)
    # Other code in the sections of the program is part of it, even if it does not compile.
    sections = {one.section for one in near}
    members = {id(one) for one in classes}
    pieces: list[tuple[bool, str]] = []
    for part in parts:
        if id(part) in members:
            is_home = part.section == main_type.section
            pieces.append((part.block == home, part.source if is_home else without_public(part.source)))
        elif part.kind in ("line", "method", "field") and part.section in sections:
            pieces.append((True, part.source))
    package = packages.get(home)
    top = [] if package is None else [package.source]
    top += ["\n".join(imports.values())] if imports else []
    source = "\n\n".join([*top, *(text for _, text in sorted(pieces, key=lambda piece: piece[0]))]) + "\n"
    main = main_type.members.main
    return Code(source, f"{package.name}.{main}" if package is not None and main else main)


def _wrapped(parts: Sequence[Declaration]) -> Code | None:
    """Return a class with the methods of the last block that has a ``main`` outside of classes."""
    mains = [part for part in parts if part.kind == "method" and part.name == "main" and starts(part.source)]
    for block in sorted({part.block for part in mains}, reverse=True):
        source = _put_into_class([part for part in parts if part.block == block], WRAPPER, "public ")
        if is_valid(source):
            return Code(source, WRAPPER)
    return None


def class_in(response: str, method: str) -> str | None:
    """Return the class ``Solution`` of a response, with its imports and the classes next to it; None without one.

    The last one that has the method and parses counts. A method without that class is put into one, together with the
    methods and fields of its block.

    Args:
        response: The model's response.
        method: The requested method.
    """
    for anywhere in (False, True):
        for text in _variants(response):
            definition = _class(declarations(text, anywhere)[0], method)
            if definition is not None:
                return definition
    return None


def _class(parts: Sequence[Declaration], method: str) -> str | None:
    types = [part for part in parts if part.kind == "type"]
    named = [one for one in types if one.name == SOLUTION]
    having = [one for one in named if method in one.members.methods]
    if not having:
        blocks = [part.block for part in parts if part.kind == "method" and part.name == method]
        if blocks:
            return _put_into_class([part for part in parts if part.block == blocks[-1]], SOLUTION)
    best = [one for one in having if is_valid(one.source)] or having or named
    return _joined(parts, types, best[-1]).source if best else None


def _put_into_class(parts: Sequence[Declaration], name: str, modifier: str = "") -> str:
    members = "\n\n".join(part.source for part in parts if part.kind in ("method", "field"))
    pieces = [part.source for part in parts if part.kind == "import"]
    pieces.append(f"{modifier}class {name} {{\n{textwrap.indent(members, '    ')}\n}}")
    pieces += [part.source for part in parts if part.kind == "type" and part.name != name]
    return "\n\n".join(pieces) + "\n"


def with_members(answer: str, program: str) -> str:
    """Return an answer with a program's imports, and its class ``Solution`` with the program's methods that it lacks.

    They stand in front of the answer's methods, as helpers do. An answer that does not parse is returned unchanged.

    Args:
        answer: A class ``Solution``, with its imports and the classes next to it.
        program: A program that has such a class.
    """
    answer_tree, whole = parse(answer), parse(program)
    body, others = _body(answer_tree), _body(whole)
    if not answer_tree.is_valid or body is None or others is None:
        return answer
    defined = {answer_tree.name(node) for node in body.children if node.kind in METHODS}
    lacking = [node for node in others.children if node.kind in METHODS and whole.name(node) not in defined]
    members = "".join(f"\n    {whole.text(node)}\n" for node in lacking)
    types = []
    for node in types_of(answer_tree):
        opened = body.start + 1 if body.parent is node else node.start
        head, rest = answer_tree.source[node.start : opened], answer_tree.source[opened : node.end]
        types.append((head + (members.encode("utf-8") if body.parent is node else b"") + rest).decode("utf-8"))
    imports = dict.fromkeys([*imports_of(answer_tree), *imports_of(whole)])
    return "\n".join(imports) + "\n\n" + "\n\n".join(types) + "\n"


def imports_of(tree: Tree) -> list[str]:
    """Return the imports of a source, unchanged."""
    return [tree.text(node) for node in tree.root.children if node.kind == "import_declaration"]


def types_of(tree: Tree) -> list[Node]:
    """Return the top-level types of a source."""
    return [node for node in tree.root.children if node.kind in TYPES]


def _body(tree: Tree) -> Node | None:
    node = next((node for node in types_of(tree) if tree.name(node) == SOLUTION), None)
    return None if node is None else node.child("body")

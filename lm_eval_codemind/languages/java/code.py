"""Taking a Java program out of a response: its classes, with the imports they need.

A response may hold fenced blocks, prose, tags, thinking, several versions of the program, its helpers in blocks of
their own, and a second class that tries it out. Declarations are looked for wherever a line starts with one, a class is
followed to its closing brace by the language's own rules for comments and literals, and the grammar then says which
class has the program's ``main``.

Of several programs the last counts that reads its input, else the last: corrections come after what they correct. One
that breaks off in the middle is no program. Where methods stand alone, without a class, they get one.

No function here raises on any text; a response without a program gives None.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lm_eval_codemind.answers.response import visible_text
from lm_eval_codemind.languages.java.declarations import Declaration, broken_off, declarations
from lm_eval_codemind.languages.java.syntax import METHODS, TYPES, JavaSyntaxError, Node, Tree, parse

WRAPPER = "Main"

_TAG = re.compile(
    r"\[/?(?:JAVA|CODE|ANSWER|SOLUTION|TESTS?|OUTPUT|INST)\]"
    r"|</?(?:java|code|answer|solution|program|implementation|pre|response)>",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*\d{1,4}(?:[ \t]*[:|.)][ \t]?|\t|  )", re.MULTILINE)
_READS = re.compile(r"\bSystem\s*\.\s*(?:in|console)\b|\bFiles\b|\bFileReader\b|/dev/stdin|\bFileDescriptor\b")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Code:
    """A program taken out of a response.

    Attributes:
        source: One compilation unit: its package, imports and classes.
        main_class: The class to start, as ``java`` takes it (``Main``, ``contest.Main``, ``Outer$Main``); ``""`` where
            none has a ``main`` method.
    """

    source: str
    main_class: str = ""


@dataclass(frozen=True)
class _Type:
    """A top-level class of a response, parsed."""

    part: Declaration
    tree: Tree
    node: Node
    main: str = ""
    is_stub: bool = False
    declared: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        return self.part.name


def code(response: str, wanted: str = "") -> Code | None:
    """Return the program that a response holds; None if it holds none.

    Args:
        response: What the model wrote.
        wanted: The name of the class to start, where it matters which; classes of other names are taken if there is
            none of this one.
    """
    without_main: Code | None = None
    variants = list(_variants(response))
    for anywhere in (False, True):
        for text in variants:
            found = _program(declarations(text, anywhere), wanted)
            if found is not None and found.main_class:
                return found
            without_main = without_main or found
    return without_main


def unfinished(response: str) -> str | None:
    """Return the code that a response breaks off in the middle of, as far as it goes; None if it breaks off in none."""
    return next((found for text in _variants(response) if (found := broken_off(text)) is not None), None)


def splice(program: str, answer: Code, wanted: str = "") -> str:
    """Return what is executed for an answer.

    Args:
        program: The program asked about. A script's answer is a program of its own, so nothing of it is kept.
        answer: The answer.
        wanted: What was asked for.
    """
    return answer.source


def _variants(response: str) -> Iterable[str]:
    """Yield readings of a response, the literal one first, then those that mend what stands in the way."""
    text = visible_text(response)
    yield text
    mended = _TAG.sub("\n", text).replace("\u00a0", " ").replace("\u200b", "").replace("\ufeff", "")
    if mended != text:
        yield mended
    for marks in (_QUOTED, _NUMBERED):
        bare = marks.sub("", mended)
        if bare != mended:
            yield bare


def _program(parts: Sequence[Declaration], wanted: str) -> Code | None:
    types = [found for part in parts if part.kind == "type" and (found := _parsed(part)) is not None]
    chosen = _choose([found for found in types if found.main], wanted)
    if chosen is not None:
        return _joined(parts, types, chosen)
    wrapped = _wrapped(parts)
    if wrapped is not None:
        return wrapped
    chosen = _choose(types, wanted)
    return None if chosen is None else _joined(parts, types, chosen)


def _parsed(part: Declaration) -> _Type | None:
    """Return a class with what the grammar says of it; None if it takes the text for something else."""
    try:
        tree = parse(part.source)
    except JavaSyntaxError:
        return None
    node = next((child for child in tree.root.children if child.kind in TYPES and tree.name(child) == part.name), None)
    if node is None:
        return None
    declared = frozenset(
        tree.name(inner) for inner in node.walk() if inner.kind in TYPES or inner.kind == "type_parameter"
    )
    for method in _methods(node):
        if is_main(tree, method):
            body = method.child("body")
            path = [tree.name(around) for around in method.ancestors() if around.kind in TYPES]
            is_stub = body is None or not any(child.named and "comment" not in child.kind for child in body.children)
            return _Type(part, tree, node, "$".join(reversed(path)), is_stub, declared)
    return _Type(part, tree, node, declared=declared)


def _methods(node: Node) -> list[Node]:
    """Return the methods of a class and of those nested in it by name, outer ones first."""
    found: list[tuple[int, int, Node]] = []
    for inner in node.walk():
        if inner.kind == "method_declaration":
            around = list(inner.ancestors())
            if not any(outer.kind in ("block", "constructor_body") for outer in around):
                found.append((len(around), inner.start, inner))
    return [method for _, _, method in sorted(found, key=lambda item: item[:2])]


def is_main(tree: Tree, method: Node) -> bool:
    """Say whether a method is one that ``java`` starts: ``public static void main(String[])``."""
    if tree.name(method) != "main":
        return False
    kind = method.child("type")
    if kind is None or kind.kind != "void_type":
        return False
    modifiers = {child.kind for group in method.of_kind("modifiers") for child in group.children}
    owner = method.parent
    in_interface = owner is not None and owner.kind == "interface_body"
    if "static" not in modifiers or not ("public" in modifiers or in_interface):
        return False
    parameters = method.child("parameters")
    if parameters is None:
        return False
    takes = parameters.of_kind("formal_parameter", "spread_parameter")
    if len(takes) != 1:
        return False
    text = re.sub(r"\bfinal\b|@[\w.]+", "", tree.text(takes[0]))
    shape = r"\s*(?:java\s*\.\s*lang\s*\.\s*)?String\s*(?:\[\s*\]\s*[\w$]+|\.\.\.\s*[\w$]+|[\w$]+\s*\[\s*\])\s*"
    return re.fullmatch(shape, text) is not None


def _choose(found: Sequence[_Type], wanted: str) -> _Type | None:
    """Return the last class that is whole, valid and reads its input, giving up these wishes from the back."""
    named = [one for one in found if wanted and wanted in (one.name, one.main)]
    best = named or list(found)
    for wish in (
        lambda one: not one.is_stub,
        lambda one: one.tree.is_valid,
        lambda one: _READS.search(one.part.source) is not None,
    ):
        best = [one for one in best if wish(one)] or best
    return best[-1] if best else None


def _joined(parts: Sequence[Declaration], types: Sequence[_Type], chosen: _Type) -> Code:
    """Return the chosen class with the classes beside it, and those of other blocks that they need."""
    home = chosen.part.block
    kept: dict[str, _Type] = {}
    for one in types:
        if one.part.block == home and (one.name not in kept or not one.is_stub):
            kept[one.name] = one
    kept[chosen.name] = chosen
    blocks = {home}
    far: dict[str, _Type] = {}
    for one in types:
        if one.part.block != home:
            far[one.name] = one
    growing = True
    while growing:
        growing = False
        declared = frozenset[str]().union(*(one.declared for one in kept.values()))
        used = {word for one in kept.values() for word in _WORD.findall(one.part.source)}
        for name, one in far.items():
            if name in used and name not in declared and name not in kept:
                kept[name] = one
                blocks.add(one.part.block)
                growing = True
    packages = {part.block: part for part in parts if part.kind == "package"}
    foreign = {part.name for part in packages.values()}
    imports: dict[str, str] = {}
    for number, part in enumerate(parts):
        if part.kind == "import" and part.block in blocks:
            if len(blocks) == 1:
                imports[str(number)] = part.source
            # What is in this response is in one package now.
            elif part.name.rpartition(".")[0] not in foreign:
                imports.setdefault(part.name, part.source)
    order = sorted(kept.values(), key=lambda one: (one.part.block != home, one.part.start))
    package = packages.get(home)
    pieces = [] if package is None else [package.source]
    pieces += ["\n".join(imports.values())] if imports else []
    source = "\n\n".join([*pieces, *(one.part.source for one in order)]) + "\n"
    main = chosen.main
    return Code(source, f"{package.name}.{main}" if package is not None and main else main)


def _wrapped(parts: Sequence[Declaration]) -> Code | None:
    """Return the last block's methods that stand alone, ``main`` among them, in a class; classes stay outside."""
    blocks = sorted({part.block for part in parts if part.kind == "method" and part.name == "main"}, reverse=True)
    for block in blocks:
        mine = [part for part in parts if part.block == block]
        members = "\n\n".join(part.source for part in mine if part.kind in ("method", "field"))
        pieces = [part.source for part in mine if part.kind == "import"]
        pieces.append(f"public class {WRAPPER} {{\n{textwrap.indent(members, '    ')}\n}}")
        pieces += [part.source for part in mine if part.kind == "type" and part.name != WRAPPER]
        source = "\n\n".join(pieces) + "\n"
        try:
            tree = parse(source)
        except JavaSyntaxError:
            continue
        if tree.is_valid and any(is_main(tree, node) for node in tree.root.walk() if node.kind == "method_declaration"):
            return Code(source, WRAPPER)
    return None


def class_in(response: str, name: str, method: str) -> str | None:
    """Return the class that a response holds under a name, with its imports and the classes beside it; None if none.

    Of several the last counts that has the method and parses. Where the method stands alone, without that class, it is
    put into one, together with the methods and fields of its block.

    Args:
        response: What the model wrote.
        name: The class.
        method: The method of it that is asked for.
    """
    for anywhere in (False, True):
        for text in _variants(response):
            found = _class(declarations(text, anywhere), name, method)
            if found is not None:
                return found
    return None


def _class(parts: Sequence[Declaration], name: str, method: str) -> str | None:
    types = [found for part in parts if part.kind == "type" and (found := _parsed(part)) is not None]
    named = [one for one in types if one.name == name]
    having = [one for one in named if method in {one.tree.name(inner) for inner in _methods(one.node)}]
    if not having:
        blocks = [part.block for part in parts if part.kind == "method" and part.name == method]
        if blocks:
            return _put_into_class([part for part in parts if part.block == blocks[-1]], name)
    best = [one for one in having if one.tree.is_valid] or having or named
    return _joined(parts, types, best[-1]).source if best else None


def _put_into_class(parts: Sequence[Declaration], name: str) -> str:
    members = "\n\n".join(part.source for part in parts if part.kind in ("method", "field"))
    pieces = [part.source for part in parts if part.kind == "import"]
    pieces.append(f"class {name} {{\n{textwrap.indent(members, '    ')}\n}}")
    pieces += [part.source for part in parts if part.kind == "type" and part.name != name]
    return "\n\n".join(pieces) + "\n"


def with_members(answer: str, program: str, name: str) -> str:
    """Return an answer with the imports of a program, and its class with the methods of the program's that it lacks.

    They stand in front of its own, as helpers do. An answer that does not parse is returned as it is.

    Args:
        answer: A class of that name, with its imports and the classes beside it.
        program: A program that has such a class.
        name: The class.
    """
    given, whole = parse(answer), parse(program)
    body, others = _body(given, name), _body(whole, name)
    if not given.is_valid or body is None or others is None:
        return answer
    defined = {given.name(node) for node in body.children if node.kind in METHODS}
    lacking = [node for node in others.children if node.kind in METHODS and whole.name(node) not in defined]
    members = "".join(f"\n    {whole.text(node)}\n" for node in lacking)
    types = []
    for node in types_of(given):
        opened = body.start + 1 if body.parent is node else node.start
        head, rest = given.source[node.start : opened], given.source[opened : node.end]
        types.append((head + (members.encode("utf-8") if body.parent is node else b"") + rest).decode("utf-8"))
    imports = dict.fromkeys([*imports_of(given), *imports_of(whole)])
    return "\n".join(imports) + "\n\n" + "\n\n".join(types) + "\n"


def imports_of(tree: Tree) -> list[str]:
    """Return the imports of a source, as they stand."""
    return [tree.text(node) for node in tree.root.children if node.kind == "import_declaration"]


def types_of(tree: Tree) -> list[Node]:
    """Return the top-level types of a source."""
    return [node for node in tree.root.children if node.kind in TYPES]


def _body(tree: Tree, name: str) -> Node | None:
    node = next((node for node in types_of(tree) if tree.name(node) == name), None)
    return None if node is None else node.child("body")

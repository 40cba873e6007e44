"""Java source as a syntax tree of any depth, which is traversed without recursion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter
import tree_sitter_java

TYPES = frozenset(f"{what}_declaration" for what in ("class", "interface", "enum", "record", "annotation_type"))
_LANGUAGE = tree_sitter.Language(tree_sitter_java.language())
METHODS = frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"})
COMMENTS = frozenset({"line_comment", "block_comment"})
SOLUTION = "Solution"
"""The class of a method that is asked for."""

# An escaped backslash does not start a unicode escape.
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9A-Fa-f]{4})")
# Longer source is not parsed. The longest program of CodeNet has 130,000 characters.
MAX_CHARACTERS = 2_000_000


@dataclass(eq=False, slots=True)
class Node:
    """A node of the tree.

    Attributes:
        kind: Its type in the grammar; the text of a keyword or a mark.
        start: Offset of its first byte in the source.
        end: Offset after its last byte.
        named: Whether it is more than a keyword or mark.
        role: The name of its field in the parent, or ``""``.
        parent: The node around it; None for the root.
        children: Its nodes in order, with comments.
    """

    kind: str
    start: int
    end: int
    named: bool
    role: str
    parent: Node | None
    children: list[Node] = field(default_factory=list)

    def child(self, role: str) -> Node | None:
        """Return the first child in a field."""
        return next((child for child in self.children if child.role == role), None)

    @property
    def around(self) -> str:
        """The kind of the node around it; empty for the root."""
        return "" if self.parent is None else self.parent.kind

    def of_kind(self, *kinds: str) -> list[Node]:
        """Return the children of these kinds."""
        return [child for child in self.children if child.kind in kinds]

    def walk(self) -> Iterator[Node]:
        """Yield this node and all nodes below it, in the order of the source."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def ancestors(self) -> Iterator[Node]:
        """Yield the nodes around this one, the innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True)
class Tree:
    """A parsed source.

    Attributes:
        source: The source as UTF-8.
        root: The tree.
        is_valid: Whether the whole source matches the grammar.
    """

    source: bytes
    root: Node
    is_valid: bool

    def text(self, node: Node) -> str:
        """Return the source of a node."""
        return self.source[node.start : node.end].decode("utf-8", "replace")

    def name(self, node: Node) -> str:
        """Return the name of a declaration, or ``""``."""
        return self.part(node, "name")

    @property
    def imports(self) -> list[str]:
        """The imports, unchanged."""
        return [self.text(node) for node in self.root.of_kind("import_declaration")]

    @property
    def types(self) -> list[Node]:
        """The top-level types."""
        return self.root.of_kind(*TYPES)

    def part(self, node: Node, role: str) -> str:
        """Return the source of a node's first child in a field, or ``""``."""
        child = node.child(role)
        return "" if child is None else self.text(child)


def _parsed(source: str) -> tuple[bytes, tree_sitter.Tree]:
    source = _ESCAPE.sub(_decoded, source.removesuffix("\x1a"))
    if len(source) > MAX_CHARACTERS:
        raise SyntaxError(f"{len(source)} characters of source, more than {MAX_CHARACTERS}")
    data = source.encode("utf-8", "replace")
    return data, tree_sitter.Parser(_LANGUAGE).parse(data)


def parse(source: str) -> Tree:
    """Return the tree of a source, also of one that is not valid Java; see :attr:`Tree.is_valid`.

    The tree is that of the source as the compiler reads it: unicode escapes are decoded, and a control-Z at the end is
    dropped.

    Raises:
        SyntaxError: If the source is longer than :data:`MAX_CHARACTERS`.
    """
    data, parsed = _parsed(source)
    cursor = parsed.walk()

    def enter(parent: Node | None) -> Node:
        seen = cursor.node
        assert seen is not None
        node = Node(seen.type, seen.start_byte, seen.end_byte, seen.is_named, cursor.field_name or "", parent)
        if parent is not None:
            parent.children.append(node)
        return node

    root = node = enter(None)
    while True:
        if cursor.goto_first_child():
            node = enter(node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent() or node.parent is None:
                return Tree(data, root, not parsed.root_node.has_error)
            node = node.parent
        node = enter(node.parent)


@dataclass(frozen=True)
class Type:
    """A type at the top level of a source.

    Attributes:
        name: Its name.
        source: Its text.
        main: The binary name of the outermost class in it that ``java`` can start; ``""`` without one.
        is_stub: Whether that class's ``main`` has no statement.
    """

    name: str
    source: str
    main: str
    is_stub: bool


_MAIN = re.compile(
    r"\bvoid\s+main\s*\(\s*(?:final\s+|@[\w.]+\s+)*(?:java\.lang\.)?"
    r"String(?:\s*(?:\[\s*\]|\.\.\.)\s*[\w$]+|\s+[\w$]+\s*\[\s*\])\s*\)"
)


def types_in(source: str) -> list[Type]:
    """Return the types at the top level of a source, which need not be valid."""
    try:
        data, parsed = _parsed(source)
    except SyntaxError:
        return []

    def text(node: tree_sitter.Node | None, end: int = 0) -> str:
        return "" if node is None else data[node.start_byte : end or node.end_byte].decode("utf-8", "replace")

    package = "".join(
        text(node.named_children[-1]) + "." for node in parsed.root_node.children if node.type == "package_declaration"
    )
    types = []
    for top in parsed.root_node.children:
        outer = text(top.child_by_field_name("name"))
        pending = [(top, package + outer)] if top.type in TYPES else []
        main, is_stub = "", False
        # The list grows during the loop.
        for node, path in pending:
            body = node.child_by_field_name("body")
            members = [] if body is None else list(body.children)
            members += [inner for part in members if part.type == "enum_body_declarations" for inner in part.children]
            for member in members:
                called, block = text(member.child_by_field_name("name")), member.child_by_field_name("body")
                if member.type in TYPES:
                    pending.append((member, f"{path}${called}"))
                elif member.type == "method_declaration":
                    head = text(member, block.start_byte if block else 0)
                    words = {"static", "public"} - ({"public"} if node.type == "interface_declaration" else set())
                    if not main and block and _MAIN.search(head) and words <= set(head.split()):
                        main, is_stub = path, all(one.type in COMMENTS for one in block.named_children)
        if pending:
            types.append(Type(outer, text(top), main, is_stub))
    return types


def is_valid(source: str) -> bool:
    """Whether a source matches the grammar."""
    try:
        return not _parsed(source)[1].root_node.has_error
    except SyntaxError:
        return False


def _decoded(escape: re.Match[str]) -> str:
    """Return the character of a unicode escape; halves of a pair, and a backslash, stay escapes."""
    code = int(escape[2], 16)
    return escape[0] if code == 0x5C or 0xD800 <= code < 0xE000 else escape[1] + chr(code)


def parse_valid(source: str) -> Tree:
    """Return the tree of a source.

    Raises:
        SyntaxError: If it is not Java, as the grammar sees it.
    """
    tree = parse(source)
    if not tree.is_valid:
        raise SyntaxError("the source does not parse as Java")
    return tree


def is_else_if(node: Node) -> bool:
    """Whether an ``if`` is the ``else if`` of the one around it."""
    return node.kind == "if_statement" and node.role == "alternative"


def is_switch_statement(node: Node) -> bool:
    """Whether a ``switch`` is a statement, and not an expression."""
    if node.around != "expression_statement":
        return node.around in _STATEMENT_LISTS or node.role in ("body", "consequence", "alternative")
    outward = node.ancestors()
    next(outward)
    # The arm of another `switch` is its value, if that one is an expression.
    return next(outward).kind != "switch_rule" or is_switch_statement(
        next(outer for outer in outward if outer.kind == "switch_expression")
    )


_STATEMENT_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group", "labeled_statement"})

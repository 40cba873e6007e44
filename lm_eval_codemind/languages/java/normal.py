"""The normal form of a Java program, and its lines of code."""

from lm_eval_codemind.languages.java.syntax import (
    COMMENTS,
    METHODS,
    TYPES,
    Node,
    Tree,
    is_else_if,
    is_switch_statement,
    parse_valid,
)

_ONE_LINE = (
    TYPES
    | METHODS
    | {
        "package_declaration",
        "import_declaration",
        "module_declaration",
        "field_declaration",
        "constant_declaration",
        "annotation_type_element_declaration",
        "static_initializer",
        "local_variable_declaration",
        "expression_statement",
        "explicit_constructor_invocation",
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "return_statement",
        "break_statement",
        "continue_statement",
        "throw_statement",
        "yield_statement",
        "assert_statement",
        "synchronized_statement",
        "try_statement",
        "try_with_resources_statement",
        "catch_clause",
        "finally_clause",
        "switch_label",
    }
)
_ANNOTATIONS = frozenset({"marker_annotation", "annotation"})
# Literals that the grammar takes apart.
_WHOLE = frozenset({"string_literal", "character_literal"})


def lines(source: str) -> int:
    """Return LoC of a Java program: the lines of its normal form, see :func:`normal_form`.

    The definition is that for Python (:func:`lm_eval_codemind.scores.loc.lines_of_code`): every simple statement,
    every header of a compound statement and every annotation of a declaration takes one line, layout and comments take
    none. Declarations count like statements, also the list of an enumeration's constants; of a ``do`` loop both ends
    count; braces and empty statements take no line.

    Raises:
        SyntaxError: If the source does not parse.
    """
    return len(line_starts(parse_valid(source)))


def normal_form(source: str) -> str:
    """Return a program without comments, one statement or header a line, its tokens set apart by single blanks.

    Two programs that differ in layout and comments only have the same normal form.

    Raises:
        SyntaxError: If the source does not parse.
    """
    tree = parse_valid(source)
    starts = line_starts(tree)
    text: list[str] = []
    for token in _tokens(tree.root):
        if text:
            text.append("\n" if token.start in starts else " ")
        text.append(tree.text(token))
    return "".join(text) + "\n" if text else ""


def _tokens(root: Node) -> list[Node]:
    found = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.kind in COMMENTS or node.start == node.end:
            continue
        if node.kind in _WHOLE or not node.children:
            found.append(node)
        else:
            pending.extend(reversed(node.children))
    return [] if found == [root] else found


def line_starts(tree: Tree) -> set[int]:
    """Return the offsets of the tokens with which a line of the normal form begins."""
    starts: set[int] = set()
    for node in tree.root.walk():
        starts.update(_starts_of(node))
    return starts


def _starts_of(node: Node) -> list[int]:
    kind, parent = node.kind, node.parent
    if kind == "else":
        return [node.start]
    if kind == "while" and parent is not None and parent.kind == "do_statement":
        return [node.start]
    if kind in _ANNOTATIONS and parent is not None and parent.kind == "modifiers" and _is_declared(parent):
        return [node.start]
    if kind == "enum_constant" and parent is not None and parent.of_kind("enum_constant")[0] is node:
        return [_first_token(node)]
    if kind == "block" and parent is not None and parent.kind == "class_body":
        return [node.start]  # an initialiser of instances
    if kind == "switch_expression" and is_switch_statement(node):
        return [node.start]
    if kind not in _ONE_LINE or is_else_if(node) or (kind == "local_variable_declaration" and node.role == "init"):
        return []
    return [_first_token(node)]


def _is_declared(modifiers: Node) -> bool:
    """Whether modifiers belong to a declaration with its own line, rather than to a parameter."""
    owner = modifiers.parent
    return owner is not None and (owner.kind in _ONE_LINE or owner.kind == "enum_constant") and owner.role != "init"


def _first_token(node: Node) -> int:
    """Return the start of a declaration after its annotations. Each annotation has a separate line."""
    for child in node.children:
        if child.kind in COMMENTS:
            continue
        if child.kind != "modifiers":
            return child.start
        for modifier in child.children:
            if modifier.kind not in _ANNOTATIONS and modifier.kind not in COMMENTS:
                return modifier.start
    return node.start

"""Putting a class that a model wrote together with the members of the program that it was written for."""

from lm_eval_codemind.languages.java.syntax import METHODS, SOLUTION, TYPES, Node, Tree, parse


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

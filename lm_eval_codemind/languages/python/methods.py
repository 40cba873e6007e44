"""Putting a method that a model wrote into the class it was written for."""

import ast
import functools

from lm_eval_codemind.languages.python.code import MethodCode
from lm_eval_codemind.languages.python.layout import first_line, indented
from lm_eval_codemind.languages.python.names import FUNCTIONS, definition, shape
from lm_eval_codemind.languages.python.statements import Statement


def insert_method(program: str, class_name: str, method: MethodCode) -> str:
    """Return the source of a module with a method of one of its classes replaced by the model's.

    The class stays as it is but for that method: members of the model's class are added only where the true class has
    none of that name. What the method needs of the model's module goes before the class; where the program binds
    one of these names already (``import datetime`` against ``from datetime import datetime``) it goes into the
    method instead, so that neither side sees the other's.

    Raises:
        ValueError: If the program does not define that class with that method.
    """
    tree = ast.parse(program)
    owner = next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name), None)
    targets = [node for node in (owner.body if owner else []) if getattr(node, "name", None) == method.name]
    if owner is None or not targets:
        raise ValueError(f"the program defines no method {class_name}.{method.name}")
    lines = program.split("\n")
    indent = lines[first_line(targets[-1]) - 1][: targets[-1].col_offset]
    bound, present = _bound(program), {shape(node) for node in tree.body} - {None}
    prelude = [part for part in method.prelude if part.node and shape(part.node) not in present]
    inside = [part for part in prelude if part.binds & bound]
    attributes = [node for node in ast.walk(owner) if isinstance(node, ast.Attribute)]
    existing = _bound(program, owner.name) | {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    members = [text for name, text in method.members if name not in existing]
    definitions = [_with_decorators(method.source, targets[-1]), *members]
    body = "\n\n".join(indented(_with_own_names(text, inside), indent) for text in definitions)
    for node in reversed(targets):
        lines[first_line(node) - 1 : node.end_lineno] = [body] if node is targets[-1] else []
    place = first_line(owner) - 1
    for part in reversed([part for part in prelude if part not in inside]):
        lines.insert(0 if part.is_future else place, part.source)
    return "\n".join(lines)


def _with_decorators(source: str, true: ast.stmt) -> str:
    """Return the method with the true one's ``staticmethod`` or ``classmethod`` where the model left it out.

    That decorator belongs to the signature the prompt gives; it is only added to a method whose first parameter shows
    that it was written for it.
    """
    node = ast.parse(source).body[0]
    if not isinstance(node, FUNCTIONS) or not isinstance(true, FUNCTIONS) or node.decorator_list:
        return source
    first = next((argument.arg for argument in (*node.args.posonlyargs, *node.args.args)), "")
    name = {"self": "", "cls": "classmethod"}.get(first, "staticmethod")
    return f"@{name}\n{source}" if name in map(ast.unparse, true.decorator_list) else source


def _with_own_names(source: str, prelude: list[Statement]) -> str:
    """Return a class member's source with the statements that bind names it uses put first in its body."""
    function = ast.parse(source).body[0]
    uses = Statement(source, function).uses
    statements = [part.source for part in prelude if part.binds & uses]
    if not statements or not isinstance(function, FUNCTIONS):
        return source
    first = function.body[len(function.body) > 1 and ast.get_docstring(function) is not None]
    if first.lineno == function.lineno:  # def f(self): return 1
        return _with_own_names(ast.unparse(function), prelude)
    lines, place = source.split("\n"), first_line(first) - 1
    indent = lines[place][: first.col_offset]
    lines[place:place] = [indented(text, indent) for text in statements]
    return "\n".join(lines)


@functools.lru_cache(maxsize=64)  # the methods of a class have one program
def _bound(program: str, class_name: str = "") -> frozenset[str]:
    """Return the names that the statements of a program bind, or those of a class in it."""
    tree = ast.parse(program)
    body = definition(tree, class_name).body if class_name else tree.body
    return frozenset[str]().union(*(Statement(ast.unparse(node), node).binds for node in body))

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
    place = first_line(targets[-1])
    indent = lines[place - 1][: targets[-1].col_offset]
    inside, outside = _prelude(method, tree, program)
    definitions = [_with_decorators(method.source, targets[-1]), *_new_members(method, owner, program)]
    body = "\n\n".join(indented(_with_own_names(text, inside), indent) for text in definitions)
    drop = {number for node in targets for number in range(first_line(node), (node.end_lineno or node.lineno) + 1)}
    before = {first_line(owner): [part.source for part in outside if not part.is_future]}
    result = [part.source for part in outside if part.is_future]
    for number, line in enumerate(lines, start=1):
        result += before.get(number, [])
        result += [body] if number == place else []
        result += [] if number in drop else [line]
    return "\n".join(result)


def _prelude(method: MethodCode, tree: ast.Module, program: str) -> tuple[list[Statement], list[Statement]]:
    """Return what a method needs of the model's module: what goes into the method, and what goes before the class."""
    bound = _bound(program)
    present = {shape(node) for node in tree.body} - {None}
    prelude = [part for part in method.prelude if part.node and shape(part.node) not in present]
    return [part for part in prelude if part.binds & bound], [part for part in prelude if not part.binds & bound]


def _new_members(method: MethodCode, owner: ast.ClassDef, program: str) -> list[str]:
    """Return the members of the model's class of whose names the true class has none."""
    attributes = [node for node in ast.walk(owner) if isinstance(node, ast.Attribute)]
    existing = _bound(program, owner.name) | {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    return [text for name, text in method.members if name not in existing]


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
    statements = [part for part in prelude if part.binds & uses]
    if not statements or not isinstance(function, FUNCTIONS):
        return source
    body = function.body
    at = 1 if len(body) > 1 and ast.get_docstring(function) is not None else 0
    if body[at].lineno == function.lineno:  # def f(self): return 1
        return _with_own_names(ast.unparse(function), prelude)
    lines = source.split("\n")
    line = first_line(body[at])
    indent = lines[line - 1][: body[at].col_offset]
    added = [indented(part.source, indent) for part in statements]
    return "\n".join([*lines[: line - 1], *added, *lines[line - 1 :]])


@functools.lru_cache(maxsize=64)  # the methods of a class have one program
def _bound(program: str, class_name: str = "") -> frozenset[str]:
    """Return the names that the statements of a program bind, or those of a class in it."""
    tree = ast.parse(program)
    body = definition(tree, class_name).body if class_name else tree.body
    return frozenset[str]().union(*(Statement(ast.unparse(node), node).binds for node in body))

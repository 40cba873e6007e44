"""Texts in upstream's Python files, such as prompts, read from the syntax tree: nothing is executed."""

import ast
from collections.abc import Mapping
from functools import lru_cache

from lm_eval_codemind.data.benchmarks.upstream import UpstreamError


def filled(source: str, place: str, function: str, values: Mapping[str, str]) -> str:
    """Return the f-string that a function of a file returns, with values in place of the names in it.

    Args:
        source: The file's text.
        place: Where the file is, for the error.
        function: Name of the function.
        values: Name in the f-string -> value.

    Raises:
        UpstreamError: If there is no such function, or it does not return one f-string of these names.
    """
    found = _functions(source).get(function)
    statement = found.body[-1] if found else None
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.JoinedStr):
        texts = [_text(part, values) for part in statement.value.values]
        if None not in texts:
            return "".join(text or "" for text in texts)
    raise UpstreamError(f"{place}: {function} does not return one f-string of plain names")


def assigned(source: str, place: str, function: str, name: str) -> str:
    """Return the text that a function of a file assigns to a name.

    Raises:
        UpstreamError: If there is no such function, or it does not assign one text to the name.
    """
    found = _functions(source).get(function)
    for statement in found.body if found else ():
        match statement:
            case ast.Assign([ast.Name(id)], ast.Constant(str(text))) if id == name:
                return text
    raise UpstreamError(f"{place}: {function} does not assign a text to {name}")


@lru_cache(maxsize=4)
def _functions(source: str) -> Mapping[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def _text(part: ast.expr, values: Mapping[str, str]) -> str | None:
    match part:
        case ast.Constant(value=str(text)):
            return text
        case ast.FormattedValue(value=ast.Name(id=name), conversion=-1, format_spec=None):
            return values.get(name)
    return None

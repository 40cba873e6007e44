"""Texts in upstream's Python scripts, read from their syntax trees. Nothing is executed.

A template is a list of texts and fields, as JSON has it: ``["What is ", {"field": "input"}, "?"]``.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Never

from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart, Upstream, plain_text

_TOGETHER = (ast.BinOp, ast.JoinedStr)
Template = list[str | dict[str, str]]


class Script:
    """One of upstream's scripts.

    Attributes:
        place: Where it is, for messages.
        constants: The texts that the module assigns to names, by name.

    Args:
        content: The file.
        place: Where it is.
    """

    def __init__(self, content: bytes, place: str) -> None:
        self.place = place
        tree = ast.parse(plain_text(content))
        self.constants = constants(tree.body)
        self._functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self._subscripts = {
            target.slice.value: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant)
        }

    def item(self, key: str) -> str:
        """Return the text that the module assigns to a key of a dict.

        Raises:
            UpstreamError: If there is none.
        """
        text = self._subscripts.get(key)
        return text if isinstance(text, str) else self._refuse(f"has no text for {key!r}")

    def statements(self, function: str, word: str = "", otherwise: bool = False) -> Sequence[ast.stmt]:
        """Return the statements of a function; with a word those of its first branch whose condition has the word.

        Args:
            function: Name of the function.
            word: A text or a name in the condition of an ``if`` or ``elif``.
            otherwise: Whether to return the ``else`` of that condition.

        Raises:
            UpstreamError: If there is no such function or branch.
        """
        node = self._functions.get(function)
        if node is None:
            return self._refuse(f"has no function {function}")
        if not word:
            return node.body
        for branch in ast.walk(node):
            if isinstance(branch, ast.If) and word in map(_word, ast.walk(branch.test)):
                return branch.orelse if otherwise else branch.body
        return self._refuse(f"{function} has no branch for {word!r}")

    def filled(self, function: str, values: Mapping[str, str]) -> str:
        """Return the f-string that a function returns, with values in place of the names in it.

        Raises:
            UpstreamError: If there is no such function, or it does not return one f-string of these names.
        """
        statement = self.statements(function)[-1]
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.JoinedStr):
            match self.returned(statement.value, values):
                case [str(text)]:
                    return text
        return self._refuse(f"{function} does not return one f-string of plain names")

    def template(self, name: str, statements: Sequence[ast.stmt], known: Mapping[str, str] | None = None) -> Template:
        """Return the first text that statements put together for a name: a concatenation or an f-string.

        Names that neither the module, nor the statements, nor ``known`` give a text are the fields.

        Raises:
            UpstreamError: If there is none, or it has parts of another kind.
        """
        texts = {**self.constants, **constants(statements), **(known or {})}
        for value in _assigned(name, statements):
            if isinstance(value, _TOGETHER):
                return self.returned(value, {key: text for key, text in texts.items() if key != name})
        return self._refuse(f"puts no text together for {name}")

    def puts_together(self, name: str, statements: Sequence[ast.stmt]) -> bool:
        """Whether :meth:`template` has something to return."""
        return any(isinstance(value, _TOGETHER) for value in _assigned(name, statements))

    def returned(self, node: ast.expr, known: Mapping[str, str]) -> Template:
        """Return the template that an expression is. Texts in a row are joined.

        Raises:
            UpstreamError: If it has parts other than texts, names, ``+``, f-strings of plain names and joined lists.
        """
        template: Template = []
        for part in self._parts(node, known):
            if isinstance(part, str) and template and isinstance(template[-1], str):
                template[-1] += part
            else:
                template.append(part)
        return template

    def _parts(self, node: ast.expr, known: Mapping[str, str]) -> Iterator[str | dict[str, str]]:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Name(id=name):
                yield known.get(name, {"field": name})
            case ast.FormattedValue(value=ast.Name(), conversion=-1, format_spec=None):
                yield from self._parts(node.value, known)
            case ast.JoinedStr(values=values):
                for value in values:
                    yield from self._parts(value, known)
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.Name(id=name)]):
                yield {"field": name}
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                yield from self._parts(left, known)
                yield from self._parts(right, known)
            case _:
                self._refuse(f"line {node.lineno} puts a text together in another way")

    def replacements(self, name: str, statements: Sequence[ast.stmt]) -> list[tuple[str, str]]:
        """Return the texts that statements replace in the text of a name, each with what takes its place, in order.

        Only the first assignment counts.

        Raises:
            UpstreamError: If there are none.
        """
        pairs: list[tuple[str, str]] = []
        node = next(_assigned(name, statements), None)
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
            match node.args:
                case [ast.Constant(value=str(old)), ast.Constant(value=str(new))]:
                    pairs.insert(0, (old, new))
                case _:
                    self._refuse(f"line {node.lineno} replaces something other than a text")
            node = node.func.value
        return pairs or self._refuse(f"replaces nothing in {name}")

    def keys(self, name: str, statements: Sequence[ast.stmt]) -> dict[str, str]:
        """Return the names of the values of a dict of plain names that statements assign, by the texts of the keys.

        Raises:
            UpstreamError: If there is none.
        """
        for value in _assigned(name, statements):
            if isinstance(value, ast.Dict):
                pairs = zip(value.keys, value.values, strict=True)
                return {str(_word(key)): str(_word(item)) for key, item in pairs if key is not None}
        return self._refuse(f"assigns no dict to {name}")

    def _refuse(self, reason: str) -> Never:
        raise UpstreamError(f"{self.place}: {reason}; the prompts are read from the pinned revision of this file")


def read_script(upstream: Upstream, part: ArchivePart) -> Script:
    """Return the script that is a part's only file."""
    (name,) = part.patterns
    return Script(upstream.files(part)[name], part.place(name))


def _word(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else node.id if isinstance(node, ast.Name) else None


def _assigned(name: str, statements: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    for node in statements:
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            yield node.value


def constants(statements: Sequence[ast.stmt]) -> dict[str, str]:
    """Return the texts that statements assign to names, by name."""
    return {
        target.id: node.value.value
        for node in statements
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

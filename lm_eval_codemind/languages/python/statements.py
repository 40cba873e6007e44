"""The Python statements of a block, without the prose around them."""

import ast
import re
import symtable
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from lm_eval_codemind.answers.literals import parse_quietly
from lm_eval_codemind.languages.python.layout import source_of

# The characters that the parser receives for one response. The limit protects against text that is slow to parse.
PARSE_BUDGET = 1_000_000
# Of more statements, the last ones are read.
MOST_STATEMENTS = 2000
# The lines of decorators in front of a definition.
_MOST_DECORATORS = 50
# A call of the parser costs as much as this number of characters.
_CALL = 400

PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_INCOMPLETE = re.compile(
    r"never closed|unterminated triple-quoted|unexpected EOF|expected an indented block|expected 'else' after 'if'"
)
# Outside of a fence, text that does not parse is code only if it starts like this, or if the text ends inside it.
_CODE = re.compile(
    r"\s*(?:@[\w.]+(?:\(.*)?[ \t]*\n\s*)*(?:async[ \t]+def|def|class)[ \t]+\w+[ \t]*[(:]"
    r"|[ \t]*for[ \t](?:[\w.()*\[\]]|,[ \t]?)+[ \t]in[ \t].*:",
    re.MULTILINE,
)
_STATEMENT = re.compile(r"[ \t]*(?:[\w.]+[ \t]*(?:=(?!=)|\()|(?:for|while|if|with|try)\b.*:[ \t]*$)", re.MULTILINE)
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")
DEFINED = re.compile(r"^[ \t]*(?:async\s+)?(?:def|class)\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement of a response.

    Attributes:
        source: Its text at column 0, with the comments inside it.
        node: Its syntax tree, whose line numbers are not those of ``source``; None if the response ends inside it.
        block: The number of its block.
    """

    source: str
    node: ast.stmt | None
    block: int = 0

    @cached_property
    def binds(self) -> frozenset[str]:
        """The module-level names that it binds."""
        if self.node is None:
            return frozenset(DEFINED.findall(self.source)[:1])
        return frozenset(name.get_name() for name in self._globals if name.is_assigned() or name.is_imported())

    @cached_property
    def uses(self) -> frozenset[str]:
        """The module-level or builtin names that the statement, or a function in it, refers to."""
        names = (name for name in self._globals if name.is_referenced() or name.is_declared_global())
        return frozenset(name.get_name() for name in names)

    @cached_property
    def _globals(self) -> list[symtable.Symbol]:
        try:
            with warnings.catch_warnings(action="ignore"):
                scopes = [symtable.symtable(self.source, "<response>", "exec")]
        except PARSE_ERRORS:
            return []
        for scope in scopes:  # the list grows during the loop
            scopes += scope.get_children()
        return [symbol for scope in scopes for symbol in scope.get_symbols() if symbol.is_global()]

    @property
    def is_future(self) -> bool:
        """Whether it is an import from ``__future__``, which must be first in a module."""
        return isinstance(self.node, ast.ImportFrom) and self.node.module == "__future__"


class Parser:
    """A parser of the blocks of one response, with a limit of characters."""

    def __init__(self) -> None:
        self._budget = PARSE_BUDGET

    def parses(self, text: str) -> bool:
        """Whether a text is Python, with or without indentation."""
        with suppress(*PARSE_ERRORS):
            return bool(self._parse(text.split("\n")))
        return False

    def statements(
        self, text: str, block: int = 0, fenced: bool = False, opened: bool = False
    ) -> tuple[list[Statement], list[str]]:
        """Return the statements of a text, without the prose around them, and its code that does not parse.

        If the whole text parses, these are all its statements. Otherwise a fence does not parse. Outside of a fence,
        each line at the margin starts a statement, with the indented lines below it. What does not parse there is code
        if it starts like a definition. Else its first line is prose. If the text ends inside a statement, that one has
        no syntax tree. Behind an ``opened`` fence of Python, whatever it ends inside of is one.
        """
        lines = text.split("\n")
        with suppress(*PARSE_ERRORS):
            return self._read(lines, block), []
        statements: list[Statement] = []
        broken: list[str] = []
        last = max((n for n, line in enumerate(lines) if line.strip()), default=0)
        at = 0
        while at < len(lines) and self._budget > 0:
            end = at + 1
            if lines[at].strip() and not lines[at].lstrip().startswith("#"):
                end = _block_end(lines, at)
                piece = "\n".join(lines[at:end])
                is_code = fenced or _CODE.match(piece)
                try:
                    statements += self._read(lines[at:end], block)
                except PARSE_ERRORS as error:
                    if (
                        end > last
                        and (is_code or opened or _STATEMENT.match(piece))
                        and _breaks_off(lines[at : last + 1], error)
                    ):
                        statements.append(Statement(piece, None, block))
                    elif fenced:
                        return [], [text]
                    elif is_code:
                        broken.append(piece)
                    else:
                        end = at + 1
            at = end
        return statements, broken

    def _read(self, lines: list[str], block: int) -> list[Statement]:
        """Return the statements of lines that parse together; other lines raise one of :data:`PARSE_ERRORS`."""
        body, code, indent = self._parse(lines)
        return [
            Statement(source_of(node, code, body[max(n - 1, 0) : n + 2], indent), node, block)
            for n, node in enumerate(body)
        ]

    def _parse(self, lines: list[str]) -> tuple[list[ast.stmt], list[str], str]:
        self._budget -= sum(map(len, lines)) + len(lines) + _CALL
        if self._budget <= 0:
            raise ValueError("the budget is spent")
        body, code, indent = parsed(lines)
        return body[-MOST_STATEMENTS:], code, indent


def parsed(lines: list[str]) -> tuple[list[ast.stmt], list[str], str]:
    """Return the trees of lines that parse together, the lines as they were parsed, and their indentation.

    Other lines raise one of :data:`PARSE_ERRORS`.
    """
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    indent = first[: len(first) - len(first.lstrip())]
    # Unlike dedenting, wrapping does not change strings of several lines.
    code = ["if True:", *lines] if indent else lines
    try:
        body = parse_quietly("\n".join(code)).body
    except SyntaxError as error:
        error.lineno = (error.lineno or 0) - bool(indent)
        raise
    if indent:
        if len(body) != 1 or not isinstance(body[0], ast.If) or body[0].orelse:
            raise ValueError("it is not one block")
        body = body[0].body
    return body, code, indent


def is_idle(node: ast.stmt) -> bool:
    """Whether a statement has no effect, like words of prose that parse as Python."""
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    acts = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return isinstance(node, ast.Expr) and not any(isinstance(inner, acts) for inner in ast.walk(node))


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _block_end(lines: list[str], start: int) -> int:
    """Return the index after the last line of the block at a line: the line and the indented lines below it."""
    margin, end = _indent(lines[start]), start + 1
    decorated = lines[start].lstrip().startswith("@")
    for index in range(start + 1, len(lines)):
        line, depth = lines[index].lstrip(), _indent(lines[index])
        if line:
            if depth < margin or (depth == margin and not decorated and not _CONTINUES.match(line)):
                break
            decorated = decorated and index < start + _MOST_DECORATORS and (depth > margin or line.startswith("@"))
            end = index + 1
    return end


def _breaks_off(lines: list[str], error: Exception) -> bool:
    """Whether lines end inside code: the parser accepts all of them and expects more."""
    if not isinstance(error, SyntaxError):
        return False
    after = (error.lineno or 0) - len(lines)
    at_end = (error.offset or 0) > len(lines[-1].rstrip()) or "unterminated" in str(error)
    return bool(_INCOMPLETE.search(str(error))) or after > 0 or (after == 0 and at_end)

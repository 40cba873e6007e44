"""Extraction of the Python statements from a text that also contains prose."""

import ast
import bisect
import dataclasses
import keyword
import re
import symtable
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from lm_eval_codemind.answers.literals import parse_quietly
from lm_eval_codemind.languages.python.names import DEFINITIONS

# Limit for the characters that the parser receives for one response. Usually it receives a few times the length of the
# response. The limit protects against text that is slow to parse on purpose.
PARSE_BUDGET = 4_000_000

_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_MAX_EXTENSIONS = 200
_CLOSES = re.compile(r"[)\]}]|\"\"\"|'''")
_OPEN = re.compile(r"never closed|unterminated triple-quoted")
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b")
_INCOMPLETE = re.compile(
    r"was never closed|unterminated triple-quoted|unexpected EOF|unexpected end of file|expected an indented block"
    r"|expected 'else' after 'if'"
)
_UNTERMINATED = re.compile(r"unterminated (?:[ft]-)?string literal|EOL while scanning string")
_HEADING = re.compile(r"\w+:")
_DEFINITION = re.compile(r"(?:async\s+)?(?P<kind>def|class)\s+(?P<name>\w+)")
_BLOCK_HEADER = re.compile(r"(?:async|class|def|elif|else|except|finally|for|if|try|while|with)\b.*:\s*(?:#.*)?$")
# A code fence.
_FENCE = re.compile(
    r"(?P<mark>`{3,}|(?m:^[ \t]*~{3,}))[ \t]*(?P<info>[\w+#.\-]*(?:[ \t]*\{[^}\n]*\})?)[ \t]*(?P<eol>\n|\Z)?"
)
# Two words in sequence, which occur in prose but not in code. Strings and text in back-ticks are ignored.
_QUOTED = re.compile(r"\"[^\"\n]*\"|(?<!\w)'[^'\n]*'|`[^`\n]*`")
_WORD = r"(?:[A-Za-z][a-z'\u2019-]+|[aAI])"
_PAIR = re.compile(rf"(?<![\w.]){_WORD},? (?={_WORD}(?:[\s,.;:!?)]|$))")
_LAYOUT = re.compile(
    r"(?:[-*+>|\u2022]|\d+[.)]|#+|@@|>>>|\.\.\.|\$)\s|\\|[-=*_~|+]{2,}$|</?\w+>|\[/?[A-Z]+\]|.*(?:->|=>|\u2192|\u21d2)"
)
_NOT_ENGLISH = re.compile(r"[^\W\d_a-zA-Z]{2}")
# The end or the start of a line of code, also in other languages.
_CODE = re.compile(r".*[;{}\\]$|//|/\*|[\w.\[\]]+\s*(?:[-+*/%&|^@]|//|\*\*|>>|<<)?=(?!=)", re.DOTALL)
_KEYWORD = re.compile(rf"(?!and|as|in|is|or)(?:{'|'.join((*keyword.kwlist, 'print', 'exec'))})\b")


@dataclass(frozen=True)
class Statement:
    """One statement of a response.

    Attributes:
        node: Its syntax tree, with the line numbers of ``source``.
        source: Its text at column 0, with the comments inside it.
        block: Number of its block in the response.
        unfinished: If the text ends inside the statement: its whole text, at column 0. Then ``node`` and ``source``
            are the part that parses. Empty for a finished statement.
    """

    node: ast.stmt
    source: str
    block: int = 0
    unfinished: str = ""

    @cached_property
    def _names(self) -> tuple[frozenset[str], frozenset[str]]:
        binds: set[str] = set()
        uses: set[str] = set()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = symtable.symtable(self.source, "<response>", "exec")
        except _PARSE_ERRORS:
            return frozenset(), frozenset()
        pending = [table]
        while pending:
            scope = pending.pop()
            pending.extend(scope.get_children())
            module = scope.get_type() == "module"
            for symbol in scope.get_symbols():
                if (module or symbol.is_declared_global()) and (symbol.is_assigned() or symbol.is_imported()):
                    binds.add(symbol.get_name())
                if (symbol.is_referenced() and (module or symbol.is_global())) or symbol.is_declared_global():
                    uses.add(symbol.get_name())
        return frozenset(binds), frozenset(uses)

    @property
    def binds(self) -> frozenset[str]:
        """The module-level names that it binds."""
        return self._names[0]

    @property
    def uses(self) -> frozenset[str]:
        """The module-level or builtin names that the statement, or a function in it, refers to."""
        return self._names[1]

    @property
    def is_future(self) -> bool:
        """Whether it is an import from ``__future__``, which must be first in a module."""
        return isinstance(self.node, ast.ImportFrom) and self.node.module == "__future__"


# The node of an unfinished statement that is not a definition and has no part that parses.
_NOTHING = Statement(ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=4), "pass")


class Parser:
    """A parser of texts into statements, with a limit of characters for one response.

    Attributes:
        broken: The texts with code that does not parse, by the number of their block.
    """

    def __init__(self) -> None:
        self.broken: dict[int, str] = {}
        self._budget = PARSE_BUDGET
        # The lines that were tried last, and their statements. These lines are often read next.
        self._tried: tuple[list[str], list[Statement] | SyntaxError | None] | None = None

    def parses(self, text: str) -> bool:
        """Whether the whole text is Python, with or without indentation."""
        lines = text.split("\n")
        self._tried = lines, self._parse(lines)
        return isinstance(self._tried[1], list)

    def blocks(self, text: str) -> list[tuple[str, bool]]:
        """Return the fenced blocks of a text and the text between them, in order.

        A fence may be unclosed, follow prose on its line, or close at the end of a line of code. If the code contains
        back-ticks (for example in a docstring), the block ends at the first closing fence with which it parses.

        Returns:
            Non-blank parts of the text, in order, each with True if it is inside a closed fence.
        """
        marks = list(_FENCE.finditer(text))
        pieces: list[tuple[str, bool]] = []
        at = index = 0
        while index < len(marks):
            pieces.append((text[at : marks[index].start()], False))
            # The content starts after the fence's line, or after its marks if code follows on the line.
            whole_line = marks[index]["eol"] is not None or marks[index]["info"].lower() in ("python", "py", "python3")
            start = marks[index].end() if whole_line else marks[index].start() + len(marks[index]["mark"])
            closing = self._closing(text, marks[index : index + 12], start)
            if closing is None:
                at = start
                break
            index += closing
            end = marks[index].start()
            pieces.append((text[start:end], True))
            # A fence with a language opens a block. It ended the previous block only because that block was not closed.
            if marks[index]["info"] and marks[index]["eol"] == "\n":
                at = end
            else:
                at = end + len(marks[index]["mark"])
                index += 1
        pieces.append((text[at:], False))
        return [piece for piece in pieces if piece[0].strip()]

    def _closing(self, text: str, marks: list[re.Match[str]], start: int) -> int | None:
        """Return the index of the mark that closes the first mark's block; None if the block is not closed."""
        first: int | None = None
        for index, mark in enumerate(marks[1:], 1):
            if len(mark["mark"].strip()) >= len(marks[0]["mark"].strip()):
                first = index if first is None else first
                if self.parses(text[start : mark.start()]):
                    return index
        return first

    def statements(self, text: str, block: int = 0, fenced: bool = False) -> list[Statement]:
        """Return the statements of a text in order, without the prose around them.

        If the whole text parses, all its statements are returned. Otherwise the text is parsed line by line. A
        statement includes the indented lines below it and the lines that close its brackets and strings. Prose is left
        out. Other text that does not parse makes the text :attr:`broken`, and so does prose between the statements of
        a fence. If the text ends inside a statement, the statement is marked as unfinished.

        Args:
            text: The text.
            block: Its number.
            fenced: Whether it is inside a code fence.
        """
        lines = text.split("\n")
        whole = self._parse(lines)
        if isinstance(whole, list):
            return [dataclasses.replace(part, block=block) for part in whole]
        statements: list[Statement] = []
        closing = [index for index, line in enumerate(lines) if _CLOSES.search(line)]
        at = 0
        in_prose = False
        while at < len(lines) and self._budget > 0:
            if not lines[at].strip():
                at += 1
                continue
            parts, end = self._chunk(lines, at, closing)
            if parts and in_prose and fenced and statements:
                self.broken[block] = text
            if not parts and not self._is_prose(lines[at], in_prose, likely=not fenced):
                self.broken[block] = text
            in_prose = not parts or (in_prose and all(_is_word(part.node) for part in parts))
            statements.extend(dataclasses.replace(part, block=block) for part in parts)
            at = end
        return statements

    def _chunk(self, lines: list[str], start: int, closing: list[int]) -> tuple[list[Statement], int]:
        """Return the statements of the block that starts at a line, and the number of the next line."""
        end = _block_end(lines, start)
        result = self._parse(lines[start:end])
        if isinstance(result, list):
            return result, end
        if _OPEN.search(str(result)):
            for longer in closing[bisect.bisect_left(closing, end) :][:_MAX_EXTENSIONS]:
                if self._budget <= 0:
                    break
                # Indented lines below the line that closes a bracket belong to the statement too (`def f(\n):`).
                reach = _block_end(lines, longer, indent=_indent(lines[start]))
                extended = self._parse(lines[start:reach])
                if isinstance(extended, list):
                    return extended, reach
        if isinstance(result, IndentationError) and "unindent" in result.msg and (result.lineno or 0) > 1:
            # The first line lost its indentation, so the following statements look like its body.
            upto = start + (result.lineno or 0) - 1
            sibling = self._parse(lines[start:upto])
            if isinstance(sibling, list) and sibling:
                return sibling, upto
        at_end = not any(lines[index].strip() for index in range(end, len(lines)))
        chunk = lines[start:end]
        breaks_off = at_end and result is not None and self._breaks_off(chunk, result)
        statements = self._without_tail(chunk, result, breaks_off)
        if breaks_off:
            text = shift(chunk, set(), chunk[0][: len(chunk[0]) - len(chunk[0].lstrip())], "")
            begun = statements[-1] if statements else _begun(chunk)
            if begun is not None:
                return [*statements[:-1], dataclasses.replace(begun, unfinished=text)], end
            return [dataclasses.replace(_NOTHING, unfinished=text)], start + 1
        return statements, end if statements else start + 1

    def _breaks_off(self, chunk: list[str], error: SyntaxError) -> bool:
        """Whether a chunk ends inside code, and not in prose.

        Code that is cut off is the start of a text that parses: the parser accepts all of it and expects more. Prose
        usually fails at its second word.
        """
        last = max(index for index, line in enumerate(chunk) if line.strip())
        tail = chunk[last].rstrip()
        if _HEADING.fullmatch(tail.strip()) and not _BLOCK_HEADER.match(tail.strip()):
            return False
        lineno, offset = error.lineno or 0, error.offset or 0
        if _UNTERMINATED.search(str(error)) and lineno == last + 1:
            closed = [*chunk[:last], tail[: max(offset - 1, 0)] + '""']
            again = self._parse(closed)
            return isinstance(again, list) or (
                again is not None and not _UNTERMINATED.search(str(again)) and self._breaks_off(closed, again)
            )
        return bool(_INCOMPLETE.search(str(error))) or lineno > last + 1 or (lineno == last + 1 and offset > len(tail))

    def _without_tail(self, chunk: list[str], error: SyntaxError | None, cut_off: bool) -> list[Statement]:
        """Return the statements of a chunk without the last lines that are cut off or prose; [] if no line remains."""
        lineno = error.lineno if error is not None and error.lineno else len(chunk)
        last = max(index for index, line in enumerate(chunk) if line.strip())
        keep = min(lineno, last + 1) - 1
        prose = [self._is_prose(line, index > 0) for index, line in enumerate(chunk[keep:])]
        if not cut_off and not all(prose):
            return []
        while keep > 1 and self._budget > 0:  # the first line is the header; without a body there is no statement
            result = self._parse(chunk[:keep])
            if isinstance(result, list):
                return result
            keep -= 1
            if not (cut_off or self._is_prose(chunk[keep])):
                break
        return []

    def _is_prose(self, line: str, continues: bool = False, likely: bool = False) -> bool:
        """Whether a line looks like prose, a blank line or a comment. See :func:`_reads_as_prose`."""
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            return True
        if _BLOCK_HEADER.match(stripped) or self._budget <= 0:
            return False
        self._budget -= len(stripped) + 20
        try:
            return all(_is_word(node) for node in parse_quietly(stripped).body)
        except _PARSE_ERRORS:
            return _reads_as_prose(stripped, continues, likely)

    def _parse(self, lines: list[str]) -> list[Statement] | SyntaxError | None:
        """Return the statements of lines that parse together, or else the error (None if it is not useful)."""
        first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
        indent = first[: len(first) - len(first.lstrip())]
        # Unlike dedenting, wrapping does not change strings of several lines.
        code = "\n".join(["if True:", *lines] if indent else lines)
        if self._budget <= 0:
            return None
        self._budget -= len(code) + 20
        # Used once only, so that no two statements share a syntax tree.
        tried, self._tried = self._tried, None
        if tried is not None and tried[0] == lines:
            return tried[1]
        try:
            body = parse_quietly(code).body
        except SyntaxError as error:
            if indent and error.lineno:
                error.lineno -= 1
            return error
        except _PARSE_ERRORS:
            return None
        if indent:
            if len(body) != 1 or not isinstance(body[0], ast.If) or body[0].orelse:
                return None
            body = body[0].body
        try:
            sources = [source_of(node, code.split("\n"), body, indent) for node in body]
            return [Statement(parse_quietly(source).body[0], source) for source in sources]
        except _PARSE_ERRORS:
            return None


def _is_word(node: ast.stmt) -> bool:
    """Whether a statement is a single word or a number, which may come from prose."""
    return isinstance(node, ast.Expr) and isinstance(node.value, (ast.Name, ast.Constant, ast.Tuple))


def _reads_as_prose(line: str, continues: bool, likely: bool) -> bool:
    """Whether a line that is not Python looks like prose, and not like broken code.

    Args:
        line: The line.
        continues: Whether the line before it is prose.
        likely: Whether prose is likely at its position: outside code fences and definitions.
    """
    bare = _QUOTED.sub("x", line).lstrip("*_") or line
    pairs = len(_PAIR.findall(bare))
    if _LAYOUT.match(line) or _NOT_ENGLISH.search(line):
        return pairs >= 1 or line.startswith("\\") or not line.endswith((";", "{", "}"))
    if _CODE.match(bare):
        return likely and pairs >= 2 and not line.endswith((";", "{", "}"))
    if _KEYWORD.match(bare):
        return continues and pairs >= 2
    if bare[0].isupper() or line[0] == "`":
        return likely or pairs >= 1 or bare.endswith((".", ":", "!", "?", ",")) or ": " in bare.replace("*", "")
    return likely or pairs >= 2 or (continues and pairs >= 1)


def _begun(chunk: list[str]) -> Statement | None:
    """Return a statement for a definition that has only its start and no body; None for other code."""
    at = next((index for index, line in enumerate(chunk) if line.strip() and not line.lstrip().startswith("@")), 0)
    match = _DEFINITION.match(chunk[at].strip())
    if match is None:
        return None
    header = "class {}:" if match["kind"] == "class" else "def {}():"
    # As many lines as its header seems to have, so that the text after it can be found again.
    source = "\n" * at + header.format(match["name"]) + "\n    pass"
    try:
        return Statement(ast.parse(source).body[0], source)
    except _PARSE_ERRORS:
        return None


def first_line(node: ast.stmt) -> int:
    """Return the number of a statement's first line, including decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def source_of(node: ast.stmt, lines: list[str], siblings: Iterable[ast.stmt], indent: str) -> str:
    """Return a statement's text, moved to column 0.

    Args:
        node: The statement.
        lines: The lines of its module.
        siblings: All statements of the body that contains it.
        indent: The indentation of that body.
    """
    start, end = first_line(node), node.end_lineno or node.lineno
    neighbours = [other for other in siblings if other is not node]
    if any(first_line(other) <= end and (other.end_lineno or other.lineno) >= start for other in neighbours):
        segment = ast.get_source_segment("\n".join(lines), node)  # statements with semicolons between them share a line
        return segment or ""
    own = lines[start - 1 : end]
    if not indent and not any(map(str.isspace, own)):
        return "\n".join(own)  # as it is, without a look for its strings
    return shift(own, _string_lines(node, start), indent, "")


def shift(lines: list[str], untouched: set[int], old: str, new: str) -> str:
    """Return lines with the indentation ``new`` instead of ``old``, except lines whose index is in ``untouched``."""
    shifted = []
    for index, line in enumerate(lines):
        if index in untouched:
            shifted.append(line)
        elif not line.strip():
            shifted.append("")
        else:
            shifted.append(new + (line[len(old) :] if line.startswith(old) else line.lstrip()))
    return "\n".join(shifted)


def indented(source: str, indent: str) -> str:
    """Return a module's source with indentation. The contents of multi-line strings stay unchanged."""
    untouched: set[int] = set()
    for node in ast.parse(source).body:
        untouched |= {index + first_line(node) - 1 for index in _string_lines(node, first_line(node))}
    return shift(source.split("\n"), untouched, "", indent)


def _string_lines(node: ast.stmt, start: int) -> set[int]:
    """Return the indices, from ``start``, of lines that start inside a string. Docstrings are not included."""
    if node.end_lineno == start:
        return set()
    definitions = [part for part in ast.walk(node) if isinstance(part, DEFINITIONS)]
    firsts = [part.body[0] for part in definitions if part.body]
    docstrings = {id(first.value) for first in firsts if isinstance(first, ast.Expr)}
    inside: set[int] = set()
    for part in ast.walk(node):
        is_text = isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)) and id(part) not in docstrings
        if isinstance(part, ast.expr) and (is_text or isinstance(part, ast.JoinedStr)):
            inside |= set(range(part.lineno + 1 - start, (part.end_lineno or part.lineno) + 1 - start))
    return inside


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _block_end(lines: list[str], start: int, indent: int | None = None) -> int:
    """Return the index after the last line of the block at a line: the line and the indented lines below it."""
    margin = _indent(lines[start]) if indent is None else indent
    end = start + 1
    decorated = lines[start].lstrip().startswith("@")
    for index in range(start + 1, len(lines)):
        line = lines[index]
        if not line.strip():
            continue
        depth = _indent(line)
        if decorated and depth == margin:
            decorated = line.lstrip().startswith("@")
        elif depth <= margin and not (depth == margin and _CONTINUES.match(line.lstrip())):
            break
        end = index + 1
    return end

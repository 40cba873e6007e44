"""Changes of one line of a program, among which repairs of its bug are searched."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<number>\d+(?:\.\d*)?)|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)"""
    r"""|(?P<sign>//=|\*\*|//|<=|>=|==|!=|\+=|-=|\*=|/=|%=|&&|\|\||\+\+|--|->|.)"""
)
_RETURN = re.compile(r"\s*return\b")
_TARGET = re.compile(r"\s*(?:int |double |boolean |String )?(\w+(?:\[[^]]*\])?) = ")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_ARITHMETIC = ("+", "-", "*", "//", "/", "%")
_UPDATES = ("=", "+=", "-=", "*=", "//=", "/=", "%=")
_WORDS = {
    "and": ("or",), "or": ("and",), "True": ("False",), "False": ("True",), "true": ("false",), "false": ("true",),
    "any": ("all",), "all": ("any",), "min": ("max",), "max": ("min",), "in": ("not in",), "is": ("is not",),
    "not": ("",), "floor": ("ceil",), "ceil": ("floor",), "upper": ("lower",), "lower": ("upper", "swapcase"),
    "isupper": ("islower",), "islower": ("isupper",), "startswith": ("endswith",), "endswith": ("startswith",),
    "if": ("if not",), "while": ("while not",), "elif": ("elif not",),
    "break": ("continue", "pass"), "continue": ("break",),
}  # fmt: skip
# fmt: off
_KEYWORDS = frozenset((
    "def", "return", "for", "while", "if", "else", "elif", "not", "in", "and", "or", "is", "import", "from",
    "lambda", "try", "except", "class", "pass", "break", "continue", "None", "True", "False", "int", "new",
    "public", "void", "private", "boolean", "String", "double", "char", "switch", "case",
))
# fmt: on


def _tokens(line: str) -> list[tuple[str, str]]:
    return [(str(match.lastgroup), match.group()) for match in _TOKEN.finditer(line)]


def names_of(program: str) -> list[str]:
    """Return the names in a program, without keywords, in the order of their first use."""
    names = (text for kind, text in _tokens(program) if kind == "name" and text not in _KEYWORDS)
    return list(dict.fromkeys(names))


def one_line_changes(
    program: str, correct: str, java: bool, names: Sequence[str] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield changes of one line each: its number from 1, and what replaces it.

    The change exchanges, adds or leaves out an operator, a constant or a name, leaves out the whole line, or takes a
    line of the correct program. No other line becomes a return, which would cut off the lines after it, and no
    assignment gets another variable. An empty text means that the line is left out; a text with a line feed adds
    lines of the fix before or after it.

    Args:
        program: A buggy program.
        correct: The correct one.
        java: Whether they are in Java.
    """
    lines, fixed = program.split("\n"), correct.split("\n")
    names = names_of(f"{program}\n{correct}")
    added = [line for line in fixed if line not in lines]
    texts = [text for kind, text in _tokens("\n".join(added)) if kind == "text"]
    numbers = [text for kind, text in _tokens("\n".join(added)) if kind == "number"]
    silent = _silent_lines(program, java)
    for number, line in enumerate(lines, 1):
        if number in silent or not re.search(r"\w", line):
            continue
        indent = line[: len(line) - len(line.lstrip())]
        changes = ["", *(indent + other.strip() for other in fixed if other.strip())]
        changes += _changed(line, names, texts, numbers, java)
        for change in dict.fromkeys(changes):
            if change.rstrip() != line.rstrip() and _keeps_role(line, change, java):
                yield number, change
    yield from _insertions(lines, fixed)


def _silent_lines(program: str, java: bool) -> set[int]:
    """Return the numbers of the lines of comments and docstrings, and in Java those above the class's first method."""
    lines = program.split("\n")
    comment = re.compile(r"\s*(?:/|\*)") if java else re.compile(r"\s*#")
    silent = {number for number, line in enumerate(lines, 1) if comment.match(line)}
    if java:
        first = next(number for number, line in enumerate(lines, 1) if line.startswith("class Solution"))
        return silent | set(range(1, first + 1))
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            silent.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return silent


def _keeps_role(line: str, change: str, java: bool) -> bool:
    """Whether a change leaves a line what it is: no other line returns, and an assignment keeps its variable."""
    if bool(_RETURN.match(change)) > bool(_RETURN.match(line)):
        return False
    target, other = _TARGET.match(line), _TARGET.match(change)
    if target and other and target[1] != other[1]:
        return False
    if not java:
        return True
    balanced = all(
        line.count(pair[0]) - line.count(pair[1]) == change.count(pair[0]) - change.count(pair[1])
        for pair in ("{}", "()")
    )
    return balanced and line.strip().startswith("}") == change.strip().startswith("}")


def _insertions(lines: Sequence[str], fixed: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines next to each gap that the fix fills, with the missing lines before or after them."""
    blocks = difflib.SequenceMatcher(None, lines, fixed, autojunk=False).get_opcodes()
    gaps = [(start, fixed[first:last]) for what, start, _, first, last in blocks if what == "insert"]
    for start, missing in gaps if len(gaps) == 1 else ():
        before = next((place for place in range(start - 1, -1, -1) if re.search(r"\w", lines[place])), None)
        after = next((place for place in range(start, len(lines)) if re.search(r"\w", lines[place])), None)
        text = "\n".join(missing).rstrip("\n")
        if before is not None:
            yield before + 1, f"{lines[before]}\n{text}"
        if after is not None:
            yield after + 1, f"{text}\n{lines[after]}"


def _changed(
    line: str, names: Sequence[str], texts: Sequence[str], numbers: Sequence[str], java: bool
) -> Iterator[str]:
    tokens = _tokens(line)
    concatenates = java and any(kind == "text" for kind, _ in tokens)
    for place, (kind, token) in enumerate(tokens):
        before = "".join(text for _, text in tokens[:place])
        after = "".join(text for _, text in tokens[place + 1 :])
        for other in _others(kind, token, names, texts, numbers, concatenates):
            yield before + other + after
        if (kind in ("name", "number") and token not in _KEYWORDS) or token in (")", "]"):
            yield from (f"{before}{token} {step}{after}" for step in ("+ 1", "- 1"))
        if kind == "sign" and token in _ARITHMETIC:
            shortened = re.match(r"\s*(?:\d+(?:\.\d+)?|[A-Za-z_]\w*)", after)
            if shortened:
                yield before.rstrip() + after[shortened.end() :]


def _others(
    kind: str, token: str, names: Sequence[str], texts: Sequence[str], numbers: Sequence[str], concatenates: bool
) -> Iterator[str]:
    if kind == "number":
        value = float(token) if "." in token else int(token)
        yield from (str(other) for other in (value + 1, value - 1, 0, 1, 2, -1) if other != value)
        yield from numbers
    elif kind == "text":
        yield from texts
    elif kind == "sign":
        for group in (_COMPARISONS, _ARITHMETIC, _UPDATES):
            if token in group and not (concatenates and group is _ARITHMETIC):
                yield from (other for other in group if other != token)
        yield from {"&&": ("||",), "||": ("&&",), "!": ("",)}.get(token, ())
    elif kind == "name":
        yield from _WORDS.get(token, ())
        if token not in _KEYWORDS:
            yield from (name for name in names if name != token)


def with_change(program: str, number: int, change: str) -> str:
    """Return a program with another text in place of a line; without the line if the text is empty."""
    lines = program.split("\n")
    lines[number - 1 : number] = [change] if change else []
    return "\n".join(lines)

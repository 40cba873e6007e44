"""Where Java declarations stand in a text that holds other things, too."""

# ruff: noqa: SIM905

from __future__ import annotations

import re
from dataclasses import dataclass

# Tokens inside a class, as far as they matter for where it ends.
_STRING = r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
_TOKEN = re.compile(
    rf"//[^\n]*|/\*|\"\"\"[ \t]*\n|{_STRING}|[{{}}]|^[ \t]*(?:`{{3,}}|~{{3,}})|`{{3,}}",
    re.MULTILINE,
)
_STATEMENT_TOKEN = re.compile(rf"//[^\n]*|/\*.{{0,2000}}?\*/|{_STRING}|[{{}}()\[\];]|```", re.DOTALL)
_FENCE = re.compile(
    r"(?:^[ \t>*+\-\d.]*(?P<tilde>~{3,})|(?P<tick>`{3,}))[ \t]*(?P<info>[\w+#.\-]*)[^\n`]*?(?=`|\n|\Z)", re.MULTILINE
)

_ANNOTATION = r"@(?!interface\b)[\w.]+[ \t]*(?:\((?:[^()\"]|\"(?:[^\"\\\n]|\\.)*\"){0,300}\))?"
_WORDS = "public|private|protected|static|final|abstract|sealed|non-sealed|strictfp|synchronized|default"
_MODIFIERS = rf"(?:(?:{_ANNOTATION}|{_WORDS})\s+){{0,12}}"
_NAME = r"[A-Za-z_$][\w$]*"
_GAP = r"(?:\s|//[^\n]*\n|/\*[^*]{0,300}\*/){0,40}"
_HEADER = (
    rf"(?:<[^{{}};()]{{0,500}}>)?{_GAP}(?:\([^{{}};]{{0,1000}}?\))?"
    rf"{_GAP}(?:(?:extends|implements|permits)\s[^{{}};()]{{0,1000}})?{_GAP}\{{"
)
_TYPE = re.compile(rf"{_MODIFIERS}(?:class|interface|enum|record|@interface)\s+(?P<name>{_NAME}){_GAP}{_HEADER}")
_IMPORT = re.compile(r"import\s+(?:static\s+)?(?P<name>[\w$]+(?:\s*\.\s*[\w$]+)*(?:\s*\.\s*\*)?)\s*;")
_PACKAGE = re.compile(r"package\s+(?P<name>[A-Za-z_$][\w$]*(?:\.[\w$]+)*)\s*;")
_KIND = rf"(?:<[^{{}};()]{{0,200}}>\s*)?{_NAME}(?:\.{_NAME}){{0,8}}(?:<[^{{}};()=]{{0,200}}>)?(?:\s?\[\s?\]){{0,4}}"
_METHOD = re.compile(
    rf"{_MODIFIERS}(?!(?:new|return|else|class|throw|package|import)\b){_KIND}\s+(?P<name>{_NAME})\s*"
    rf"\([^{{}};()]{{0,1000}}\){_GAP}(?:throws\s+[\w.,\s]{{1,300}})?{_GAP}\{{"
)
_FIELD = re.compile(
    rf"(?:(?:public|private|protected|static|final)\s+){{1,5}}{_KIND}\s+(?P<name>{_NAME})(?:\s?\[\s?\])*\s*(?:[=,;])"
)
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_BLANK = re.compile(r"\s*")
_ANYWHERE = re.compile(
    r"(?<![\w.$@])(?:(?:public|final|abstract|static)\s+(?:final\s+|abstract\s+)?(?:class|enum|interface|record)|"
    r"import\s+(?:static\s+)?java|class|public\s+static\s+void)\s"
)

# Fenced blocks of another language hold no Java, though a class of C# or JavaScript may look like one.
_OTHER = frozenset(
    """
    py python python3 c cpp c++ cc cxx h hpp cs csharp c# js javascript jsx ts typescript tsx kt kotlin go golang rs
    rust scala swift rb ruby php sh bash shell console json xml html css yaml sql r matlab pascal perl lua diff
    """.split()
)


@dataclass(frozen=True)
class Declaration:
    """A declaration that stands in no other one.

    Attributes:
        kind: ``package``, ``import``, ``type``, ``method`` or ``field``.
        name: What it names: for an import the path.
        source: Its text, without the indentation it has as a whole.
        block: The number of the block it stands in: fences part a text into blocks.
        start: Its offset in the text.
    """

    kind: str
    name: str
    source: str
    block: int
    start: int


def declarations(text: str, anywhere: bool = False) -> list[Declaration]:
    """Return the declarations in a text, in order.

    A class or method that the text, or its block, breaks off is passed over with all that stands in it. Takes time
    linear in the text.

    Args:
        text: The text.
        anywhere: Whether a declaration may follow other words on its line.
    """
    return _Scan(text, anywhere).run()


def broken_off(text: str) -> str | None:
    """Return the first class or method that a text, or its block, breaks off, as far as it goes; None if none is."""
    scan = _Scan(text, False)
    scan.run()
    return scan.broken


class _Scan:
    def __init__(self, text: str, anywhere: bool) -> None:
        self._text = text
        self._anywhere = anywhere
        self._found: list[Declaration] = []
        self._block = 0
        self._open = ""
        self.broken: str | None = None

    def run(self) -> list[Declaration]:
        text = self._text
        at = 0
        while at < len(text):
            blank = _BLANK.match(text, at)
            at = blank.end() if blank is not None else at
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end
            fence = _FENCE.search(text, self._line_start(at), line_end)
            if fence is not None and fence.start() < at:
                fence = _FENCE.search(text, at, line_end)
            if fence is not None and not text[at : fence.start()].strip(" \t>*+-.0123456789"):
                at = self._pass_fence(fence, line_end)
                continue
            if text.startswith("/*", at):
                end = text.find("*/", at + 2)
                at = line_end if end < 0 else end + 2
                continue
            after = None if self._open in _OTHER else self._declaration(at)
            if after is not None:
                at = after
                continue
            inline = None
            if self._anywhere and not text.startswith("//", at):
                inline = _ANYWHERE.search(text, at + 1, line_end)
            places = [place.start() for place in (fence, inline) if place is not None]
            at = max(at + 1, min(places)) if places else line_end + 1
        return self._found

    def _line_start(self, at: int) -> int:
        return self._text.rfind("\n", 0, at) + 1

    def _pass_fence(self, fence: re.Match[str], line_end: int) -> int:
        """Go past a fence: on, to behind its info or to the code on its line."""
        self._block += 1
        info = fence["info"].lower()
        opens = not self._open or bool(info)
        self._open = (info or "-") if opens else ""
        behind = fence.end("tilde") if fence["tilde"] else fence.end("tick")
        if not opens:
            return behind
        rest = self._text[behind:line_end]
        named = len(rest) - len(rest.lstrip()) + len(fence["info"])
        if self._starts_code(behind):
            self._open = "-"
            return behind
        if self._starts_code(behind + named):
            return behind + named
        return line_end

    def _starts_code(self, at: int) -> bool:
        blank = _BLANK.match(self._text, at)
        at = blank.end() if blank is not None else at
        return any(shape.match(self._text, at) for shape in (_PACKAGE, _IMPORT, _TYPE, _METHOD))

    def _declaration(self, at: int) -> int | None:
        """Take down the declaration that starts at an offset; return where to go on, None if none starts there."""
        text = self._text
        for kind, shape in (("package", _PACKAGE), ("import", _IMPORT)):
            simple = shape.match(text, at)
            if simple is not None:
                self._add(kind, simple["name"], at, simple.end())
                return simple.end()
        for kind, shape in (("type", _TYPE), ("method", _METHOD)):
            header = shape.match(text, at)
            if header is not None:
                end, is_whole = closing_brace(text, header.end())
                if is_whole:
                    self._add(kind, header["name"], at, end)
                elif self.broken is None:
                    self.broken = text[at:end]
                return end
        member = _FIELD.match(text, at)
        if member is not None:
            semicolon = _statement_end(text, member.end() - 1)
            if semicolon is not None:
                self._add("field", member["name"], at, semicolon)
                return semicolon
        return None

    def _add(self, kind: str, name: str, start: int, end: int) -> None:
        indent = re.match(r"[ \t]*", self._text[self._line_start(start) : start])
        source = self._text[start:end]
        margin = indent.group() if indent is not None else ""
        if margin:
            source = re.sub(rf"(?m)^{margin}", "", source)
        path = re.sub(r"\s+", "", name)
        self._found.append(Declaration(kind, path, source, self._block, start))


def closing_brace(text: str, start: int) -> tuple[int, bool]:
    """Return where the braces close of which one was opened right before an offset, and whether they do.

    Comments, strings, characters and text blocks are passed over. A code fence ends the text: then, and where the text
    itself ends, the offset is that of the end.
    """
    depth = 1
    at = start
    while True:
        token = _TOKEN.search(text, at)
        if token is None:
            return len(text), False
        mark = token.group()
        at = token.end()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                return at, True
        elif mark == "/*":
            end = text.find("*/", at)
            if end < 0:
                return len(text), False
            at = end + 2
        elif mark.startswith('"""'):
            end = _text_block_end(text, at)
            if end < 0:
                return len(text), False
            at = end
        elif mark[0] not in "/\"'":
            return token.start(), False


def _text_block_end(text: str, at: int) -> int:
    while True:
        end = text.find('"""', at)
        if end < 0:
            return -1
        slashes = len(text[at:end]) - len(text[at:end].rstrip("\\"))
        if slashes % 2 == 0:
            return end + 3
        at = end + 1


def _statement_end(text: str, at: int) -> int | None:
    """Return where the statement ends that goes on at an offset; None if it does not soon."""
    depth = 0
    limit = min(len(text), at + 5000)
    for token in _STATEMENT_TOKEN.finditer(text, at, limit):
        mark = token.group()
        if mark in "{([":
            depth += 1
        elif mark in "})]":
            depth -= 1
        elif mark == ";" and depth == 0:
            return token.end()
        elif mark == "```":
            return None
    return None

"""Search for Java declarations in a text that also contains prose, in time linear in the text."""

# ruff: noqa: SIM905

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

# The tokens that show where a class and its members end: comments, text blocks, strings, characters, braces, semicolons
# and fences.
_TOKEN = re.compile(
    r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|\"\"\"[ \t]*\n(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*(?:\"\"\"|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|[{};]|^[ \t]*~{3,}|`{3,}",
    re.MULTILINE,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FENCE = re.compile(r"(?P<mark>`{3,}|(?<![^\s>*+\-\d.])~{3,})[ \t]*(?P<info>[\w+#.\-]*)")
# Characters that may precede a fence on its line: marks of quotations and lists.
_BEFORE_FENCE = " \t>*+-.0123456789"

_ANNOTATION = r"@(?!interface\b)[\w.]+[ \t]{0,20}(?:\((?:[^()\"]|\"(?:[^\"\\\n]|\\.)*\"){0,300}\))?"
_WORDS = "public|private|protected|static|final|abstract|sealed|non-sealed|strictfp|synchronized|default"
_MODIFIERS = rf"(?:(?:{_ANNOTATION}|{_WORDS})\s+){{0,12}}"
_NAME = r"(?:[^\W\d]|\$)[\w$]*"
_WORD = re.compile(_NAME)
_MODIFIED = re.compile(_MODIFIERS)
_TYPE = re.compile(rf"(?P<what>class|interface|enum|record|@interface)\s+(?P<name>{_NAME})")
# The text between a type's name and its body, without comments, its blanks single.
_REST = re.compile(r" ?(?:<[^;{}()]*> ?)?(?:\([^;{}]*\) ?)?(?:(?:extends|implements|permits) [^;{}()]*)?")
_LONGEST_HEADER = 1500
_MARK = re.compile(r"[{};]")
_IMPORT = re.compile(r"import\s+(?:static\s+)?(?P<name>[\w$]+(?:\s*\.\s*[\w$]+)*(?:\s*\.\s*\*)?)\s*;")
_PACKAGE = re.compile(rf"package\s+(?P<name>{_NAME}(?:\.[\w$]+)*)\s*;")
_KIND = rf"(?:<[^{{}};()]{{0,200}}>\s*)?{_NAME}(?:\.{_NAME}){{0,8}}(?:<[^{{}};()=]{{0,200}}>)?(?:\s?\[\s?\]){{0,4}}"
_METHOD = re.compile(
    rf"(?!(?:new|return|else|class|throw|package|import)\b){_KIND}\s+(?P<name>{_NAME})\s*"
    r"\([^{};()]{0,1000}\)\s*(?:throws\s+[\w.,\s]{1,300})?\{"
)
_FIELD = re.compile(rf"{_KIND}\s+(?P<name>{_NAME})(?:\s?\[\s?\])*\s*(?:[=,][^;`]{{0,500}})?;")
_ANYWHERE = re.compile(
    r"(?<![\w.$@])(?:(?:public|final|abstract|static)\s+(?:final\s+|abstract\s+)?(?:class|enum|interface|record)|"
    r"import\s+(?:static\s+)?java|class|public\s+static\s+void)\s"
)
# Text without meaning at the start of a line: blanks, semicolons, and a label before code.
_IDLE = re.compile(r"[\s;]*(?:[A-Z][\w ]{0,30}:[ \t]+(?=(?:import|package|public|class)\s))?")
# A line that is code of some language, though no declaration. All other lines are prose.
_CODE = re.compile(
    r"(?![-*\u2022>]|\d+[.)])(?:.*[;{}]|(?:import|package)\s+[\w.*]+(?:\s+\w+)?|#\s*(?:include|import|define)\b.*"
    r"|print\b.*[\"'].*|[\w.]+\(.*\))\s*"
)

# Members of a type: the text before the brace.
_NESTED = re.compile(rf"(?<![.\w])(?P<what>class|interface|enum|record|@interface)\s+(?P<name>{_NAME})")
_STRING_ARRAY = rf"(?:java\s*\.\s*lang\s*\.\s*)?String\s*(?:\[\s*\]\s*{_NAME}|\.\.\.\s*{_NAME}|{_NAME}\s*\[\s*\])"
_MAIN = re.compile(rf"\bvoid\s+main\s*\(\s*(?:(?:final|@[\w.]+)\s+)*{_STRING_ARRAY}\s*\)\s*(?:throws\b[\w\s.,]*)?\Z")
_MEMBER = re.compile(rf"(?P<name>{_NAME})\s*\([^=]*\Z")

# Fenced blocks of another language contain no Java, although a class of C# or JavaScript may look like it.
_OTHER = frozenset(
    """
    py python python3 c cpp c++ cc cxx h hpp cs csharp c# js javascript jsx ts typescript tsx kt kotlin go golang rs
    rust scala swift rb ruby php sh bash shell console json xml html css yaml sql r matlab pascal perl lua diff
    """.split()
)


@dataclass(frozen=True)
class Members:
    """The members of a type declaration.

    Attributes:
        main: The binary name, without package, of the outermost class that ``java`` can start; ``""`` without one.
        is_stub: Whether that class's ``main`` is empty.
        types: The names of the inner types, and the words of their type parameters.
        methods: The names of the methods that it declares itself.
    """

    main: str = ""
    is_stub: bool = False
    types: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Declaration:
    """A top-level declaration, or a line of other code.

    Attributes:
        kind: ``package``, ``import``, ``type``, ``method``, ``field`` or ``line``.
        name: Its name; the path of an import.
        source: Its text, at column 0.
        block: The number of its block. Fences separate blocks.
        section: The number of its section. Prose separates the sections of a block.
        members: The members of a type; empty for other kinds.
    """

    kind: str
    name: str
    source: str
    block: int
    section: int
    members: Members = Members()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its source."""
        return frozenset(_WORD.findall(self.source))


@lru_cache(maxsize=16)
def declarations(text: str, anywhere: bool = False) -> tuple[tuple[Declaration, ...], str | None]:
    """Return the declarations in a text, in order, and the text of the first unfinished one.

    If the text, or its block, ends inside a class or method, this class or method is skipped with all its contents.

    Args:
        text: The text.
        anywhere: Whether a declaration may follow other words on its line.
    """
    if anywhere and _ANYWHERE.search(text) is None:
        return declarations(text)
    scan = _Scan(text)
    scan.run(anywhere)
    return tuple(scan.found), scan.broken


def without_public(source: str) -> str:
    """Return a type's source without the modifier ``public``."""
    end = _modified(source, 0)
    return re.sub(r"\bpublic\s+", "", source[:end]) + source[end:]


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._block = self._section = 0
        self._open = ""
        self._mark = 0
        self.found: list[Declaration] = []
        self.broken: str | None = None

    def run(self, anywhere: bool) -> None:
        text = self._text
        fences, words = _FENCE.finditer(text), _ANYWHERE.finditer(text if anywhere else "")
        fence, word = next(fences, None), next(words, None)
        at = 0
        while (at := _IDLE.match(text, at).end()) < len(text):  # type: ignore[union-attr]
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end
            while fence is not None and fence.start() < at:
                fence = next(fences, None)
            if fence is not None and fence.start() < line_end and not text[at : fence.start()].strip(_BEFORE_FENCE):
                at = self._pass_fence(fence, line_end)
            elif text.startswith("//", at):
                at = line_end
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                at = line_end if end < 0 else end + 2
            elif self._open not in _OTHER and (after := self._declaration(at)) is not None:
                at = after
            else:
                while word is not None and word.start() <= at:
                    word = next(words, None)
                place = min(one.start() if one is not None else line_end for one in (fence, word))
                if place >= line_end and _CODE.fullmatch(text, at, line_end):
                    self._add("line", "", at, line_end)
                else:
                    self._section += 1
                at = min(place, line_end)

    def _pass_fence(self, fence: re.Match[str], line_end: int) -> int:
        """Return the position after a fence: after its info string, or at the code on its line."""
        self._block += 1
        self._section += 1
        info = fence["info"].lower()
        opens = not self._open or bool(info)
        self._open = (info or "-") if opens else ""
        if not opens:
            return fence.end("mark")
        if self._starts_code(fence.end("mark")):
            self._open = "-"
            return fence.end("mark")
        return fence.end() if self._starts_code(fence.end()) else line_end

    def _starts_code(self, at: int) -> bool:
        at = _IDLE.match(self._text, at).end()  # type: ignore[union-attr]
        start = _modified(self._text, at)
        simple = _PACKAGE.match(self._text, at) or _IMPORT.match(self._text, at) or _METHOD.match(self._text, start)
        return simple is not None or self._type_body(start) is not None

    def _type_body(self, at: int) -> tuple[re.Match[str], int] | None:
        """Return the match of the type that starts at an offset, and the start of its body."""
        header = _TYPE.match(self._text, at)
        if header is None:
            return None
        if self._mark < header.end():
            mark = _MARK.search(self._text, header.end())
            self._mark = len(self._text) if mark is None else mark.start()
        if self._mark - header.end() > _LONGEST_HEADER or not self._text.startswith("{", self._mark):
            return None
        rest = re.sub(r"\s+", " ", _COMMENT.sub(" ", self._text[header.end() : self._mark]))
        return (header, self._mark + 1) if _REST.fullmatch(rest) else None

    def _declaration(self, at: int) -> int | None:
        """Store the declaration that starts at an offset and return its end; None if none starts there."""
        text = self._text
        for kind, shape in (("package", _PACKAGE), ("import", _IMPORT)):
            simple = shape.match(text, at)
            if simple is not None:
                self._add(kind, simple["name"], at, simple.end())
                return simple.end()
        start = _modified(text, at)
        if (type_body := self._type_body(start)) is not None:
            header, start = type_body
            members, end = _members(text, start, header["name"], header["what"])
            if members is not None:
                self._add("type", header["name"], at, end, members)
        elif (method := _METHOD.match(text, start)) is not None:
            members, end = _members(text, method.end(), "", "")
            if members is not None:
                self._add("method", method["name"], at, end)
        elif start > at and (field := _FIELD.match(text, start)) is not None:
            self._add("field", field["name"], at, field.end())
            return field.end()
        else:
            return None
        if members is None and self.broken is None:
            self.broken = text[at:end]
        return end

    def _add(self, kind: str, name: str, start: int, end: int, members: Members = Members()) -> None:
        source = self._text[start:end]
        line = self._text.rfind("\n", max(0, start - 200), start) + 1
        margin = self._text[line:start]
        if margin and margin.isspace():
            source = source.replace("\n" + margin, "\n")
        path = re.sub(r"\s+", "", name)
        self.found.append(Declaration(kind, path, source, self._block, self._section, members))


def _modified(text: str, at: int) -> int:
    """Return the start of the declaration that has the modifiers at an offset."""
    return _MODIFIED.match(text, at).end()  # type: ignore[union-attr]


def _members(text: str, start: int, name: str, what: str) -> tuple[Members | None, int]:
    """Return the members between the brace before an offset and its closing brace, and the position after that brace.

    Comments, strings, characters and text blocks are skipped. If a code fence or the end of the text comes before the
    closing brace, there are no members.

    Args:
        text: The text.
        start: The offset.
        name: The type's name; empty for a method, whose body is not examined.
        what: ``class``, ``interface`` and so on.
    """
    around = [(name, what)]
    types: set[str] = set()
    methods: set[str] = set()
    mains: list[tuple[int, str, bool]] = []
    depth = 1
    at = last = start
    opened_main = (0, 0)
    while (token := _TOKEN.search(text, at)) is not None:
        mark = token.group()
        at = token.end()
        if mark == "{":
            if depth == len(around) and name:
                header = text[last : token.start()] if token.start() - last <= _LONGEST_HEADER else ""
                header = _COMMENT.sub(" ", header) if "/" in header else header
                nested = _NESTED.search(header)
                if nested is not None and "(" not in header[: nested.start()]:
                    around.append((nested["name"], nested["what"]))
                    types.update(_WORD.findall(header[nested.end() - len(nested["name"]) :].split("(")[0]))
                elif _is_main(header, around[-1][1]):
                    opened_main = (depth, at)
                elif depth == 1 and (member := _MEMBER.search(header)) is not None:
                    methods.add(member["name"])
            depth += 1
            last = at
        elif mark == "}":
            depth -= 1
            if opened_main[1] and depth == opened_main[0]:
                body = text[opened_main[1] : token.start()]
                is_stub = len(body) < _LONGEST_HEADER and not _COMMENT.sub("", body).strip()
                mains.append((depth, "$".join(name for name, _ in around), is_stub))
                methods.add("main")
                opened_main = (0, 0)
            if depth == 0:
                _, main, is_stub = min(mains, default=(0, "", False), key=lambda place: place[0])
                return Members(main, is_stub, frozenset(types), frozenset(methods)), at
            if depth < len(around):
                around.pop()
            last = at
        elif mark == ";":
            last = at
        elif mark[0] not in "/\"'":
            return None, token.start()
    return None, len(text)


def _is_main(header: str, kind: str) -> bool:
    """Whether ``java`` starts a method: ``public static void main(String[])``."""
    main = _MAIN.search(header)
    if main is None:
        return False
    modifiers = header[: main.start()].split()
    return "static" in modifiers and ("public" in modifiers or kind == "interface")


def starts(method: str) -> bool:
    """Whether ``java`` starts a method with this source."""
    return _is_main(_COMMENT.sub(" ", method[: method.find("{")]), "")

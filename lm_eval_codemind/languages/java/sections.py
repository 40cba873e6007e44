"""The Java declarations in a text, without the prose around them, in time linear in the text."""

import re
from dataclasses import dataclass
from functools import cached_property

from lm_eval_codemind.languages.blocks import Block

# Comments, text blocks, strings and characters.
QUOTED = re.compile(
    r"//[^\n]*|(?<![\w*])/\*[\s\S]*?(?:\*/|\Z)|\"\"\"[ \t]*\n(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*(?:\"\"\"|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,8}'"
)
_BLANK = re.compile(r"[^\n]")
_NAME = r"(?:[^\W\d]|\$)[\w$]*"
_WORD = re.compile(_NAME)
_WORDS = "public|private|protected|static|final|abstract|sealed|non-sealed|strictfp|synchronized|default"
_MODIFIER = rf"(?:@(?!interface\b)[\w.]+[ \t]{{0,20}}(?:\([^()]{{0,300}}\))?|{_WORDS})\s{{1,200}}"
_VALUE = rf"(?:<[^{{}};()]{{0,200}}>\s*)?{_NAME}(?:\.{_NAME}){{0,8}}(?:<[^{{}};()=]{{0,200}}>)?(?:\s?\[\s?\]){{0,4}}"
# No type has one of these names.
_NO_TYPE = r"(?!(?:new|return|else|class|throw|package|import|assert|break|continue|yield)\b)"
# The start of a declaration: all of an import, a package or a field; a type or method up to its brace.
_START = re.compile(
    rf"(?P<import>import\s+(?:static\s+)?([\w$]+(?:\s?\.\s?[\w$]+){{0,30}}(?:\s?\.\s?\*)?)\s?;)"
    rf"|(?P<package>package\s+({_NAME}(?:\.[\w$]+){{0,30}})\s?;)"
    rf"|(?:{_MODIFIER}){{0,12}}(?:"
    rf"(?P<type>(?:class|interface|enum|record|@interface)\s+({_NAME})\s{{0,200}}(?:<[^;{{}}()]{{0,300}}>\s{{0,20}})?"
    r"(?:\([^;{}]{0,500}\)\s{0,20})?(?:(?:extends|implements|permits)\s[^;{}()]{0,500})?\{)"
    rf"|{_NO_TYPE}(?:(?P<method>{_VALUE}\s+({_NAME})\s?"
    r"\([^{};()]{0,600}\)\s{0,200}(?:throws\s+[\w.,\s]{1,200})?\{)"
    rf"|(?<!\S)(?P<field>{_VALUE}\s+({_NAME})(?:\s?\[\s?\])*\s?(?:[=,][^;`]{{0,500}})?;)))"
)
_IDLE = re.compile(r"[\s;]*")
# Where a text begins anew behind a declaration that is never closed.
_ANEW = re.compile(
    rf"^(?=(?:import|package)\s|(?:(?:{_WORDS})\s{{1,9}}){{0,9}}(?:class|interface|enum|record)\s)", re.MULTILINE
)


@dataclass(frozen=True)
class Item:
    """A declaration at the top level of a block, or a line of other code.

    Attributes:
        kind: ``package``, ``import``, ``type``, ``method``, ``field`` or ``line``.
        name: Its name; the path of an import.
        source: Its text, at column 0.
    """

    kind: str
    name: str
    source: str

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its source."""
        return frozenset(_WORD.findall(self.source))


def sections(block: Block) -> tuple[list[list[Item]], str | None]:
    """Return the sections of a block, which are files of code, and the text of the first declaration without an end.

    Prose separates sections, and so does a second type of the same name. Outside of a fence, a line that starts no
    declaration is prose, and the text may begin anew behind a declaration without an end. In a fence that line stays,
    so that code that does not compile as a whole does not compile.
    """
    text, masked = block.text, QUOTED.sub(lambda quoted: _BLANK.sub(" ", quoted.group()), block.text)
    closing: dict[int, int] = {}
    opened: list[int] = []
    for brace in re.finditer(r"[{}]", masked):
        if brace.group() == "{":
            opened.append(brace.end())
        elif opened:
            closing[opened.pop()] = brace.end()
    files: list[list[Item]] = [[]]
    broken = None
    at = 0
    while (at := _IDLE.match(masked, at).end()) < len(text):  # type: ignore[union-attr]
        line_end = masked.find("\n", at) % (len(text) + 1)
        start = _START.match(masked, at)
        if start is None:
            if block.fenced:
                files[-1].append(Item("line", "", text[at:line_end]))
            elif files[-1]:
                files.append([])
            at = line_end
            continue
        # The group of a declaration is the one that ends last; the next group is its name.
        kind, name = str(start.lastgroup), start[(start.lastindex or 0) + 1]
        end = closing.get(start.end()) if kind in ("type", "method") else start.end()
        if end is None:
            broken = broken or text[start.start() :]
            anew = None if block.fenced else _ANEW.search(masked, line_end)
            at = anew.start() if anew else len(text)
            # Imports alone belong to the type that has no end.
            files = [file for file in files if {item.kind for item in file} != {"import"}] + [[]]
            continue
        if kind == "type" and any(item.kind == kind and item.name == name for item in files[-1]):
            files.append([])
        margin = text[text.rfind("\n", max(0, start.start() - 200), start.start()) + 1 : start.start()]
        source = text[start.start() : end]
        source = source.replace("\n" + margin, "\n") if margin.isspace() else source
        files[-1].append(Item(kind, re.sub(r"\s+", "", name), source))
        at = end
    return files, broken

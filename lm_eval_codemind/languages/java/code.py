"""Extraction of Java from a response: a program, or the class ``Solution``, with what it needs.

A response is read block by block (:mod:`~lm_eval_codemind.languages.blocks`). The code of a block between prose is a
section: its declarations, and lines of other code. ``docs/architecture.md`` has the rules: which section is the
answer, and what is joined to it. The functions raise no exception on any text; a response without code gives None.
``original`` is the program in the prompt, which the response may quote.
"""

import re
import textwrap
from collections import deque
from collections.abc import Sequence

from lm_eval_codemind.languages.base import Unfinished
from lm_eval_codemind.languages.blocks import blocks, last_program, preferred
from lm_eval_codemind.languages.java.sections import QUOTED, Item, sections
from lm_eval_codemind.languages.java.syntax import METHODS, SOLUTION, is_valid, parse, types_in

# Fenced blocks of another language contain no Java, although a class of C# or JavaScript may look like it.
_OTHER = frozenset("python py cpp c++ c csharp cs c# javascript js typescript ts kotlin scala go".split())  # noqa: SIM905
_READS = re.compile(r"\bSystem\s*\.\s*(?:in|console)\b|\bFiles\b|\bFileReader\b|/dev/stdin|\bFileDescriptor\b")
_PRINTS = re.compile(r"\bSystem\s*\.\s*out\b|\bFileDescriptor\b")
_DEMO = re.compile(r"\bSystem\s*\.\s*setIn\b|\bFiles\s*\.\s*write|\bnew\s+FileWriter\s*\(\s*\"")
# The modifier of a class.
_PUBLIC = re.compile(r"\A([^{]*?)\bpublic\s+")
# A method of which the body is missing, outside of comments and strings.
_STUB = re.compile(
    QUOTED.pattern + r"|\b(?!(?:else|new)\b)\w[\w<>\[\]]*\s{1,9}(?P<name>\w+)\s?\([^()]{0,600}\)[\w\s.,]{0,200}"
    r"\{\s*(?P<body>(?:(?>//[^\n]*|/\*[\s\S]*?\*/)\s*|throw\b[^;{}]*;\s*|\.\.\.;?\s*)*)\}"
)
# The number of sections or classes that are examined, from the last.
_MOST = 50

File = Sequence[Item]


def extract_program(response: str, original: str = "") -> str | Unfinished | None:
    """Return the program in a response: one compilation unit with its package, imports and classes.

    It is Unfinished if the response ends inside code and has no other program, and None if it has no class.
    """
    files, broken = _read(response)
    candidates = [file for file in files if any("main" in item.words for item in file)][-_MOST:]
    names = {item.name for file in files for item in file if item.kind == "type"}
    pairs = preferred(
        [(file, source) for file in candidates if main_class(source := _joined(file, files))],
        lambda pair: is_valid(pair[1]),
        lambda pair: all(item.kind != "method" for item in pair[0]),
        lambda pair: not any(stub["body"] for stub in _STUB.finditer(pair[1])),
        lambda pair: not _is_demo(*pair, names),
        lambda pair: _squeezed(pair[1]) != _squeezed(original),
        lambda pair: _READS.search(pair[1]),
        lambda pair: _PRINTS.search(pair[1]),
    )
    if pairs:
        return last_program([source for _, source in pairs])
    types = [file for file in files if any(item.kind == "type" for item in file)]
    return broken or (_joined(types[-1], files) if types else None)


def main_class(program: str) -> str:
    """Return the class that a program starts from, as ``java`` takes it; empty if none has a ``main`` method.

    Of several classes, the last one counts that has statements in ``main``, reads its input, by itself or with another
    class, and is public. If no class meets all conditions, the last condition is dropped first.
    """
    types = types_in(program)
    reading = {one.name for one in types if not one.main and _READS.search(one.source)}
    best = preferred(
        [one for one in types if one.main][-_MOST:],
        lambda one: not one.is_stub,
        lambda one: _READS.search(one.source) or reading.intersection(re.findall(r"[\w$]+", one.source)),
        lambda one: re.match(r"[^{]*\bpublic\s", one.source),
    )
    return best[-1].main if best else ""


def _read(response: str) -> tuple[list[File], Unfinished | None]:
    """Return the sections of a response, and the first unfinished declaration."""
    files: list[File] = []
    broken: Unfinished | None = None
    for block in blocks(response, is_valid):
        if block.language not in _OTHER:
            of_block, end = sections(block)
            files += filter(None, of_block)
            broken = broken or (Unfinished(end) if end else None)
    return files, broken


def _is_demo(file: File, source: str, names: set[str]) -> bool:
    """Whether a program calls the ``main`` of another section, gives input to it, or has nothing to do."""
    calls = names.intersection(re.findall(r"([\w$]+)\s*\.\s*main\s*\(", source)) - {item.name for item in file}
    return bool(calls or _DEMO.search(source)) or all(one.is_stub for one in types_in(source) if one.main)


def _squeezed(source: str) -> str:
    """Return a source without comments and white space."""
    return re.sub(r"//[^\n]*|/\*[\s\S]*?\*/|\s+", "", source)


def _joined(file: File, files: Sequence[File]) -> str:
    """Return a section as a source, with the classes of other sections that it needs, and their imports."""
    if not any(one.main for one in types_in("\n".join(item.source for item in file))):
        file = _in_class(file, "Main", "main", "public ")
    # Classes of other sections that it needs, also through each other, with their sections.
    far = {item.name: (item, other) for other in files for item in other if item.kind == "type"}
    waiting = deque(item for item in file if item.kind == "type")
    names, used, joined = {item.name for item in waiting}, [file], list[Item]()
    while waiting:
        for name in sorted(waiting.popleft().words & far.keys() - names):
            needed, section = far[name]
            waiting.append(needed)
            joined.append(needed)
            used.append(section)
            names.add(name)
    words = frozenset[str]().union(*(item.words for item in (*file, *joined)))
    imports: dict[str, str] = {}
    # Imports of all names of a package count in these sections, and in those with nothing but imports.
    for other in (file, *files):
        is_used = other in used or all(item.kind == "import" for item in other)
        for item in other:
            last = item.name.rpartition(".")[2]
            if item.kind == "import" and (other is file or last in words or (last == "*" and is_used)):
                imports.setdefault(item.name, item.source)
    # Joined classes are in one package.
    foreign = {item.name for other in files for item in other if item.kind == "package" and joined}
    pieces = [item.source for item in file if item.kind == "package"][:1]
    pieces += ["\n".join(imports[name] for name in imports if name.rpartition(".")[0] not in foreign)]
    pieces += [item.source for item in file if item.kind not in ("package", "import")]
    return "\n\n".join(filter(None, [*pieces, *(_PUBLIC.sub(r"\1", item.source) for item in joined)])) + "\n"


def _in_class(file: File, name: str, method: str, modifier: str = "") -> File:
    """Return a section with its code in a class, if it has a method of this name outside of classes."""
    members = [item for item in file if item.kind in ("method", "field", "line")]
    if not any(item.kind == "method" and item.name == method for item in members):
        return file
    # Without the end of a class that the prompt has begun.
    bodies = [members, members[:-1]] if members[-1].source == "}" else [members]
    sources = ["\n\n".join(item.source for item in body) for body in bodies]
    classes = [f"{modifier}class {name} {{\n{textwrap.indent(source, '    ')}\n}}" for source in sources]
    wrapped = Item("type", name, preferred(classes, is_valid)[0])
    return [wrapped, *(item for item in file if item.kind in ("import", "type") and item.name != name)]


def extract_class(response: str, method: str, original: str = "") -> str | Unfinished | None:
    """Return the class ``Solution`` of a response, with its imports and the classes next to it.

    The requested method without that class is put into one, together with the methods and fields of its section. The
    result is Unfinished if the response ends inside code and has no such class.
    """
    files, broken = _read(response)
    wrapped = (
        file if any(item.name == SOLUTION for item in file) else _in_class(file, SOLUTION, method) for file in files
    )
    best = preferred(
        [(file, item.source) for file in wrapped for item in file if item.kind == "type" and item.name == SOLUTION],
        lambda pair: re.search(rf"\b{re.escape(method)}\s*\(", pair[1]),
        lambda pair: is_valid(pair[1]),
        lambda pair: all(stub["name"] != method for stub in _STUB.finditer(pair[1])),
        lambda pair: _squeezed(pair[1]) not in _squeezed(original),
    )
    return _joined(best[-1][0], files) if best else broken


def with_members(answer: str, program: str) -> str:
    """Return an answer with a program's imports, and its class ``Solution`` with the program's methods that it lacks.

    They stand in front of the answer's methods, as helpers do. An answer that does not parse is returned unchanged.
    """
    tree, whole = parse(answer), parse(program)
    body, others = (
        next((node.child("body") for node in one.types if one.name(node) == SOLUTION), None) for one in (tree, whole)
    )
    if not tree.is_valid or body is None or others is None:
        return answer
    defined = {tree.name(node) for node in body.of_kind(*METHODS)}
    lacking = [node for node in others.of_kind(*METHODS) if whole.name(node) not in defined]
    members = "".join(f"\n    {whole.text(node)}\n" for node in lacking)
    at = body.start + 1
    both = parse((tree.source[:at] + members.encode() + tree.source[at:]).decode())
    types = "\n\n".join(map(both.text, both.types))
    return "\n".join(dict.fromkeys([*tree.imports, *whole.imports])) + f"\n\n{types}\n"

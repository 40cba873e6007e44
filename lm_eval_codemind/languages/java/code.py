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
from lm_eval_codemind.languages.java.sections import Item, sections
from lm_eval_codemind.languages.java.syntax import METHODS, SOLUTION, is_valid, parse, types_in

# Fenced blocks of another language contain no Java, although a class of C# or JavaScript may look like it.
_OTHER = frozenset("python py cpp c++ c csharp cs c# javascript js typescript ts kotlin scala go".split())  # noqa: SIM905
_READS = re.compile(r"\bSystem\s*\.\s*(?:in|console)\b|\bFiles\b|\bFileReader\b|/dev/stdin|\bFileDescriptor\b")
_PRINTS = re.compile(r"\bSystem\s*\.\s*out\b|\bFileDescriptor\b")
_DEMO = re.compile(r"\bSystem\s*\.\s*setIn\b|\bFiles\s*\.\s*write|\bnew\s+FileWriter\s*\(\s*\"")
# The modifier of a class.
_PUBLIC = re.compile(r"\A([^{]*?)\bpublic\s+")
# A method of which the body is missing.
_STUB = re.compile(
    r"\b(?!else\b)\w[\w<>\[\]]*\s{1,9}(?P<name>\w+)\s?\([^()]{0,600}\)[\w\s.,]{0,200}"
    r"\{\s*(?P<body>(?://[^\n]*\s*|/\*[\s\S]*?\*/\s*|throw\b[^;{}]*;\s*|\.\.\.;?\s*)*)\}"
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
    pairs = preferred(
        [(file, source) for file in candidates if main_class(source := _joined(file, files))],
        lambda pair: is_valid(pair[1]),
        lambda pair: all(item.kind != "method" for item in pair[0]),
        lambda pair: not any(stub["body"] for stub in _STUB.finditer(pair[1])),
    )
    if pairs:
        names = {item.name for file in files for item in file if item.kind == "type"}
        demos = {source for file, source in pairs if _is_demo(file, source, names)}
        shown = _squeezed(original)
        return last_program(
            [source for _, source in pairs],
            lambda source: source not in demos,
            lambda source: not shown or _squeezed(source) != shown,
            _READS.search,
            _PRINTS.search,
        )
    types = [file for file in files if any(item.kind == "type" for item in file)]
    return broken or (_joined(types[-1], files) if types else None)


def main_class(program: str) -> str:
    """Return the class that a program starts from, as ``java`` takes it; empty if none has a ``main`` method.

    Of several classes, the last one counts that has statements in ``main``, reads its input, by itself or with another
    class, and is public. If no class meets all conditions, the last condition is dropped first.
    """
    types = types_in(program)
    others = [re.escape(one.name) for one in types if not one.main and _READS.search(one.source)]
    reading = re.compile("|".join([_READS.pattern, *(rf"\b{name}\b" for name in others)]))
    best = preferred(
        [one for one in types if one.main][-_MOST:],
        lambda one: not one.is_stub,
        lambda one: reading.search(one.source),
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
    others = "|".join(map(re.escape, sorted(names - {item.name for item in file})))
    calls = re.search(rf"\b(?:{others})\s*\.\s*main\s*\(", source) if others else None
    return bool(calls or _DEMO.search(source)) or all(one.is_stub for one in types_in(source) if one.main)


def _squeezed(source: str) -> str:
    """Return a source without comments and white space."""
    return re.sub(r"//[^\n]*|/\*[\s\S]*?\*/|\s+", "", source)


def _joined(file: File, files: Sequence[File]) -> str:
    """Return a section as a source, with the classes of other sections that it needs, and their imports."""
    if not any(one.main for one in types_in("\n".join(item.source for item in file))):
        file = _in_class(file, "Main", "main", "public ")
    needed = _needed_classes(file, files)
    used = [file, *(section for _, section in needed)]
    classes = [item for item, _ in needed]
    imports = _imports(file, frozenset().union(*(item.words for item in (*file, *classes))), used, files)
    # Joined classes are in one package.
    foreign = {item.name for other in files for item in other if item.kind == "package" and len(used) > 1}
    pieces = [item.source for item in file if item.kind == "package"][:1]
    pieces += ["\n".join(imports[name] for name in imports if name.rpartition(".")[0] not in foreign)]
    pieces += [item.source for item in file if item.kind not in ("package", "import")]
    return "\n\n".join(filter(None, [*pieces, *(_PUBLIC.sub(r"\1", item.source) for item in classes)])) + "\n"


def _needed_classes(file: File, files: Sequence[File]) -> list[tuple[Item, File]]:
    """Return the classes of other sections that a section needs, also through each other, with their sections."""
    far = {item.name: (item, other) for other in files if other is not file for item in other if item.kind == "type"}
    waiting = deque(item for item in file if item.kind == "type")
    declared = {item.name for item in waiting}
    needed = []
    while waiting:
        for name in sorted(waiting.popleft().words & far.keys() - declared):
            needed.append(far[name])
            waiting.append(far[name][0])
            declared.add(name)
    return needed


def _imports(file: File, words: frozenset[str], used: Sequence[File], files: Sequence[File]) -> dict[str, str]:
    """Return the imports of a section, and those of others that a program with these words needs: name -> source.

    Imports of all names of a package count in the sections that are used, and in those with nothing but imports.
    """
    imports = {item.name: item.source for item in file if item.kind == "import"}
    for other in files:
        is_used = any(other is one for one in used) or all(item.kind == "import" for item in other)
        for item in other:
            last = item.name.rpartition(".")[2]
            if item.kind == "import" and (last in words or (last == "*" and is_used)):
                imports.setdefault(item.name, item.source)
    return imports


def _in_class(file: File, name: str, method: str, modifier: str = "") -> File:
    """Return a section with its methods and fields in a class, if it has a method of this name outside of classes."""
    members = [item for item in file if item.kind in ("method", "field")]
    if not any(item.kind == "method" and item.name == method for item in members):
        return file
    source = "\n\n".join(item.source for item in members)
    wrapped = Item("type", name, f"{modifier}class {name} {{\n{textwrap.indent(source, '    ')}\n}}")
    others = [item for item in file if item.kind == "type" and item.name != name]
    return [*(item for item in file if item.kind == "import"), wrapped, *others]


def extract_class(response: str, method: str, original: str = "") -> str | Unfinished | None:
    """Return the class ``Solution`` of a response, with its imports and the classes next to it.

    The requested method without that class is put into one, together with the methods and fields of its section. The
    result is Unfinished if the response ends inside code and has no such class.
    """
    files, broken = _read(response)
    shown = _squeezed(original)
    wrapped = (
        file if any(item.name == SOLUTION for item in file) else _in_class(file, SOLUTION, method) for file in files
    )
    best = preferred(
        [(file, item.source) for file in wrapped for item in file if item.kind == "type" and item.name == SOLUTION],
        lambda pair: re.search(rf"\b{re.escape(method)}\s*\(", pair[1]),
        lambda pair: is_valid(pair[1]),
        lambda pair: all(stub["name"] != method for stub in _STUB.finditer(pair[1])),
        lambda pair: not shown or _squeezed(pair[1]) not in shown,
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
    before = tree.text(body)
    types = [(tree.text(node), tree.name(node) == SOLUTION) for node in tree.types]
    texts = [text.replace(before, "{" + members + before[1:]) if is_owner else text for text, is_owner in types]
    return "\n".join(dict.fromkeys([*tree.imports, *whole.imports])) + "\n\n" + "\n\n".join(texts) + "\n"

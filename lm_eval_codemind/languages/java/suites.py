"""Suites of Java assertions in the form that the sandbox runs.

A suite is a class ``Main`` whose ``main`` makes a ``Solution`` and throws if it is wrong, as HumanEvalPack has them. It
becomes a class ``MainSuite``, compiled together with the program and run in its virtual machine by ``SuiteRunner``. The
program could therefore tamper with it, and every outcome says so. Still, what is cheap makes that hard: the runner
copies returned values into containers of Java's own before the suite compares them, and a name that the suite uses
always means Java's own type. Types of the answer with such a name are left out, if the grammar sees them, and refused
by the compiler if not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lm_eval_codemind.execution import Job, Limits
from lm_eval_codemind.languages.java.code import SOLUTION, imports_of, types_of
from lm_eval_codemind.languages.java.syntax import Node, Tree, parse, parse_valid

RECEIVER = "s"
"""The variable of a suite that holds the object under test."""

# The suite, what of the program it relies on, and the sandbox's class that runs it.
_SUITE, _HELPERS, _RUNNER = "MainSuite", "MainHelpers", "SuiteRunner"
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def suite_job(program: str, suite: str, entry_point: str, context: str, limits: Limits | None, job_id: str) -> Job:
    """Return the job that runs a suite on a program; it passes if the suite ends without throwing.

    An ``AssertionError`` is a failure. Any other exception is an error.

    Args:
        program: The imports and types of the program. Types with names that the suite uses are left out, except the
            class under test. A package is left out as well.
        suite: Source with a class ``Main``, and maybe imports.
        entry_point: The method under test. Other methods that the suite calls are those of ``context``.
        context: Source with a class that has these methods; empty where there are none.
        limits: What the program may use; the usual limits if None.
        job_id: Repeated in the outcome.
    """
    prepared = _prepared(suite, entry_point, context)
    tree = parse(program)
    if tree.is_valid:
        kept = [tree.text(node) for node in types_of(tree) if tree.name(node) not in prepared.names]
        program = "\n".join([*imports_of(tree), "", *kept, ""])
    return Job.function(program, prepared.source, SOLUTION, limits=limits, job_id=job_id, language="java")


@dataclass(frozen=True)
class _Prepared:
    """A suite as it is compiled, and the names that it uses besides the class under test."""

    source: str
    names: frozenset[str]


@lru_cache(maxsize=512)
def _prepared(suite: str, entry_point: str, context: str) -> _Prepared:
    tree = parse_valid(suite)
    main = _main_class(tree)
    changes = [_renaming(main, _SUITE)]
    for call in calls_in(tree, main):
        if tree.name(call) == entry_point:
            changes += [(call.start, call.start, f"{_RUNNER}.value("), (call.end, call.end, ")")]
        else:
            receiver = call.child("object")
            assert receiver is not None
            changes.append((receiver.start, receiver.end, f"new {_HELPERS}()"))
    body = _changed(tree, main, changes)
    around = parse_valid(context)
    for node in around.root.children:
        if node.kind == "class_declaration":
            body += "\n\n" + _changed(around, node, [_renaming(node, _HELPERS)])
    imports = dict.fromkeys([*imports_of(tree), *imports_of(around)])
    names = frozenset(_WORD.findall(body)) - {SOLUTION}
    return _Prepared("\n".join([*imports, "", body, ""]), names)


def _renaming(declared: Node, name: str) -> tuple[int, int, str]:
    node = declared.child("name")
    assert node is not None
    return node.start, node.end, name


def _changed(tree: Tree, node: Node, changes: list[tuple[int, int, str]]) -> str:
    """Return the source of a node with some stretches of it, by offset, replaced."""
    at, pieces = node.start, []
    for start, end, text in sorted(changes, key=lambda change: change[:2]):
        pieces += [tree.source[at:start], text.encode("utf-8")]
        at = end
    return b"".join([*pieces, tree.source[at : node.end]]).decode("utf-8")


def _main_class(tree: Tree) -> Node:
    for node in tree.root.children:
        if node.kind == "class_declaration" and tree.name(node) == "Main":
            return node
    raise ValueError("a suite of Java assertions has no class Main")


def calls_in(tree: Tree, node: Node) -> list[Node]:
    """Return the calls of the object under test below a node, in the order of the source."""
    found = []
    for inner in node.walk():
        receiver = inner.child("object") if inner.kind == "method_invocation" else None
        if receiver is not None and receiver.kind == "identifier" and tree.text(receiver) == RECEIVER:
            found.append(inner)
    return found


def assertions(suite: str) -> dict[str, str]:
    """Return the assertions of a suite that stand by themselves, as statements, each with the call in it.

    They are the elements of the list of truth values that ``main`` makes, as HumanEvalPack's suites do. Each comes with
    the statements of ``main`` that make what it uses. One with several calls, or that draws its arguments, is left out.
    """
    tree = parse_valid(suite)
    listed = next(
        (
            node
            for node in _main_class(tree).walk()
            if node.kind == "local_variable_declaration" and _element_list(tree, node) is not None
        ),
        None,
    )
    if listed is None or listed.parent is None:
        return {}
    elements = _element_list(tree, listed)
    assert elements is not None
    before = [node for node in listed.parent.children if node.named and node.start < listed.start]
    found = {}
    for element in elements.children:
        calls = calls_in(tree, element) if element.named else []
        if len(calls) == 1:
            needed = _needed(tree, element, before)
            if not any("Random" in text for text in needed):
                found["\n".join([*needed, f"assert {_one_line(tree.text(element))};"])] = tree.text(calls[0])
    return found


def _element_list(tree: Tree, declaration: Node) -> Node | None:
    """Return the arguments of ``Arrays.asList(...)`` in ``List<Boolean> ... = Arrays.asList(...)``."""
    kind = declaration.child("type")
    if kind is None or tree.text(kind) != "List<Boolean>":
        return None
    value = next((node.child("value") for node in declaration.of_kind("variable_declarator")), None)
    if value is None or value.kind != "method_invocation":
        return None
    return value.child("arguments")


def _needed(tree: Tree, element: Node, before: list[Node]) -> list[str]:
    """Return the statements that make the variables an element uses; the first makes the object under test."""
    declared = {name: node for node in before for name in _declared(tree, node)}
    names = declared.keys() & _identifiers(tree, element)
    needed: list[str] = []
    for statement in reversed(before):
        mentioned = declared.keys() & _identifiers(tree, statement)
        changes = statement.kind == "expression_statement" and mentioned & (names - {RECEIVER})
        if changes or names & set(_declared(tree, statement)):
            names |= mentioned
            needed.insert(0, _one_line(tree.text(statement)))
    return needed


def _declared(tree: Tree, statement: Node) -> list[str]:
    return [tree.name(node) for node in statement.of_kind("variable_declarator")]


def _identifiers(tree: Tree, node: Node) -> set[str]:
    return {tree.text(inner) for inner in node.walk() if inner.kind == "identifier"}


def _one_line(text: str) -> str:
    """Return a statement on one line. This is safe, because a string in Java never spans lines."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=\()\s*\n\s*|\s*\n\s*(?=\))", "", text)).strip()


def as_suite(statements: str, imports: str = "") -> str:
    """Return a suite that runs some statements.

    Args:
        statements: Statements that create ``s`` and assert.
        imports: The imports of the statements.
    """
    body = "\n".join(f"        {line}" for line in statements.strip().splitlines())
    main = f"    public static void main(String[] args) throws Exception {{\n{body}\n    }}"
    return f"{imports.rstrip()}\n\npublic class Main {{\n{main}\n}}\n".lstrip("\n")

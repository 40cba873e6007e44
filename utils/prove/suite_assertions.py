"""The assertions of a suite that stand by themselves, as statements, each with the call in it."""

import ast
import re

from lm_eval_codemind.languages.java.suites import RECEIVER, calls_in
from lm_eval_codemind.languages.java.syntax import Node, Tree, parse_valid
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.python.hint_tests import function_hints


def assertions(problem: Problem) -> dict[str, str]:
    """Return the assertions of a function's suite that need no other code, each with the call in it.

    Each has the form that :meth:`~lm_eval_codemind.languages.Kind.with_tests` takes. Empty where there are none. A
    suite in Java without one gives the problem's own.
    """
    if problem.kind != "function":
        return {}
    if problem.language == "python":
        tests = [hint.test for hint in function_hints(problem)]
        return {test: call_of(test, problem.entry_point) for test in tests}
    of_suite = java_assertions(problem.tests)
    return of_suite or ({problem.hint_test: problem.input} if problem.hint_test else {})


def call_of(test: str, entry_point: str) -> str:
    """Return the only call of the function in a test."""
    calls = [node for node in ast.walk(ast.parse(test)) if isinstance(node, ast.Call)]
    calls = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == entry_point]
    if len(calls) != 1:
        raise ValueError(f"{len(calls)} calls of {entry_point} in {test!r} instead of one")
    return ast.unparse(calls[0])


def java_assertions(suite: str) -> dict[str, str]:
    """Return the assertions of a suite in Java that stand by themselves.

    They are the elements of the list of truth values that ``main`` makes, as HumanEvalPack's suites do. Each comes with
    the statements of ``main`` that make what it uses. One with several calls, or that draws its arguments, is left out.
    """
    tree = parse_valid(suite)
    lists = (
        node for node in tree.root.walk() if node.kind == "local_variable_declaration" and _element_list(tree, node)
    )
    listed = next(lists, None)
    if listed is None or listed.parent is None:
        return {}
    elements = _element_list(tree, listed)
    assert elements is not None
    before = [node for node in listed.parent.children if node.named and node.start < listed.start]
    by_assertion = {}
    for element in elements.children:
        calls = calls_in(tree, element) if element.named else []
        if len(calls) == 1:
            needed = _needed(tree, element, before)
            if not any("Random" in text for text in needed):
                by_assertion["\n".join([*needed, f"assert {_one_line(tree.text(element))};"])] = tree.text(calls[0])
    return by_assertion


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

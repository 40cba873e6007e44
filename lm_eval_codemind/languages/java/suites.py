"""Suites of Java assertions in the form that the sandbox runs.

A suite is a class ``Main`` whose ``main`` makes a ``Solution`` and throws if it is wrong, as HumanEvalPack has them. It
becomes a class ``MainSuite``, compiled together with the program and run in its virtual machine by ``SuiteRunner``. The
program could therefore tamper with it, and every outcome says so. Still, what is cheap makes that hard: the runner
copies returned values into containers of Java's own before the suite compares them, and a name that the suite uses
always means Java's own type. Types of the answer with such a name are left out, if the grammar sees them, and refused
by the compiler if not.
"""

import re
from functools import lru_cache

from lm_eval_codemind.languages.java.syntax import SOLUTION, Node, Tree, parse, parse_valid
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits

RECEIVER = "s"
"""The variable of a suite that holds the object under test."""

# The suite, what of the program it relies on, and the sandbox's class that runs it.
_SUITE, _HELPERS, _RUNNER = "MainSuite", "MainHelpers", "SuiteRunner"
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def suite_job(problem: Problem, program: str, limits: Limits | None) -> Job:
    """Return the job that runs a suite on a program; it passes if the suite ends without throwing.

    An ``AssertionError`` is a failure. Any other exception is an error.

    Args:
        problem: Its tests have a class ``Main``, and maybe imports. Methods that the suite calls, but for the one under
            test, are those of a class in its context.
        program: The imports and types of the program. Types with names that the suite uses are left out, except the
            class under test. A package is left out as well.
    """
    source, names = _prepared(problem.tests, problem.entry_point, problem.context)
    tree = parse(program)
    if tree.is_valid:
        classes = [tree.text(node) for node in tree.types if tree.name(node) not in names]
        program = "\n".join([*tree.imports, "", *classes, ""])
    return Job.function(program, source, SOLUTION, limits=limits, job_id=problem.problem_id, language="java")


@lru_cache(maxsize=512)
def _prepared(suite: str, entry_point: str, context: str) -> tuple[str, frozenset[str]]:
    """Return a suite as it is compiled, and the names that it uses besides the class under test."""
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
    for node in around.root.of_kind("class_declaration"):
        body += "\n\n" + _changed(around, node, [_renaming(node, _HELPERS)])
    imports = dict.fromkeys([*tree.imports, *around.imports])
    names = frozenset(_WORD.findall(body)) - {SOLUTION}
    return "\n".join([*imports, "", body, ""]), names


def _renaming(declared: Node, name: str) -> tuple[int, int, str]:
    node = declared.child("name")
    assert node is not None
    return node.start, node.end, name


def _changed(tree: Tree, node: Node, changes: list[tuple[int, int, str]]) -> str:
    at, pieces = node.start, []
    for start, end, text in sorted(changes, key=lambda change: change[:2]):
        pieces += [tree.source[at:start], text.encode("utf-8")]
        at = end
    return b"".join([*pieces, tree.source[at : node.end]]).decode("utf-8")


def _main_class(tree: Tree) -> Node:
    for node in tree.types:
        if tree.name(node) == "Main":
            return node
    raise ValueError("a suite of Java assertions has no class Main")


def calls_in(tree: Tree, node: Node) -> list[Node]:
    """Return the calls of the object under test below a node, in the order of the source."""
    calls = []
    for inner in node.walk():
        receiver = inner.child("object") if inner.kind == "method_invocation" else None
        if receiver is not None and receiver.kind == "identifier" and tree.text(receiver) == RECEIVER:
            calls.append(inner)
    return calls


def as_suite(statements: str, imports: str = "") -> str:
    """Return a suite that runs statements, which create ``s`` and assert."""
    body = "\n".join(f"        {line}" for line in statements.strip().splitlines())
    main = f"    public static void main(String[] args) throws Exception {{\n{body}\n    }}"
    return f"{imports.rstrip()}\n\npublic class Main {{\n{main}\n}}\n".lstrip("\n")

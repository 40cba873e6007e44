"""Programs and inputs of questions about runtime behaviour. The model sees exactly the code that is executed.

All code that shows a result is removed: docstrings, because they contain examples, and the values that a test only
compares with.
"""

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lm_eval_codemind.data.facts.reval import Input, program_of
from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.languages.python.names import without_lines
from lm_eval_codemind.languages.python.unparse import unparse
from lm_eval_codemind.problems import Problem

# The number of the input of a program that has only one.
ONLY = "0"
# The function that records a value that a question asks for as output.
SEE = "_codemind_see"
_MASK = "??"
# Names in tests that do not belong to the program.
_NOT_OF_THE_PROGRAM = frozenset(dir(builtins)) | {"np", "math", "datetime", "timedelta", "deque", "Decimal"}


@dataclass(frozen=True)
class RuntimeInput:
    """One input of a program.

    Attributes:
        number: Its position among the program's inputs.
        code: The program that is shown and executed.
        input: The code that uses the program, with a call of :data:`SEE` for each possible output; for a script the
            text on standard input.
        set_up: Code that runs first. No question asks about it.
        before: Source that runs first, untraced. For a test it is the module, with ``input`` as the method's body.
        expression: The expression that is evaluated and traced; None for a script.
    """

    number: str
    code: str
    input: str
    set_up: str
    before: str
    expression: str | None

    def masked(self, outputs: Sequence[str | None]) -> str:
        """Return the input with ``??`` for each output that a question asks for.

        Args:
            outputs: The values, None for a value that is not asked for; empty if there is no question about outputs.
        """
        if self.expression is None:
            return _MASK
        waiting = list(outputs)
        statements = []
        for statement in ast.parse(self.input).body:
            seen = _seen(statement)
            text = unparse(statement if seen is None else seen)
            has_question = seen is not None and bool(waiting) and waiting.pop(0) is not None
            if has_question:
                statements.append(f"assert {text} == {_MASK}")
            elif not isinstance(seen, ast.Name):
                statements.append(text)
        return "\n".join(statements)


@lru_cache(maxsize=256)
def inputs_of(problem: Problem) -> tuple[RuntimeInput, ...]:
    """Return the inputs of a problem that questions may be about."""
    if problem.upstream_questions:
        program = program_of(problem)
        code = without_docstrings(program.code)
        make = _call if program.benchmark == "humaneval" else _test
        return tuple(result for original in program.inputs if (result := make(code, original)) is not None)
    kind = python_kind(problem)
    execution = kind.execution(replace(problem, code=""))
    if kind.printed:
        return (RuntimeInput(ONLY, problem.code, execution.stdin, "", "", None),)
    if not problem.input.strip():
        return ()
    call = kind.handing_output(problem, SEE)
    return (RuntimeInput(ONLY, problem.code, call, "", execution.module, f"{SEE}({execution.expression})"),)


def without_docstrings(code: str) -> str:
    """Return a program without its docstrings, because they contain examples of results."""
    gone: list[ast.stmt] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            texts = [each for each in node.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)]
            gone += texts if len(texts) < len(node.body) else []
    return without_lines(code, gone).strip("\n") + "\n"


def without_expectations(body: str) -> str:
    """Return a test method's body without its expected values.

    An assertion becomes a call of :data:`SEE` for each argument that the program computes. Inside a block it becomes
    the plain call, as a statement. An empty block is removed. Expected values are removed, and so are assignments that
    only assertions used. Assertions about exceptions are kept.
    """
    tree = ast.parse(body)
    plain: set[str] = set()
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    for statement in tree.body:
        name = _assigned(statement)
        if stored.count(name) == 1 and _is_expected(statement.value, plain):  # type: ignore[attr-defined]
            plain.add(name)
    used_before = _used(tree)
    tree.body = _without_assertions(tree.body, plain, top=True)
    unused = (plain & used_before) - _used(tree)
    tree.body = [statement for statement in tree.body if _assigned(statement) not in unused]
    return unparse(tree).removesuffix("\n")


def _call(code: str, original: Input) -> RuntimeInput:
    call = f"{SEE}({original.body})"
    return RuntimeInput(str(original.index), code, call, "", "", call)


def _test(code: str, original: Input) -> RuntimeInput | None:
    """Return a test method as an input; None if it reads its own file, or if no statement remains."""
    if "__file__" in original.body + original.set_up:
        return None
    body = without_expectations(original.body)
    if SEE not in body:
        return None
    tree = ast.parse(original.before)
    start = tree.body[-2]
    assert isinstance(start, ast.Assign) and isinstance(start.value, ast.Call)
    test_class, method = ast.unparse(start.value.func), ast.literal_eval(start.value.args[0])
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == test_class:
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == method:
                    each.body = ast.parse(body).body
    return RuntimeInput(str(original.index), code, body, original.set_up, ast.unparse(tree), original.expression)


def _is_expected(node: ast.expr, plain: set[str]) -> bool:
    """Whether an expression does not depend on the program."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names <= plain | _NOT_OF_THE_PROGRAM


def _assigned(statement: ast.stmt) -> str:
    """Return the name that a statement assigns if it assigns one name; otherwise ""."""
    match statement:
        case ast.Assign([ast.Name(name)]):
            return name
    return ""


def _used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _without_assertions(body: Sequence[ast.stmt], plain: set[str], top: bool) -> list[ast.stmt]:
    statements: list[ast.stmt] = []
    for statement in body:
        compared = _compared(statement)
        if compared is None:
            parts = [name for name in ("body", "orelse", "finalbody") if getattr(statement, name, None)]
            for name in parts:
                setattr(statement, name, _without_assertions(getattr(statement, name), plain, top=False))
            if not parts or statement.body or isinstance(statement, ast.With):  # type: ignore[attr-defined]
                statements.append(statement)
            continue
        for argument in compared:
            if top and not _is_expected(argument, plain):
                statements.append(ast.Expr(ast.Call(ast.Name(SEE, ast.Load()), [argument], [])))
            elif not top and any(isinstance(node, ast.Call) for node in ast.walk(argument)):
                statements.append(ast.Expr(argument))
    return statements


def _compared(statement: ast.stmt) -> list[ast.expr] | None:
    """Return the arguments that an assertion compares; None for any other statement."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(attr=name), arguments)) if name.startswith("assert"):
            if "Raises" not in name and "Warns" not in name:
                return arguments[: 1 if name in ("assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone") else 2]
    return None


def _seen(statement: ast.stmt) -> ast.expr | None:
    """Return the argument of a call of :data:`SEE`; None for any other statement."""
    match statement:
        case ast.Expr(ast.Call(ast.Name(name), [argument, *_])) if name == SEE:
            return argument
    return None

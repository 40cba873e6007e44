"""Loops replaced by what they did: a program and the decisions of one run give the program unrolled.

A loop becomes its body once an iteration. The iteration variable is assigned its value, or what an explicit iterator
gives where the value has no immutable literal. An ``if`` that holds a ``break`` or ``continue`` keeps its condition and
the branch that ran, without the jump; it is left out if nothing else is in that branch. Conditions of ``while`` are
left out. A condition whose evaluation may have an effect is always evaluated. ``else`` of a loop stays where it ran.
Every other condition, every ``return`` and comprehensions stay. A function whose loops did different things in
different calls becomes a copy for each. A loop that never ran is left out. All of this follows decisions that were
recorded, so nothing here executes a program.
"""

# ruff: noqa: SIM905

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lm_eval_codemind.languages.python.names import DEFINITIONS, called_name
from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse
from lm_eval_codemind.workshop.transforms.moving import JUMPS, jumps
from lm_eval_codemind.workshop.transforms.program import LOOPS
from lm_eval_codemind.workshop.transforms.scopes import FunctionNode

# The longest unrolled program, in characters. A program with more statements than this surely exceeds it.
MAX_CHARACTERS = 8_000
_MAX_STATEMENTS = 4_000

# Why a program has no unrolled form. A closed set: the errata group problems by it.
REASONS: dict[str, str] = {
    "size": f"the unrolled program is longer than {MAX_CHARACTERS:,} characters",
    "indirect": "a function that did different things in different calls is called indirectly",
    "repeated": "one expression, such as a comprehension, makes several calls that do different things",
    "decorated": "a decorated function did different things in different calls",
    "syntax": "a loop is in a place where it cannot be replaced, such as a class, or a jump is in `match` or `finally`",
    "output": "the unrolled program does not give the proven output, or not under every version of Python",
    "execution": "the run could not be recorded",
}

Record = Mapping[str, Any]
"""Number of a statement or call -> what it did; a call is the position of what it called among all executions."""
Execution = tuple[int, Record]
"""What the executions of a function had in common, those of one copy of it: the number of the function's definition
(-1 for the program itself), and the record."""

_NUMBERED = (FunctionNode, *LOOPS, *JUMPS, ast.If, ast.Call)

# What is taken to have no effect.
_PURE_CALLS = frozenset(
    """
    abs all any bool bytes chr dict divmod enumerate float frozenset int isinstance len list max min ord pow range repr
    reversed round set sorted str sum tuple type zip
    """.split()
)
_PURE_METHODS = frozenset(
    """
    copy count endswith find get index isalnum isalpha isdecimal isdigit islower isnumeric isspace issubset isupper
    items join keys lower lstrip replace rfind rstrip split splitlines startswith strip swapcase title upper values
    """.split()
)


class Unrollable(ValueError):
    """A program has no unrolled form; ``reason`` is a key of :data:`REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(REASONS[reason])
        self.reason = reason


class NumberedProgram:
    """A program's syntax tree with numbered nodes and with information about its loops."""

    def __init__(self, code: str) -> None:
        self.tree = ast.parse(code)
        self.functions: dict[int, FunctionNode] = {}
        numbered = (node for node in ast.walk(self.tree) if isinstance(node, _NUMBERED))
        for number, node in enumerate(numbered):
            node.number = number  # type: ignore[union-attr]
            if isinstance(node, FunctionNode):
                self.functions[number] = node
        self.names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        self.defined = {node.name for node in ast.walk(self.tree) if isinstance(node, DEFINITIONS)}
        self.concerned = self._concerned()

    def _concerned(self) -> set[str]:
        """Return the names of the functions that have loops or call, by name, such functions."""
        names: set[str] = set()
        while True:
            larger = {
                function.name
                for function in self.functions.values()
                if any(isinstance(node, LOOPS) or called_name(node) in names for node in own_nodes(function.body))
            }
            if larger == names:
                return names
            names = larger

    def pure(self, expression: ast.expr) -> bool:
        """Whether an expression seems to have no effect. The proof decides."""
        for node in ast.walk(expression):
            match node:
                case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.NamedExpr():
                    return False
                case ast.Call(ast.Attribute(ast.Name("math" | "string"))):
                    continue
                case ast.Call(function):
                    known = _PURE_METHODS if isinstance(function, ast.Attribute) else _PURE_CALLS
                    if called_name(node) not in known - self.defined:
                        return False
        return True


def unrolled(code: str, run: Sequence[Execution]) -> str:
    """Return the program with its loops replaced by what they did.

    Args:
        run: What ``utils/prove/prove_unrolled.py`` returned for a run of it.

    Raises:
        Unrollable: if that cannot be written, or not within :data:`MAX_CHARACTERS`.
    """
    try:
        text = unparse(_Unroller(NumberedProgram(code), run).module())
    except UnsupportedSyntaxError as error:
        raise Unrollable("syntax") from error
    if len(text) > MAX_CHARACTERS:
        raise Unrollable("size")
    return text.rstrip("\n") + "\n"


def own_nodes(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a body without those of functions, classes and lambdas in it."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def number_of(node: ast.AST) -> int:
    """Return the number of a node of a :class:`NumberedProgram`."""
    number: int = node.number  # type: ignore[attr-defined]
    return number


def suites_of(statement: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield where a compound statement other than a loop has suites: the node and the name of its field."""
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(statement, name, None), list):
            yield statement, name
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner, "body"


class CallRewriter(ast.NodeTransformer):
    """Rewrites the calls in a statement's own expressions: no suites, no lambdas."""

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Leave a lambda as it is."""
        return node

    def of(self, node: ast.AST) -> None:
        """Rewrite the calls of a statement, or of a part of one, in place."""
        for name, value in ast.iter_fields(node):
            if name == "decorator_list":
                continue
            if isinstance(value, ast.expr):
                setattr(node, name, self.visit(value))
            elif isinstance(value, list):
                for position, each in enumerate(value):
                    if isinstance(each, ast.expr):
                        value[position] = self.visit(each)
                    elif isinstance(each, ast.withitem):
                        self.of(each)


class _Renamed(CallRewriter):
    """Calls of the copies that were made of functions."""

    def __init__(self, record: Record, names: Sequence[str]) -> None:
        self._record = record
        self._names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = self._record.get(str(number_of(node)))
        if called is not None:
            name = self._names[called["call"]]
            if isinstance(node.func, ast.Name):
                node.func.id = name
            elif isinstance(node.func, ast.Attribute):
                node.func.attr = name
        return node


class _Unroller:
    def __init__(self, program: NumberedProgram, run: Sequence[Execution]) -> None:
        self._program = program
        self._run = run
        self._written = 0
        self._names = self._named()

    def _named(self) -> list[str]:
        """Return the name of each execution's copy; the first of a function has the function's own."""
        taken = self._program.names | self._program.defined
        taken |= {node.attr for node in ast.walk(self._program.tree) if isinstance(node, ast.Attribute)}
        names, seen = [], set()
        for definition, _ in self._run:
            function = self._program.functions.get(definition)
            name = function.name if function else ""
            if definition in seen:
                assert function is not None
                if any(ast.unparse(d) not in ("staticmethod", "classmethod") for d in function.decorator_list):
                    raise Unrollable("decorated")
                number = 2
                while f"{name}_{number}" in taken:
                    number += 1
                name = f"{name}_{number}"
                taken.add(name)
            seen.add(definition)
            names.append(name)
        return names

    def module(self) -> ast.Module:
        record = next((record for definition, record in self._run if definition == -1), {})
        body, _ = self._suite(self._program.tree.body, record, 0)
        return ast.fix_missing_locations(ast.Module(body, []))

    def _suite(self, suite: Sequence[ast.stmt], record: Record, depth: int) -> tuple[list[ast.stmt], bool]:
        """Return what a suite becomes, and whether a jump ended it."""
        written: list[ast.stmt] = []
        for statement in suite:
            new, jumped = self._statement(statement, record, depth)
            self._written += len(new)
            if self._written > _MAX_STATEMENTS:
                raise Unrollable("size")
            written += new
            if jumped:
                return written, True
        return written, False

    def _statement(self, statement: ast.stmt, record: Record, depth: int) -> tuple[list[ast.stmt], bool]:
        if isinstance(statement, JUMPS):
            return [], str(number_of(statement)) in record
        if isinstance(statement, FunctionNode):
            return self._copies(statement), False
        if isinstance(statement, ast.ClassDef):
            new = copy.copy(statement)
            new.body = [part for each in statement.body for part in self._statement(each, {}, 0)[0]] or [ast.Pass()]
            return [new], False
        if isinstance(statement, (ast.For, ast.While)):
            entry = record.get(str(number_of(statement)))
            if entry is None:
                return [], False
            unroll = self._for if isinstance(statement, ast.For) else self._while
            written = unroll(statement, entry, record, depth)  # type: ignore[arg-type]
            if not entry["end"]:
                return written, False
            after, jumped = self._suite(statement.orelse, record, depth)
            return [*written, *after], jumped
        if isinstance(statement, ast.If):
            return self._if(statement, record, depth)
        return self._other(statement, record, depth)

    def _copies(self, function: FunctionNode) -> list[ast.stmt]:
        if function.name not in self._program.concerned:
            return [copy.deepcopy(function)]
        ways = [
            (name, record)
            for name, (definition, record) in zip(self._names, self._run, strict=True)
            if definition == number_of(function)
        ]
        copies: list[ast.stmt] = []
        for name, record in ways or [(function.name, {})]:
            new = copy.copy(function)
            new.name = name
            body, _ = self._suite(function.body, record, 0)
            new.body = _without_unused(body) or [ast.Pass()]
            copies.append(new)
        return copies

    def _for(self, loop: ast.For, entry: Record, record: Record, depth: int) -> list[ast.stmt]:
        turns = entry["for"]
        written: list[ast.stmt] = []
        explicit = any(value is None for value, _ in turns)
        if not explicit and not self._program.pure(loop.iter):
            if isinstance(loop.iter, ast.Call) and called_name(loop.iter) == "range":
                written += [effect for each in loop.iter.args for effect in self._effect(each, record)]
            elif turns:
                explicit = True
            else:
                written += self._effect(loop.iter, record)
        iterator = self._iterator(depth)
        if explicit:
            call = ast.Call(ast.Name("iter", ast.Load()), [self._expression(loop.iter, record)], [])
            written.append(_assigned(ast.Name(iterator, ast.Store()), call))
        for value, within in turns:
            new = f"next({iterator})" if explicit else value
            written.append(_assigned(copy.deepcopy(loop.target), ast.parse(new, mode="eval").body))
            written += self._suite(loop.body, within, depth + 1)[0]
        return written

    def _while(self, loop: ast.While, entry: Record, record: Record, depth: int) -> list[ast.stmt]:
        written: list[ast.stmt] = []
        for entered, within in entry["while"]:
            written += self._effect(loop.test, within)
            if entered:
                written += self._suite(loop.body, within, depth + 1)[0]
        return written

    def _if(self, statement: ast.If, record: Record, depth: int) -> tuple[list[ast.stmt], bool]:
        ways = {True, False}
        if jumps([statement]):
            entry = record.get(str(number_of(statement)))
            if entry is None:
                return [], False
            ways = {bool(entry["if"])}
        body, jumped = self._suite(statement.body if True in ways else (), record, depth)
        orelse, jumped_else = self._suite(statement.orelse if False in ways else (), record, depth)
        jumped = jumped or jumped_else
        if not body and not orelse:
            return self._effect(statement.test, record), jumped
        new = copy.copy(statement)
        new.test = self._expression(statement.test, record)
        new.body, new.orelse = body or [ast.Pass()], orelse
        return [new], jumped

    def _other(self, statement: ast.stmt, record: Record, depth: int) -> tuple[list[ast.stmt], bool]:
        # A deep copy keeps the numbers of the nodes.
        new = copy.deepcopy(statement)
        _Renamed(record, self._names).of(new)
        jumped = left = False
        for owner, name in suites_of(new):
            if name == "orelse" and left:
                setattr(owner, name, [])
                continue
            body, ended = self._suite(getattr(owner, name), record, depth)
            left = left or (ended and name == "body" and owner is new)
            jumped = jumped or ended
            setattr(owner, name, body or ([ast.Pass()] if name == "body" or getattr(owner, name) else []))
        return [new], jumped

    def _effect(self, expression: ast.expr, record: Record) -> list[ast.stmt]:
        """Return a statement that only evaluates an expression, or nothing if that has no effect."""
        return [] if self._program.pure(expression) else [ast.Expr(self._expression(expression, record))]

    def _expression(self, expression: ast.expr, record: Record) -> ast.expr:
        holder = ast.Expr(copy.deepcopy(expression))
        _Renamed(record, self._names).of(holder)
        return holder.value

    def _iterator(self, depth: int) -> str:
        name = "iterator" if not depth else f"iterator_{depth + 1}"
        while name in self._program.names | self._program.defined:
            name += "_"
        return name


def _assigned(target: ast.expr, value: ast.expr) -> ast.Assign:
    return ast.Assign([target], value, lineno=1)


def _without_unused(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return a function's body without the inner functions, copies of one another, that nothing in it mentions."""
    copies = Counter(number_of(statement) for statement in body if isinstance(statement, FunctionNode))

    def is_unused(statement: ast.stmt) -> bool:
        if not isinstance(statement, FunctionNode) or copies[number_of(statement)] < 2:
            return False
        nodes = (node for other in body if other is not statement for node in ast.walk(other))
        return not any(isinstance(node, ast.Name) and node.id == statement.name for node in nodes)

    while unused := list(filter(is_unused, body)):
        body = [statement for statement in body if statement not in unused]
    return body

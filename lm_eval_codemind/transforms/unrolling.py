"""Loops replaced by what they did: a program and the decisions of one run give the program unrolled.

A loop becomes its body once an iteration. The iteration variable is assigned its value, or what an explicit iterator
gives where the value has no immutable literal. An ``if`` that holds a ``break`` or ``continue`` keeps its condition and
the branch that ran, without the jump; it is left out if nothing else is in that branch. Conditions of ``while`` are
left out. A condition whose evaluation may have an effect is always evaluated. ``else`` of a loop stays where it ran.
Every other condition, every ``return`` and comprehensions stay. A function whose loops did different things in
different calls becomes a copy for each. A loop that never ran is left out. All of this follows decisions that were
recorded, so nothing here executes a program.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse

# The longest unrolled program, in characters, and what surely exceeds it.
MAX_CHARACTERS = 8_000
_MAX_STATEMENTS = 4_000
_MAX_COPIES = 200

# Why a program has no unrolled form. A closed set: the errata group problems by it.
REASONS: dict[str, str] = {
    "size": f"the unrolled program is longer than {MAX_CHARACTERS:,} characters",
    "indirect": "a function that did different things is called where no call in the program names it",
    "repeated": "one place, such as a comprehension, calls a function that does different things",
    "decorated": "a decorated function did different things in different calls",
    "syntax": "a loop stands where it cannot be replaced, as in a class, or a jump in `match` or `finally`",
    "output": "the unrolled program does not give the proven output, or not under every version of Python",
    "execution": "the run could not be recorded",
}

Record = Mapping[str, Any]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_JUMPS = (ast.Break, ast.Continue)
_NUMBERED = (*_FUNCTIONS, *_LOOPS, *_JUMPS, ast.If, ast.Call)

# fmt: off
# What is taken to have no effect.
_PURE_CALLS = frozenset(
    (
        "abs", "all", "any", "bool", "bytes", "chr", "dict", "divmod", "enumerate", "float", "frozenset", "int",
        "isinstance", "len", "list", "max", "min", "ord", "pow", "range", "repr", "reversed", "round", "set", "sorted",
        "str", "sum", "tuple", "type", "zip"
    )
)
_PURE_METHODS = frozenset(
    (
        "copy", "count", "endswith", "find", "get", "index", "isalnum", "isalpha", "isdecimal", "isdigit", "islower",
        "isnumeric", "isspace", "issubset", "isupper", "items", "join", "keys", "lower", "lstrip", "replace", "rfind",
        "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper", "values"
    )
)
# fmt: on
_MODULES_OF_NUMBERS = frozenset({"math", "string"})


class Unrollable(ValueError):
    """A program has no unrolled form; ``reason`` is a key of :data:`REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(REASONS[reason])
        self.reason = reason


@dataclass(frozen=True)
class CopyRecord:
    """What the executions of a function had in common, those of one copy of it.

    Attributes:
        function: Number of the function's definition; -1 for the program itself.
        record: Number of a statement or call -> what it did; a call is the position of what it called among all
            executions of the program.
    """

    function: int
    record: Record


class _Program:
    """A program's tree with its nodes numbered, and what concerns loops in it."""

    def __init__(self, code: str) -> None:
        self.tree = ast.parse(code)
        self.functions: dict[int, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        numbered = (node for node in ast.walk(self.tree) if isinstance(node, _NUMBERED))
        for number, node in enumerate(numbered):
            node.number = number  # type: ignore[union-attr]
            if isinstance(node, _FUNCTIONS):
                self.functions[number] = node
        self.names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        self.defined = {node.name for node in ast.walk(self.tree) if isinstance(node, (*_FUNCTIONS, ast.ClassDef))}
        self.concerned = self._concerned()

    def _concerned(self) -> set[str]:
        """Return the names of the functions that have loops or call, by name, such functions."""
        names = {node.name for node in self.functions.values() if any(isinstance(n, _LOOPS) for n in _own(node.body))}
        while True:
            callers = {
                node.name
                for node in self.functions.values()
                if node.name not in names and any(_called(call) in names for call in _own(node.body))
            }
            if not callers:
                return names
            names |= callers

    def pure(self, expression: ast.expr) -> bool:
        """Tell whether leaving out an expression changes nothing, as far as can be seen; the proof decides."""
        for node in ast.walk(expression):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)):
                return False
            if isinstance(node, ast.Call):
                name, function = _called(node), node.func
                module = function.value if isinstance(function, ast.Attribute) else None
                if isinstance(module, ast.Name) and module.id in _MODULES_OF_NUMBERS:
                    continue
                known = _PURE_METHODS if isinstance(function, ast.Attribute) else _PURE_CALLS
                if name not in known or name in self.defined:
                    return False
        return True


def has_loops(code: str) -> bool:
    """Tell whether a program has a loop statement anywhere."""
    return any(isinstance(node, _LOOPS) for node in ast.walk(ast.parse(code)))


def instrumented(code: str) -> str:
    """Return the program rewritten so that it tells :mod:`~lm_eval_codemind.transforms.loop_recorder` what loops do.

    Raises:
        Unrollable: if a loop stands where it cannot be replaced.
    """
    return _Instrumenter(_Program(code)).source()


def executions(recorded: Mapping[str, Any]) -> list[CopyRecord]:
    """Return the executions of a program that differ, from what the recorder wrote.

    Frames of one function are one execution unless their loops did different things or they called, from the same
    place, what did different things: the coarsest such partition, found by refinement.

    Raises:
        Unrollable: if a place called several that differ, or one that differs is called from no known place.
    """
    if recorded["full"]:
        raise Unrollable("size")
    frames = recorded["frames"]
    classes = [frame[0] for frame in frames]
    count = len(set(classes))
    while True:
        several = _several(frames, classes)
        keys = [(frame[0], json.dumps(_signed(frame[2], frames, classes, several), sort_keys=True)) for frame in frames]
        order = {key: position for position, key in enumerate(dict.fromkeys(keys))}
        classes = [order[key] for key in keys]
        if len(order) > _MAX_COPIES:
            raise Unrollable("size")
        if len(order) == count:
            break
        count = len(order)
    several = _several(frames, classes)
    unnoted: dict[int, set[int]] = {}
    for (function, noted, _), kind in zip(frames, classes, strict=True):
        if function in several and not noted:
            unnoted.setdefault(function, set()).add(kind)
    if any(len(kinds) > 1 for kinds in unnoted.values()):
        raise Unrollable("indirect")
    first: dict[int, int] = {}
    for position, kind in enumerate(classes):
        first.setdefault(kind, position)
    # Who is called from no known place keeps its name, which the first of a function does.
    ranked = sorted(first, key=lambda kind: (kind not in unnoted.get(frames[first[kind]][0], ()), first[kind]))
    position_of = {kind: position for position, kind in enumerate(ranked)}
    places = [position_of[kind] for kind in classes]
    return [
        CopyRecord(frames[first[kind]][0], _signed(frames[first[kind]][2], frames, places, several, strict=True))
        for kind in ranked
    ]


def unrolled(code: str, run: Sequence[CopyRecord]) -> str:
    """Return the program with its loops replaced by what they did.

    Args:
        code: The program.
        run: What :func:`executions` returned for a run of it.

    Raises:
        Unrollable: if that cannot be written, or not within :data:`MAX_CHARACTERS`.
    """
    try:
        text = unparse(_Unroller(_Program(code), run).module())
    except UnsupportedSyntaxError as error:
        raise Unrollable("syntax") from error
    if len(text) > MAX_CHARACTERS:
        raise Unrollable("size")
    return text.rstrip("\n") + "\n"


def ran_a_loop(run: Iterable[CopyRecord]) -> bool:
    """Tell whether any loop statement was reached."""
    return any("for" in entry or "while" in entry for each in run for entry in each.record.values() if entry != 1)


def _several(frames: Sequence[Any], classes: Sequence[int]) -> set[int]:
    """Return the functions whose frames are of more than one class."""
    kinds: dict[int, set[int]] = {}
    for frame, kind in zip(frames, classes, strict=True):
        kinds.setdefault(frame[0], set()).add(kind)
    return {function for function, found in kinds.items() if len(found) > 1}


def _signed(
    record: Record, frames: Sequence[Any], classes: Sequence[int], several: set[int], strict: bool = False
) -> dict[str, Any]:
    """Return a record with the classes of called frames in place of the frames, where they matter."""
    signed: dict[str, Any] = {}
    for number, entry in record.items():
        if entry == 1 or "if" in entry:
            signed[number] = entry
        elif "call" in entry:
            kinds = sorted({classes[frame] for frame in entry["call"] if frames[frame][0] in several})
            if strict and len(kinds) > 1:
                raise Unrollable("repeated")
            if kinds:
                signed[number] = {"call": kinds[0] if strict else kinds}
        else:
            kind = "for" if "for" in entry else "while"
            turns = [[value, _signed(each, frames, classes, several, strict)] for value, each in entry[kind]]
            signed[number] = {kind: turns, "end": entry["end"]}
    return signed


def _own(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a body without those of functions, classes and lambdas in it."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _called(node: ast.AST) -> str | None:
    """Return the name that a call calls by; None for all else."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id
        if isinstance(node.func, ast.Attribute):
            return node.func.attr
    return None


def _jumps(statement: ast.AST) -> bool:
    """Tell whether a statement holds a jump of the loop around it."""
    if isinstance(statement, _JUMPS):
        return True
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return False
    if isinstance(statement, _LOOPS):
        return any(_jumps(each) for each in statement.orelse)
    return any(_jumps(child) for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.expr))


def _number(node: ast.AST) -> int:
    number: int = node.number  # type: ignore[attr-defined]
    return number


def _suites(statement: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield where a compound statement that is no loop has suites: the node and the name of its field."""
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(statement, name, None), list):
            yield statement, name
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner, "body"


def _check(statement: ast.stmt) -> None:
    """Raise if a statement holds a loop or a jump where it cannot be replaced."""
    jumping = isinstance(statement, ast.Match) and _jumps(statement)
    jumping = jumping or any(_jumps(each) for each in getattr(statement, "finalbody", ()))
    if jumping or isinstance(statement, ast.AsyncFor):
        raise Unrollable("syntax")
    if isinstance(statement, ast.ClassDef) and any(isinstance(node, _LOOPS) for node in _own(statement.body)):
        raise Unrollable("syntax")


class _Calls(ast.NodeTransformer):
    """Rewrites the calls in a statement's own expressions: no suites, no lambdas."""

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
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


class _Noted(_Calls):
    """Calls of functions with loops, noted in a record."""

    def __init__(self, concerned: set[str], inside: str) -> None:
        self._concerned = concerned
        self._inside = inside

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = _called(node)
        if name not in self._concerned:
            return node
        given = [ast.Name(self._inside, ast.Load()), ast.Constant(str(_number(node))), ast.Constant(name), node.func]
        return ast.Call(ast.Name("_u_call", ast.Load()), [*given, *node.args], node.keywords)


class _Renamed(_Calls):
    """Calls of the copies that were made of functions."""

    def __init__(self, record: Record, names: Sequence[str]) -> None:
        self._record = record
        self._names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = self._record.get(str(_number(node)))
        if called is not None:
            name = self._names[called["call"]]
            if isinstance(node.func, ast.Name):
                node.func.id = name
            elif isinstance(node.func, ast.Attribute):
                node.func.attr = name
        return node


class _Instrumenter:
    def __init__(self, program: _Program) -> None:
        self._program = program

    def source(self) -> str:
        body = self._program.tree.body
        future = [s for s in body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
        rest = [statement for statement in body if statement not in future]
        enter = ast.parse("_u_0 = _u_enter(-1, '')").body
        module = ast.Module([*future, *enter, *self._suite(rest, 0)], [])
        return ast.unparse(ast.fix_missing_locations(module))

    def _suite(self, suite: Sequence[ast.stmt], depth: int) -> list[ast.stmt]:
        return [new for statement in suite for new in self._statement(statement, depth)]

    def _statement(self, statement: ast.stmt, depth: int) -> list[ast.stmt]:
        _check(statement)
        inside = f"_u_{depth}"
        if isinstance(statement, _FUNCTIONS):
            if statement.name in self._program.concerned:
                entered = ast.parse(f"_u_0 = _u_enter({_number(statement)}, {statement.name!r})").body
                statement.body = [*entered, *self._suite(statement.body, 0)]
            return [statement]
        if isinstance(statement, ast.ClassDef):
            statement.body = [
                new
                for each in statement.body
                for new in (self._statement(each, 0) if isinstance(each, _FUNCTIONS) else [each])
            ]
            return [statement]
        if isinstance(statement, ast.While):
            return self._while(statement, depth)
        _Noted(self._program.concerned, inside).of(statement)
        if isinstance(statement, _JUMPS):
            return [*ast.parse(f"_u_jump({inside}, '{_number(statement)}')").body, statement]
        if isinstance(statement, ast.For):
            return [self._for(statement, depth)]
        if isinstance(statement, ast.If) and _jumps(statement):
            statement.test = _calling(f"_u_test({inside}, '{_number(statement)}')", statement.test)
        for owner, name in _suites(statement):
            setattr(owner, name, self._suite(getattr(owner, name), depth))
        return [statement]

    def _for(self, loop: ast.For, depth: int) -> ast.stmt:
        fresh = ast.Constant(isinstance(loop.iter, ast.Call))
        loop.iter = _calling(f"_u_items(_u_{depth}, '{_number(loop)}')", loop.iter, fresh)
        loop.target = ast.Tuple([ast.Name(f"_u_{depth + 1}", ast.Store()), loop.target], ast.Store())
        loop.body = self._suite(loop.body, depth + 1)
        loop.orelse = self._suite(loop.orelse, depth)
        return loop

    def _while(self, loop: ast.While, depth: int) -> list[ast.stmt]:
        entry, inner = f"_u_loop_{depth}", f"_u_{depth + 1}"
        # The condition belongs to the turn: the calls in it are noted there.
        condition = ast.Expr(loop.test)
        _Noted(self._program.concerned, inner).of(condition)
        begun = ast.parse(f"({inner} := _u_turn({entry})) is None", mode="eval").body
        loop.test = ast.BoolOp(ast.Or(), [begun, condition.value])
        loop.body = [*ast.parse(f"_u_body({entry})").body, *self._suite(loop.body, depth + 1)]
        loop.orelse = [*ast.parse(f"_u_end({entry})").body, *self._suite(loop.orelse, depth)]
        return [*ast.parse(f"{entry} = _u_start(_u_{depth}, '{_number(loop)}')").body, loop]


def _calling(text: str, *arguments: ast.expr) -> ast.expr:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    call.args.extend(arguments)
    return call


class _Unroller:
    def __init__(self, program: _Program, run: Sequence[CopyRecord]) -> None:
        self._program = program
        self._run = run
        self._written = 0
        self._names = self._named()

    def _named(self) -> list[str]:
        """Return the name of each execution's copy; the first of a function has the function's own."""
        taken = self._program.names | self._program.defined
        taken |= {node.attr for node in ast.walk(self._program.tree) if isinstance(node, ast.Attribute)}
        names, seen = [], set()
        for each in self._run:
            function = self._program.functions.get(each.function)
            name = function.name if function else ""
            if each.function in seen:
                assert function is not None
                if any(ast.unparse(d) not in ("staticmethod", "classmethod") for d in function.decorator_list):
                    raise Unrollable("decorated")
                number = 2
                while f"{name}_{number}" in taken:
                    number += 1
                name = f"{name}_{number}"
                taken.add(name)
            seen.add(each.function)
            names.append(name)
        return names

    def module(self) -> ast.Module:
        record = next((each.record for each in self._run if each.function == -1), {})
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
        if isinstance(statement, _JUMPS):
            return [], str(_number(statement)) in record
        if isinstance(statement, _FUNCTIONS):
            return self._copies(statement), False
        if isinstance(statement, ast.ClassDef):
            new = copy.copy(statement)
            new.body = [part for each in statement.body for part in self._statement(each, {}, 0)[0]] or [ast.Pass()]
            return [new], False
        if isinstance(statement, (ast.For, ast.While)):
            entry = record.get(str(_number(statement)))
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

    def _copies(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        """Return a function's definition, once for each of the ways that it ran."""
        if function.name not in self._program.concerned:
            return [copy.deepcopy(function)]
        ways = [
            (name, each.record)
            for name, each in zip(self._names, self._run, strict=True)
            if each.function == _number(function)
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
            arguments = loop.iter.args if isinstance(loop.iter, ast.Call) and _called(loop.iter) == "range" else None
            explicit = arguments is None and bool(turns)
            for each in arguments if arguments is not None else [] if turns else [loop.iter]:
                written += self._effect(each, record)
        iterator = self._iterator(depth)
        if explicit:
            given = _calling("iter()", self._expression(loop.iter, record))
            written.append(_assigned(ast.Name(iterator, ast.Store()), given))
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
        if _jumps(statement):
            entry = record.get(str(_number(statement)))
            if entry is None:
                return [], False
            written, jumped = self._suite(statement.body if entry["if"] else statement.orelse, record, depth)
            if not written:
                return self._effect(statement.test, record), jumped
            decided = copy.copy(statement)
            decided.test = self._expression(statement.test, record)
            decided.body = written if entry["if"] else [ast.Pass()]
            decided.orelse = [] if entry["if"] else written
            return [decided], jumped
        new = copy.copy(statement)
        new.test = self._expression(statement.test, record)
        new.body, _ = self._suite(statement.body, record, depth)
        new.orelse, _ = self._suite(statement.orelse, record, depth)
        if not new.body and not new.orelse:
            return self._effect(statement.test, record), False
        new.body = new.body or [ast.Pass()]
        return [new], False

    def _other(self, statement: ast.stmt, record: Record, depth: int) -> tuple[list[ast.stmt], bool]:
        if not any(True for _ in _suites(statement)):
            new = copy.deepcopy(statement)
            _Renamed(record, self._names).of(new)
            return [new], False
        # A deep copy keeps the numbers of the nodes.
        compound = copy.deepcopy(statement)
        _Renamed(record, self._names).of(compound)
        jumped = left = False
        for owner, name in _suites(compound):
            if name == "orelse" and left:
                setattr(owner, name, [])
                continue
            body, ended = self._suite(getattr(owner, name), record, depth)
            left = left or (ended and name == "body" and owner is compound)
            jumped = jumped or ended
            setattr(owner, name, body or ([ast.Pass()] if name == "body" or getattr(owner, name) else []))
        return [compound], jumped

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
    numbers: dict[int, list[ast.stmt]] = {}
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            numbers.setdefault(_number(statement), []).append(statement)
    copies = [each for group in numbers.values() if len(group) > 1 for each in group]
    while copies:
        unused = [
            each
            for each in copies
            if not any(
                isinstance(node, ast.Name) and node.id == each.name  # type: ignore[attr-defined]
                for other in body
                if other is not each
                for node in ast.walk(other)
            )
        ]
        if not unused:
            break
        body = [statement for statement in body if statement not in unused]
        copies = [each for each in copies if each not in unused]
    return body

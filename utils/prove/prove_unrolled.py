"""Unroll the benchmarks' programs, execute the result, and write the decisions that the package ships.

    python utils/prove/prove_unrolled.py prove [--benchmark NAME ...]

The data comes from `codemind data build`. Read the names that it prints before committing.
"""

import ast
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import loop_recorder
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.names import called_name
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox
from lm_eval_codemind.workshop.facts.labels import observed_label, prints_the_same
from lm_eval_codemind.workshop.facts.unrolled import program_digest
from lm_eval_codemind.workshop.transforms.moving import JUMPS, jumps
from lm_eval_codemind.workshop.transforms.program import LOOPS
from lm_eval_codemind.workshop.transforms.scopes import FunctionNode
from lm_eval_codemind.workshop.transforms.unrolling import (
    CallRewriter,
    Execution,
    NumberedProgram,
    Record,
    Unrollable,
    number_of,
    own_nodes,
    suites_of,
    unrolled,
)
from options import benchmarks_of
from prove_executions import run_all
from ship import save

NAMES = ("sample", "humaneval", "cruxeval", "avatar", "classeval")

_NAMES = benchmarks_of(NAMES)
_WORKERS = click.option("--workers", default=len(os.sched_getaffinity(0)), show_default=True)

Shipped = Mapping[str, Any]

LIMITS = Limits(cpu_seconds=60, wall_seconds=180, output_bytes=64 << 20)
# Iterations and calls that are recorded: more than an unrolled program that can be shown has.
MAX_EVENTS = 20_000


def prove_unrolled(problems: Iterable[Problem], sandbox: Sandbox) -> dict[str, Shipped]:
    """Return the record of each problem whose program has loops."""
    asked = [problem for problem in problems if problem.output is not None and has_loops(problem.code)]
    records: dict[str, Shipped] = {}
    sources: dict[str, tuple[str, str]] = {}
    for problem in asked:
        try:
            sources[problem.problem_id] = _recording_source(problem)
        except Unrollable as error:
            records[problem.problem_id] = {"reason": error.reason}
    recorder = Path(loop_recorder.__file__).read_text(encoding="utf-8")
    seen = dict(zip(sources, run_all(sys.executable, 1, recorder, list(sources.values())), strict=True))
    proving = []
    for problem in asked:
        if problem.problem_id in records:
            continue
        if (recorded := seen[problem.problem_id]) is None:
            records[problem.problem_id] = {"reason": "execution"}
            continue
        try:
            run = tuple(executions(recorded))
            if not ran_a_loop(run):
                continue
            text = unrolled(problem.code, run)
        except Unrollable as error:
            records[problem.problem_id] = {"reason": error.reason}
            continue
        records[problem.problem_id] = {"digest": program_digest(text), "run": [list(execution) for execution in run]}
        proving.append((problem, sandbox.submit(job(problem, text))))
    for problem, future in proving:
        if not gives_output(problem, future.result()):
            records[problem.problem_id] = {"reason": "output"}
    return records


def job(problem: Problem, code: str) -> Job:
    """Return the job that executes a program on a problem's input and gives what the proof of its label was given."""
    execution = kind_of(problem).execution(replace(problem, code=code))
    if execution.expression is None:
        return Job.script(execution.module, [(execution.stdin, None)], limits=LIMITS, job_id=problem.problem_id)
    return Job.evaluate(execution.module, [execution.expression.strip()], limits=LIMITS, job_id=problem.problem_id)


def gives_output(problem: Problem, outcome: Outcome) -> bool:
    """Whether a run gave a problem's proven output."""
    if problem.output is None or not outcome.observations:
        return False
    (seen,) = outcome.observations
    if kind_of(problem).printed:
        return seen.status == "passed" and not seen.exception_type and prints_the_same(seen.stdout, problem.output)
    text = None if seen.exception_type else observed_label(seen.literal)
    return text is not None and text == observed_label(problem.output)


def _recording_source(problem: Problem) -> tuple[str, str]:
    """Return the source of a program that records a problem's run and prints the record, and its standard input."""
    execution = kind_of(problem).execution(replace(problem, code=instrumented(problem.code)))
    expression = None if execution.expression is None else execution.expression.strip()
    recorded = f"record({execution.module!r}, {expression!r}, {execution.stdin!r}, {MAX_EVENTS})"
    return f"import json\nfound = {recorded}\nprint()\nprint(json.dumps(found))", execution.stdin


MAX_COPIES = 200


def has_loops(code: str) -> bool:
    """Whether a program has a loop statement anywhere."""
    return any(isinstance(node, LOOPS) for node in ast.walk(ast.parse(code)))


def instrumented(code: str) -> str:
    """Return the program rewritten so that it tells :mod:`loop_recorder` what loops do."""
    return _Instrumenter(NumberedProgram(code)).source()


def executions(recorded: Mapping[str, Any]) -> list[Execution]:
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
        if len(order) > MAX_COPIES:
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
        (frames[first[kind]][0], _signed(frames[first[kind]][2], frames, places, several, strict=True))
        for kind in ranked
    ]


def ran_a_loop(run: Iterable[Execution]) -> bool:
    """Whether a recorded run entered a loop."""
    return any("for" in entry or "while" in entry for _, record in run for entry in record.values() if entry != 1)


def _several(frames: Sequence[Any], classes: Sequence[int]) -> set[int]:
    kinds: dict[int, set[int]] = {}
    for frame, kind in zip(frames, classes, strict=True):
        kinds.setdefault(frame[0], set()).add(kind)
    return {function for function, objects in kinds.items() if len(objects) > 1}


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


class _Noted(CallRewriter):
    def __init__(self, concerned: set[str], inside: str) -> None:
        self._concerned = concerned
        self._inside = inside

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = called_name(node)
        if name not in self._concerned:
            return node
        arguments = [
            ast.Name(self._inside, ast.Load()),
            ast.Constant(str(number_of(node))),
            ast.Constant(name),
            node.func,
        ]
        return ast.Call(ast.Name("_u_call", ast.Load()), [*arguments, *node.args], node.keywords)


class _Instrumenter:
    def __init__(self, program: NumberedProgram) -> None:
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
        _check_supported(statement)
        inside = f"_u_{depth}"
        if isinstance(statement, FunctionNode):
            if statement.name in self._program.concerned:
                entered = ast.parse(f"_u_0 = _u_enter({number_of(statement)}, {statement.name!r})").body
                statement.body = [*entered, *self._suite(statement.body, 0)]
            return [statement]
        if isinstance(statement, ast.ClassDef):
            statement.body = [
                new
                for each in statement.body
                for new in (self._statement(each, 0) if isinstance(each, FunctionNode) else [each])
            ]
            return [statement]
        if isinstance(statement, ast.While):
            return self._while(statement, depth)
        _Noted(self._program.concerned, inside).of(statement)
        if isinstance(statement, JUMPS):
            return [*ast.parse(f"_u_jump({inside}, '{number_of(statement)}')").body, statement]
        if isinstance(statement, ast.For):
            return [self._for(statement, depth)]
        if isinstance(statement, ast.If) and jumps([statement]):
            statement.test = _calling(f"_u_test({inside}, '{number_of(statement)}')", statement.test)
        for owner, name in suites_of(statement):
            setattr(owner, name, self._suite(getattr(owner, name), depth))
        return [statement]

    def _for(self, loop: ast.For, depth: int) -> ast.stmt:
        fresh = ast.Constant(isinstance(loop.iter, ast.Call))
        loop.iter = _calling(f"_u_items(_u_{depth}, '{number_of(loop)}')", loop.iter, fresh)
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
        return [*ast.parse(f"{entry} = _u_start(_u_{depth}, '{number_of(loop)}')").body, loop]


def _check_supported(statement: ast.stmt) -> None:
    """Raise if a statement holds a loop or a jump where it cannot be replaced."""
    jumping = (isinstance(statement, ast.Match) and jumps([statement])) or jumps(getattr(statement, "finalbody", ()))
    if jumping or isinstance(statement, ast.AsyncFor):
        raise Unrollable("syntax")
    if isinstance(statement, ast.ClassDef) and any(isinstance(node, LOOPS) for node in own_nodes(statement.body)):
        raise Unrollable("syntax")


def _calling(text: str, *arguments: ast.expr) -> ast.expr:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    call.args.extend(arguments)
    return call


@click.group()
def main() -> None:
    """Prove unrolled programs."""


@main.command()
@_NAMES
@_WORKERS
def prove(names: tuple[str, ...], workers: int) -> None:
    """Record, unroll and execute."""
    with Sandbox(workers=workers, hash_seed=1) as sandbox:
        for name in names:
            _write(name, prove_unrolled(load_benchmark(name), sandbox))


def _write(name: str, records: Mapping[str, Shipped]) -> None:
    file = save(f"unrolled_runs/{name}.json.gz", records)
    count = sum("run" in each for each in records.values())
    reasons = Counter(each["reason"] for each in records.values() if "reason" in each)
    click.echo(f"{name}: {count} unrolled, {file.stat().st_size:,} bytes; left out {dict(reasons)}")
    for problem_id, each in records.items():
        if each.get("reason", "size") != "size":
            click.echo(f"  {problem_id}: {each['reason']}")


if __name__ == "__main__":
    main()

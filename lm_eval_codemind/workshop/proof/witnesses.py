"""What programs do on further inputs, and the proof of witnesses: the same under all circumstances."""

from __future__ import annotations

import ast
import base64
import builtins
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from importlib.resources import files

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.facts.witnesses import OF_PROGRAM, OF_SPECIFICATION
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.names import imported_modules
from lm_eval_codemind.languages.python.witnesses import RAISES
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.sandbox import Job, Limits, Sandbox, ScriptCase
from lm_eval_codemind.workshop.proof.equivalence import SingleThreadedMap
from lm_eval_codemind.workshop.proof.observing import NOTHING, RAISED, VALUE
from lm_eval_codemind.workshop.proof.prove import CIRCUMSTANCES, prelude_of
from lm_eval_codemind.workshop.proof.suites import differing_lists
from lm_eval_codemind.workshop.seeded import SeededPool

BENCHMARKS = (
    *("humaneval", "cruxeval", "classeval", "avatar", "avatar_java", "codenet_python", "codenet_java"),
    *("sample", "sample_java"),
)
"""The benchmarks with witnesses of the program. A benchmark in Java comes after its counterpart in Python."""
SPECIFIED = ("humaneval", "mbpp", "humanevalfix")
"""The benchmarks with witnesses of the specification."""
SETS = {OF_PROGRAM: BENCHMARKS, OF_SPECIFICATION: SPECIFIED}
"""The sets of witnesses, with their benchmarks."""
LONGEST = 1_000
"""The longest output of a witness, in characters."""
SECONDS = 0.5
"""The processor time of a run on a witness."""

_LIMITS_OF_SCRIPT = Limits(cpu_seconds=2, wall_seconds=20)
_LIMITS_OF_MACHINE = Limits(cpu_seconds=10, wall_seconds=60)
_LIMITS = Limits(cpu_seconds=4, wall_seconds=10)
_LIMITS_OF_OTHERS = Limits(cpu_seconds=0.8, wall_seconds=10)
# A program that names one of them runs under another clock, too.
_CLOCKS = ("time", "date")
_BY_CHANCE = "import random\nrandom.seed()\n"

Executor = Sandbox | SingleThreadedMap


def observe(
    sandbox: Executor,
    problem: Problem,
    programs: Sequence[str],
    inputs: Sequence[str],
    before: str = "",
    seconds: float = SECONDS,
) -> list[list[str]]:
    """Return what programs in Python do on inputs, as :mod:`.observing` writes it: a row for each program.

    A program that ends the process is observed as nothing. So are the inputs on which the problem's own program does
    so, which are found by halves.

    Args:
        sandbox: Runs the programs.
        problem: Says what kind of programs and inputs these are.
        programs: Their sources.
        inputs: In the form of ``problem.input``.
        before: Statements that run once, before all programs.
        seconds: Processor time of a run. A program other than the problem's own that exceeds it is not run again.
    """
    rows: list[list[str]] = [] if inputs else [[] for _ in programs]
    while len(rows) < len(programs):
        left = programs[len(rows) :]
        (outcome,) = sandbox.run([_job(problem, left, inputs, before, seconds)])
        literals = [one.literal for one in outcome.observations]
        # A job ends with the program that ends the process.
        whole = literals[: literals.index(None)] if None in literals else literals
        rows += [ast.literal_eval(literal) for literal in whole if literal is not None]
        if whole:
            continue
        if left[0] != problem.code or len(inputs) < 2:
            rows.append([NOTHING] * len(inputs))
            continue
        half = len(inputs) // 2
        parts = [observe(sandbox, problem, left[:1], part, before, seconds) for part in (inputs[:half], inputs[half:])]
        rows.append([*parts[0][0], *parts[1][0]])
    return rows


def proven(sandboxes: Mapping[int, Executor], problem: Problem, inputs: Sequence[str]) -> list[Case]:
    """Return those of the inputs, with their outputs, on which C does the same under all circumstances.

    Args:
        sandboxes: One for each hash seed of the circumstances.
        problem: Has the program C.
        inputs: In the form of ``problem.input``.
    """
    columns: list[list[str]] = []
    kind = kind_of(problem)
    clock = any(name in f"{problem.code}{problem.input}" for name in _CLOCKS)
    for turn, circumstance in enumerate(CIRCUMSTANCES):
        # What one input leaves behind must not matter for another one.
        ordered = list(inputs) if turn % 2 == 0 else list(inputs)[::-1]
        before = prelude_of(circumstance) if clock else _BY_CHANCE
        (row,) = observe(sandboxes[circumstance.hash_seed], problem, [problem.code], ordered, before)
        columns.append(row if turn % 2 == 0 else row[::-1])
    cases = []
    for text, observed in zip(inputs, zip(*columns, strict=True), strict=True):
        output = output_of(observed[0], kind.printed)
        if len(set(observed)) == 1 and output is not None:
            cases.append(Case(text, output))
    return cases


def agreed(sandbox: Executor, problem: Problem, cases: Sequence[Case]) -> list[Case]:
    """Return those of the witnesses that C and C+ pass together, as a suite: one may leave something behind for others.

    Without C+, C decides alone.
    """
    kind = kind_of(problem)

    def passes(cases: Sequence[Case]) -> bool:
        suite = kind.witness_suite(dataclasses.replace(problem, witnesses=tuple(cases)))
        if suite is None:
            return True
        programs = {problem.code, problem.transformed or problem.code}
        jobs = [kind.suite_job(suite, program, limits=limits_of(problem)) for program in programs]
        return all(outcome.passed for outcome in sandbox.run(jobs))

    if passes(cases):
        return list(cases)
    kept: list[Case] = []
    for case in cases:
        kept += [case] if passes([*kept, case]) else []
    return kept


def printed(sandbox: Executor, problem: Problem, inputs: Sequence[str]) -> list[str | None]:
    """Return what a script in Java prints for each input; None where it fails.

    One virtual machine runs it on many inputs. It gets one of its own for an input on which that ends the machine, or
    does not end.
    """
    outputs: list[str | None] = []
    while len(outputs) < len(inputs):
        left = inputs[len(outputs) :]
        together = _together(sandbox, problem, left)
        outputs += together
        # A program that ends the machine on its first input does so on all.
        alone = left[len(together) : len(together) + 1] if together else left
        outputs += [_alone(sandbox, problem, text) for text in alone]
    return outputs


def _together(sandbox: Executor, problem: Problem, inputs: Sequence[str]) -> list[str | None]:
    """Return what a script in Java prints for the first inputs, all in one virtual machine."""
    runs = (files(__package__) / "ScriptRuns.java").read_text(encoding="utf-8")
    lines = "".join(f"{base64.b64encode(text.encode()).decode()}\n" for text in inputs)
    job = kind_of(problem).suite_job(problem, problem.code, limits=_LIMITS_OF_MACHINE)
    program, case = f"{job.program}\n{runs}", ScriptCase(lines)
    (outcome,) = sandbox.run([dataclasses.replace(job, program=program, cases=(case,), entry_point="ScriptRuns")])
    seen = outcome.observations[0].stdout if outcome.observations else ""
    printed = seen.split("\n")[:-1]
    return [None if line == "-" else base64.b64decode(line).decode("utf-8", "replace") for line in printed]


def _alone(sandbox: Executor, problem: Problem, input: str) -> str | None:
    job = kind_of(problem).suite_job(problem, problem.code, limits=_LIMITS_OF_SCRIPT)
    (outcome,) = sandbox.run([dataclasses.replace(job, cases=(ScriptCase(input),))])
    return outcome.observations[0].stdout if outcome.passed else None


def witness_jobs(problems: Iterable[Problem]) -> dict[str, Job]:
    """Return the jobs that run problems' own programs against their witnesses, by problem, where these have a list."""
    suites = ((problem, kind_of(problem).witness_suite(problem)) for problem in problems)
    return {
        f"{problem.benchmark}/{problem.problem_id}": kind_of(problem).suite_job(suite, problem.code)
        for problem, suite in suites
        if suite is not None and suite.tests.strip() and not kind_of(problem).printed
    }


def verify_witnesses(name: str, workers: int = 1, kind: str = OF_PROGRAM) -> tuple[int, list[str]]:
    """Execute a benchmark's programs on its witnesses of one set again, and record the steps of their suites.

    Returns:
        The number of witnesses, and the names of the problems of which anything differs.
    """
    problems = [problem for problem in load_benchmark(name, kind) if problem.witnesses]
    with ExitStack() as stack:
        sandbox = SingleThreadedMap(stack.enter_context(Sandbox(workers)))
        sandboxes = seeded(stack, workers, sandbox)
        pools = [SingleThreadedMap(stack.enter_context(SeededPool(seed, workers)), sandbox) for seed in (0, 1)]

        def same(one: Problem) -> bool:
            inputs = [case.input for case in one.witnesses]
            if one.language == "python":
                # Who writes from the specification knows no C+.
                judged = one if kind == OF_PROGRAM else dataclasses.replace(one, transformed="")
                return tuple(agreed(sandbox, judged, proven(sandboxes, one, inputs))) == one.witnesses
            runs = [printed(pool, one, inputs) for pool in pools]
            return all(_lines(run) == _lines([case.output for case in one.witnesses]) for run in runs)

        good = list(sandbox.map(same, problems))
    differing = [problem.problem_id for problem, is_good in zip(problems, good, strict=True) if not is_good]
    differing += differing_lists(witness_jobs(problems), workers)[1]
    return sum(len(problem.witnesses) for problem in problems), differing


def _lines(outputs: Sequence[str | None]) -> list[list[str] | None]:
    """Return outputs as they are compared: of two programs that print the same, only one may end with a line feed."""
    return [None if text is None else printed_lines(text) for text in outputs]


def seeded(stack: ExitStack, workers: int, turn: SingleThreadedMap) -> dict[int, Executor]:
    """Return a sandbox for each hash seed of the circumstances, which the stack closes."""
    seeds = sorted({circumstance.hash_seed for circumstance in CIRCUMSTANCES})
    return {seed: SingleThreadedMap(stack.enter_context(Sandbox(workers, hash_seed=seed)), turn) for seed in seeds}


def output_of(observation: str, printed: bool) -> str | None:
    """Return the output of a witness; None if an observation is no output.

    A script that fails has none. An exception that a program defines is none either.
    """
    if observation.startswith(VALUE) and (observation[1:].strip() or not printed):
        return observation[1:]
    exception = getattr(builtins, observation[1:], None) if observation.startswith(RAISED) and not printed else None
    # An error of encoding needs five arguments: no list has it.
    ordinary = (
        isinstance(exception, type) and issubclass(exception, Exception) and not issubclass(exception, UnicodeError)
    )
    return f"{RAISES}{observation[1:]}" if ordinary else None


def _imported(program: str) -> frozenset[str]:
    try:
        return imported_modules(program)
    except SyntaxError:
        return frozenset()


def _job(problem: Problem, programs: Sequence[str], inputs: Sequence[str], before: str, seconds: float) -> Job:
    kind, runs = kind_of(problem), []
    for text in inputs:
        execution = kind.execution(dataclasses.replace(problem, code="", input=text))
        prepare = execution.module if execution.expression is not None else ""
        runs.append({"stdin": execution.stdin, "before": prepare, "expression": (execution.expression or "").strip()})
    source = (files(__package__) / "observing.py").read_text(encoding="utf-8")
    # The sandbox imports ahead what sources import.
    names = {name for program in (*programs[:2], before) for name in _imported(program)} - {"__future__"}
    ahead = "if False:\n    pass\n" + "".join(f"    import {name}\n" for name in sorted(names))
    module = f"{source}\n{ahead}\nRUNS = {runs!r}\nexec({before!r}, {{}})\n"
    calls = [
        f"observe({program!r}, RUNS, {kind.printed}, {seconds}, {LONGEST}, {program == problem.code})"
        for program in programs
    ]
    limits = _LIMITS if programs[0] == problem.code else _LIMITS_OF_OTHERS
    return Job.evaluate(module, calls, limits=limits, job_id=problem.problem_id)

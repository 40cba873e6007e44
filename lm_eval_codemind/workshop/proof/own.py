"""Programs of the user's own: their outputs and executions, proven here.

A label is proven if many runs agree: with several hash seeds, without fixed random seeds, with the clock more than a
year apart, and with both ways in which versions of Python add floats.
"""

import ast
import dataclasses
import importlib.util
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import TypeVar

from lm_eval_codemind.data.facts.executions import ProgramExecution
from lm_eval_codemind.data.facts.fresh import Fresh
from lm_eval_codemind.data.facts.runtime_inputs import ONLY, inputs_of
from lm_eval_codemind.data.facts.runtime_labels import InputLabels
from lm_eval_codemind.data.making import Execution as Run
from lm_eval_codemind.data.making import Proven
from lm_eval_codemind.data.own import name_and_call
from lm_eval_codemind.errors import MissingExtra, UserError
from lm_eval_codemind.languages.python.kinds import after_future_imports
from lm_eval_codemind.languages.python.names import module_names
from lm_eval_codemind.languages.python.units import CodeUnit, units
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.sandbox import Job
from lm_eval_codemind.workshop.proof.executions import MAX_STEPS, MAX_VALUE, chosen, events, target_of
from lm_eval_codemind.workshop.proof.fresh import make_fresh
from lm_eval_codemind.workshop.proof.prove import ADDITIONS, CIRCUMSTANCES, USE_ADDITION
from lm_eval_codemind.workshop.proof.prove_outputs import CAUSES, outputs_in, seeded_pools
from lm_eval_codemind.workshop.proof.runtime_questions import MAX_VALUE as MAX_OUTPUT
from lm_eval_codemind.workshop.proof.runtime_questions import Observed, agreeing, choose, seen_lines
from lm_eval_codemind.workshop.python.tracing import Trace, TraceFailed, Value, read_trace, result_of, tracing_job
from lm_eval_codemind.workshop.seeded import SeededPool

OWN = "own"
"""The name of the benchmark of these programs."""

P = TypeVar("P", bound=Problem)

_HASH_SEEDS = (1, 2, 3, 4, 5, 6)
_SEED = "codemind own 1"
_SHIFTED = "import time_machine as _machine\n_machine.travel({start}, tick=True).start()\n"


def own_problem(name: str, code: str, call: str | None, stdin: str | None, examples: Sequence[str] = ()) -> Problem:
    """Return a program of the user as a problem without an output.

    Args:
        call: The call whose value is the output, of a function or a method; None for a script.
        stdin: What a script reads; None for a call.
        examples: Other valid inputs of the program.

    Raises:
        UserError: If there are a call and standard input, or neither; the program does not parse; or the call is no
            call.
    """
    if (call is None) == (stdin is None):
        raise UserError("a program needs either a call or the text on standard input")
    try:
        defined = module_names(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"the program is not Python ({error}); fix it first") from error
    # In a shell, the line feed at the end of a text is easily forgotten.
    cases = tuple(Case(_with_end(text) if call is None else text, "") for text in examples)
    if call is None:
        return Problem(name, OWN, "script", "python", code, "", _with_end(stdin or ""), None, cases=cases)
    try:
        body = ast.parse(call.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{call!r} is not a Python expression ({error}); give a call") from error
    entry_point = _entry_point(body, defined)
    if not (isinstance(body, ast.Call) and entry_point):
        raise UserError(f"{call!r} is not a call of a function; give one such as 'f(1)'")
    return Problem(name, OWN, "function", "python", code, entry_point, call, None, cases=cases)


def _entry_point(call: ast.expr, defined: set[str]) -> str:
    """Return the name of the program that a call is about; of none of the program, what it calls by name; or "".

    In ``list(Box(2).items())`` it is ``Box``, and in ``Box.of(3)`` as well.
    """
    calls = [node.func for node in ast.walk(call) if isinstance(node, ast.Call)]
    called = [node.id for node in calls if isinstance(node, ast.Name)]
    names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
    return next(iter([name for name in (*called, *names) if name in defined] or called), "")


def prove_programs(
    problems: Sequence[Problem], inputs: int, seed: int
) -> tuple[list[tuple[Problem, ProgramExecution]], dict[str, str]]:
    """Return programs with their output and execution, and the reason for each one that is left out, by problem id.

    Args:
        problems: What :func:`own_problem` returned.
        inputs: The number of fresh inputs for each program, in addition to its own input. Some programs have fewer. The
            problem of a fresh input is named ``NAME#NUMBER``.
        seed: The seed of the fresh inputs.

    Raises:
        MissingExtra: If ``time-machine`` is not installed.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    if importlib.util.find_spec("time_machine") is None:
        raise MissingExtra(
            "labels are proven with another clock, and time-machine is not installed; "
            "run `pip install 'lm-eval-codemind[training]'`"
        )
    with seeded_pools(_HASH_SEEDS) as pools:
        # The first two processes show most failures.
        runs = [
            ("", partial(outputs_in, pools[:2])),
            *((prelude, partial(outputs_in, pools)) for prelude in preludes()),
        ]
        proven, causes = with_outputs(problems, runs)
        if inputs:
            fresh = make_fresh(proven, seed, inputs)
            others = [other for problem in proven for other in _others(problem, fresh[problem.problem_id])]
            proven += with_outputs(others, runs)[0]
        return with_labels(list(zip(proven, _executions(proven, pools), strict=True))), causes


def _others(problem: Problem, fresh: Fresh) -> Iterable[Problem]:
    for number, run in enumerate(fresh.runs, start=1):
        yield dataclasses.replace(problem, problem_id=f"{problem.problem_id}#{number}", input=run.input, output=None)


def with_outputs(
    problems: Sequence[P], runs: Iterable[tuple[str, Callable[[Sequence[Run]], list[Proven]]]]
) -> tuple[list[P], dict[str, str]]:
    """Return the problems whose output is the same in all runs, and the cause for each of the others.

    A problem that has an output already must give it in all runs. One that fails is not run again.

    Args:
        problems: The programs with their inputs.
        runs: Of each run what comes before the program, and what executes it in several processes.
    """
    outputs = {problem.problem_id: problem.output for problem in problems if problem.output is not None}
    causes: dict[str, str] = {}
    for prelude, execute in runs:
        left = [problem for problem in problems if problem.problem_id not in causes]
        executions = [Run(problem, after_future_imports(problem.code, prelude), problem.input) for problem in left]
        for problem, result in zip(left, execute(executions), strict=True):
            if result.output is None:
                causes[problem.problem_id] = CAUSES[result.cause]
            elif outputs.setdefault(problem.problem_id, result.output) != result.output:
                causes[problem.problem_id] = CAUSES["unstable"]
    return [
        dataclasses.replace(problem, output=outputs[problem.problem_id])
        for problem in problems
        if problem.problem_id not in causes
    ], causes


def preludes() -> list[str]:
    """Return what runs before the program: another clock, and another way to add floats."""
    starts = (CIRCUMSTANCES[0].start, CIRCUMSTANCES[-1].start)
    return [
        _SHIFTED.format(start=start) + addition + USE_ADDITION
        for start, addition in zip(starts, ADDITIONS.values(), strict=True)
    ]


def with_labels(programs: Sequence[tuple[P, ProgramExecution]]) -> list[tuple[P, ProgramExecution]]:
    """Return programs with the labels of the lines to ask about. Answers are balanced over all of the programs."""
    seen = {problem.problem_id: {ONLY: execution.seen} for problem, execution in programs if execution.seen}
    labels = choose([problem for problem, _ in programs], seen, _SEED, lambda name: name_and_call(name)[0])
    return [
        (problem, dataclasses.replace(execution, labels=labels.get(problem.problem_id, {}).get(ONLY, InputLabels())))
        for problem, execution in programs
    ]


def _executions(problems: Sequence[Problem], pools: Sequence[SeededPool]) -> list[ProgramExecution]:
    """Return the executions of problems. They have a reason where runs differ."""
    jobs = [_tracing_jobs(problem) for problem in problems]
    futures = [[pool.submit(job) for pool, job in zip(pools, cycle(alike), strict=False)] for alike in jobs]
    outcomes = [[future.result() for future in of_problem] for of_problem in futures]
    executions = []
    for problem, of_job in zip(problems, outcomes, strict=True):
        program = units(ast.parse(problem.code))
        try:
            traces = [with_variables(read_trace(result_of(outcome), program), program) for outcome in of_job]
        except TraceFailed:
            executions.append(ProgramExecution(reason="differs"))
            continue
        runs = [events(trace, program) for trace in traces]
        if traces[0].truncated:
            executions.append(ProgramExecution(reason="long"))
        elif any(trace.threads or trace.exception for trace in traces) or any(run != runs[0] for run in runs):
            executions.append(ProgramExecution(reason="differs"))
        else:
            (run_input,) = inputs_of(problem)
            execution = chosen(run_input, runs[0], random.Random(problem.problem_id))
            executions.append(ProgramExecution(**vars(execution), seen=_seen(problem, traces)))
    return executions


def _seen(problem: Problem, traces: Sequence[Trace]) -> Observed:
    """Return what all traces of a program show of its lines, with its output."""
    output = str(problem.output)
    outputs = [output if len(output) <= MAX_OUTPUT else None]
    proofs = [
        ("", {OWN: {ONLY: {"reason": "", "outputs": outputs, "lines": seen_lines(problem.code, trace)}}})
        for trace in traces
    ]
    return agreeing(proofs)[OWN][ONLY]


def _tracing_jobs(problem: Problem) -> list[Job]:
    expression, stdin = (None, problem.input) if problem.kind == "script" else (problem.input, "")
    job = tracing_job(problem.code, expression, stdin, max_steps=MAX_STEPS, max_value=MAX_VALUE)
    return [dataclasses.replace(job, program=after_future_imports(job.program, prelude)) for prelude in preludes()]


def with_variables(trace: Trace, program: Sequence[CodeUnit]) -> Trace:
    """Return a trace in which each step has the values of all variables of its frame, of a ``for`` also its target."""
    variables: dict[int, dict[str, Value | None]] = {}
    steps = []
    for step in trace.steps:
        known = variables.setdefault(step.frame, {})
        known.update(step.values)
        values = dict(known)
        target = target_of(program[step.unit])
        if target is not None:
            values.setdefault(target, Value("", _literal(ast.parse(target, mode="eval").body, known)))
        steps.append(dataclasses.replace(step, values=values))
    return dataclasses.replace(trace, steps=tuple(steps))


def _literal(target: ast.expr, known: Mapping[str, Value | None]) -> str | None:
    if isinstance(target, ast.Tuple):
        parts = [_literal(part, known) for part in target.elts]
        text = ", ".join(part or "" for part in parts) + ("," if len(parts) == 1 else "")
        return None if None in parts or len(text) + 2 > MAX_VALUE else f"({text})"
    assert isinstance(target, ast.Name)
    value = known.get(target.id)
    return None if value is None else value.literal


def _with_end(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"

"""Which items differ between REval's reading of a run and ours, and why."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tqdm.auto import tqdm

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.data.benchmarks import reval
from lm_eval_codemind.languages.python.recorder import units, written
from lm_eval_codemind.languages.python.tracing import Trace, TraceFailed, result_of
from lm_eval_codemind.sandbox import Sandbox
from reval_differences import PATH_CAUSES, Differences
from runtime_proof import events_job
from watching import Traced, line_of, runs, submit

_MAX_STEPS = 100_000


def compare_readings(programs: Sequence[reval.TracedProgram], sandbox: Sandbox) -> Differences:
    """Execute REval's inputs in both readings and return the items that differ. Needs Python 3.11.

    Of values that have no literal the text is compared, as :mod:`.reval_events` notes it line by line.

    Raises:
        ValueError: if the readings differ in whether a line is executed, which they must not.
    """
    pending = []
    for program in programs:
        tree = units(ast.parse(program.code))
        for run_input in program.inputs:
            watches: dict[int, list[str]] = {}
            for each in run_input.questions:
                watches.setdefault(line_of(tree, each["line"]) or each["line"], []).append(each["variable"])
            traced = Traced(program.code, run_input.expression, watches, run_input.before)
            ours = submit(sandbox, traced, max_steps=_MAX_STEPS, max_value=10_000)
            pending.append((program, run_input, tree, ours, sandbox.submit(events_job(program, run_input))))
    differences: Differences = {}
    for program, run_input, tree, (future, read), upstream in tqdm(pending, desc="comparing", unit="input"):
        try:
            seen, published = read(future.result()), result_of(upstream.result())
        except TraceFailed:
            continue
        for position, each in enumerate(run_input.questions):
            here = line_of(tree, each["line"]) or each["line"]
            read_by_reval = (published[part][position] for part in ("labels", "origins", "held"))
            causes = _causes(seen, here, each["variable"], *read_by_reval)
            if any(causes):
                of_program = differences.setdefault(program.task_id, {})
                of_program.setdefault(str(run_input.index), {})[str(each["line"])] = causes
    return differences


def _causes(
    seen: Trace, line: int, variable: str, label: Sequence[Any], origins: Sequence[str], held: Sequence[Sequence[str]]
) -> list[str]:
    covered, accepted, following = label
    of_line = runs(seen, line)
    if covered != bool(of_line):
        raise ValueError(f"line {line}: REval's reading and ours differ in whether it is executed")
    right = {-1 if run.next is None else seen.steps[run.next].line for run in of_line} or {-1}
    path = "" if right == set(following) else _path_cause(origins)
    values = [run.values.get(variable) for run in of_line]
    if of_line and not any(values):
        return ["undefined", path]
    literals = {(value.type_name, value.literal) for value in values if value is not None}
    if all(text is not None for _, text in literals):
        same = literals == {(kind, _literal(text)) for text, kind in accepted}
    else:
        same = {tuple(value) for value in held} == {tuple(value) for value in accepted}
    return ["" if same else _state_cause(variable, origins), path]


def _literal(text: str) -> str | None:
    try:
        return written(parse_literal(text), 10_000)
    except NotALiteralError:
        return None


def _state_cause(variable: str, origins: Sequence[str]) -> str:
    for origin in origins:
        if origin not in ("same", "again", "merged"):
            return origin
    if "merged" in origins:
        return "merged"
    nodes = list(ast.walk(ast.parse(variable)))
    return "index" if any(isinstance(node, ast.BinOp) for node in nodes) else "pairs"


def _path_cause(origins: Sequence[str]) -> str:
    return next((cause for cause in PATH_CAUSES if cause in origins), "later")

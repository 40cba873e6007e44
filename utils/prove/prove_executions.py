"""Execute the programs that loops, branches and traces are asked about, and write what the package ships.

python utils/prove/prove_executions.py prove --upstream DIR --python PYTHON ...
python utils/prove/prove_executions.py thin
python utils/prove/prove_executions.py check --upstream DIR --python PYTHON ...

``prove`` traces every program with each Python and two hash seeds. All of them must agree. ``thin``, which follows it,
leaves out questions about loops and conditions, drawn from those that a rule answers without execution, until no rule,
and no constant answer, is right about more than a fifth. The sample is for trying the tasks out and keeps its own.
``check`` compares what is shipped with programs that are rewritten to log themselves.
It shares no code with the tracer.
"""

import ast
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from flow_rules import guesses
from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.answers.literals import parse_literal
from lm_eval_codemind.data.facts.executions import Execution, load_executions
from lm_eval_codemind.data.facts.runtime_inputs import SEE, RuntimeInput, inputs_of
from lm_eval_codemind.families.execution.flow import BRANCHES, LOOPS, branches_dataset, loops_dataset
from lm_eval_codemind.languages.python.units import units
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import read_proven
from lm_eval_codemind.workshop.proof.executions import MAX_STEPS, MAX_VALUE, Event, chosen, events, target_of, values_of
from lm_eval_codemind.workshop.python.tracing import read_trace
from options import PYTHONS, UPSTREAM, benchmarks_of
from self_logging import self_logging, text_of
from ship import save
from watching import watching_source

NAMES = ("humaneval", "cruxeval", "classeval", "avatar", "sample")
SEED = "codemind executions 1"
HASH_SEEDS = (1, 2)

# The share of the questions of one kind about a benchmark that a rule without execution may answer.
MOST_ANSWERED = 1 / 5

_TRACE = """
import builtins, json
builtins._codemind_written = written
found = record(**{options!r})
print()
print(json.dumps(found))
"""

Record = Mapping[str, Any]


def watches_of(run_input: RuntimeInput) -> dict[int, list[str]]:
    """Return the loop variables that the tracer watches: number of a unit -> source."""
    program = units(ast.parse(run_input.code))
    return {number: [target] for number, unit in enumerate(program) if (target := target_of(unit))}


def stdin_of(run_input: RuntimeInput) -> str:
    """Return the standard input of a run; only scripts read it."""
    return run_input.input if run_input.expression is None else ""


def tracing_source(
    run_input: RuntimeInput, watches: Mapping[int, Sequence[str]], see: str, result: str = "", **limits: int
) -> str:
    """Return the source of a program that traces a run and prints the record as JSON on its last line.

    Args:
        run_input: The program and its input.
        watches: Number of a unit -> expressions that are noted whenever it ends.
        see: Source of the function :data:`SEE`, which may call ``_codemind_written``, the recorder's ``written``.
        result: Expression that is evaluated last.
        limits: Arguments of the recorder.
    """
    options = {
        "program": run_input.code,
        "script": run_input.expression is None,
        "stdin": stdin_of(run_input),
        "before": f"{see}\n{run_input.before}",
        "expression": f"{run_input.expression or ''}\n{result}",
        "watches": watches,
    }
    return _TRACE.format(options={**options, **limits})


def _traced(run_input: RuntimeInput) -> str:
    see = f"def {SEE}(value):\n    return value\n"
    watches = watches_of(run_input)
    return tracing_source(run_input, watches, see, max_steps=MAX_STEPS, max_value=MAX_VALUE, stop=True)


def run_all(python: str, hash_seed: int, before: str, sources: Sequence[tuple[str, str]]) -> list[Any]:
    """Run sources and return the JSON value that each prints on its last line; None if it prints none."""
    jobs = "".join(f"{json.dumps(source)}\n" for source in (before, *sources))
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    script = Path(__file__).with_name("run_sources.py")
    done = subprocess.run(
        [python, str(script)], input=jobs, capture_output=True, text=True, env=environment, check=True
    )
    results = []
    for line in done.stdout.splitlines():
        try:
            results.append(json.loads(json.loads(line)))
        except ValueError:
            results.append(None)
    return results


def observed(problem: Problem, run_input: RuntimeInput, record: Record | None) -> tuple[str, list[Event]]:
    """Return the events of a traced run, and a key of REASONS if they cannot be used."""
    if record is None:
        return "differs", []
    program = units(ast.parse(run_input.code))
    trace = read_trace(record, program)
    if trace.truncated:
        return "long", []
    if run_input.expression is None:
        right = trace.stdout.split() == str(problem.output).split()
    else:
        # A value of NumPy has no literal here. That it is the label is proven where labels are.
        literal = trace.output.literal if trace.output else ""
        right = literal is None or same_computed(literal, str(problem.output), printed=False)
    return ("" if right and not trace.threads else "differs"), events(trace, program)


def read_inputs(name: str, upstream: Path) -> list[tuple[Problem, RuntimeInput]]:
    """Return the proven problems of a benchmark with the inputs that are asked about."""
    problems = (problem for problem in read_proven(name, Upstream(upstream)) if problem.output is not None)
    return [(problem, run_input) for problem in problems for run_input in inputs_of(problem)]


_NAMES = benchmarks_of(NAMES)


@click.group()
def main() -> None:
    """Prove executions."""


@main.command()
@UPSTREAM
@PYTHONS
@_NAMES
def prove(upstream: Path, pythons: Sequence[str], names: Sequence[str]) -> None:
    """Trace all programs and write ``data/facts/executions``."""
    for name in names:
        inputs = read_inputs(name, upstream)
        sources = [(_traced(run_input), stdin_of(run_input)) for _, run_input in inputs]
        runs = [(python, seed) for python in pythons for seed in HASH_SEEDS]
        with ThreadPoolExecutor(2) as pool:
            pending = [pool.submit(run_all, *run, watching_source(), sources) for run in runs]
        records = [future.result() for future in pending]
        drawn = random.Random(f"{SEED} {name}")
        by_problem: dict[str, Execution] = {}
        for (problem, run_input), *of_input in zip(inputs, *records, strict=True):
            seen = [observed(problem, run_input, record) for record in of_input]
            reason = seen[0][0] if all(each == seen[0] for each in seen) else "differs"
            if reason == "differs":
                click.echo(f"{name} {problem.problem_id}: differs")
            by_problem[problem.problem_id] = (
                Execution(reason=reason) if reason else chosen(run_input, seen[0][1], drawn)
            )
        save(f"executions/{name}.json.gz", {key: asdict(each) for key, each in by_problem.items()})
        click.echo(
            f"{name}: {len(by_problem)} programs; {len(runs)} executions of each; "
            f"{sum(bool(each.steps) for each in by_problem.values())} traces, "
            f"{sum(len(each.loops) for each in by_problem.values())} loops, "
            f"{sum(len(each.branches) for each in by_problem.values())} branches; "
            f"without a trace {dict(Counter(each.reason for each in by_problem.values() if each.reason))}"
        )


@main.command()
@_NAMES
def thin(names: Sequence[str]) -> None:
    """Leave out questions that rules answer, and write ``data/facts/executions`` again."""
    for name in names:
        if name == "sample":
            continue
        executions = load_executions(name)
        for setting, dataset in ((LOOPS, loops_dataset), (BRANCHES, branches_dataset)):
            documents = list(dataset(benchmark=name, setting=setting)["test"])
            left_out = answered_by_rules(documents, random.Random(f"{SEED} {name} {setting}"))
            for number in left_out:
                document = documents[number]
                by_line = getattr(executions[document["problem_id"]], setting)
                del by_line[document["line"]]
            click.echo(f"{name} {setting}: {len(documents) - len(left_out)} of {len(documents)} questions stay")
        save(f"executions/{name}.json.gz", {key: asdict(each) for key, each in executions.items()})


def answered_by_rules(documents: Sequence[Mapping[str, Any]], drawn: random.Random) -> list[int]:
    """Return the questions to leave out so that no rule answers more than :data:`MOST_ANSWERED` of the others."""
    right: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        values = values_of(document["values"])
        for rule, guess in {**guesses(document), f"the constant {values}": values}.items():
            if values == guess:
                right.setdefault(rule, []).append(number)
    left_out: list[int] = []
    while right:
        rule = max(sorted(right), key=lambda rule: len(right[rule]))
        if len(right[rule]) <= MOST_ANSWERED * (len(documents) - len(left_out)):
            break
        left_out.append(drawn.choice(right[rule]))
        right = {rule: [number for number in numbers if number != left_out[-1]] for rule, numbers in right.items()}
    return left_out


def differences(known: Execution, record: Any) -> list[str]:
    """Return the differences between what is shipped of an execution and what the program logs."""
    if record is None:
        return ["does not run"]
    seen = [(line, values.get("", "")) for line, values in record[0]]
    parts = []
    if known.steps and [(line, _as_logged(value)) for line, value in known.steps] != seen:
        parts.append("the steps")
    for kind, by_line in (("loop", known.loops), ("branch", known.branches)):
        for line, values in by_line.items():
            if [_as_logged(value) for value in values] != [value for at, value in seen if at == line and value]:
                parts.append(f"{kind} in line {line}")
    return parts


def _as_logged(value: str) -> str:
    return value and str(text_of(parse_literal(value)))


@main.command()
@UPSTREAM
@PYTHONS
@_NAMES
def check(upstream: Path, pythons: Sequence[str], names: Sequence[str]) -> None:
    """Compare what is shipped with what rewritten programs log; exit with 1 if anything differs."""
    failed = False
    for name in names:
        executions = load_executions(name)
        inputs = [
            (executions[problem.problem_id], run_input, problem.problem_id)
            for problem, run_input in read_inputs(name, upstream)
            if executions[problem.problem_id].reason not in ("long", "differs")
        ]
        sources = [(self_logging(run_input, {}), stdin_of(run_input)) for _, run_input, _ in inputs]
        with ThreadPoolExecutor(2) as pool:
            pending = [pool.submit(run_all, python, 3, "", sources) for python in pythons]
        for python, future in zip(pythons, pending, strict=True):
            for (known, _, problem_id), record in zip(inputs, future.result(), strict=True):
                for text in differences(known, record):
                    failed = True
                    click.echo(f"{name} {problem_id}, {python}: {text}")
        documents = sum(bool(known.steps) + len(known.loops) + len(known.branches) for known, _, _ in inputs)
        click.echo(f"{name}: {documents} executions, loops and branches compared under {len(pythons)} interpreters")
    sys.exit(failed)


if __name__ == "__main__":
    main()

"""Choose witnesses within the specification, for programs that are written from it, and measure what they miss.

    python utils/prove/make_specified_witnesses.py make [--benchmark NAME ...]
    python utils/prove/make_specified_witnesses.py lists
    python utils/prove/make_specified_witnesses.py measure [--benchmark NAME ...] [--seed N] [--problems N]
    python utils/prove/make_specified_witnesses.py recorded RECORDED

A problem has a domain: a strategy for its arguments, written from the specification and, for MBPP, the test in its
prompt. It stands in ``tests/programs/humanevalfix.jsonl`` or ``mbpp_domains.jsonl``;
``tests/programs/witness_readings.yaml`` narrows it. An input of the domain counts if the problem's own program, the
program of each reader of the specification and the reference agree on it. ``make`` chooses those that tell mutants of
these programs from them, and writes ``facts/specified_witnesses/NAME.json.xz``. ``lists`` writes the steps of their
suites, ``specified_steps.xz``. ``measure`` counts the other half of the mutants. ``recorded`` writes
``tests/programs/failed_witnesses.csv``: the recorded programs that pass a suite and fail a witness. Somebody must read
each of them, and write into the readings why it is wrong or why the input is no witness.
"""

import csv
import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import click
import yaml
from tqdm import tqdm

import program_inputs
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.suites import FAIR, verdict_of
from lm_eval_codemind.data.facts.witnesses import OF_SPECIFICATION, SPECIFIED_STEPS, with_witnesses
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.witnesses import RAISES, call_form, tolerance_of
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.sandbox import Sandbox
from lm_eval_codemind.workshop.proof.equivalence import SingleThreadedMap
from lm_eval_codemind.workshop.proof.observing import NOTHING
from lm_eval_codemind.workshop.proof.witnesses import (
    SPECIFIED,
    Executor,
    observe,
    output_of,
    proven,
    seeded,
)
from make_witnesses import (
    SEED,
    SIZE,
    Choice,
    _filled,
    _greedy,
    cases_of,
    count_missed,
    differs,
    print_missed,
    record_lists,
    save_witnesses,
    telling,
)
from mutants import drawn_mutants, in_choice
from options import WORKERS, benchmarks_of
from prove_suites import load_programs

_PROGRAMS = Path(__file__).parents[2] / "tests" / "programs"
READINGS = _PROGRAMS / "witness_readings.yaml"
VERDICTS = _PROGRAMS / "failed_witnesses.csv"
# The most that mutants choose, the fewest with rare outputs, and the fewest with those that are drawn by chance.
_MOST, _FEWEST, _ENOUGH = 20, 10, 16
# Inputs drawn from a domain.
_DRAWN = 160
# Mutants of the problem's own program, and of each of the other right ones.
_OWN, _OTHERS = (20, 8), (10, 4)
_LONGEST = 300
_GROUP = 30
_SECONDS = 0.05
# Mutants of a problem, of each kind, that measure witnesses.
_MEASURED = 8


@cache
def domains() -> dict[str, str]:
    """Return the source of each problem's strategy."""
    rows = [
        json.loads(line)
        for name in ("humanevalfix", "mbpp_domains")
        for line in (_PROGRAMS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return {row["problem"]: row["inputs"] for row in rows}


@cache
def readings() -> dict[str, dict[str, Any]]:
    """Return what readers decided about a problem's inputs: ``only``, a condition, and ``read``, single decisions."""
    return dict(yaml.safe_load(READINGS.read_text(encoding="utf-8")))


@cache
def readers(benchmark: str) -> dict[str, list[str]]:
    """Return the programs that pass a problem's suite and were written from its specification alone, by problem."""
    name = "humaneval" if benchmark == "humanevalfix" else benchmark
    found: dict[str, list[str]] = {}
    for problem_id, programs in load_programs(name).items():
        passed = verdict_of(name, problem_id).programs
        found[problem_id] = [text for writer, text in programs.items() if passed.get(writer) == "passed"]
    if name == "humaneval":
        for number, record in program_inputs.RECORDS.items():
            found.setdefault(f"HumanEval_{number}", []).append(record["reference"])
    return found


def asked(name: str) -> list[Problem]:
    """Return the problems of a benchmark with a fair suite of calls whose values are compared."""
    suite = "humaneval" if name == "humanevalfix" else name
    return [
        problem
        for problem in load_benchmark(name)
        if problem.category != "excluded"
        and verdict_of(suite, problem.problem_id).label == FAIR
        and readings().get(problem.problem_id, {}).get("only", "") is not None
        and call_form(problem.tests, problem.entry_point) is not None
    ]


def inputs_of(problem: Problem, count: int) -> list[str]:
    """Return calls whose arguments lie in the problem's domain."""
    strategy = eval(domains()[problem.problem_id], vars(program_inputs).copy())(program_inputs.BOUNDED)
    condition = readings().get(problem.problem_id, {}).get("only")
    within: Callable[..., Any] = eval(condition, {"re": re}) if condition else lambda *arguments: True
    edges: Sequence[str] = ()
    if problem.problem_id.startswith("HumanEval_"):
        edges = program_inputs.RECORDS[int(problem.problem_id.partition("_")[2])].get("edges", ())
    form = call_form(problem.tests, problem.entry_point) or "{}"
    known = set(kind_of(problem).known_inputs(problem))
    calls: dict[str, None] = {}
    for arguments in [*(eval(edge, {}) for edge in edges), *program_inputs._drawn(strategy, count)]:
        call = f"{problem.entry_point}({', '.join(map(repr, arguments))})"
        if within(*arguments) and call not in known and len(call) <= _LONGEST:
            calls[form.format(call)] = None
    return list(calls)


def choose(problem: Problem, sandbox: SingleThreadedMap, seeded: Mapping[int, Executor]) -> Choice:
    """Return the witnesses of a problem, the most telling first."""
    right = [problem.code, *readers(problem.benchmark).get(problem.problem_id, [])]
    programs = _wrong(problem, right)
    inputs = inputs_of(problem, _DRAWN)
    if not inputs:
        return Choice([])
    own, *rows = observe(sandbox, problem, [problem.code, *programs], inputs, seconds=_SECONDS)
    outputs = {text: output_of(seen, False) for text, seen in zip(inputs, own, strict=True)}
    made = [Case(text, output) for text, output in outputs.items() if output is not None]
    cases = agreeing(problem, right[1:], made, sandbox)
    places = [inputs.index(case.input) for case in cases]
    tolerance = tolerance_of(problem.tests)
    told_by = [telling([row[place] for place in places], cases, problem, tolerance) for row in rows]
    chosen = spread(cases, _filled(cases, _greedy(cases, told_by, _MOST), _FEWEST), problem.problem_id)
    told = sum(not set(chosen).isdisjoint(places) for places in told_by)
    again = set(proven(seeded, problem, [cases[place].input for place in chosen]))
    return Choice([cases[place] for place in chosen if cases[place] in again], len(programs), told)


def spread(cases: Sequence[Case], chosen: Sequence[int], seed: str) -> list[int]:
    """Return chosen places and others, drawn by chance, up to :data:`_ENOUGH`; first those with further outputs."""
    others = [place for place in range(len(cases)) if place not in chosen]
    Random(f"spread:{seed}").shuffle(others)
    spread, outputs = list(chosen), {cases[place].output for place in chosen}
    for further in (True, False):
        for place in others:
            if len(spread) < _ENOUGH and place not in spread and (cases[place].output not in outputs) == further:
                spread.append(place)
                outputs.add(cases[place].output)
    return spread


def agreeing(problem: Problem, right: Sequence[str], cases: Sequence[Case], sandbox: Executor) -> list[Case]:
    """Return the cases with a value on which all right programs agree with it, within the suite's tolerance."""
    cases = [case for case in cases if not case.output.startswith(RAISES)]
    for program in right:
        own = dataclasses.replace(problem, code=program)
        (row,) = observe(sandbox, own, [program], [case.input for case in cases]) if cases else ([],)
        cases = [
            case
            for case, seen in zip(cases, row, strict=True)
            if not seen.startswith(NOTHING) and not differs(seen, case.output, False, tolerance_of(problem.tests))
        ]
    return list(cases)


def _wrong(problem: Problem, right: Sequence[str]) -> list[str]:
    made: dict[str, None] = {}
    for number, program in enumerate(dict.fromkeys(right)):
        rng, (singles, doubles) = Random(f"choice:{problem.problem_id}:{number}"), _OTHERS if number else _OWN
        single, double = drawn_mutants(program, rng, in_choice, singles, doubles)
        made.update(dict.fromkeys([*single, *double[:doubles]]))
    return list(made)


# -- commands


@click.group()
def main() -> None:
    """Make and measure witnesses within the specification."""


# HumanEvalFix reads HumanEval's witnesses.
_MADE = ("humaneval", "mbpp")
_NAMES = benchmarks_of(_MADE)


@main.command()
@_NAMES
@WORKERS
def make(names: Sequence[str], workers: int) -> None:
    """Write the witnesses of benchmarks."""
    for name in names:
        problems = asked(name)
        made: dict[str, list[Case]] = {}
        tried = told = 0
        for start in range(0, len(problems), _GROUP):
            group = problems[start : start + _GROUP]
            with ExitStack() as stack:
                sandbox = SingleThreadedMap(stack.enter_context(Sandbox(workers)))
                work = partial(choose, sandbox=sandbox, seeded=seeded(stack, workers, sandbox))
                choices = list(tqdm(sandbox.map(work, group), total=len(group), mininterval=10))
            tried, told = tried + sum(one.mutants for one in choices), told + sum(one.told for one in choices)
            made |= {one.problem_id: choice.witnesses for one, choice in zip(group, choices, strict=True)}
            save_witnesses(OF_SPECIFICATION, name, problems, made)
        few = [one.problem_id for one in problems if len(made[one.problem_id]) < 3]
        click.echo(f"{name}: {told} of {tried} mutants are told; fewer than three: {len(few)} {' '.join(few)}")


@main.command("lists")
@WORKERS
def write_lists(workers: int) -> None:
    """Write the steps of the suites of all witnesses."""
    record_lists(OF_SPECIFICATION, SPECIFIED_STEPS, workers)


@main.command()
@_NAMES
@WORKERS
@SEED
@SIZE
def measure(names: Sequence[str], workers: int, seed: int, size: int) -> None:
    """Count the mutants of C that are wrong within the domain and pass: the suite, and the witnesses too."""
    for name in names:
        print_missed(name, with_witnesses(name, asked(name), OF_SPECIFICATION), missed, workers, seed, size)


def missed(problem: Problem, sandbox: SingleThreadedMap, seed: int) -> dict[str, tuple[int, int, int]]:
    """Return, of fresh mutants by kind, how many are wrong, pass the suite, and pass the witnesses too.

    A mutant is wrong if it differs on an input of the domain on which all right programs agree.
    """
    rng = Random(f"measure:{seed}:{problem.problem_id}")
    single, double = drawn_mutants(problem.code, rng, lambda text: not in_choice(text), _MEASURED, _MEASURED)
    programs = {"single": single, "double": rng.sample(double, min(len(double), _MEASURED))}
    inputs = inputs_of(problem, 2 * _DRAWN)
    inputs = rng.sample(inputs, min(len(inputs), _DRAWN))
    right = readers(problem.benchmark).get(problem.problem_id, [])
    cases = agreeing(problem, right, cases_of(problem, inputs, sandbox), sandbox)
    return count_missed(problem, programs, cases, sandbox, tolerance_of(problem.tests))


@main.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
def recorded(folder: Path) -> None:
    """Write the recorded programs that pass a suite and fail a witness, with what a reader says of them."""
    rows = []
    for name in SPECIFIED:
        passed, programs = failing(folder, name)
        click.echo(f"{name}: {passed} recorded programs pass the suite, {len(programs)} of them fail a witness")
        for problem_id, model, test in programs:
            entries = readings().get(problem_id, {}).get("read", [])
            said = next((one for one in entries if one["decision"] == "kept" and f"({one['input']})" in test), None)
            rows.append([name, problem_id, model, test, "wrong" if said else "unread", said["reason"] if said else ""])
    with VERDICTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["benchmark", "problem", "model", "witness", "verdict", "reason"])
        writer.writerows(rows)


def failing(folder: Path, name: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Return how many recorded programs pass their suite, and the problem, model and witness of those that fail one."""
    problems = {one.problem_id: one for one in load_benchmark(name, OF_SPECIFICATION) if one.witnesses}
    programs = sorted(recorded_programs(folder, name, problems), key=lambda row: (row[1], row[0]))
    with Sandbox() as sandbox:
        suites = [kind_of(problems[each]).suite_job(problems[each], code) for _, each, code in programs]
        outcomes = zip(programs, sandbox.run(suites), strict=True)
        passing = [program for program, outcome in outcomes if outcome.passed]
        jobs = []
        for _, each, code in passing:
            suite = kind_of(problems[each]).witness_suite(problems[each])
            assert suite is not None
            jobs.append(kind_of(suite).suite_job(suite, code))
        found = [
            (each, model, outcome.failed_test)
            for (model, each, _), outcome in zip(passing, sandbox.run(jobs), strict=True)
            if str(outcome.status) in ("failed", "error")
        ]
    return len(passing), found


def recorded_programs(folder: Path, benchmark: str, problems: Mapping[str, Problem]) -> Iterator[tuple[str, str, str]]:
    """Yield the model, the problem and the program of what is recorded for a benchmark, each program once."""
    seen: set[tuple[str, str]] = set()
    repair = benchmark == "humanevalfix"
    for path in sorted(folder.glob("ces_repair_*.jsonl.gz" if repair else "v1_[sd][re]*.jsonl.gz")):
        for row in map(json.loads, read_lines(path)):
            if not repair and row["benchmark"] != benchmark:
                continue
            if repair:
                problem_id, response = row["problem_id"], row["response"]
            elif "generated_code" in row:
                problem_id, response = row["problem_name"], row["generated_code"] or ""
            else:
                problem_id, response = row["problem_id"], f"```python\n{row['code']}\n```"
            problem_id = (
                problem_id
                if problem_id.startswith(("MBPP_", "HumanEval_"))
                else (f"MBPP_{problem_id}" if benchmark == "mbpp" else problem_id)
            )
            problem = problems.get(problem_id)
            if problem is None or row.get("setting") == "misleading":
                continue
            response = response.rpartition("@@ Response")[2].rpartition("[/INST]")[2]
            program = kind_of(problem).program(
                response, problem, into=problem.code, context=problem.context, specification=problem.specification
            )
            if isinstance(program, str) and (problem_id, program) not in seen:
                seen.add((problem_id, program))
                yield row["model"], problem_id, program


if __name__ == "__main__":
    main()

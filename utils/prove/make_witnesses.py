"""Choose witnesses, prove them, and measure what they miss.

    python utils/prove/make_witnesses.py make [--benchmark NAME ...]
    python utils/prove/make_witnesses.py strengthen [--benchmark NAME ...]
    python utils/prove/make_witnesses.py shorten [--benchmark NAME ...]
    python utils/prove/make_witnesses.py lists
    python utils/prove/make_witnesses.py measure [--benchmark NAME ...] [--seed N] [--problems N]

``make`` writes ``facts/witnesses/NAME.json.xz``, after each group of problems, from built data. It takes inputs of the
published types, proves what the problem's own program does on them, and chooses those that tell it from mutants.
``strengthen`` adds witnesses for more mutants, and for programs that know the suite's outputs, where the witnesses of a
problem tell none of them. ``shorten`` drops the last witnesses of scripts that take long. ``lists`` writes the steps of
the suites, ``witness_steps.xz``. ``measure`` makes other mutants, of which no witness was chosen, and counts those that
pass. It reads what the others wrote.
``codemind data verify --only witnesses`` proves all outputs again.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import click
from tqdm import tqdm

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data import load_benchmark, load_side
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.data.facts.witnesses import OF_PROGRAM, STEPS, file_of, record_of, with_witnesses
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.witnesses import RAISES, TOLERANCE
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.sandbox import Job, Limits, Sandbox, lists
from lm_eval_codemind.workshop.proof.equivalence import SingleThreadedMap
from lm_eval_codemind.workshop.proof.observing import NOTHING, VALUE
from lm_eval_codemind.workshop.proof.witnesses import (
    BENCHMARKS,
    SECONDS,
    SETS,
    Executor,
    agreed,
    observe,
    output_of,
    printed,
    proven,
    seeded,
    witness_jobs,
)
from lm_eval_codemind.workshop.seeded import SeededPool
from mutants import drawn_mutants, in_choice, in_measure, in_strengthening, mutants
from options import WORKERS, benchmarks_of
from ship import save
from witness_inputs import candidates, far, scripts

# Witnesses of a problem: at most so many, and, as far as there are inputs, at least so many.
_MOST, _FEWEST = 20, 12
# Each case of a script is a process of its own.
_MOST_PRINTED, _FEWEST_PRINTED = 10, 6
# So many of them are tried on the counterpart in the other language.
_TRIED = 30
# Characters of a printed output.
_LONGEST = 20_000
# A mutant counts as told from the program when so many witnesses tell it.
_TIMES = 3
_MUTANTS, _DOUBLES = 80, 30
# For mutants that are not told often enough, inputs are drawn again, and so many of those that tell one are added.
_ROUNDS, _MORE = 4, 20
# A script that takes longer on all inputs has so many witnesses, of so many that are tried.
_SLOW, _SLOW_TRIED = 4, 8
# Of more mutants, those that no witness tells get as many more witnesses, each of them two as far as there are.
_MANY, _ADDED, _TWICE = 80, 6, 2
# The witnesses of a script take so many seconds together. There are two at least, but one where it takes longer.
_TOGETHER, _LONG = 0.03, 0.1
# Problems after which the file is written.
_GROUP = 40
_DECIMALS = re.compile(r"-?\d+\.(\d+)(e[-+]?\d+)?")
_BLANKS = re.compile(r"[ \t]$", re.MULTILINE)
# Prints a set in the order of its hashes, which no language defines. Only the empty set is told.
_UNORDERED = frozenset({"p03897"})
_INTEGERS = re.compile(r"(?<![\d.])-?\d+(?![\d.])")
# Processor time of a run. What a program does on a witness it does soon; mutants may not end.
_SECONDS = 0.05
# Mutants of a problem, of each kind, that measure witnesses.
_MEASURED = 12
_LIMITS = Limits(cpu_seconds=2, wall_seconds=10)


@dataclass(frozen=True)
class Choice:
    """The witnesses of a problem, and the mutants that were tried on them: how many, and how many are told."""

    witnesses: list[Case]
    mutants: int = 0
    told: int = 0


def choose(
    problem: Problem,
    sandbox: SingleThreadedMap,
    seeded: Mapping[int, Executor],
    others: Mapping[str, Problem],
    java: Executor,
) -> Choice:
    """Return the witnesses of a problem in Python, the most telling first.

    Inputs may leave the format of the suite's where there is a program in another language, which must print the same.

    Args:
        problem: The problem.
        sandbox: Runs mutants.
        seeded: One for each hash seed.
        others: The programs in the other language.
        java: Runs those.
    """
    other = others.get(problem.problem_id)
    loose = other is not None
    programs = [*_mutants(problem), *_baselines(problem)]
    cases: list[Case] = []
    told_by: list[list[int]] = [[] for _ in programs]
    tried: set[str] = set()
    hopeless: set[int] = set()

    def drawn(turn: int, outside: bool, slow: bool = False) -> bool:
        """Prove more cases, and say whether there are any. Slow ones are few."""
        needy = [number for number, places in enumerate(told_by) if len(places) < _TIMES and number not in hopeless]
        inputs = [text for text in candidates(problem, -turn, loose, outside) if slow or text not in tried]
        tried.update(inputs)
        if slow:
            inputs = inputs[:_SLOW_TRIED]
        elif turn:
            inputs = _telling_inputs(problem, sandbox, [programs[number] for number in needy], inputs)
        if not inputs:
            return False
        (row,) = observe(sandbox, problem, [problem.code], inputs, seconds=SECONDS if slow else _SECONDS)
        observed = [text for text, seen in zip(inputs, row, strict=True) if not seen.startswith(NOTHING)]
        more = proven(seeded, problem, observed)
        more = [case for case in more if not kind_of(problem).printed or _portable(case, problem)]
        rows = observe(sandbox, problem, programs, [case.input for case in more], seconds=_SECONDS)
        hopeless.update(number for number, seen in enumerate(rows) if all(one.startswith(NOTHING) for one in seen))
        for places, seen in zip(told_by, rows, strict=True):
            places += [len(cases) + place for place in telling(seen, more, problem)]
        cases.extend(more)
        return True

    for turn in range(_ROUNDS):
        if not drawn(turn, outside=False):
            break
    if loose and not told_by[-1]:
        # A constant is right on all inputs in the format: some outside of it must tell.
        drawn(_ROUNDS, outside=True)
    scripted = kind_of(problem).printed
    is_slow = scripted and not cases
    if is_slow:
        drawn(0, outside=loose, slow=True)
    if other is not None:
        tried_on = _filled(cases, _greedy(cases, told_by, _TRIED, 2 * _TIMES), _TRIED)
        seen = printed(java, other, [cases[place].input for place in tried_on])
        kept = [place for place, text in zip(tried_on, seen, strict=True) if _prints(text, cases[place].output)]
        cases, told_by = [cases[place] for place in kept], _renumbered(told_by, kept)
    chosen = _greedy(cases, told_by, _MOST_PRINTED if scripted else _MOST, _TIMES)[: _SLOW if is_slow else None]
    chosen = _filled(cases, chosen, _SLOW if is_slow else _FEWEST_PRINTED if scripted else _FEWEST)
    told = sum(not set(chosen).isdisjoint(one) for one in told_by)
    return Choice(agreed(sandbox, problem, [cases[place] for place in chosen]), len(programs), told)


def strengthened(
    problem: Problem,
    sandbox: SingleThreadedMap,
    seeded: Mapping[int, Executor],
    others: Mapping[str, Problem],
    java: Executor,
) -> list[Case]:
    """Return more witnesses of a problem that has some, for mutants and baselines that these do not tell.

    The arguments are those of :func:`choose`.
    """
    other, scripted = others.get(problem.problem_id), kind_of(problem).printed
    focus = problem.entry_point if problem.kind == "method" else ""
    more = [text for text in mutants(problem.code, focus) if in_strengthening(text)]
    chosen = Random(f"more:{problem.problem_id}").sample(more, min(len(more), _MANY))
    programs = [*chosen, *_baselines(problem), *_tables(problem)]
    known = list(problem.witnesses)
    rows = observe(sandbox, problem, programs, [case.input for case in known], seconds=_SECONDS)
    # What ends on no input can't be told.
    left = [
        program
        for program, seen in zip(programs, rows, strict=True)
        if not telling(seen, known, problem) and not all(one.startswith(NOTHING) for one in seen)
    ]
    tried = {case.input for case in known}
    cases: list[Case] = []
    told_by: list[list[int]] = [[] for _ in left]
    for turn in range(_ROUNDS + 1):
        needy = [number for number, places in enumerate(told_by) if not places]
        outside = turn == _ROUNDS
        if not needy or (outside and other is None):
            break
        drawn = candidates(problem, -turn, other is not None, outside) + (far(problem) if outside and scripted else [])
        inputs = [text for text in drawn if text not in tried]
        tried.update(inputs)
        inputs = _telling_inputs(problem, sandbox, [left[number] for number in needy], inputs) if inputs else []
        found = proven(seeded, problem, inputs)
        found = agreed(sandbox, problem, [case for case in found if not scripted or _portable(case, problem)])
        if other is not None and found:
            seen = printed(java, other, [case.input for case in found])
            found = [case for case, text in zip(found, seen, strict=True) if _prints(text, case.output)]
        rows = observe(sandbox, problem, left, [case.input for case in found], seconds=_SECONDS) if found else []
        for places, row in zip(told_by, rows, strict=False):
            places += [len(cases) + place for place in telling(row, found, problem)]
        cases.extend(found)
    added = [cases[place] for place in _greedy(cases, told_by, _ADDED, _TWICE)]
    return agreed(sandbox, problem, [*known, *added])[len(known) :]


def _renumbered(told_by: Sequence[Sequence[int]], kept: Sequence[int]) -> list[list[int]]:
    places = {place: number for number, place in enumerate(kept)}
    return [[places[place] for place in told if place in places] for told in told_by]


def _telling_inputs(
    problem: Problem, sandbox: SingleThreadedMap, programs: Sequence[str], inputs: Sequence[str]
) -> list[str]:
    """Return a few of the inputs on which one of the programs differs from the problem's own."""
    own, *rows = observe(sandbox, problem, [problem.code, *programs], inputs, seconds=_SECONDS)
    places = [
        place
        for place, seen in enumerate(own)
        if not seen.startswith(NOTHING)
        and any(row[place] != seen and not row[place].startswith(NOTHING) for row in rows)
    ]
    return [inputs[place] for place in places[:_MORE]]


def _mutants(problem: Problem) -> list[str]:
    focus = problem.entry_point if problem.kind == "method" else ""
    rng = Random(f"choice:{problem.problem_id}")
    single, double = drawn_mutants(problem.code, rng, in_choice, _MUTANTS, _DOUBLES, focus)
    return [*single, *double[:_DOUBLES]]


def _baselines(problem: Problem) -> list[str]:
    """Return the programs that know the shown output only."""
    if problem.kind == "function":
        return [f"def {problem.entry_point}(*args, **kwargs):\n    return {problem.output}"]
    return [f"print({problem.output!r}, end='')"] if problem.kind == "script" else []


def _tables(problem: Problem) -> list[str]:
    """Return the program that knows all tests of a script's suite."""
    table = kind_of(problem).lookup(problem.cases) if problem.kind == "script" else None
    return [table] if table else []


def telling(row: Sequence[str], cases: Sequence[Case], problem: Problem, tolerance: float = TOLERANCE) -> list[int]:
    """Return the places of the cases on which a program differs. A run without an observation tells nothing."""
    printed = kind_of(problem).printed
    return [
        place
        for place, (seen, case) in enumerate(zip(row, cases, strict=False))
        if not seen.startswith(NOTHING) and differs(seen, case.output, printed, tolerance)
    ]


def differs(observation: str, expected: str, printed: bool, tolerance: float = TOLERANCE) -> bool:
    """Whether what a program does is wrong by the suite of the witnesses."""
    if printed:
        seen = output_of(observation, printed)
        return seen is None or printed_lines(seen) != printed_lines(expected)
    if expected.startswith(RAISES) or not observation.startswith(VALUE):
        return output_of(observation, printed) != expected
    if observation[1:] == expected:
        return False
    return not _equal(_value(observation[1:]), _value(expected), tolerance)


def _value(text: str) -> Any:
    # ``frozenset`` is the only call in a value.
    return eval(text, {"__builtins__": {}, "frozenset": frozenset, "set": set})


def _equal(value: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, float) and isinstance(value, (int, float)):
        return isclose(value, expected, rel_tol=tolerance, abs_tol=1e-6)
    if isinstance(expected, (list, tuple)) and type(value) is type(expected):
        return len(value) == len(expected) and all(
            _equal(one, other, tolerance) for one, other in zip(value, expected, strict=True)
        )
    return bool(value == expected)


def _portable(case: Case, problem: Problem) -> bool:
    """Whether other languages print the same: no number beyond 32 bits, no more decimals than the suite has.

    Blanks end a line only where they do so in the suite, too: languages read them differently. Longer outputs than
    :data:`_LONGEST` would be most of the file.
    """
    if _BLANKS.search(case.input) and not any(_BLANKS.search(each.input) for each in problem.cases):
        return False
    known = " ".join(each.output for each in problem.cases)
    decimals = {len(digits) for digits, _ in _DECIMALS.findall(known)}
    widest = max([2**31 - 1, *(abs(int(one)) for one in _INTEGERS.findall(known) if len(one) < 300)])
    small = all(len(one) < 300 and abs(int(one)) <= widest for one in _INTEGERS.findall(case.output))
    return (
        small
        and len(case.output) <= _LONGEST
        and all(
            not power and (len(digits) in decimals or len(digits) <= 3)
            for digits, power in _DECIMALS.findall(case.output)
        )
    )


def _greedy(cases: Sequence[Case], told_by: Sequence[Sequence[int]], most: int, times: int = _TIMES) -> list[int]:
    """Return the places of cases that tell each mutant so many times, as far as there are so many."""
    left = [times if places else 0 for places in told_by]
    tells: list[list[int]] = [[] for _ in cases]
    for number, places in enumerate(told_by):
        for place in places:
            tells[place].append(number)
    chosen: list[int] = []
    while cases and len(chosen) < most:
        # A mutant that no witness tells yet counts most.
        gains = [sum(3 ** left[number] // 3 for number in tells[place]) for place in range(len(cases))]
        for place in chosen:
            gains[place] = 0
        best = max(range(len(cases)), key=lambda place: (gains[place], -len(cases[place].input + cases[place].output)))
        if not gains[best]:
            break
        chosen.append(best)
        for number in tells[best]:
            left[number] = max(0, left[number] - 1)
    return chosen


def _filled(cases: Sequence[Case], chosen: Sequence[int], fewest: int) -> list[int]:
    """Return chosen places and more of them, those with the rarest outputs first, up to the fewest that are wanted."""
    often = Counter(case.output for case in cases)
    others = sorted(
        (place for place in range(len(cases)) if place not in chosen),
        key=lambda place: (often[cases[place].output], len(cases[place].input), place),
    )
    filled, outputs = list(chosen), {cases[place].output for place in chosen}
    for wanted in (True, False):
        for place in others:
            if len(filled) < fewest and place not in filled and (cases[place].output not in outputs) == wanted:
                filled.append(place)
                outputs.add(cases[place].output)
    return filled


# -- benchmarks


def others_of(problems: Sequence[Problem]) -> dict[str, Problem]:
    """Return the programs in the other language that print the same as those of problems in Python."""
    name = get_benchmark(problems[0].benchmark).counterpart
    counterparts = {one.problem_id: one for one in (load_benchmark(name) if name else ()) if one.category != "excluded"}
    return {
        problem.problem_id: counterparts[problem.problem_id]
        for problem in problems
        if problem.problem_id in counterparts and _alike(counterparts[problem.problem_id], problem)
    }


def _worked(
    work: Callable[..., Any], problems: Sequence[Problem], others: Mapping[str, Problem], workers: int
) -> list[Any]:
    """Return what a function such as :func:`choose` gives for problems."""
    with ExitStack() as stack:
        # While one problem waits for its outcomes, others are worked on.
        sandbox = SingleThreadedMap(stack.enter_context(Sandbox(workers)))
        sandboxes, pool = seeded(stack, workers, sandbox), stack.enter_context(SeededPool(0, workers))
        bound = partial(work, sandbox=sandbox, seeded=sandboxes, others=others, java=SingleThreadedMap(pool, sandbox))
        return list(tqdm(sandbox.map(bound, problems), total=len(problems), mininterval=10))


def make_python(problems: Sequence[Problem], workers: int) -> dict[str, list[Case]]:
    """Return the witnesses of problems in Python, and print how many mutants they tell."""
    choices = _worked(choose, problems, others_of(problems), workers)
    few = [problem.problem_id for problem, choice in zip(problems, choices, strict=True) if len(choice.witnesses) < 3]
    tried, told = sum(choice.mutants for choice in choices), sum(choice.told for choice in choices)
    click.echo(f"  {told} of {tried} mutants are told; fewer than three witnesses: {len(few)} {' '.join(few)}")
    return {problem.problem_id: choice.witnesses for problem, choice in zip(problems, choices, strict=True)}


def make_java(problems: Sequence[Problem], workers: int) -> dict[str, list[Case]]:
    """Return the witnesses of problems in Java: those of their counterparts on which both programs print the same.

    What the program in Java does not print is no witness of its counterpart either, which loses it. Where there is no
    counterpart, inputs count whose outputs are rare.
    """
    counterpart = get_benchmark(problems[0].benchmark).counterpart
    others = {one.problem_id: one for one in load_benchmark(counterpart, OF_PROGRAM)}
    alike = {one.problem_id for one in problems if _alike(one, others.get(one.problem_id))}
    with ExitStack() as stack:
        sandbox = SingleThreadedMap(stack.enter_context(Sandbox(workers)))
        java = SingleThreadedMap(stack.enter_context(SeededPool(0, workers)), sandbox)

        def make(problem: Problem) -> list[Case]:
            if problem.problem_id in alike:
                cases = list(others[problem.problem_id].witnesses)
                seen = printed(java, problem, [case.input for case in cases])
                return [case for case, text in zip(cases, seen, strict=True) if _prints(text, case.output)]
            known = [problem.input, *(case.input for case in problem.cases)]
            inputs = scripts(known, f"java:{problem.problem_id}")[: 2 * _MOST_PRINTED]
            made = zip(inputs, printed(java, problem, inputs), strict=True)
            cases = [Case(text, output) for text, output in made if output and output.strip()]
            cases = [case for case in cases if _portable(case, problem)]
            if problem.problem_id in _UNORDERED:
                cases = [case for case in cases if case.output.strip() == "0"]
            return [cases[place] for place in _filled(cases, [], _MOST_PRINTED)]

        made = tqdm(sandbox.map(make, problems), total=len(problems), mininterval=10)
        chosen = {problem.problem_id: cases for problem, cases in zip(problems, made, strict=True)}
    both = {key: one.witnesses for key, one in others.items()} | {key: chosen[key] for key in alike}
    save_witnesses(OF_PROGRAM, counterpart, asked(counterpart), both)
    return chosen


def _alike(problem: Problem, other: Problem | None) -> bool:
    """Whether the programs of a problem in two languages print the same on its suite."""
    known = {case.input: case.output for case in other.cases} if other else {}
    return bool(known) and all(_prints(known.get(case.input), case.output) for case in problem.cases)


def _prints(text: str | None, expected: str) -> bool:
    return text is not None and not differs(f"{VALUE}{text}", expected, printed=True)


def asked(name: str) -> list[Problem]:
    """Return the problems of a benchmark that DSR or translation asks about."""
    failing = load_side(name, "dsr")
    submissions = get_benchmark(name).submissions
    return [
        problem
        for problem in load_benchmark(name)
        if problem.category != "excluded"
        and problem.problem_id not in failing
        and not (submissions and submissions in problem.problem_id)
    ]


@click.group()
def main() -> None:
    """Make and measure witnesses."""


_NAMES = benchmarks_of(BENCHMARKS)


def save_witnesses(kind: str, name: str, problems: Sequence[Problem], made: Mapping[str, Sequence[Case]]) -> None:
    """Write a benchmark's witnesses of one set."""
    records = {one.problem_id: record_of(one, made[one.problem_id]) for one in problems if made.get(one.problem_id)}
    path = save(file_of(name, kind), records)
    counts = [len(record["cases"]) for record in records.values()]
    click.echo(
        f"  {name}: {len(records)} of {len(problems)} problems, {sum(counts)} witnesses, {path.stat().st_size} bytes"
    )


def record_lists(kind: str, file: Path, workers: int) -> None:
    """Write the steps of the suites of all witnesses of one set. Those of suites that are the same stay."""
    recorded: dict[str, str] = {}
    had = lists.known()
    with Sandbox(workers) as sandbox:
        for name in SETS[kind]:
            jobs = witness_jobs(load_benchmark(name, kind))
            kept = {digest: had[digest] for digest in map(lists.digest, jobs.values()) if digest in had}
            new = {each: job for each, job in jobs.items() if lists.digest(job) not in kept}
            steps, reasons = lists.record(sandbox, new)
            recorded |= kept | steps
            for problem, reason in reasons.items():
                click.echo(f"  {problem}: {reason[:200]}")
            click.echo(f"{name}: {len(jobs) - len(reasons)} of {len(jobs)} suites have a list")
    file.write_bytes(lists.pack(recorded))


@main.command()
@_NAMES
@WORKERS
def make(names: Sequence[str], workers: int) -> None:
    """Write the witnesses of benchmarks."""
    for name in names:
        click.echo(name)
        problems = asked(name)
        made: dict[str, list[Case]] = {}
        for start in range(0, len(problems), _GROUP):
            group = problems[start : start + _GROUP]
            made |= make_python(group, workers) if group[0].language == "python" else make_java(group, workers)
            save_witnesses(OF_PROGRAM, name, problems, made)


@main.command("lists")
@WORKERS
def write_lists(workers: int) -> None:
    """Write the steps of the suites of all witnesses."""
    record_lists(OF_PROGRAM, STEPS, workers)


@main.command()
@_NAMES
@WORKERS
def strengthen(names: Sequence[str], workers: int) -> None:
    """Add witnesses where more mutants pass; those in Python go to their counterparts as well."""
    for name in names:
        if get_benchmark(name).language != "python":
            continue
        problems = with_witnesses(name, asked(name))
        others = others_of(problems)
        pair = [(name, problems)]
        if others:
            counterpart = get_benchmark(name).counterpart
            pair.append((counterpart, with_witnesses(counterpart, asked(counterpart))))
        made = [{one.problem_id: list(one.witnesses) for one in each} for _, each in pair]
        left = [one for one in problems if one.witnesses]
        for start in range(0, len(left), _GROUP):
            group = left[start : start + _GROUP]
            for problem, cases in zip(group, _worked(strengthened, group, others, workers), strict=True):
                made[0][problem.problem_id] += cases
                if problem.problem_id in others and made[-1].get(problem.problem_id):
                    made[1][problem.problem_id] += cases
            for (each, every), witnesses in zip(pair, made, strict=True):
                save_witnesses(OF_PROGRAM, each, every, witnesses)


@main.command()
@_NAMES
@WORKERS
def shorten(names: Sequence[str], workers: int) -> None:
    """Drop the last witnesses of scripts that take long, and those of their counterparts: each response runs them."""
    for name in names:
        problems = with_witnesses(name, asked(name))
        if get_benchmark(name).language != "python" or not get_benchmark(name).counterpart:
            continue
        jobs = {one.problem_id: job for one in problems if (job := _own_job(one))}
        with Sandbox(workers) as sandbox:
            outcomes = dict(zip(jobs, sandbox.run(jobs.values()), strict=True))
        kept: dict[str, list[Case]] = {}
        for problem in problems:
            cases = list(problem.witnesses)
            each = outcomes[problem.problem_id].cpu_seconds / len(cases) if cases else 1.0
            most = max(1 if each > _LONG else 2, int(_TOGETHER / each))
            known = {case.output for case in problem.cases}
            telling = [case for case in cases[most:] if case.output not in known]
            cases = cases[:most]
            if telling and all(case.output in known for case in cases):
                # One stays that tells a program which knows the published outputs only.
                cases[-1] = telling[0]
            kept[problem.problem_id] = cases
        dropped = {
            problem.problem_id: {case.input for case in set(problem.witnesses) - set(kept[problem.problem_id])}
            for problem in problems
        }
        save_witnesses(OF_PROGRAM, name, problems, kept)
        counterpart = get_benchmark(name).counterpart
        others = with_witnesses(counterpart, asked(counterpart))
        left = {
            one.problem_id: [case for case in one.witnesses if case.input not in dropped.get(one.problem_id, ())]
            for one in others
        }
        save_witnesses(OF_PROGRAM, counterpart, others, left)


def _own_job(problem: Problem) -> Job | None:
    """Return the job that runs a problem's own program on its witnesses; None if there are none."""
    suite = kind_of(problem).witness_suite(problem)
    return kind_of(problem).suite_job(suite, problem.code) if suite else None


SEED = click.option("--seed", default=1, show_default=True)
SIZE = click.option("--problems", "size", default=0, help="So many problems, drawn by chance; all of them by default.")


@main.command()
@_NAMES
@WORKERS
@SEED
@SIZE
def measure(names: Sequence[str], workers: int, seed: int, size: int) -> None:
    """Count the mutants that differ from C and pass: the suite, and the suite with the witnesses."""
    for name in names:
        if get_benchmark(name).language == "python":
            print_missed(name, with_witnesses(name, asked(name)), missed, workers, seed, size)


def print_missed(
    name: str, problems: Sequence[Problem], work: Callable[..., Any], workers: int, seed: int, size: int
) -> None:
    """Print what a function such as :func:`missed` counts in a benchmark."""
    problems = Random(f"measure:{seed}").sample(problems, size) if size else problems
    with ExitStack() as stack:
        sandbox = SingleThreadedMap(stack.enter_context(Sandbox(workers)))
        results = sandbox.map(partial(work, sandbox=sandbox, seed=seed), problems)
        rows = list(tqdm(results, total=len(problems), mininterval=10))
    for kind in ("single", "double"):
        wrong, passing, left = (sum(row[kind][place] for row in rows) for place in range(3))
        share = f"{100 * passing / max(1, wrong):.1f} -> {100 * left / max(1, wrong):.1f} %"
        click.echo(f"{name}, {kind}: {wrong} wrong, {passing} pass the suite, {left} the witnesses too: {share}")
    left_in = [problem.problem_id for problem, row in zip(problems, rows, strict=True) if row["single"][2]]
    click.echo(f"  left in {' '.join(left_in)}")


def missed(problem: Problem, sandbox: SingleThreadedMap, seed: int) -> dict[str, tuple[int, int, int]]:
    """Return, of fresh mutants by kind, how many are wrong, pass the suite, and pass the witnesses too.

    A mutant is wrong if it differs from C on an input of other seeds than the choice's.
    """
    focus = problem.entry_point if problem.kind == "method" else ""
    rng = Random(f"measure:{seed}:{problem.problem_id}")
    single, double = drawn_mutants(problem.code, rng, in_measure, _MEASURED, _MEASURED, focus)
    programs = {"single": single, "double": rng.sample(double, min(len(double), _MEASURED))}
    return count_missed(problem, programs, cases_of(problem, candidates(problem, seed), sandbox), sandbox, TOLERANCE)


def cases_of(problem: Problem, inputs: Sequence[str], sandbox: SingleThreadedMap) -> list[Case]:
    """Return the inputs on which a problem's program has an output, with it."""
    (row,) = observe(sandbox, problem, [problem.code], inputs, seconds=_SECONDS) if inputs else ([],)
    outputs = ((text, output_of(seen, kind_of(problem).printed)) for text, seen in zip(inputs, row, strict=True))
    return [Case(text, output) for text, output in outputs if output is not None]


def count_missed(
    problem: Problem,
    programs: Mapping[str, Sequence[str]],
    cases: Sequence[Case],
    sandbox: SingleThreadedMap,
    tolerance: float,
) -> dict[str, tuple[int, int, int]]:
    """Return, of programs by kind, how many are wrong on cases, pass the suite, and pass the witnesses too."""
    result: dict[str, tuple[int, int, int]] = {}
    kind = kind_of(problem)
    witnesses = kind.witness_suite(problem)
    for name, of_kind in programs.items():
        rows = observe(sandbox, problem, of_kind, [case.input for case in cases], seconds=_SECONDS) if cases else []
        pairs = zip(of_kind, rows, strict=False)
        wrong = [program for program, seen in pairs if telling(seen, cases, problem, tolerance)]
        outcomes = sandbox.run([kind.suite_job(problem, program, limits=_LIMITS) for program in wrong])
        passing = [program for program, outcome in zip(wrong, outcomes, strict=True) if outcome.passed]
        jobs = [kind.suite_job(witnesses, program, limits=_LIMITS) for program in passing if witnesses is not None]
        failed = sum(str(outcome.status) in ("failed", "error") for outcome in sandbox.run(jobs))
        result[name] = (len(wrong), len(passing), len(passing) - failed)
    return result


if __name__ == "__main__":
    main()

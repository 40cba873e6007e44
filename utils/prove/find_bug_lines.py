"""Search changes of one line that repair the buggy programs of HumanEvalFix, and write the lines that are shipped.

    python utils/prove/find_bug_lines.py [--language python] [--problem N ...] [--prove]

A line is accepted if a change of it alone gives the reference's results on all inputs within the bounds. The changes
are those of :mod:`line_repairs` and of ``tests/programs/line_repairs.yaml``, which we wrote. If no line repairs a
program alone, the lines that the fix changes together are accepted. There are no lines of a bug whose fix is wrong.
``--prove`` runs the shipped repairs again and writes nothing. Needs a JDK, the built data and the verdicts of
``utils/prove/prove_programs.py``.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import yaml

from line_repairs import one_line_changes, with_change
from line_rules import is_searched
from lm_eval_codemind.data import load_bug, load_problem
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS
from lm_eval_codemind.families.verdict.task import changed_lines, tidy
from lm_eval_codemind.sandbox import Job, Limits, SharedPool
from lm_eval_codemind.sandbox.java import jdk
from program_runs import Result, agree
from prove_programs import BENCHMARKS, Trial, references
from ship import save

_REPAIRS = Path(__file__).parents[2] / "tests" / "programs" / "line_repairs.yaml"
_DIFFERING, _AGREEING = 8, 6
_PART = 60
_WORD = re.compile(r"\w")
_ERROR = re.compile(r"All\.java:(\d+): error")
_TRIALS = """
import sys as _sys
class _Stop(BaseException): pass
def _trial(source, name, inputs, steps=40000):
    count = [0]
    def trace(frame, event, argument):
        count[0] += 1
        if count[0] > steps:
            raise _Stop()
        return trace
    results, scope = [], {"__name__": "program"}
    try:
        exec(compile(source, "program", "exec"), scope)
        for arguments in inputs:
            values, count[0] = eval(arguments), 0
            _sys.settrace(trace)
            try:
                value = scope[name](*values)
            finally:
                _sys.settrace(None)
            results.append(repr(value))
    except BaseException:
        return None
    return results
"""

Change = tuple[int, str]


def search(trial: Trial, buggy: str, correct: str, own: Mapping[int, str]) -> dict[str, str | None]:
    """Return the accepted lines of a buggy program, as they are shipped.

    Args:
        trial: The problem's inputs.
        buggy: The buggy program.
        correct: The fixed program, which gives the right results within the bounds.
        own: Our own changes, by line.
    """
    (results,) = trial.results([buggy])
    bounded = [text for keeps, (text, _, _) in trial.differences(results) if keeps]
    screen = _screen(trial, bounded)
    changes = [*own.items(), *one_line_changes(buggy, correct, trial.language == "java")]
    passing = _passing(trial, buggy, changes, screen)
    repairs: dict[int, str] = {}
    for line, change in passing:
        if line not in repairs and proves(trial, with_change(buggy, line, change)):
            repairs[line] = change
    if repairs:
        return {str(line): repairs[line] for line in sorted(repairs)}
    texts = buggy.split("\n")
    return {str(line): None for line in changed_lines(buggy, correct) if _WORD.search(texts[line - 1])}


def proves(trial: Trial, program: str) -> bool:
    """Whether a program gives the right results on all inputs within the bounds."""
    (results,) = trial.results([program])
    return not any(keeps for keeps, _ in trial.differences(results)) and not any(
        result.refused for result in results[: trial.bounded] if trial.language == "python"
    )


def _screen(trial: Trial, differing: Sequence[str]) -> list[int]:
    """Return the places of a few short inputs: of those on which the buggy program is wrong, and of others."""
    wrong = set(differing)
    defined = [place for place in range(trial.bounded) if trial.expected[place].value is not None]
    groups = [
        sorted((p for p in defined if (trial.inputs[p] in wrong) == bad), key=lambda p: len(trial.inputs[p]))
        for bad in (True, False)
    ]
    counts = (_DIFFERING, _AGREEING)
    return [
        p for group, count in zip(groups, counts, strict=True) for p in group[:: max(1, len(group) // count)][:count]
    ]


def _passing(trial: Trial, buggy: str, changes: Sequence[Change], screen: Sequence[int]) -> list[Change]:
    """Return the changes that give the right results on a few inputs."""
    programs = [with_change(buggy, *change) for change in changes]
    run = _run_python if trial.language == "python" else _run_java
    passing = []
    for place, results in run(trial, programs, screen):
        if len(results) == len(screen) and all(
            agree(trial.number, trial.inputs[p], trial.expected[p], result)
            for p, result in zip(screen, results, strict=True)
        ):
            passing.append(changes[place])
    return passing


def _run_python(trial: Trial, programs: Sequence[str], screen: Sequence[int]) -> Iterable[tuple[int, list[Result]]]:
    left = [place for place, program in enumerate(programs) if _parses(program)]
    inputs = [trial.inputs[p] for p in screen]
    while left:
        part, left = left[:_PART], left[_PART:]
        source = f"{_TRIALS}\n_PROGRAMS = {[programs[place] for place in part]!r}\n_INPUTS = {inputs!r}\n"
        calls = [f"_trial(_PROGRAMS[{n}], {trial.name!r}, _INPUTS)" for n in range(len(part))]
        job = Job.evaluate(source, calls, limits=Limits(cpu_seconds=3, wall_seconds=60))
        observed = [
            each for each in trial.sandbox.submit(job).result().observations if each.literal or each.exception_type
        ]
        for place, each in zip(part, observed, strict=False):
            values = ast.literal_eval(each.literal) if each.literal else None
            yield place, [Result(value) for value in values or ()]
        # The program after the last result does not end.
        left = part[len(observed) + 1 :] + left


def _parses(program: str) -> bool:
    try:
        compile(program, "program", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _run_java(trial: Trial, programs: Sequence[str], screen: Sequence[int]) -> Iterable[tuple[int, list[Result]]]:
    left = _compiling(programs)
    for start in range(0, len(left), _PART):
        part = left[start : start + _PART]
        results = trial.results([programs[place] for place in part], [trial.inputs[p] for p in screen])
        yield from zip(part, results, strict=True)


def _compiling(programs: Sequence[str]) -> list[int]:
    """Return the places of the programs that compile: all together, less those with errors, until it works."""
    left = list(range(len(programs)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "All.java")
        while left:
            text = programs[left[0]].partition("class Solution")[0]
            ends = []
            for place in left:
                text += f"class Solution{place}{programs[place].partition('class Solution')[2]}\n"
                ends.append(text.count("\n"))
            file.write_text(text, encoding="utf-8")
            command = [
                str(jdk.find().home / "bin" / "javac"),
                "-proc:none",
                "-Xmaxerrs",
                "100000",
                "-nowarn",
                "-d",
                folder,
                str(file),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if not done.returncode:
                break
            lines = {int(line) for line in _ERROR.findall(done.stderr)}
            bad = {
                next((place for place, end in zip(left, ends, strict=True) if line <= end), left[-1]) for line in lines
            }
            left = [place for place in left if place not in bad] if bad else []
    return left


@click.command()
@click.option("--language", "languages", multiple=True, type=click.Choice(list(BENCHMARKS)), default=list(BENCHMARKS))
@click.option("--problem", "numbers", multiple=True, type=int, default=range(164), help="Numbers of HumanEval.")
@click.option("--prove", is_flag=True, help="Run the shipped repairs again instead of searching.")
def main(languages: Sequence[str], numbers: Sequence[int], prove: bool) -> None:
    """Write ``proofs/bug_lines.json``, or prove it."""
    known = {name: dict(records) for name, records in shipped.load(BUG_LINES).items()}
    own = yaml.safe_load(_REPAIRS.read_text(encoding="utf-8"))
    by_problem, sandbox, failing = references(), SharedPool(), []
    for name, problem_id in [(BENCHMARKS[language], f"HumanEval_{n}") for n in numbers for language in languages]:
        verdicts = shipped.load(PROGRAMS)[name][problem_id]
        problem = load_problem(name, problem_id)
        buggy, correct = tidy(load_bug(problem).code), tidy(problem.code)
        if not has_lines(verdicts):
            known.setdefault(name, {}).pop(problem_id, None)
            continue
        trial = Trial(problem_id, by_problem[problem_id]["reference"], problem.language, sandbox)
        if prove:
            repairs = known[name][problem_id]["lines"].items()
            programs = [
                correct if change is None else with_change(buggy, int(line), change) for line, change in repairs
            ]
            if not all(proves(trial, program) for program in dict.fromkeys(programs)):
                failing.append(f"{name} {problem_id}")
            continue
        lines = search(trial, buggy, correct, own.get(name, {}).get(problem_id, {}))
        known.setdefault(name, {})[problem_id] = {"lines": lines, "searched": is_searched(buggy, list(map(int, lines)))}
        click.echo(f"{name} {problem_id}: {', '.join(lines)}")
        save(BUG_LINES, known, levels=2)
    if failing:
        raise SystemExit(f"a repair is not right any more: {', '.join(failing)}")


def has_lines(record: Mapping[str, Any]) -> bool:
    """Whether the lines of a bug can be proven: within the bounds its fix is right, and the buggy program wrong."""
    agrees = record["verdict"] in ("right", "extreme") or (record["verdict"] == "ambiguous" and "input" not in record)
    return agrees and record["buggy"]["verdict"] == "wrong"


if __name__ == "__main__":
    main()

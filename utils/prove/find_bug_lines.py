"""Prove the lines whose change repairs a buggy program of HumanEvalFix, and write those that the package ships.

    python utils/prove/find_bug_lines.py [--language python] [--problem N ...] [--check]

A line is accepted if a change of it alone gives the reference's results on all inputs within the bounds. The changes
are those that are shipped and those of ``tests/programs/line_repairs.yaml``. If no line repairs a program alone, the
lines that the fix changes together are accepted. There are no lines of a bug whose fix is wrong. ``--check`` writes
nothing. Needs a JDK, the built data and the verdicts of ``prove_programs.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import yaml

from line_rules import is_searched
from lm_eval_codemind.data import load_bug, load_problem
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS
from lm_eval_codemind.families.verdict.task import changed_lines, tidy
from lm_eval_codemind.sandbox import SharedPool
from prove_programs import BENCHMARKS, Trial, ordered, references
from ship import save

_REPAIRS = Path(__file__).parents[2] / "tests" / "programs" / "line_repairs.yaml"
_WORD = re.compile(r"\w")


def with_change(program: str, number: int, change: str) -> str:
    """Return a program with another text in place of a line; without the line if the text is empty."""
    lines = program.split("\n")
    lines[number - 1 : number] = [change] if change else []
    return "\n".join(lines)


def proves(trial: Trial, program: str) -> bool:
    """Whether a program gives the right results on all inputs within the bounds."""
    (results,) = trial.results([program])
    return not any(keeps for keeps, _ in trial.differences(results)) and not any(
        result.refused for result in results[: trial.bounded] if trial.language == "python"
    )


def accepted(trial: Trial, buggy: str, correct: str, changes: Mapping[int, str]) -> dict[str, str | None]:
    """Return the lines whose change repairs a program, each with it; else those that the fix changes, without."""
    repairs = {line: text for line, text in sorted(changes.items()) if proves(trial, with_change(buggy, line, text))}
    if repairs:
        return {str(line): text for line, text in repairs.items()}
    texts = buggy.split("\n")
    return {str(line): None for line in changed_lines(buggy, correct) if _WORD.search(texts[line - 1])}


def has_lines(record: Mapping[str, Any]) -> bool:
    """Whether the lines of a bug can be proven: within the bounds its fix is right, and the buggy program wrong."""
    agrees = record["verdict"] in ("right", "extreme") or (record["verdict"] == "ambiguous" and "input" not in record)
    return agrees and record["buggy"]["verdict"] == "wrong"


@click.command()
@click.option("--language", "languages", multiple=True, type=click.Choice(list(BENCHMARKS)), default=list(BENCHMARKS))
@click.option("--problem", "numbers", multiple=True, type=int, default=range(164), help="Numbers of HumanEval.")
@click.option("--check", is_flag=True, help="Compare with what is shipped; write nothing.")
def main(languages: Sequence[str], numbers: Sequence[int], check: bool) -> None:
    """Write ``proofs/bug_lines.json``, or check it."""
    known = {name: dict(records) for name, records in shipped.load(BUG_LINES).items()}
    own = yaml.safe_load(_REPAIRS.read_text(encoding="utf-8"))
    differing = []
    for name, problem_id in [(BENCHMARKS[language], f"HumanEval_{n}") for n in numbers for language in languages]:
        before = known[name].pop(problem_id, None)
        if has_lines(shipped.load(PROGRAMS)[name][problem_id]):
            problem = load_problem(name, problem_id)
            trial = Trial(problem_id, references()[problem_id]["reference"], problem.language, SharedPool())
            changes = {int(line): text for line, text in (before or {"lines": {}})["lines"].items() if text is not None}
            changes |= own.get(name, {}).get(problem_id, {})
            buggy = tidy(load_bug(problem).code)
            lines = accepted(trial, buggy, tidy(problem.code), changes)
            known[name][problem_id] = {"lines": lines, "searched": is_searched(buggy, list(map(int, lines)))}
        if known[name].get(problem_id) != before:
            differing.append(f"{name} {problem_id}")
    if check:
        raise SystemExit(f"other lines: {', '.join(differing)}" if differing else 0)
    save(BUG_LINES, {name: ordered(records) for name, records in known.items()}, levels=2)


if __name__ == "__main__":
    main()

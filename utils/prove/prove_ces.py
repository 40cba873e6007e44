"""Execute the programs of CES and write the values that it records otherwise to ``studies/traces/ces_traces.json``.

    python utils/prove/prove_ces.py --upstream DIR

Each program is rewritten so that it logs every loop variable at the start of an iteration and every condition.
It runs on the recorded input, once on each of the Pythons that --python names. The file has, by input and mark, the
executed values, or null if they cannot be written as literals.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from flow_records import rewritten
from lm_eval_codemind.studies.traces import ces_data as ces
from lm_eval_codemind.studies.traces.asked import CONDITION, VARIABLE
from lm_eval_codemind.studies.traces.ces import value_of
from lm_eval_codemind.studies.traces.task import CES_TRACES, FACTS
from lm_eval_codemind.workshop.benchmarks import Upstream
from options import PYTHONS, UPSTREAM
from prove_executions import run_all
from ship import save

Seen = dict[tuple[int, str], list[str]]

# Runs a rewritten program and prints its log and its value.
_RUN = """
import contextlib, io, json
log = []
def iteration(line, variables):
    log.extend((line - 1, name, repr(value)) for name, value in variables.items())
    return True
def condition(line, value):
    log.append((line - 1, "", repr(bool(value))))
    return value
names = {{"_re2_iteration": iteration, "_re2_condition": condition}}
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile({source!r}, "<program>", "exec"), names)
    try:
        value = eval({call!r}, names)
    except Exception as error:
        value = log = None
print(json.dumps([log, repr(value)]))
"""


def executed(python: str, records: Sequence[Mapping[str, Any]]) -> list[tuple[Seen | None, str]]:
    """Return the executed values of inputs by line and name, None if the program raises; and the output.

    The name of a condition is empty.
    """
    programs = [ast.unparse(rewritten(record["code"], underscores=True)) for record in records]
    sources = [
        (_RUN.format(source=program, call=record["input"]), "")
        for program, record in zip(programs, records, strict=True)
    ]
    results = []
    for log, value in run_all(python, 0, "", sources):
        seen: Seen | None = None if log is None else {}
        for line, name, text in log or ():
            seen.setdefault((line, name), []).append(text)
        results.append((seen, value))
    return results


def corrections(record: dict[str, Any], seen: Seen | None) -> dict[str, list[str] | None]:
    """Return the marks of an input whose executed values differ from the recorded ones."""
    changes: dict[str, list[str] | None] = {}
    tests = {
        (node.lineno - 1, ast.get_source_segment(record["code"], node.test))
        for node in ast.walk(ast.parse(record["code"]))
        if isinstance(node, ast.If)
    }
    for line, kind, name, texts in record["marks"]:
        if kind == VARIABLE:
            shown = logged = name
        elif kind == CONDITION and (line, name) in tests:
            shown, logged = f"({name})", ""
        else:
            continue
        values = [] if seen is None else seen.get((line, logged), [])
        if seen is None:
            changes[f"{line} {shown}"] = None
        elif [repr(value_of(text)) for text in texts] != values:
            literal = all(repr(value_of(text)) == text for text in values)
            changes[f"{line} {shown}"] = values if literal else None
    return changes


@click.command()
@UPSTREAM
@PYTHONS
def main(upstream: Path, pythons: Sequence[str]) -> None:
    """Execute all inputs, print how many marks and outputs differ, and write the executed values."""
    records: dict[str, dict[str, list[str] | None]] = {}
    marks = 0
    asked = [record for problem in ces.read(Upstream(upstream)) for record in json.loads(problem.upstream_questions)]
    for record, (seen, value), *others in zip(asked, *(executed(python, asked) for python in pythons), strict=True):
        if any(other != (seen, value) for other in others):
            click.echo(f"{record['name']}: depends on the version of Python")
        if record["output"].strip() not in (value, str(value_of(value))):
            click.echo(f"{record['name']}: the output is {value}, recorded {record['output'].strip()!r}")
        changes = corrections(record, seen)
        marks += len(changes)
        if changes:
            records[record["name"]] = changes
    click.echo(f"{marks} marks of {len(records)} inputs differ")
    save(CES_TRACES, records, folder=FACTS)


if __name__ == "__main__":
    main()

"""What the references show about HumanEvalFix, as lists in CSV."""

from __future__ import annotations

import csv
import io

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS


def programs() -> str:
    """Return the verdicts of all programs as CSV."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["benchmark", "problem", "program", "verdict", "reason", "input", "result", "right", "inputs"])
    for name, records in shipped.load(PROGRAMS).items():
        for problem_id, record in records.items():
            for program, part in (("fixed", record), ("buggy", record["buggy"])):
                cells = [part.get(column, "") for column in ("verdict", "reason", "input", "result", "right")]
                rows.writerow([name, problem_id, program, *cells, record["inputs"]])
    return file.getvalue()


def lines() -> str:
    """Return the lines that repair a program as CSV."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["benchmark", "problem", "line", "repair", "searched"])
    for name, of_problems in shipped.load(BUG_LINES).items():
        for problem_id, record in of_problems.items():
            for line, repair in record["lines"].items():
                text = "the fix changes several lines together" if repair is None else repair or "the line is left out"
                rows.writerow([name, problem_id, line, text, record["searched"]])
    return file.getvalue()

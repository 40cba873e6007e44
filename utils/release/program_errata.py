"""What the references show about HumanEvalFix: a section of the errata page, and the lists as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS, VERDICTS, is_settled


def section() -> str:
    """Return the section of the errata page: counts, and the problems whose fixed program is not right."""
    parts = [
        "\n## HumanEvalFix: programs\n\n"
        "References that were written from the specifications alone judge the fixed and the buggy program of each "
        "problem. Each ran on at least 1,000\ninputs, fewer where there are fewer. `codemind_verdict` asks about the "
        "problems with a right and a wrong program. The lists with inputs and results:\n"
        "[programs](errata/programs.csv), [lines](errata/lines.csv).\n\n"
        f"| benchmark | programs | {' | '.join(VERDICTS)} | buggy and wrong | asked about | lines known | searched |\n"
        f"|---|---|{'---|' * len(VERDICTS)}---|---|---|---|\n"
    ]
    for name, records in shipped.load(PROGRAMS).items():
        counts = Counter(record["verdict"] for record in records.values())
        wrong = sum(record["buggy"]["verdict"] == "wrong" for record in records.values())
        settled = sum(is_settled(name, problem_id) for problem_id in records)
        lines = shipped.load(BUG_LINES)[name]
        searched = sum(record["searched"] for record in lines.values())
        cells = [*(counts[verdict] for verdict in VERDICTS), wrong, settled, len(lines), searched]
        parts.append(f"| {name} | {2 * len(records)} | {' | '.join(map(str, cells))} |\n")
    parts.append("\n| verdict | meaning |\n|---|---|\n")
    parts += [f"| {verdict} | {meaning} |\n" for verdict, meaning in VERDICTS.items()]
    for verdict in ("wrong", "extreme"):
        head = "| benchmark | problem | input | result | right |\n|---|---|---|---|---|\n"
        parts.append(f"\n### Fixed programs that are {verdict}\n\n{head}")
        for name, records in shipped.load(PROGRAMS).items():
            for problem_id, record in records.items():
                if record["verdict"] == verdict:
                    cells = [_cell(record[column]) for column in ("input", "result", "right")]
                    parts.append(f"| {name} | {problem_id} | {' | '.join(cells)} |\n")
    parts.append("\n### Ambiguous specifications\n\n| problem | languages | what is open |\n|---|---|---|\n")
    languages: dict[tuple[str, str], list[str]] = {}
    for name, records in shipped.load(PROGRAMS).items():
        for problem_id, record in records.items():
            if record["verdict"] == "ambiguous":
                languages.setdefault((problem_id, record["reason"]), []).append("Java" if "java" in name else "Python")
    parts += [
        f"| {problem_id} | {', '.join(those)} | {reason} |\n"
        for (problem_id, reason), those in sorted(languages.items(), key=lambda item: int(item[0][0][10:]))
    ]
    return "".join(parts)


def _cell(text: str) -> str:
    shown = text if len(text) <= 120 else f"{text[:120]}…"
    return f"``{shown}``".replace("|", "\\|") if "`" in shown else f"`{shown}`".replace("|", "\\|")


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

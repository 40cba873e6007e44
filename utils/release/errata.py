"""Write the errata: docs/errata.md and the lists docs/errata/*.csv, from the built data (``$CODEMIND_DATA``).

    python utils/release/errata.py

The page has the published labels that differ from execution, and the excluded problems. ``suites.csv`` has a line for
each test suite of HumanEval, MBPP and ClassEval's methods: ``told`` is whether a prompt with a test tells what the
suite asks for, ``asked`` whether tasks ask about the problem. ``programs.csv`` and ``lines.csv`` have the programs of
HumanEvalFix and the lines of their bugs.
"""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from lm_eval_codemind import __version__
from lm_eval_codemind.data.build import load_plain_inputs
from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.data.facts import executions, shipped
from lm_eval_codemind.data.facts.labels import Proof, load_proofs
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS, VERDICTS, is_settled
from lm_eval_codemind.data.facts.recipes import load_failing
from lm_eval_codemind.data.facts.runtime_labels import REASONS, load_labels, load_published, load_unrunnable
from lm_eval_codemind.data.facts.sr_exceptions import load_exceptions
from lm_eval_codemind.data.facts.suites import CLASSES, FAIR, load_verdicts
from lm_eval_codemind.data.facts.unrolled import load_unrollings
from lm_eval_codemind.data.manifest import benchmark_path, data_directory, intact
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import (
    CATEGORIES,
    EXCLUSION_REASONS,
    SHOWN_CHARACTERS,
    TEST_CASES,
    Problem,
    load_problems,
    shown_cases,
)
from lm_eval_codemind.studies.re2.data import TASKS, source_of
from lm_eval_codemind.studies.re2.task import proofs as re2_proofs
from lm_eval_codemind.studies.reval.rules import is_answerable
from lm_eval_codemind.transforms import unrolling

ROOT = Path(__file__).parents[2]
PAGE, FOLDER = ROOT / "docs" / "errata.md", ROOT / "docs" / "errata"
# The items whose REval labels differ from execution: program -> input -> line -> cause of the state and of the path, ""
# where they are right. The file also says what the causes mean.
REVAL = json.loads(Path(__file__).with_name("reval_differences.json").read_text(encoding="utf-8"))
LONGEST = 120
RUNTIME = ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample")
EXECUTED = ("humaneval", "cruxeval", "classeval", "avatar", "sample")
Rows = list[tuple[Any, ...]]


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], right: int = 0, align: str = "") -> str:
    """Return a table in Markdown.

    Args:
        head: The names of the columns.
        rows: The cells.
        right: The number of columns at the end with numbers.
        align: The line below the head, if it has another form.
    """
    line = align or f"|{'---|' * (len(head) - right)}{'---:|' * right}"
    return "\n".join([f"| {' | '.join(head)} |", line, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def cell(text: str | None, note: str = "") -> str:
    """Return a label as a cell of a table: on one line, shortened if it is long, and escaped for Markdown."""
    if text is None:
        return "none"
    shown = "⏎".join(text.splitlines()) if note else text
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]}…{note.format(len(text))}"
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}".replace("|", "\\|")


def label_cell(label: str | None) -> str:
    """Return a label as a cell, with its length if it is shortened."""
    return cell(label, " ({} characters)")


def changed_labels(problems: Sequence[Problem]) -> Rows:
    return [
        (
            problem.problem_id,
            f"excluded: {EXCLUSION_REASONS[problem.reason]}" if problem.reason else problem.category,
            label_cell(problem.published_output),
            label_cell(problem.output),
        )
        for problem in problems
        if problem.category != "confirmed"
    ]


def excluded_inputs(problems: Sequence[Problem]) -> Rows:
    return [(problem.problem_id, EXCLUSION_REASONS[problem.reason], label_cell(problem.input)) for problem in problems]


def corrected_cases(proofs: Mapping[str, Proof]) -> Rows:
    """Return the scripts with test cases whose expected output differs from upstream's."""
    rows: Rows = []
    for problem_id, proof in proofs.items():
        if proof.cases:
            removed = sum(output is None for output in proof.cases.values())
            rows.append((problem_id, len(proof.cases) - removed, removed))
    return rows


def other_inputs(problems: Sequence[Problem], proofs: Mapping[str, Proof]) -> Rows:
    """Return the scripts that are asked about another input than the published one, which is the first in T."""
    if not kind_of(problems[0]).printed:
        return []
    return [
        (
            problem.problem_id,
            *map(len, (problem.cases[0].input, problem.cases[0].output)),
            proofs[problem.problem_id].category,
            label_cell(problem.input),
            label_cell(problem.output),
        )
        for problem in problems
        if problem.cases and problem.input != problem.cases[0].input
    ]


def long_tests(problems: Sequence[Problem]) -> Rows:
    """Return the scripts whose prompt does not show the first cases of the suite, with their number and length."""
    return [
        (problem.problem_id, len(first), sum(len(case.input) + len(case.output) for case in first))
        for problem in problems
        if kind_of(problem).printed and shown_cases(problem.cases, TEST_CASES) != (first := problem.cases[:TEST_CASES])
    ]


def suite_counts() -> Iterator[tuple[Any, ...]]:
    for name, verdicts in load_verdicts().items():
        counts = Counter(verdict.label for verdict in verdicts.values())
        untold = sum(not verdict.told for verdict in verdicts.values())
        left_out = sum(not verdict.answerable for verdict in verdicts.values())
        title = get_benchmark(name).title
        yield title, len(verdicts), *(counts[label] for label in CLASSES), untold, left_out


def unfair_suites() -> dict[str, Rows]:
    """Return benchmark -> the suites that are not fair."""
    return {
        name: [
            (key, verdict.label, "" if verdict.label == "contradicts" else _yes(verdict.told), verdict.reason)
            for key, verdict in verdicts.items()
            if verdict.label != FAIR
        ]
        for name, verdicts in load_verdicts().items()
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def differences() -> Iterator[tuple[str, int, Rows]]:
    """Yield what REval's labels are about, the number of those that differ from execution, and these by cause."""
    items = [
        (f"{program} ({number}, {line})", causes)
        for program, inputs in REVAL["items"].items()
        for number, lines in inputs.items()
        for line, causes in lines.items()
    ]
    for place, what in enumerate(("state", "path")):
        by_cause = {
            meaning: [name for name, causes in items if causes[place] == key] for key, meaning in REVAL[what].items()
        }
        yield what.capitalize(), sum(bool(causes[place]) for _, causes in items), named(by_cause)


def named(names: Mapping[Any, Sequence[str]]) -> Rows:
    """Return a row for each group of names that is not empty: the group, their number, and the names."""
    return [
        (*(key if isinstance(key, tuple) else (key,)), len(group), ", ".join(group))
        for key, group in names.items()
        if group
    ]


def unanswerable() -> list[str]:
    """Return the items of REval that no answer can be right about by its rules."""
    return [
        f"{program} ({number}, {label.line})"
        for program, inputs in load_published().items()
        for number, labels in inputs.items()
        for label in labels
        if not is_answerable(label.values)
    ]


def runtime_inputs() -> Rows:
    """Return the inputs whose runtime behaviour is not asked about, by benchmark and reason."""
    names: dict[tuple[str, str], list[str]] = {(name, meaning): [] for name in RUNTIME for meaning in REASONS.values()}
    for name in RUNTIME:
        for program, inputs in load_labels(name).items():
            for number, label in inputs.items():
                if label.reason:
                    names[name, REASONS[label.reason]].append(f"{program} ({number})")
    return named(names)


def executed() -> Rows:
    """Return the executions that are not asked about, by benchmark and reason; without names where they are many."""
    rows: Rows = []
    for name in EXECUTED:
        for reason, meaning in executions.REASONS.items():
            names = [key for key, record in executions.load_executions(name).items() if record.reason == reason]
            if names:
                rows.append((name, meaning, len(names), "" if reason in ("plain", "length") else ", ".join(names)))
    return rows


def not_unrolled(name: str) -> Rows:
    """Return the programs that have loops and no unrolled form."""
    records = load_unrollings(name).items()
    return [(key, unrolling.REASONS[record["reason"]]) for key, record in records if "reason" in record]


def re2_tables() -> tuple[Rows, Rows]:
    """Return the numbers of RE2-Bench's labels by source, and those corrected or excluded by task and cause."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    rows: dict[tuple[str, str, str], list[str]] = {}
    for problem_id, proof in re2_proofs().items():
        project = "".join(f", {name}" for name in proof["versions"] if name != "python")
        by_task = counts.setdefault(source_of(problem_id) + project, {task: Counter() for task in TASKS})
        for task in filter(proof.__contains__, TASKS):
            status = proof[task]["status"]
            by_task[task][status] += 1
            if status != "proven":
                rows.setdefault((task, status, proof[task]["reason"]), []).append(f"`{problem_id}`")
    statuses = ("proven", "corrected", "excluded")
    sources: Rows = [
        (source, *(" / ".join(str(count[each]) for each in statuses) if count else "" for count in tasks.values()))
        for source, tasks in sorted(counts.items())
    ]
    return sources, named(dict(sorted(rows.items(), key=lambda item: (TASKS.index(item[0][0]), item[0]))))


def program_counts() -> Iterator[tuple[Any, ...]]:
    for name, records in shipped.load(PROGRAMS).items():
        counts = Counter(record["verdict"] for record in records.values())
        lines = shipped.load(BUG_LINES)[name]
        wrong = sum(record["buggy"]["verdict"] == "wrong" for record in records.values())
        settled = sum(is_settled(name, problem_id) for problem_id in records)
        searched = sum(record["searched"] for record in lines.values())
        verdicts = (counts[verdict] for verdict in VERDICTS)
        yield name, 2 * len(records), *verdicts, wrong, settled, len(lines), searched


def judged(verdict: str) -> Rows:
    """Return the fixed programs with a verdict, each with an input."""
    return [
        (name, problem_id, *(cell(record[column]) for column in ("input", "result", "right")))
        for name, records in shipped.load(PROGRAMS).items()
        for problem_id, record in records.items()
        if record["verdict"] == verdict
    ]


def ambiguous() -> Rows:
    """Return the problems whose specification allows several results, with the languages and the reason."""
    languages: dict[tuple[str, str], list[str]] = {}
    for name, records in shipped.load(PROGRAMS).items():
        for problem_id, record in records.items():
            if record["verdict"] == "ambiguous":
                languages.setdefault((problem_id, record["reason"]), []).append("Java" if "java" in name else "Python")
    ordered = sorted(languages.items(), key=lambda item: int(item[0][0].removeprefix("HumanEval_")))
    return [(problem_id, ", ".join(those), reason) for (problem_id, reason), those in ordered]


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return content.getvalue()


def suites() -> str:
    """Return the list of test suites. The class of suites that no program can be checked on is ``excluded``."""
    rows: Rows = []
    for benchmark, verdicts in load_verdicts().items():
        for problem_id, verdict in verdicts.items():
            told = "" if verdict.label in ("fair", "contradicts") else _yes(verdict.told)
            programs = "; ".join(f"{writer}: {outcome}" for writer, outcome in verdict.programs.items())
            asked = _yes(verdict.answerable)
            rows.append((benchmark, problem_id, verdict.label, told, asked, verdict.reason, programs))
        for problem_id, why in load_exceptions().get(benchmark, {}).items():
            rows.append((benchmark, problem_id, "excluded", "", "no", why["detail"], ""))
    return _csv(("benchmark", "problem", "class", "told", "asked", "reason", "programs"), rows)


def programs() -> str:
    columns = ("verdict", "reason", "input", "result", "right")
    rows = (
        (name, problem_id, program, *(part.get(column, "") for column in columns), record["inputs"])
        for name, records in shipped.load(PROGRAMS).items()
        for problem_id, record in records.items()
        for program, part in (("fixed", record), ("buggy", record["buggy"]))
    )
    return _csv(("benchmark", "problem", "program", *columns, "inputs"), rows)


def lines() -> str:
    several = "the fix changes several lines together"
    rows = (
        (name, problem_id, line, several if text is None else text or "the line is left out", record["searched"])
        for name, records in shipped.load(BUG_LINES).items()
        for problem_id, record in records.items()
        for line, text in record["lines"].items()
    )
    return _csv(("benchmark", "problem", "line", "repair", "searched"), rows)


LISTS: Mapping[str, Callable[[], str]] = {"suites.csv": suites, "programs.csv": programs, "lines.csv": lines}


def page_of(directory: Path) -> str:
    """Return the page of the data in a directory."""
    proven = [name for name, benchmark in benchmarks().items() if benchmark.labels == "proven"]
    missing = [name for name in proven if not intact(directory, name)]
    if missing:
        raise SystemExit(f"{directory}: not built: {', '.join(missing)}; run `codemind data build`")
    problems = {name: load_problems(benchmark_path(directory, name)) for name in proven}
    categories = {name: meaning for name, meaning in CATEGORIES.items() if name != "published"}
    counts = {name: Counter(problem.category for problem in problems[name]) for name in proven}
    sources, causes = re2_tables()
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    environment.filters.update(
        title_of=lambda name: get_benchmark(name).title, changed_labels=changed_labels, excluded_inputs=excluded_inputs,
        corrected_cases=corrected_cases, other_inputs=other_inputs, long_tests=long_tests,
    )  # fmt: skip
    return environment.from_string(Path(__file__).with_name("errata.md.j2").read_text(encoding="utf-8")).render(
        table=table,
        version=__version__,
        digest=lambda name: hashlib.sha256(LISTS[name]().encode("utf-8")).hexdigest(),
        categories=categories,
        counted=[
            (get_benchmark(name).title, len(problems[name]), *(counts[name][category] for category in categories))
            for name in proven
        ],
        CLASSES=CLASSES,
        suite_counts=suite_counts(),
        unfair=unfair_suites(),
        problems_of=problems,
        proofs={name: load_proofs(name) for name in proven},
        characters=f"{SHOWN_CHARACTERS:,}",
        test_cases=TEST_CASES,
        exceptions={
            name: [(key, EXCLUSION_REASONS[why["reason"]], why["detail"]) for key, why in excluded.items()]
            for name, excluded in load_exceptions().items()
        },
        failing={name: load_failing(name) for name in benchmarks()},
        differences=differences(),
        unrunnable=[f"{program} ({number})" for program, numbers in load_unrunnable().items() for number in numbers],
        unanswerable=unanswerable(),
        runtime_inputs=runtime_inputs(),
        executions=executed(),
        plain_inputs=load_plain_inputs(),
        unrolled={name: not_unrolled(name) for name in proven},
        TASKS=TASKS,
        re2_sources=sources,
        re2_causes=causes,
        VERDICTS=VERDICTS,
        program_counts=program_counts(),
        judged={verdict: judged(verdict) for verdict in ("wrong", "extreme")},
        ambiguous=ambiguous(),
    )


if __name__ == "__main__":
    PAGE.write_text(page_of(data_directory()), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name, make in LISTS.items():
        (FOLDER / name).write_bytes(make().encode("utf-8"))

"""Write the errata: the summary in docs/data.md, and the lists in docs/errata as CSV files.

    python utils/errata_page.py

It reads the built data (``$CODEMIND_DATA``).
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from errata_lists import FOLDER, LISTS, csv_digest, csv_of
from lm_eval_codemind import __version__
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.labels import Proof, load_proofs
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS, VERDICTS, is_settled
from lm_eval_codemind.data.facts.suites import CLASSES, load_verdicts
from lm_eval_codemind.data.manifest import benchmark_path, data_directory, intact
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import CATEGORIES, EXCLUSION_REASONS, TEST_CASES, Problem, load_problems, shown_cases
from lm_eval_codemind.studies.re2.data import TASKS, source_of
from lm_eval_codemind.studies.re2.task import proofs as re2_proofs
from prove_labels import proven_benchmarks
from reval_differences import load_differences

PAGE = FOLDER.parent / "data.md"
START, END = "<!-- errata: written by utils/errata_page.py -->\n", "<!-- end of errata -->\n"
_LONGEST_LABEL = 200
_STATUSES = ("proven", "corrected", "excluded")


def lists(directory: Path) -> dict[str, str]:
    """Return the lists by name of their file: those of the package, and those that need the data in a directory.

    Raises:
        SystemExit: If benchmarks are not built there; the message names them and the command that builds them.
    """
    problems_of = _problems(directory)
    proofs = {name: load_proofs(name) for name in problems_of}
    texts = {name: make() for name, make in LISTS.items()}
    texts["labels.csv"] = csv_of(
        ("benchmark", "problem", "category", "reason", "published", "proven"), _label_rows(problems_of)
    )
    texts["cases.csv"] = csv_of(
        ("benchmark", "problem", "change", "number", "characters"), _case_rows(problems_of, proofs)
    )
    return dict(sorted(texts.items()))


def summary(directory: Path) -> str:
    """Return the summary of the data in a directory as Markdown: the counts of labels, suites and programs."""
    parts = [_labels(_problems(directory)), _suites(), _programs(), _studies(), _files(lists(directory))]
    return "\n".join(parts)


def filled(page: str, directory: Path) -> str:
    """Return a page with the summary now."""
    before, _, rest = page.partition(START)
    return f"{before}{START}\n{summary(directory)}\n{END}{rest.partition(END)[2]}"


def _problems(directory: Path) -> dict[str, list[Problem]]:
    proven = proven_benchmarks()
    missing = [name for name in proven if not intact(directory, name)]
    if missing:
        raise SystemExit(f"{directory}: not built: {', '.join(missing)}; run `codemind data build`")
    return {name: list(load_problems(benchmark_path(directory, name))) for name in proven}


def _table(head: Sequence[str], rows: Iterator[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"


def _labels(problems_of: Mapping[str, Sequence[Problem]]) -> str:
    categories = [category for category in CATEGORIES if category != "published"]
    counts = {name: Counter(problem.category for problem in problems) for name, problems in problems_of.items()}
    rows = (
        (get_benchmark(name).title, len(problems_of[name]), *(of_name[category] for category in categories))
        for name, of_name in counts.items()
    )
    meanings = "".join(f"- *{category}*: {CATEGORIES[category]}\n" for category in categories)
    return f"### Labels\n\n{_table(('benchmark', 'labels', *categories), rows)}\n{meanings}"


def _suites() -> str:
    def rows() -> Iterator[Sequence[object]]:
        for name, verdicts in load_verdicts().items():
            counts = Counter(verdict.label for verdict in verdicts.values())
            left_out = sum(not verdict.answerable for verdict in verdicts.values())
            yield get_benchmark(name).title, len(verdicts), *(counts[label] for label in CLASSES), left_out

    meanings = "".join(f"- *{label}*: {meaning}\n" for label, meaning in CLASSES.items())
    head = ("benchmark", "suites", *CLASSES, "not asked")
    return f"### Fair suites\n\n{_table(head, rows())}\n{meanings}"


def _programs() -> str:
    def rows() -> Iterator[Sequence[object]]:
        for name, records in shipped.load(PROGRAMS).items():
            counts = Counter(record["verdict"] for record in records.values())
            wrong = sum(record["buggy"]["verdict"] == "wrong" for record in records.values())
            settled = sum(is_settled(name, problem_id) for problem_id in records)
            lines = shipped.load(BUG_LINES)[name]
            yield (
                get_benchmark(name).title,
                2 * len(records),
                *(counts[verdict] for verdict in VERDICTS),
                wrong,
                settled,
                sum(len(record["lines"]) for record in lines.values()),
                len(lines),
            )

    named = {"right": "correct", "wrong": "incorrect"}
    classes = [f"fixed and {named.get(verdict, verdict)}" for verdict in VERDICTS]
    head = ("benchmark", "programs", *classes, "buggy and incorrect", "asked about", "lines", "programs with lines")
    return f"### Programs\n\n{_table(head, rows())}"


def _studies() -> str:
    def rows() -> Iterator[Sequence[object]]:
        places = [lines for inputs in load_differences().values() for lines in inputs.values()]
        causes = [cause for lines in places for cause in lines.values()]
        for position, what in enumerate(("state", "path")):
            yield f"REval, {what}", 3152, "", sum(bool(cause[position]) for cause in causes), ""
        for task in TASKS:
            for real in (False, True):
                statuses = Counter(
                    proof[task]["status"]
                    for problem_id, proof in re2_proofs().items()
                    if task in proof and source_of(problem_id).startswith(("Real", "SWE")) is real
                )
                kind = "real projects" if real else "other programs"
                yield f"RE2-Bench, {task}, {kind}", statuses.total(), *(statuses[status] for status in _STATUSES)

    return f"### Labels of other studies\n\n{_table(('questions', 'labels', *_STATUSES), rows())}"


def _files(texts: Mapping[str, str]) -> str:
    rows = (
        (f"[{name}](errata/{name})", len(list(csv.reader(io.StringIO(text)))) - 1, f"`{csv_digest(text)[:16]}`")
        for name, text in texts.items()
    )
    return (
        f"### Lists\n\n{_table(('file', 'rows', 'SHA-256, first 16 digits'), rows)}\n"
        f"Cite a list by its name, the release and the digest: suites.csv of lm-eval-codemind {__version__}, SHA-256 "
        f"`{csv_digest(texts['suites.csv'])}`.\n"
    )


def _label_rows(problems_of: Mapping[str, Sequence[Problem]]) -> Iterator[tuple[str, ...]]:
    """Yield the labels that are not confirmed."""
    for name, problems in problems_of.items():
        for problem in problems:
            if problem.category != "confirmed":
                reason = EXCLUSION_REASONS[problem.reason] if problem.reason else ""
                texts = (_short(problem.published_output), _short(problem.output))
                yield name, problem.problem_id, problem.category, reason, *texts


def _short(label: str | None) -> str:
    if label is None or len(label) <= _LONGEST_LABEL:
        return label or ""
    return f"{label[:_LONGEST_LABEL]}… ({len(label)} characters)"


def _case_rows(
    problems_of: Mapping[str, Sequence[Problem]], proofs: Mapping[str, Mapping[str, Proof]]
) -> Iterator[tuple[str, ...]]:
    """Yield what differs in the test cases of scripts: outputs, and the input and the cases in the prompt."""
    for name, problems in problems_of.items():
        for problem_id, proof in proofs.get(name, {}).items():
            if proof.cases:
                removed = sum(output is None for output in proof.cases.values())
                for what, number in (("output corrected", len(proof.cases) - removed), ("case removed", removed)):
                    if number:
                        yield name, problem_id, what, str(number), ""
        if problems and kind_of(problems[0]).printed:
            yield from (row for problem in problems for row in _shown(name, problem))


def _shown(name: str, problem: Problem) -> Iterator[tuple[str, ...]]:
    if problem.cases and problem.input != problem.cases[0].input:
        size = len(problem.cases[0].input) + len(problem.cases[0].output)
        yield name, problem.problem_id, "another input is asked about", "1", str(size)
    first = problem.cases[:TEST_CASES]
    if shown_cases(problem.cases, TEST_CASES) != first:
        size = sum(len(case.input) + len(case.output) for case in first)
        yield name, problem.problem_id, "other cases in a prompt with tests", str(len(first)), str(size)


if __name__ == "__main__":
    built = data_directory()
    for file, content in lists(built).items():
        (FOLDER / file).write_bytes(content.encode("utf-8"))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), built), encoding="utf-8")

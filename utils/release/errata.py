"""Write the errata: the summary in docs/data.md, and the lists in docs/errata as CSV files.

    python utils/release/errata.py

It reads the built data (``$CODEMIND_DATA``). ``suites.csv`` has a line for each test suite of HumanEval, MBPP and
ClassEval's methods: ``told`` is whether a prompt with a test tells what the suite asks for, ``asked`` whether tasks ask
about the problem, ``programs`` the writer and the outcome of each program. ``programs.csv`` and ``lines.csv`` have the
programs of HumanEvalFix and the lines of their bugs. ``one_output.csv`` has the problems that simplification and
translation do not ask about, because all known tests and witnesses have one output.
"""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lm_eval_codemind import __version__
from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.data.facts import executions, shipped
from lm_eval_codemind.data.facts.programs import BUG_LINES, PROGRAMS, VERDICTS, is_settled
from lm_eval_codemind.data.facts.runtime_labels import REASONS, load_labels, load_published, load_unrunnable
from lm_eval_codemind.data.facts.suites import CLASSES, load_verdicts
from lm_eval_codemind.data.facts.witnesses import OF_SPECIFICATION, file_of, with_witnesses
from lm_eval_codemind.data.manifest import benchmark_path, data_directory, intact
from lm_eval_codemind.family import has_one_output
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import CATEGORIES, EXCLUSION_REASONS, TEST_CASES, Problem, load_problems, shown_cases
from lm_eval_codemind.studies.re2.asked import TASKS
from lm_eval_codemind.studies.re2.data import source_of
from lm_eval_codemind.studies.re2.task import proofs as re2_proofs
from lm_eval_codemind.studies.reval.rules import is_answerable
from lm_eval_codemind.workshop.build import PLAIN_INPUTS
from lm_eval_codemind.workshop.facts.labels import Proof, load_proofs
from lm_eval_codemind.workshop.facts.recipes import load_failing
from lm_eval_codemind.workshop.facts.sr_exceptions import load_exceptions
from lm_eval_codemind.workshop.facts.unrolled import load_unrollings
from lm_eval_codemind.workshop.proof.witnesses import BENCHMARKS, SPECIFIED
from lm_eval_codemind.workshop.transforms import unrolling

ROOT = Path(__file__).parents[2]
PAGE, FOLDER = ROOT / "docs" / "data.md", ROOT / "docs" / "errata"
# The items whose REval labels differ from execution: program -> input -> line -> cause of the state and of the path, ""
# where they are right. The file also says what the causes mean.
REVAL = json.loads(Path(__file__).with_name("reval_differences.json").read_text(encoding="utf-8"))
START, END = "<!-- errata: written by utils/release/errata.py -->\n", "<!-- end of errata -->\n"
SUITES_COLUMNS = ("benchmark", "problem", "class", "told", "asked", "reason", "programs")
_LONGEST_LABEL = 200
_STATUSES = ("proven", "corrected", "excluded")


def proven_benchmarks() -> list[str]:
    """Return the benchmarks with packaged proofs of their labels."""
    return [name for name, benchmark in benchmarks().items() if benchmark.labels == "proven"]


def csv_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return content.getvalue()


def suites() -> str:
    """Return the list of test suites as CSV. The class of suites that no program can be checked on is ``excluded``."""
    rows: list[tuple[str, ...]] = []
    exceptions = load_exceptions()
    for benchmark, verdicts in load_verdicts().items():
        for problem_id, verdict in verdicts.items():
            told = "" if verdict.label in ("fair", "contradicts") else _yes(verdict.told)
            programs = "; ".join(f"{writer}: {outcome}" for writer, outcome in verdict.programs.items())
            asked = _yes(verdict.answerable)
            rows.append((benchmark, problem_id, verdict.label, told, asked, verdict.reason, programs))
        for problem_id, why in exceptions.get(benchmark, {}).items():
            rows.append((benchmark, problem_id, "excluded", "", "no", why["detail"], ""))
    return csv_of(SUITES_COLUMNS, rows)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def not_asked() -> str:
    """Return the questions that tasks do not ask, as CSV. Labels and suites have their own lists."""
    columns = ("question", "benchmark", "problem", "input or line", "reason")
    return csv_of(columns, [*_problems_not_asked(), *_runtime(), *_executions(), *_published_reval()])


def _problems_not_asked() -> Iterator[tuple[str, ...]]:
    for benchmark, problems in load_exceptions().items():
        for problem_id, why in problems.items():
            yield "specification reasoning", benchmark, problem_id, "", EXCLUSION_REASONS[why["reason"]]
    for benchmark in benchmarks():
        for problem_id in load_failing(benchmark):
            yield "simplification", benchmark, problem_id, "", "the program to simplify fails its suite"
    for benchmark, problem_ids in shipped.load(PLAIN_INPUTS).items():
        for problem_id in problem_ids:
            yield "input prediction, searched", benchmark, problem_id, "", "a trivial input gives the output"
    for benchmark in proven_benchmarks():
        for problem_id, record in load_unrollings(benchmark).items():
            if "reason" in record:
                yield "unrolled loops", benchmark, problem_id, "", unrolling.REASONS[record["reason"]]


def _runtime() -> Iterator[tuple[str, ...]]:
    for benchmark in ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample"):
        for program, inputs in load_labels(benchmark).items():
            for number, labels in inputs.items():
                if labels.reason:
                    yield "runtime behaviour", benchmark, program, str(number), REASONS[labels.reason]


def _executions() -> Iterator[tuple[str, ...]]:
    for benchmark in ("humaneval", "cruxeval", "classeval", "avatar", "sample"):
        for problem_id, record in executions.load_executions(benchmark).items():
            if record.reason:
                yield "traces", benchmark, problem_id, "", executions.REASONS[record.reason]


def _published_reval() -> Iterator[tuple[str, ...]]:
    for program, numbers in load_unrunnable().items():
        for number in numbers:
            yield "runtime behaviour, published", "reval", program, str(number), "REval's own assertions fail"
    for program, inputs in load_published().items():
        for number, labels in inputs.items():
            for label in labels:
                if not is_answerable(label.values):
                    why = "REval converts the type to lower case and searches for a name with capitals"
                    yield "runtime behaviour, published", "reval", program, f"{number}, line {label.line}", why


def reval() -> str:
    """Return the items of REval whose published label differs from execution, as CSV."""
    return csv_of(
        ("label", "program", "input", "line", "cause"),
        [
            (what, program, str(number), str(line), REVAL[what][causes[position]])
            for position, what in enumerate(("state", "path"))
            for program, inputs in REVAL["items"].items()
            for number, lines in inputs.items()
            for line, causes in lines.items()
            if causes[position]
        ],
    )


def re2() -> str:
    """Return the labels of RE2-Bench with their status, as CSV."""
    return csv_of(
        ("label", "source", "project", "problem", "status", "cause"),
        [
            (task, source_of(problem_id), project, problem_id, proof[task]["status"], proof[task].get("reason", ""))
            for task in TASKS
            for problem_id, proof in re2_proofs().items()
            for project in ["".join(name for name in proof["versions"] if name != "python")]
            if task in proof
        ],
    )


def programs() -> str:
    """Return the verdicts of all programs as CSV."""
    columns = ("verdict", "reason", "input", "result", "right")
    return csv_of(
        ("benchmark", "problem", "program", *columns, "inputs"),
        [
            (name, problem_id, program, *(part.get(column, "") for column in columns), record["inputs"])
            for name, records in shipped.load(PROGRAMS).items()
            for problem_id, record in records.items()
            for program, part in (("fixed", record), ("buggy", record["buggy"]))
        ],
    )


def lines() -> str:
    """Return the lines that repair a program as CSV."""
    together = "the fix changes several lines together"
    return csv_of(
        ("benchmark", "problem", "line", "repair"),
        [
            (
                name,
                problem_id,
                line,
                together if repair is None else repair or "the line is left out",
            )
            for name, of_problems in shipped.load(BUG_LINES).items()
            for problem_id, record in of_problems.items()
            for line, repair in record.items()
        ],
    )


def csv_digest(text: str) -> str:
    """Return the SHA-256 digest of a list."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def lists(directory: Path) -> dict[str, str]:
    """Return the lists by name of their file. Some need the data in a directory.

    Raises:
        SystemExit: If benchmarks are not built there; the message names them and the command that builds them.
    """
    problems_of = _problems(directory)
    proofs = {name: load_proofs(name) for name in problems_of}
    labels = ("benchmark", "problem", "category", "reason", "published", "proven")
    cases = ("benchmark", "problem", "change", "number", "characters")
    texts = {
        "suites.csv": suites(),
        "programs.csv": programs(),
        "lines.csv": lines(),
        "not_asked.csv": not_asked(),
        "reval.csv": reval(),
        "re2.csv": re2(),
        "labels.csv": csv_of(labels, _label_rows(problems_of)),
        "cases.csv": csv_of(cases, _case_rows(problems_of, proofs)),
        "one_output.csv": csv_of(("benchmark", "problem", "output"), _one_output_rows(problems_of)),
    }
    return dict(sorted(texts.items()))


def _one_output_rows(problems_of: Mapping[str, Sequence[Problem]]) -> Iterator[tuple[str, ...]]:
    for name in BENCHMARKS:
        submissions = get_benchmark(name).submissions
        for problem in with_witnesses(name, problems_of.get(name, ())):
            asked = problem.category != "excluded" and not (submissions and submissions in problem.problem_id)
            if asked and has_one_output(problem):
                yield name, problem.problem_id, str(problem.output).strip()[:_LONGEST_LABEL]


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
            witnesses = len(shipped.load(file_of(name, OF_SPECIFICATION))) if name in SPECIFIED else 0
            yield get_benchmark(name).title, len(verdicts), *(counts[label] for label in CLASSES), left_out, witnesses

    meanings = "".join(f"- *{label}*: {meaning}\n" for label, meaning in CLASSES.items())
    head = ("benchmark", "suites", *CLASSES, "not asked", "with witnesses")
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
                sum(map(len, lines.values())),
                len(lines),
            )

    named = {"right": "correct", "wrong": "incorrect"}
    classes = [f"fixed and {named.get(verdict, verdict)}" for verdict in VERDICTS]
    head = ("benchmark", "programs", *classes, "buggy and incorrect", "asked about", "lines", "programs with lines")
    return f"### Programs\n\n{_table(head, rows())}"


def _studies() -> str:
    def rows() -> Iterator[Sequence[object]]:
        places = [lines for inputs in REVAL["items"].values() for lines in inputs.values()]
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

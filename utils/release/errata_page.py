"""Write the errata page: the published labels that differ from execution, and the excluded problems.

    python utils/release/errata_page.py > docs/errata.md

It reads the built data (``$CODEMIND_DATA``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import program_errata
from errata_lists import digest
from lm_eval_codemind import __version__
from lm_eval_codemind.data.build import load_plain_inputs
from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.data.facts import executions
from lm_eval_codemind.data.facts.labels import Proof, load_proofs
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
from prove_labels import proven_benchmarks
from reval_differences import PATH_CAUSES, STATE_CAUSES, load_differences

_LONGEST_LABEL = 120
_STATUSES = ("proven", "corrected", "excluded")

_HEAD = """\
# Errata

This page compares our labels with the labels that upstream publishes, and names the excluded problems. Except for the
published tasks, every label was computed by executing the program at least three times. The executions differ in hash
seed, working directory and date, and in how floats are added (Python changed this in version 3.12). The output must be
the same each time. `utils/release/errata_page.py` generates this page from the data.

| category | meaning |
|---|---|
"""

_SUITES = """
## Right by the specification

Execution cannot prove that a test suite is fair. So writers who were shown neither tests nor solutions wrote a
program for each problem, from the prompt without a test. The writers are language models, and the benchmarks are
public: they may know a problem from elsewhere. These programs ran against the suites, and every failure was read.
[suites.csv](errata/suites.csv) has each verdict with its reason and the outcomes of the programs. The script
`utils/prove_suites.py` executes the programs again.

"""
_NOT_TOLD = """
*Not told* are suites of which a prompt with a test does not tell what they ask for. Specification reasoning leaves out
these suites and those that contradict the specification. So do its variants with a misleading test and dependent
execution reasoning.

"""


def errata_page(
    problems_of: Mapping[str, Sequence[Problem]],
    proofs: Mapping[str, Mapping[str, Proof]],
    exceptions: Mapping[str, Mapping[str, Mapping[str, str]]],
    failing: Mapping[str, Sequence[str]],
) -> str:
    """Return the errata as Markdown: counts per benchmark, then every problem that is not confirmed.

    Args:
        problems_of: Name -> built problems, in the order of the page.
        proofs: Name -> problem -> its proof, for the test cases.
        exceptions: Name -> problem -> ``reason`` and ``detail``, of the problems whose suites are excluded.
        failing: Name -> problems whose program (the published C+, where there is one) fails its whole test suite.
    """
    categories = [category for category in CATEGORIES if category != "published"]
    parts = [_HEAD]
    parts += [f"| {category} | {CATEGORIES[category]} |\n" for category in categories]
    parts.append(f"\n| benchmark | problems | {' | '.join(categories)} |\n|---|---|{'---|' * len(categories)}\n")
    for name, problems in problems_of.items():
        counts = Counter(problem.category for problem in problems)
        numbers = " | ".join(str(counts[category]) for category in categories)
        parts.append(f"| {get_benchmark(name).title} | {len(problems)} | {numbers} |\n")
    parts.append(_right_by_specification())
    for name, problems in problems_of.items():
        parts += [_labels(name, problems), _cases(proofs.get(name, {}))]
        parts += [_inputs(problems, proofs.get(name, {})), _shown_tests(problems)]
    parts += [_suites(name, excluded) for name, excluded in exceptions.items()]
    parts += [_failing(name, problem_ids) for name, problem_ids in failing.items() if problem_ids]
    parts.append(_runtime())
    parts.append(_executions())
    parts += [_plain_inputs(name) for name in load_plain_inputs()]
    parts += [_unrolled(name) for name in problems_of]
    parts.append(_re2())
    parts.append(program_errata.section())
    return "".join(parts)


def _right_by_specification() -> str:
    """Return the section on what execution cannot prove: whether test suites are fair."""
    verdicts = load_verdicts()
    parts = [
        _SUITES,
        f"Cite the list as suites.csv of lm-eval-codemind {__version__}, SHA-256 `{digest('suites.csv')}`.\n\n",
    ]
    parts += ["| class | meaning |\n|---|---|\n", *(f"| {label} | {meaning} |\n" for label, meaning in CLASSES.items())]
    parts.append(f"{_NOT_TOLD}| benchmark | suites | {' | '.join(CLASSES)} | not told | left out |\n")
    parts.append(f"|---|{'---:|' * (len(CLASSES) + 3)}\n")
    for name, of_benchmark in verdicts.items():
        counts = Counter(verdict.label for verdict in of_benchmark.values())
        numbers = [len(of_benchmark), *(counts[label] for label in CLASSES)]
        numbers.append(sum(not verdict.told for verdict in of_benchmark.values()))
        numbers.append(sum(not verdict.answerable for verdict in of_benchmark.values()))
        parts.append(f"| {get_benchmark(name).title} | {' | '.join(map(str, numbers))} |\n")
    for name, of_benchmark in verdicts.items():
        parts.append(f"\n### {get_benchmark(name).title}: suites that are not fair\n\n")
        parts.append("| problem | class | told | what the suite asks for |\n|---|---|---|---|\n")
        for problem_id, verdict in of_benchmark.items():
            if verdict.label != FAIR:
                told = "" if verdict.label == "contradicts" else "yes" if verdict.told else "no"
                parts.append(f"| {problem_id} | {verdict.label} | {told} | {verdict.reason} |\n")
    return "".join(parts)


def _re2() -> str:
    """Return the section on RE2-Bench: the labels by source, then those corrected or excluded by task and cause."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    rows: dict[tuple[str, str, str], list[str]] = {}
    for problem_id, proof in re2_proofs().items():
        project = "".join(f", {name}" for name in proof["versions"] if name != "python")
        of_source = counts.setdefault(source_of(problem_id) + project, {task: Counter() for task in TASKS})
        for task in filter(proof.__contains__, TASKS):
            status = proof[task]["status"]
            of_source[task][status] += 1
            if status != "proven":
                rows.setdefault((task, status, proof[task]["reason"]), []).append(f"`{problem_id}`")
    cells = {
        source: [
            " / ".join(str(of_task[status]) for status in _STATUSES) if of_task else "" for of_task in tasks.values()
        ]
        for source, tasks in counts.items()
    }
    ordered = sorted(rows.items(), key=lambda item: (TASKS.index(item[0][0]), item[0]))
    return (
        "\n## RE2-Bench: labels by source\n\nProven / corrected / excluded.\n\n"
        f"| source | {' | '.join(TASKS)} |\n|---|---|---|---|---|\n"
        + "".join(f"| {source} | {' | '.join(cells[source])} |\n" for source in sorted(cells))
        + "\n## RE2-Bench: corrected and excluded labels\n\n"
        "A corrected label is what the program does. An excluded one is not asked for. `studies/re2/facts` has the "
        "values.\n\n"
        "| task | status | cause | number | problems |\n|---|---|---|---|---|\n"
        + "".join(f"| {' | '.join(key)} | {len(names)} | {', '.join(names)} |\n" for key, names in ordered)
    )


def _plain_inputs(name: str) -> str:
    """Return the section on the problems that a trivial input solves."""
    solved = load_plain_inputs()[name]
    if not solved:
        return ""
    head = f"\n## {get_benchmark(name).title}: trivial inputs\n\n"
    text = (
        "A trivial input gives the output of these problems: every argument is empty, zero or left to its default.\n"
        "Input prediction also reports a score without them.\n\n"
    )
    return f"{head}{len(solved)} problems. {text}" + "".join(f"- {problem_id}\n" for problem_id in solved)


def _unrolled(name: str) -> str:
    """Return the section on the programs that have loops and no unrolled form."""
    left_out = {key: each["reason"] for key, each in load_unrollings(name).items() if "reason" in each}
    if not left_out:
        return ""
    lines = [f"| {key} | {unrolling.REASONS[reason]} |\n" for key, reason in left_out.items()]
    head = f"\n## {get_benchmark(name).title}: not unrolled\n\n| problem | reason |\n|---|---|\n"
    return head + "".join(lines)


def _labels(name: str, problems: Sequence[Problem]) -> str:
    changed = [problem for problem in problems if problem.category != "confirmed"]
    if all(problem.published_output is None for problem in problems):
        return _unpublished(name, problems)
    if not changed:
        return f"\n## {get_benchmark(name).title}\n\nEvery label is confirmed.\n"
    lines = [f"\n## {get_benchmark(name).title}\n\n"]
    lines.append("| problem | category | published label | proven label |\n|---|---|---|---|\n")
    for problem in changed:
        why = f"excluded: {EXCLUSION_REASONS[problem.reason]}" if problem.reason else problem.category
        lines.append(
            f"| {problem.problem_id} | {why} | {_cell(problem.published_output)} | {_cell(problem.output)} |\n"
        )
    return "".join(lines)


def _unpublished(name: str, problems: Sequence[Problem]) -> str:
    """Return the section of a benchmark without published labels: its excluded problems."""
    excluded = [problem for problem in problems if problem.category == "excluded"]
    lines = [f"\n## {get_benchmark(name).title}\n\nUpstream publishes no labels."]
    if not excluded:
        return f"{lines[0]} We proved a label for every problem.\n"
    lines.append(" We proved a label for every problem except these:\n\n| problem | reason | input |\n|---|---|---|\n")
    for problem in excluded:
        lines.append(f"| {problem.problem_id} | {EXCLUSION_REASONS[problem.reason]} | {_cell(problem.input)} |\n")
    return "".join(lines)


def _cell(label: str | None) -> str:
    """Return a label as a cell of a table: on one line, shortened if it is long, and escaped for Markdown."""
    if label is None:
        return "none"
    text = "⏎".join(label.splitlines())
    if len(text) > _LONGEST_LABEL:
        text = f"{text[:_LONGEST_LABEL]}… ({len(label)} characters)"
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def _cases(proofs: Mapping[str, Proof]) -> str:
    """Return the test cases of scripts whose expected output differs from upstream's."""
    concerned = {problem_id: proof.cases for problem_id, proof in proofs.items() if proof.cases}
    if not concerned:
        return ""
    lines = ["\nSome expected outputs in the test suites also differ from execution:\n\n"]
    lines.append(
        "| problem | test cases corrected | test cases removed because the program fails on them |\n|---|---|---|\n"
    )
    for problem_id, cases in concerned.items():
        left_out = sum(output is None for output in cases.values())
        lines.append(f"| {problem_id} | {len(cases) - left_out} | {left_out} |\n")
    return "".join(lines)


def _inputs(problems: Sequence[Problem], proofs: Mapping[str, Proof]) -> str:
    """Return the scripts that are asked about another input than the published one, which is the first in T."""
    changed = [problem for problem in problems if problem.cases and problem.input != problem.cases[0].input]
    if not kind_of(problems[0]).printed or not changed:
        return ""
    lines = ["\nThe published input of these problems, with its output, is longer than the "]
    lines.append(f"{SHOWN_CHARACTERS:,} characters that a prompt shows.\nExecution reasoning uses the first case of ")
    lines.append(
        "the test suite that is short enough. The test suite and the published tasks keep the published case.\n\n"
    )
    lines.append(
        "| problem | characters of the published input | characters of its output | category of its label "
        "| input in the prompt | proven output |\n"
    )
    lines.append("|---|---:|---:|---|---|---|\n")
    for problem in changed:
        first = problem.cases[0]
        lines.append(f"| {problem.problem_id} | {len(first.input)} | {len(first.output)} ")
        lines.append(f"| {proofs[problem.problem_id].category} ")
        lines.append(f"| {_cell(problem.input)} | {_cell(problem.output)} |\n")
    return "".join(lines)


def _shown_tests(problems: Sequence[Problem]) -> str:
    """Return the scripts whose prompt does not show the first cases of the suite."""
    changed = [
        problem
        for problem in problems
        if kind_of(problem).printed and shown_cases(problem.cases, TEST_CASES) != problem.cases[:TEST_CASES]
    ]
    if not changed:
        return ""
    lines = [
        f"\nA prompt with tests shows {TEST_CASES} cases of the suite. For these problems the first cases are too "
    ]
    lines.append(
        f"long. The prompt shows the first cases that together have\nat most {SHOWN_CHARACTERS:,} characters:\n\n"
    )
    for problem in changed:
        first = problem.cases[:TEST_CASES]
        size = sum(len(case.input) + len(case.output) for case in first)
        lines.append(f"- {problem.problem_id} (the first {len(first)}: {size} characters)\n")
    return "".join(lines)


def _suites(name: str, excluded: Mapping[str, Mapping[str, str]]) -> str:
    """Return the problems that specification reasoning excludes because of their tests."""
    lines = [f"\n## {get_benchmark(name).title}: test suites\n\n"]
    lines.append("Specification reasoning excludes these problems. Either no program passes their tests on every ")
    lines.append("machine, or every program passes them.\n\n")
    lines.append("| problem | reason | detail |\n|---|---|---|\n")
    for problem_id, why in excluded.items():
        lines.append(f"| {problem_id} | {EXCLUSION_REASONS[why['reason']]} | {why['detail']} |\n")
    return "".join(lines)


def _failing(name: str, problem_ids: Sequence[str]) -> str:
    """Return the problems that dynamic semantics reasoning excludes."""
    lines = [f"\n## {get_benchmark(name).title}: programs that fail\n\n"]
    lines.append("Dynamic semantics reasoning runs the whole suite of a program, or of the class of a method. ")
    lines.append("It excludes these problems, because the program to simplify does not pass:\n\n")
    lines += [f"- {problem_id}\n" for problem_id in problem_ids]
    return "".join(lines)


def _runtime() -> str:
    """Return the REval labels that differ from execution, by cause, and the inputs that are not asked about."""
    differences = load_differences()
    of_items = [
        (f"{program} ({number}, {line})", causes)
        for program, inputs in differences.items()
        for number, lines in inputs.items()
        for line, causes in lines.items()
    ]
    parts = [
        "\n## REval: labels that differ from execution\n\n"
        "The comparison covers all runs of a line: the values after it, and the next lines. Values without a literal "
        "are compared by their\nprinted text. Items are named by REval's program, input and line.\n"
    ]
    for position, (what, causes) in enumerate((("state", STATE_CAUSES), ("path", PATH_CAUSES))):
        total = sum(bool(counts[position]) for _, counts in of_items)
        parts.append(f"\n### {what.capitalize()}: {total} items\n\n| cause | number | items |\n|---|---|---|\n")
        for cause, meaning in causes.items():
            names = [name for name, counts in of_items if counts[position] == cause]
            if names:
                parts.append(f"| {meaning} | {len(names)} | {', '.join(names)} |\n")
    parts.append(_published_rules())
    parts.append(
        "\n## Runtime behaviour: inputs that are not asked about\n\n"
        "| benchmark | reason | number | inputs |\n|---|---|---|---|\n"
    )
    for name in ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample"):
        of_benchmark = [
            (f"{program} ({number})", of_input.reason)
            for program, inputs in load_labels(name).items()
            for number, of_input in inputs.items()
        ]
        for reason, meaning in REASONS.items():
            names = [which for which, why in of_benchmark if why == reason]
            if names:
                parts.append(f"| {name} | {meaning} | {len(names)} | {', '.join(names)} |\n")
    return "".join(parts)


def _executions() -> str:
    """Return the section on the problems that are not asked about their whole execution."""
    parts = [
        "\n## Loops, branches and traces: executions that are not asked about\n\n"
        "No trace is asked of these problems. The last two reasons also exclude questions about loops and branches.\n\n"
        "| benchmark | reason | number | problems |\n|---|---|---|---|\n"
    ]
    for name in ("humaneval", "cruxeval", "classeval", "avatar", "sample"):
        for reason, meaning in executions.REASONS.items():
            names = [key for key, each in executions.load_executions(name).items() if each.reason == reason]
            if names:
                shown = "" if reason in ("plain", "length") else ", ".join(names)
                parts.append(f"| {name} | {meaning} | {len(names)} | {shown} |\n")
    return "".join(parts)


def _published_rules() -> str:
    """Return the items that the published tasks exclude because no answer can be right by REval's rules."""
    left_out = [f"{program} ({number})" for program, numbers in load_unrunnable().items() for number in numbers]
    unanswerable = [
        f"{program} ({number}, {label.line})"
        for program, inputs in load_published().items()
        for number, labels in inputs.items()
        for label in labels
        if not is_answerable(label.values)
    ]
    return (
        "\n### Items that the published tasks exclude\n\n"
        "On these inputs REval's own assertions fail with current packages, so all their items are excluded: "
        f"{', '.join(left_out)}.\n\n"
        f"For {len(unanswerable)} items no answer about the state is right, because REval converts the type to lower "
        f"case and then searches for a name with\ncapitals: {', '.join(unanswerable)}.\n"
    )


def page_of(directory: Path) -> str:
    """Return the page of the data in a directory.

    Raises:
        SystemExit: If benchmarks are not built there; the message names them and the command that builds them.
    """
    proven = proven_benchmarks()
    missing = [name for name in proven if not intact(directory, name)]
    if missing:
        raise SystemExit(f"{directory}: not built: {', '.join(missing)}; run `codemind data build`")
    problems = {name: load_problems(benchmark_path(directory, name)) for name in proven}
    proofs = {name: load_proofs(name) for name in proven}
    return errata_page(problems, proofs, load_exceptions(), {name: load_failing(name) for name in benchmarks()})


if __name__ == "__main__":
    print(page_of(data_directory()), end="")

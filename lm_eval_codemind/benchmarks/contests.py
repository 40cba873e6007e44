"""Programs of contest problems, from stdin to stdout: one folder for each, in the layout of CodeMind's artifact."""

import re

from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream, plain_text
from lm_eval_codemind.problems import Case, Problem

_CASE = re.compile(r"(.+)/all_tests/input/(\d+)_input\.txt")


def read_contests(
    upstream: Upstream, benchmark: str, language: str, part: ArchivePart, suites: ArchivePart | None = None
) -> list[Problem]:
    """Return the programs in a part of a repository sorted by name, their labels not yet proven.

    A problem's cases are its whole test suite, in the order of upstream's numbers, after the case that the label is
    about. Lines end in a line feed alone: a carriage return on standard input would be part of what a program reads.

    Args:
        upstream: The repositories.
        benchmark: The benchmark's name.
        language: The programs' language.
        part: Where the programs are, each with an input and its output.
        suites: Where the test suites are; None if the programs have none.
    """
    files = upstream.files(part)
    tests = upstream.files(suites) if suites else {}
    sources = {file.split("/")[0]: file for file in files if not file.endswith(".txt")}
    numbers: dict[str, list[int]] = {}
    for match in filter(None, map(_CASE.fullmatch, tests)):
        numbers.setdefault(match[1], []).append(int(match[2]))

    def case(folder: str, number: int) -> Case:
        names = (f"{folder}/all_tests/{kind}/{number}_{kind}.txt" for kind in ("input", "output"))
        return Case(*(plain_text(tests[name]) for name in names))

    return [
        Problem(
            problem_id=name,
            benchmark=benchmark,
            kind="script",
            language=language,
            code=plain_text(files[file]),
            input=plain_text(files[f"{name}/input.txt"]),
            cases=tuple(case(name, number) for number in sorted(numbers.get(name, ()))),
            published_output=plain_text(files[f"{name}/output.txt"]),
            provenance=part.place(name),
        )
        for name, file in sorted(sources.items())
    ]

"""Avatar and CodeNet: programs of contest problems in Python and Java, from stdin to stdout.

Sources: ``dataset/Avatar`` and ``dataset/CodeNet`` of CodeMind, with one folder for each program. A name in CodeNet is
a problem's (``p00006``) or a problem's with a submission's (``p00006_s493435186``); the programs of a problem have the
same input, which is the only one.
"""

import dataclasses
import re
from functools import partial

from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream, plain_text

_CASE = re.compile(r"(.+)/all_tests/input/(\d+)_input\.txt")

# Avatar's tokenizer writes a space inside a string as U+2581 with a space to either side. CodeMind kept that, and this
# program splits its input at it, so it runs on no input at all.
_SPLIT_AT_THE_MARK = {"atcoder_ABC149_B": (" \u2581 ", " ")}


def _read(upstream: Upstream, benchmark: str, language: str, suites: str = "") -> list[Problem]:
    """Return a benchmark's programs sorted by name, their labels not yet proven.

    A problem's cases are its whole test suite, in the order of upstream's numbers, after the case that the label is
    about. Lines end in a line feed alone: a carriage return on standard input would be part of what a program reads.

    Args:
        benchmark: The benchmark's name, and the part of the repository with its programs, inputs and outputs.
        suites: The part with the test suites; empty if the programs have none.
    """
    part = PARTS[benchmark]
    files = upstream.files(part)
    tests = upstream.files(PARTS[suites]) if suites else {}
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


def read_avatar(upstream: Upstream) -> list[Problem]:
    """Return Avatar's programs in Python sorted by name, their labels not yet proven.

    One program is repaired, because it could not run.
    """
    problems = []
    for problem in _read(upstream, "avatar", "python", suites="avatar"):
        code = problem.code.replace(*_SPLIT_AT_THE_MARK.get(problem.problem_id, ("", "")))
        problems.append(dataclasses.replace(problem, code=code.strip() + "\n"))
    return problems


read_avatar_java = partial(_read, benchmark="avatar_java", language="java", suites="avatar_java_suites")
read_codenet_python = partial(_read, benchmark="codenet_python", language="python")
read_codenet_java = partial(_read, benchmark="codenet_java", language="java")

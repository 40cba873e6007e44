"""The artifact's own programs, inputs and labels: for replication, not for measurement."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fnmatch import fnmatch
from functools import partial

from lm_eval_codemind.benchmarks import avatar, avatar_java, classeval, codenet, cruxeval, humaneval, licences, mbpp
from lm_eval_codemind.benchmarks.archives import CODEMIND, ArchivePart
from lm_eval_codemind.benchmarks.benchmark import Benchmark
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.problems import Problem

_MBPP = ArchivePart(
    CODEMIND,
    "dataset/Intermediate/Synthesis/mbpp",
    ("*/main.py", "*/input.txt", "*/output.txt"),
    "d05997665fde1bb643b09435b4c4e66f66460d0fe23352d82e0de90fe0604b34",
)
_CRUXEVAL = ArchivePart(
    CODEMIND,
    "dataset/cruxeval",
    ("*/main.py", "*/input.txt", "*/output.txt"),
    "879d8fbbe05bd0137e63e954448cb9b5ad18d95214efbb4e2e5605281d35669e",
)

# The labels that the artifact's own results were judged against where output.txt holds another value: an expression or
# an assertion's message beside the value, or the answer to another problem's call.
_JUDGED_AGAINST = {
    "HumanEval_32": "0.9999999999417923",
    "HumanEval_33": "(1, 2, 3)",
    "HumanEval_37": "(1, 2, 3)",
    "HumanEval_56": "True",
    "HumanEval_61": "True",
    "HumanEval_72": "True",
    "HumanEval_105": "['Eight', 'Five', 'Four', 'Three', 'Two', 'Two', 'One', 'One']",
}


def read(
    upstream: Upstream,
    *,
    benchmark: Benchmark,
    part: ArchivePart,
    files: tuple[str, str] = ("main.py", "input.txt"),
    label: Callable[[str, str], str] = lambda problem_id, text: text,
    with_class: bool = False,
    prefix: str = "",
) -> list[Problem]:
    """Return CodeMind's problems of one benchmark, with its labels as outputs, sorted by name.

    Args:
        upstream: The repositories.
        benchmark: The benchmark whose problems they are.
        part: Where they are.
        files: The names of the program's file, or how it ends after a ``*``, and of its input's.
        label: Problem and content of ``output.txt`` -> the label as the artifact compares answers with it.
        with_class: Whether they are methods of ClassEval's classes. Then they have their published C+ as well, where
            there is one, and the tests of ClassEval's own data, so that simplified programs can be validated.
    """
    contents = upstream.files(part)
    program, given = files
    programs = {path.split("/")[0]: path.split("/")[1] for path in contents if fnmatch(path, f"*/{program}")}
    programs = {problem_id: name for problem_id, name in programs.items() if f"{problem_id}/{given}" in contents}
    suites: dict[str, str] = {}
    if with_class:
        suites = {record["task_id"]: record["test"].strip() + "\n" for record in classeval.read_records(upstream)}

    def text(problem_id: str, name: str) -> str:
        return contents[f"{problem_id}/{name}"].decode("utf-8")

    def transformation(problem_id: str) -> str:
        path = f"{problem_id}/transformation.py"
        return text(problem_id, "transformation.py") if path in contents and with_class else ""

    assert benchmark.kind is not None
    return [
        Problem(
            problem_id=f"{prefix}{problem_id}",
            benchmark=benchmark.published_as,
            kind=benchmark.kind,
            language=benchmark.language,
            code=text(problem_id, programs[problem_id]),
            entry_point=problem_id.split("@")[-1] if with_class else "",
            input=text(problem_id, given),
            output=label(problem_id, text(problem_id, "output.txt")),
            tests=suites.get(problem_id.split("@")[0], ""),
            transformed=transformation(problem_id),
            category="published",
            published_output=text(problem_id, "output.txt"),
            provenance=part.place(problem_id),
        )
        for problem_id in sorted(programs)
    ]


def _printed(problem_id: str, text: str) -> str:
    """Return a label of HumanEval as the artifact's results hold it: as ``print`` shows it, strings without quotes."""
    return _JUDGED_AGAINST.get(problem_id) or str(ast.literal_eval(text.strip()))


def _plain_lines(problem_id: str, text: str) -> str:
    return text.replace("\r\n", "\n")


def _published(
    benchmark: Benchmark, size: int, reader: Callable[[Upstream], list[Problem]], *parts: ArchivePart
) -> Benchmark:
    return Benchmark(
        benchmark.published_as,
        f"{benchmark.title} as published",
        benchmark.kind,
        size,
        reader,
        parts=parts,
        sources=tuple(dict.fromkeys((*benchmark.sources, licences.CODEMIND))),
        labels="published",
        language=benchmark.language,
        slow=benchmark.slow,
    )


PUBLISHED = (
    _published(
        humaneval.HUMANEVAL,
        162,
        partial(read, benchmark=humaneval.HUMANEVAL, part=humaneval.PART, label=_printed),
        humaneval.PART,
    ),
    _published(cruxeval.CRUXEVAL, 800, partial(read, benchmark=cruxeval.CRUXEVAL, part=_CRUXEVAL), _CRUXEVAL),
    _published(
        classeval.CLASSEVAL,
        400,
        partial(
            read,
            benchmark=classeval.CLASSEVAL,
            part=classeval.PART,
            files=("class.py", "method_test.py"),
            with_class=True,
        ),
        classeval.PART,
        classeval.RECORDS,
    ),
    _published(
        avatar.AVATAR, 86, partial(read, benchmark=avatar.AVATAR, part=avatar.PART, label=_plain_lines), avatar.PART
    ),
    _published(mbpp.MBPP_LABELLED, 408, partial(read, benchmark=mbpp.MBPP_LABELLED, part=_MBPP, prefix="MBPP_"), _MBPP),
    _published(
        codenet.CODENET_PYTHON,
        1939,
        partial(read, benchmark=codenet.CODENET_PYTHON, part=codenet.PYTHON_PART),
        codenet.PYTHON_PART,
    ),
    _published(
        codenet.CODENET_JAVA,
        1914,
        partial(read, benchmark=codenet.CODENET_JAVA, part=codenet.JAVA_PART, files=("*.java", "input.txt")),
        codenet.JAVA_PART,
    ),
    _published(
        avatar_java.AVATAR_JAVA,
        86,
        partial(
            read,
            benchmark=avatar_java.AVATAR_JAVA,
            part=avatar_java.PART,
            files=("*.java", "input.txt"),
            label=_plain_lines,
        ),
        avatar_java.PART,
    ),
)

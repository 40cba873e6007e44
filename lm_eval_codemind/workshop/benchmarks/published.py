"""The artifact's own programs, inputs and labels: for replication, not for measurement."""

import ast
from collections.abc import Callable
from fnmatch import fnmatch
from functools import partial

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import classeval
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream

# Language -> the name of a program's file.
_PROGRAMS = {"python": "main.py", "java": "*.java"}

# The labels that the artifact's own results were judged against where output.txt holds another value: an expression or
# an assertion's message after the value, or the answer to another problem's call.
_JUDGED_AGAINST = {
    "HumanEval_32": "0.9999999999417923",
    "HumanEval_33": "(1, 2, 3)",
    "HumanEval_37": "(1, 2, 3)",
    "HumanEval_56": "True",
    "HumanEval_61": "True",
    "HumanEval_72": "True",
    "HumanEval_105": "['Eight', 'Five', 'Four', 'Three', 'Two', 'Two', 'One', 'One']",
}


def _read(
    upstream: Upstream,
    name: str,
    label: Callable[[str, str], str] = lambda problem_id, text: text,
    prefix: str = "",
) -> list[Problem]:
    """Return CodeMind's problems of one benchmark, with its labels as outputs, sorted by name.

    Methods of ClassEval's classes have their published C+ as well, where there is one, and the tests of ClassEval's own
    data, so that simplified programs can be validated.

    Args:
        label: Problem and content of ``output.txt`` -> the label as the artifact compares answers with it.
    """
    benchmark = get_benchmark(name)
    source = PARTS.get(f"published_{name}") or PARTS[name]
    contents = upstream.files(source)
    with_class = benchmark.kind == "method"
    program, input_file = ("class.py", "method_test.py") if with_class else (_PROGRAMS[benchmark.language], "input.txt")
    programs = {path.split("/")[0]: path.split("/")[1] for path in contents if fnmatch(path, f"*/{program}")}
    programs = {problem_id: name for problem_id, name in programs.items() if f"{problem_id}/{input_file}" in contents}
    suites: dict[str, str] = {}
    if with_class:
        suites = {record["task_id"]: record["test"].strip() + "\n" for record in classeval.read_records(upstream)}

    def text(problem_id: str, name: str) -> str:
        return contents[f"{problem_id}/{name}"].decode("utf-8")

    assert benchmark.kind is not None
    return [
        Problem(
            problem_id=f"{prefix}{problem_id}",
            benchmark=benchmark.published_as,
            kind=benchmark.kind,
            language=benchmark.language,
            code=text(problem_id, programs[problem_id]),
            entry_point=problem_id.split("@")[-1] if with_class else "",
            input=text(problem_id, input_file),
            output=label(problem_id, text(problem_id, "output.txt")),
            tests=suites.get(problem_id.split("@")[0], ""),
            transformed=contents.get(f"{problem_id}/transformation.py", b"").decode("utf-8"),
            category="published",
            published_output=text(problem_id, "output.txt"),
            provenance=source.place(problem_id),
        )
        for problem_id in sorted(programs)
    ]


def _printed(problem_id: str, text: str) -> str:
    """Return a label of HumanEval as the artifact's results hold it: as ``print`` shows it, strings without quotes."""
    return _JUDGED_AGAINST.get(problem_id) or str(ast.literal_eval(text.strip()))


def _plain_lines(problem_id: str, text: str) -> str:
    return text.replace("\r\n", "\n")


read_humaneval = partial(_read, name="humaneval", label=_printed)
read_cruxeval = partial(_read, name="cruxeval")
read_classeval = partial(_read, name="classeval")
read_avatar = partial(_read, name="avatar", label=_plain_lines)
read_mbpp_labelled = partial(_read, name="mbpp_labelled", prefix="MBPP_")
read_codenet_python = partial(_read, name="codenet_python")
read_codenet_java = partial(_read, name="codenet_java")
read_avatar_java = partial(_read, name="avatar_java", label=_plain_lines)

"""The artifact's own programs, inputs and labels: for replication, not for measurement."""

from __future__ import annotations

import ast

from lm_eval_codemind.benchmarks import avatar, classeval, cruxeval, humaneval
from lm_eval_codemind.benchmarks.archives import CODEMIND
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.problems import Problem

# The file that holds the program and the one that holds its input, by benchmark.
_FILES = {
    humaneval.NAME: ("main.py", "input.txt"),
    cruxeval.NAME: ("main.py", "input.txt"),
    classeval.NAME: ("class.py", "method_test.py"),
    avatar.NAME: ("main.py", "input.txt"),
}

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


def read(upstream: Upstream, benchmark: str) -> list[Problem]:
    """Return CodeMind's problems of one benchmark, with its labels as outputs, sorted by name.

    Source: the benchmark's folder below ``dataset/`` of CodeMind. ClassEval's have their published C+ as well, where
    there is one, and the tests of ClassEval's own data, so that simplified programs can be validated.
    """
    files = upstream.files(CODEMIND.name, benchmark)
    folder = CODEMIND.parts[benchmark].folder
    program, given = _FILES[benchmark]
    kinds = {classeval.NAME: "method", avatar.NAME: "script"}

    suites: dict[str, str] = {}
    if benchmark == classeval.NAME:
        suites = {record["task_id"]: record["test"].strip() + "\n" for record in classeval.read_records(upstream)}

    def text(problem_id: str, name: str) -> str:
        return files[f"{problem_id}/{name}"].decode("utf-8")

    def transformation(problem_id: str) -> str:
        path = f"{problem_id}/transformation.py"
        return text(problem_id, "transformation.py") if path in files and suites else ""

    return [
        Problem(
            problem_id=problem_id,
            benchmark=f"published_{benchmark}",
            kind=kinds.get(benchmark, "function"),  # type: ignore[arg-type]
            language="python",
            code=text(problem_id, program),
            entry_point=problem_id.split("@")[-1] if benchmark == classeval.NAME else "",
            input=text(problem_id, given),
            output=_label(benchmark, problem_id, text(problem_id, "output.txt")),
            tests=suites.get(problem_id.split("@")[0], ""),
            transformed=transformation(problem_id),
            category="published",
            published_output=text(problem_id, "output.txt"),
            provenance=f"{CODEMIND.repository}@{CODEMIND.revision}:{folder}/{problem_id}",
        )
        for problem_id in sorted({name.split("/")[0] for name in files})
    ]


def _label(benchmark: str, problem_id: str, text: str) -> str:
    """Return the label as the artifact compares answers with it.

    Its results hold HumanEval's labels as ``print`` shows them, strings without quotes, and Avatar's with plain line
    ends; for the others they are the content of ``output.txt``.
    """
    if benchmark == avatar.NAME:
        return text.replace("\r\n", "\n")
    if benchmark != humaneval.NAME:
        return text
    return _JUDGED_AGAINST.get(problem_id) or str(ast.literal_eval(text.strip()))

"""The artifact's own programs, inputs and labels, as CodeMind published them: for replication, not for measurement."""

from __future__ import annotations

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sources import avatar, classeval, cruxeval, humaneval
from lm_eval_codemind.sources.archives import CODEMIND
from lm_eval_codemind.sources.upstream import Upstream

# The file that holds the program and the one that holds its input, by benchmark.
_FILES = {
    humaneval.NAME: ("main.py", "input.txt"),
    cruxeval.NAME: ("main.py", "input.txt"),
    classeval.NAME: ("class.py", "method_test.py"),
    avatar.NAME: ("main.py", "input.txt"),
}


def read(upstream: Upstream, benchmark: str) -> list[Problem]:
    """Return CodeMind's problems of one benchmark, verbatim, with its labels as outputs, sorted by name.

    Source: the benchmark's folder below ``dataset/`` of CodeMind.
    """
    files = upstream.files(CODEMIND.name, benchmark)
    folder = CODEMIND.parts[benchmark].folder
    program, given = _FILES[benchmark]
    kinds = {classeval.NAME: "method", avatar.NAME: "script"}

    def text(problem_id: str, name: str) -> str:
        return files[f"{problem_id}/{name}"].decode("utf-8")

    return [
        Problem(
            problem_id=problem_id,
            benchmark=f"published_{benchmark}",
            kind=kinds.get(benchmark, "function"),  # type: ignore[arg-type]
            language="python",
            code=text(problem_id, program),
            entry_point=problem_id.split("@")[-1] if benchmark == classeval.NAME else "",
            input=text(problem_id, given),
            output=text(problem_id, "output.txt"),
            category="published",
            published_output=text(problem_id, "output.txt"),
            provenance=f"{CODEMIND.repository}@{CODEMIND.revision}:{folder}/{problem_id}",
        )
        for problem_id in sorted({name.split("/")[0] for name in files})
    ]

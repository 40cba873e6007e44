"""CodeNet: solutions of contest problems in Python and Java, those of CodeMind's first study, from stdin to stdout."""

from __future__ import annotations

from lm_eval_codemind.benchmarks.upstream import ArchivePart, Upstream, plain_text
from lm_eval_codemind.catalogue.packaged import CODEMIND_V1
from lm_eval_codemind.problems import Problem

PYTHON_PART = ArchivePart(
    CODEMIND_V1,
    "dataset/CodeNet/CodeNet-Python",
    ("*/main.py", "*/input.txt", "*/output.txt"),
    "287cd6318d28f51dabd87ef329f75e0d9896fbee1e6cb2787f830333a24af323",
)
JAVA_PART = ArchivePart(
    CODEMIND_V1,
    "dataset/CodeNet/CodeNet-Java",
    ("*/Main.java", "*/input.txt", "*/output.txt"),
    "160d91371812ed508b8860ffcd8d30a7f6acc6d76cf03811d50813c783905aab",
)


def read_python(upstream: Upstream) -> list[Problem]:
    """Return CodeNet's programs in Python sorted by name, their labels not yet proven."""
    return _read(upstream, "python", PYTHON_PART)


def read_java(upstream: Upstream) -> list[Problem]:
    """Return CodeNet's programs in Java sorted by name, their labels not yet proven."""
    return _read(upstream, "java", JAVA_PART)


def _read(upstream: Upstream, language: str, part: ArchivePart) -> list[Problem]:
    """Return CodeNet's programs in one language sorted by name, their labels not yet proven.

    Source: ``dataset/CodeNet`` of CodeMind. A name is a problem's (``p00006``) or a problem's with a submission's
    (``p00006_s493435186``); the programs of a problem have the same input, which is the only one.

    Args:
        upstream: The repositories.
        language: The programs' language.
        part: Where they are.
    """
    files = upstream.files(part)
    sources = {file.split("/")[0]: file for file in files if not file.endswith(".txt")}

    return [
        Problem(
            problem_id=problem_id,
            benchmark=f"codenet_{language}",
            kind="script",
            language=language,
            code=plain_text(files[file]),
            input=plain_text(files[f"{problem_id}/input.txt"]),
            published_output=plain_text(files[f"{problem_id}/output.txt"]),
            provenance=part.place(problem_id),
        )
        for problem_id, file in sorted(sources.items())
    ]

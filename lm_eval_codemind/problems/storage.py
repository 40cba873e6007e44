"""Problems on disk: JSON lines, one benchmark a file, the same bytes for the same problems."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from lm_eval_codemind.problems.record import Problem


def dump_problems(problems: Iterable[Problem]) -> bytes:
    """Return the problems as UTF-8 JSON lines, in the order given, keys in the order of the schema."""
    lines = (json.dumps(problem.to_row(), ensure_ascii=True) + "\n" for problem in problems)
    return "".join(lines).encode("utf-8")


def load_problems(path: Path) -> list[Problem]:
    """Return the problems of a file that :func:`dump_problems` wrote.

    Raises:
        ValueError: naming the file, the line and the mend, if a line is no problem record.
    """
    problems = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                problems.append(Problem.from_row(json.loads(line)))
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"{path}, line {number}: not a problem record ({error}); rebuild it with `codemind data build`"
                ) from error
    return problems


def digest(content: bytes) -> str:
    """Return the SHA-256 digest of a benchmark file's content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()

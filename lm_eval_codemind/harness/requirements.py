"""What must be installed before the first program of a run is executed."""

from __future__ import annotations

from collections.abc import Iterable

from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem


def require_runnable(problems: Iterable[Problem]) -> None:
    """Check that programs can run here, and import what they and their tests import, so that right answers can pass.

    Raises:
        ValueError: naming what is missing and the command that installs it.
        HiddenPackages: naming what is installed and cannot be imported in the sandbox.
    """
    sources: dict[str, set[str]] = {}
    for problem in problems:
        sources.setdefault(problem.language, set()).update((problem.code, problem.tests))
    for language, texts in sources.items():
        get_language(language).require(texts)

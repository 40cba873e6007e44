"""What must be installed before the first program of a run is executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem


def _language_of(problem: Problem) -> str:
    return problem.language


def require_runnable(problems: Iterable[Problem], language_of: Callable[[Problem], str] = _language_of) -> None:
    """Check that programs can run here, and import what they and their tests import, so that right answers can pass.

    Args:
        problems: The problems that are asked about.
        language_of: The language in which a problem is answered; where it is another than that of the problem's own
            program, what that imports is of no interest.

    Raises:
        ValueError: naming what is missing and the command that installs it.
        HiddenPackages: naming what is installed and cannot be imported in the sandbox.
    """
    sources: dict[str, set[str]] = {}
    for problem in problems:
        language = language_of(problem)
        texts = (problem.code, problem.tests) if language == problem.language else ()
        sources.setdefault(language, set()).update(texts)
    for language, found in sources.items():
        get_language(language).require(found)

"""The check for installed packages before a run executes its first program."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem


def require_runnable(
    problems: Iterable[Problem],
    language_of: Callable[[Problem], str] = attrgetter("language"),
    columns: Sequence[str] = ("code",),
) -> None:
    """Check that right answers can run here: their language and the packages that programs and tests import.

    Args:
        problems: The problems of the task.
        language_of: The language of a problem's answers. The imports of a program in another language do not matter.
        columns: The columns of programs that an answer may resemble. Columns that only documents have are ignored.

    Raises:
        ValueError: If something is not installed. The message says what, and the command that installs it.
        HiddenPackages: If an installed package cannot be imported in the sandbox.
    """
    sources: dict[str, set[str]] = {}
    for problem in problems:
        language = language_of(problem)
        texts = {problem.tests, *(getattr(problem, column, "") for column in columns)}
        sources.setdefault(language, set()).update(texts if language == problem.language else ())
    for language, programs in sources.items():
        get_language(language).require(programs)

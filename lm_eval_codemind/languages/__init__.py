"""The programming languages of the benchmarks, one package each."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pkgutil import resolve_name
from typing import Protocol

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.languages.base import (
    CONSTRUCTS,
    HINT_SEED,
    OUTPUT_TYPES,
    Execution,
    Kind,
    Language,
    PredictedInput,
    ScriptKind,
    Unfinished,
)
from lm_eval_codemind.plugins import registered
from lm_eval_codemind.problems import Complexity

__all__ = [
    "CONSTRUCTS",
    "HINT_SEED",
    "OUTPUT_TYPES",
    "Execution",
    "Kind",
    "Language",
    "PredictedInput",
    "ScriptKind",
    "Unfinished",
    "get_language",
    "kind_of",
    "languages",
    "measured",
]

_PACKAGED = {"python": "lm_eval_codemind.languages.python:PYTHON", "java": "lm_eval_codemind.languages.java:JAVA"}


class _Written(Protocol):
    @property
    def language(self) -> str: ...
    @property
    def kind(self) -> str: ...


def languages() -> Mapping[str, Language]:
    """Return the languages by name."""
    return registered("languages", tuple(_PACKAGED.values()))


@cache
def get_language(name: str) -> Language:
    """Return the language of that name. A packaged one is loaded without the others.

    Raises:
        UserError: If there is no language of that name. The message names the existing languages.
    """
    if name in _PACKAGED:
        packaged: Language = resolve_name(_PACKAGED[name])
        return packaged
    known = languages()
    if name not in known:
        raise UserError(f"there is no language {name!r}; the languages are: {', '.join(known)}")
    return known[name]


# A benchmark and its published form hold the same programs, and so do the runs that a report compares.
@lru_cache(maxsize=1 << 14)
def measured(language: str, program: str, loop_length: int | None = None) -> Complexity | None:
    """Return the measures of a program as :meth:`Language.measure` of its language does, each program's taken once.

    Raises:
        UserError: If there is no language of that name.
    """
    return get_language(language).measure(program, loop_length)


def kind_of(program: _Written) -> Kind:
    """Return the kind of a problem's or a question's program.

    Raises:
        UserError: If there is no such language or kind.
    """
    return get_language(program.language).kind(program.kind)

"""What this suite relies on in lm-evaluation-harness, in one place.

Written for 0.4.13. The harness's branch for 0.5 hands ``process_results`` the list of repeats itself, where 0.4.13
hands over a list with one such list: both are read.
"""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from typing import Any, TypeVar

from packaging.version import Version

logger = logging.getLogger(__name__)

Item = TypeVar("Item")

# The first version that this suite was not tested with.
_UNKNOWN = Version("0.5.0.dev0")


def repeats(results: Sequence[Sequence[Item]] | Sequence[Item], of: type[Item]) -> list[Item]:
    """Return what the filter made of the responses to one document, from what ``process_results`` is handed.

    Args:
        results: The list of repeats, or a list with that list.
        of: What the filter makes of a response.

    Raises:
        TypeError: if the harness hands over something else.
    """
    found = results[0] if len(results) == 1 and isinstance(results[0], (list, tuple)) else results
    if not all(isinstance(item, of) for item in found):
        raise TypeError(
            f"lm-eval {version('lm_eval')} hands process_results {type(results[0]).__name__} instead of "
            f"{of.__name__}; install a release that this suite knows: pip install 'lm-eval<0.5'"
        )
    return list(found)


def parsed_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of ``lm_eval run`` as the harness parses them; ``func`` of them does what they say."""
    from lm_eval._cli import HarnessCLI

    class Parser(HarnessCLI):  # type: ignore[misc]
        def parse(self) -> argparse.Namespace:
            # The harness's own method reads the arguments of the process.
            parsed: argparse.Namespace = self._parser.parse_args(["run", *arguments])
            return parsed

    return Parser().parse()


@contextmanager
def replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    """Give a name in one of the harness's modules another value for a while, where it leaves no other way."""
    former = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, former)


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set environment variables for a while, for the harness and for what it starts."""
    former = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in former.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@cache
def warn_if_unknown() -> None:
    """Say once that the installed harness is newer than what this suite was written for."""
    installed = Version(version("lm_eval"))
    if installed >= _UNKNOWN:
        logger.warning(
            "lm-eval %s is newer than what this suite was tested with (0.4); check a score with codemind-oracle",
            installed,
        )

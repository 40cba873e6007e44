"""What releases of lm-evaluation-harness do differently, in one place."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

logger = logging.getLogger(__name__)

# The newest line of releases that the suite is tested with.
TESTED = (0, 4)


def responses_of(results: Sequence[Any]) -> Sequence[Any]:
    """Return the filtered responses to one document from what the harness hands to ``process_results``.

    Releases up to 0.4 hand over a list that holds the list of responses, one a repeat; the branch for 0.5 hands over
    the list of responses itself. A filtered response is never a list in this suite, so the two cannot be confused.
    """
    if len(results) == 1 and isinstance(results[0], (list, tuple)):
        return results[0]
    return results


@lru_cache(maxsize=1)
def warn_of_untested_release() -> None:
    """Say, once a process, if the harness is newer than what the suite is tested with."""
    installed = version("lm_eval")
    numbers = tuple(int(part) for part in installed.split(".")[:2] if part.isdigit())
    if numbers > TESTED:
        logger.warning(
            "lm-eval %s is newer than what this release of lm-eval-codemind is tested with (%s): run the tasks with "
            "codemind-oracle and codemind-null first; all scores must be 1 and 0",
            installed,
            ".".join(map(str, TESTED)) + ".x",
        )

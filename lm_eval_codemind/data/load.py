"""Built data: its problems and side files.

Nothing here builds. What is missing is built through :mod:`lm_eval_codemind.data.making`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_codemind.data import manifest
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import Problem, load_problems, load_records, side_path

if TYPE_CHECKING:
    from lm_eval_codemind.data.making import Contents

logger = logging.getLogger(__name__)


DATASET_VARIABLE = "CODEMIND_DATASET"


def load_benchmark(name: str, witnesses: str = "") -> list[Problem]:
    """Return the problems of a benchmark, building it first where it is not there yet.

    They come from the data set on the Hub that ``$CODEMIND_DATASET`` names, else from the data directory. A benchmark
    whose data comes with its package is never looked for on the Hub.

    Args:
        witnesses: Which witnesses the problems have, one of the sets of :mod:`.facts.witnesses`. Only families that
            execute answers need some.

    Raises:
        UserError: If there is no benchmark of that name.
        UpstreamError: If it has to be built and cannot be; the message names the command and the variable to set.
    """
    problems = list(_problems(*_place(name)))
    path = manifest.lists_path(manifest.data_directory(), name)
    if path.is_file():
        # Most tasks execute nothing, and need no sandbox.
        from lm_eval_codemind.sandbox import lists

        lists.add(path)
    if not witnesses:
        return problems
    from lm_eval_codemind.data.facts.witnesses import with_witnesses

    return with_witnesses(name, problems, witnesses)


def load_problem(benchmark: str, problem_id: str, witnesses: str = "") -> Problem:
    """Return one problem of a benchmark, as :func:`load_benchmark` does.

    Raises:
        KeyError: If it has no problem of that name.
        UserError: If there is no such benchmark.
        UpstreamError: If it has to be built and cannot be.
    """
    return _by_id(benchmark, os.environ.get(DATASET_VARIABLE), manifest.data_directory(), witnesses)[problem_id]


def load_bug(problem: Problem) -> Problem:
    """Return the buggy form of a problem.

    Raises:
        UserError: If the problem is of a benchmark without bugs. The message names those with bugs.
    """
    place = get_benchmark(problem.benchmark).buggy_as
    if not place:
        raise UserError(f"{problem.benchmark} has no buggy programs; humanevalfix and sample_bugs have")
    return load_problem(place, problem.problem_id)


def load_side(benchmark: str, side: str) -> Mapping[str, Any]:
    """Return one side file of a benchmark: problem id -> record; problems that it has nothing for are missing.

    The side is a key of :data:`~lm_eval_codemind.workshop.build.SIDES`.

    Raises:
        UserError: If there is no such benchmark.
        UpstreamError: If it has to be built and cannot be.
    """
    return _side(benchmark, side, os.environ.get(DATASET_VARIABLE), manifest.data_directory())


def benchmark_digests(name: str) -> dict[str, str]:
    """Return the digests of a benchmark's files, as :class:`Entry` has them."""
    name, place, state = _place(name)
    return manifest.read_manifest(Path(place).parent)[name].digests if state else dict(_contents(name).digests)


# A benchmark's name; the data set on the Hub, or its file, or nothing; and the file's digests, if it is a file.
_Place = tuple[str, str, str]


def _place(name: str) -> _Place:
    """Return the path of a benchmark's problems. They are built first if they do not exist."""
    packaged = get_benchmark(name).packaged
    repository = os.environ.get(DATASET_VARIABLE)
    if repository and not packaged:
        return name, repository, ""
    if packaged and not manifest.released_digests(name):
        return name, "", ""  # another package's, whose data may change with any release of that package
    directory = manifest.data_directory()
    if not manifest.intact(directory, name):
        logger.info("building %s in %s", name, directory)
        # Who has built data needs no door to the workshop.
        from lm_eval_codemind.data import making

        making.build(name, directory)
    return name, str(manifest.benchmark_path(directory, name)), str(manifest.read_manifest(directory)[name].digests)


@lru_cache(maxsize=8)
def _problems(name: str, place: str, state: str) -> tuple[Problem, ...]:
    if state:
        return tuple(load_problems(Path(place)))
    if place:
        from datasets import load_dataset

        return tuple(Problem.from_row(row) for row in load_dataset(place, name, split="test"))
    return _contents(name).problems


@lru_cache(maxsize=8)
def _contents(name: str) -> Contents:
    from lm_eval_codemind.data import making

    return making.contents(name, manifest.data_directory())


@lru_cache(maxsize=8)
def _by_id(name: str, repository: str | None, directory: Path, witnesses: str) -> dict[str, Problem]:
    return {problem.problem_id: problem for problem in load_benchmark(name, witnesses)}


@lru_cache(maxsize=16)
def _side(name: str, side: str, repository: str | None, directory: Path) -> Mapping[str, Any]:
    place = _place(name)
    if place[2]:
        return load_records(side_path(Path(place[1]), side))
    return _contents(name).sides[side]

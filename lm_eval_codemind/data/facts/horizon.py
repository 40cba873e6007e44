"""The questions of a seed of the horizon task: programs by the state that they write, and their form on disk."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from lm_eval_codemind.problems import Problem

VERSION = 2
"""Of the building: questions of another version are built again."""

BENCHMARK = "horizon"
BOUNDS = tuple(16 << level for level in range(8))
"""The state of each level, in characters."""
TOLERANCE = 0.1
"""How far a program's state may lie from its bound, as a share of the bound."""
STATES = tuple(range(math.ceil(bound * (1 - TOLERANCE)), math.floor(bound * (1 + TOLERANCE)) + 1) for bound in BOUNDS)
"""The states of each level: within the tolerance of its bound."""
PER_LEVEL = 40
"""Questions of a level, half about natural programs and half about chains."""

NATURAL, CHAIN = "natural", "chain"


@dataclass(frozen=True, kw_only=True)
class Rung(Problem):
    """A program of one level.

    Attributes:
        level: Counted from 1.
        state: Characters of the values that its statements write on its input.
        steps: Its executed statements.
        links: The functions of a chain; 0 for a natural program.
    """

    level: int
    state: int
    steps: int
    links: int

    @property
    def source(self) -> str:
        """Where it is from."""
        return CHAIN if self.links else NATURAL


@dataclass(frozen=True)
class Rungs:
    """The programs of a seed, and the reasons for those that are left out, by name."""

    problems: tuple[Rung, ...]
    left_out: dict[str, str]


def dumped(rungs: Rungs) -> str:
    """Return the programs as JSON."""
    measures = ("level", "state", "steps", "links")
    rows = [problem.to_row() | {name: getattr(problem, name) for name in measures} for problem in rungs.problems]
    return json.dumps({"problems": rows, "left_out": rungs.left_out})


def loaded(text: str) -> Rungs:
    """Return the programs that :func:`dumped` wrote.

    Raises:
        ValueError: If the text is something else.
        KeyError: If it has no programs.
        TypeError: If a program has no measures, or an unknown column.
    """
    record = json.loads(text)
    return Rungs(tuple(map(Rung.from_row, record["problems"])), record["left_out"])


def level_of(state: int) -> int | None:
    """Return the level that has a state; None if there is none."""
    return next((level for level, states in enumerate(STATES, start=1) if state in states), None)


def share_of(rungs: Iterable[Rung], per_level: int) -> list[Rung]:
    """Return the first programs of each level and source, so many a level."""
    numbers = dict(zip((NATURAL, CHAIN), halves(per_level), strict=True))
    counts: Counter[tuple[int, str]] = Counter()
    shared = []
    for rung in rungs:
        counts[rung.level, rung.source] += 1
        if counts[rung.level, rung.source] <= numbers[rung.source]:
            shared.append(rung)
    return shared


def halves(per_level: int) -> tuple[int, int]:
    """Return how many questions of a level are about natural programs and about chains."""
    return per_level // 2, per_level - per_level // 2

"""The base class of transformation rules."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, Literal

from lm_eval_codemind.transforms.program import Program

Group = Literal["structure", "library", "dependency", "renaming"]
GROUPS: tuple[Group, ...] = ("structure", "library", "dependency", "renaming")


class Rule(ABC):
    """One semantics-preserving rewriting.

    A rule lists only sites where it is sure that no test could tell the difference, so that an empty list is its way
    to refuse. Running time, stack depth by a constant number of frames, error messages and addresses don't count.

    Attributes:
        name: The rule's name in recipes and in the data set.
        group: One of the paper's four groups.
        limit: How often the composer applies it to one program at most.
    """

    name: str
    group: ClassVar[Group]
    limit: ClassVar[int] = 1

    @abstractmethod
    def sites(self, program: Program) -> Sequence[Any]:
        """Return the places where the rule applies, in the order of the source."""

    @abstractmethod
    def apply(self, program: Program, site: Any, rng: Random) -> None:
        """Rewrite the program's tree in place at one of its :meth:`sites`."""

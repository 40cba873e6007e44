"""All measures of one program together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.complexity.constructs import construct_tags, nested_constructs
from lm_eval_codemind.complexity.cyclomatic import cyclomatic_complexity
from lm_eval_codemind.complexity.dependencies import dependencies


@dataclass(frozen=True)
class Complexity:
    """The complexity of a program.

    Attributes:
        cc: Cyclomatic complexity.
        loc: Lines of code.
        dep: Dependencies between its functions and methods.
        nc: Nested constructs.
        ll: Loop iterations on its input; None where they were not measured.
        constructs: Tags of :data:`~lm_eval_codemind.complexity.CONSTRUCTS`.
    """

    cc: int
    loc: int
    dep: int
    nc: int
    ll: int | None
    constructs: tuple[str, ...]

    def to_row(self) -> dict[str, Any]:
        """Return the measures as a plain dict, a value of the data set's column."""
        return dataclasses.asdict(self) | {"constructs": list(self.constructs)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Complexity:
        """Return the measures that :meth:`to_row` wrote."""
        return cls(**{**row, "constructs": tuple(row["constructs"])})


def measure(code: str, loop_length: int | None = None) -> Complexity:
    """Measure a program.

    Args:
        code: Python source.
        loop_length: LL, where it is known: it takes an execution, see :mod:`lm_eval_codemind.complexity.loops`.

    Raises:
        SyntaxError: if the source does not parse.
    """
    return Complexity(
        cc=cyclomatic_complexity(code),
        loc=sum(bool(line.strip()) for line in code.splitlines()),
        dep=dependencies(code),
        nc=nested_constructs(code),
        ll=loop_length,
        constructs=construct_tags(code),
    )

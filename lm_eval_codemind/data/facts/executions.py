"""Executions of programs: which lines run, which values loop variables take, and which conditions hold.

``executions/`` has one file per benchmark. ``utils/prove/prove_executions.py`` writes the files.
"""

import ast
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Self

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.runtime_labels import InputLabels, Label

# All reasons why a problem may have no question about its whole execution. The last two exclude all questions.
REASONS: dict[str, str] = {
    "length": "the execution has more than 60 steps",
    "value": "a loop variable has a value without a short literal",
    "line": "several statements share a line, or a loop assigns to something other than names",
    "plain": "the execution has fewer than three iterations and conditions in total",
    "long": "the execution has more than 1,000 steps",
    "differs": "the execution depends on hashing, threads, the version of Python or its packages",
}

Value = str
"""The literal of a loop variable's value; ``True`` or ``False`` for a condition; "" for any other step."""


@dataclass(frozen=True)
class Execution:
    """The proven execution of a problem's program on its input.

    A step is one execution of a statement, or of the header of a compound one. See
    :mod:`lm_eval_codemind.workshop.python.tracing`.

    Attributes:
        steps: The first line and the value of each step, in order; empty if :attr:`reason` is not "".
        loops: Line of a ``for`` -> the value of its variable at the start of each iteration, for some of the loops.
        branches: Line of an ``if``, ``elif`` or ``while`` -> whether its condition holds, each time that it is
            evaluated, for some of the lines.
        reason: A key of :data:`REASONS` if there is no question about the whole execution, else "".
    """

    steps: tuple[tuple[int, Value], ...] = ()
    loops: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    branches: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    reason: str = ""

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the execution that plain values of JSON describe."""
        return cls(
            tuple((line, value) for line, value in record["steps"]),
            {int(line): tuple(values) for line, values in record["loops"].items()},
            {int(line): tuple(values) for line, values in record["branches"].items()},
            record["reason"],
        )


@dataclass(frozen=True)
class ProgramExecution(Execution):
    """The proven execution of a program of the user.

    Attributes:
        labels: The right answers about some of its lines, and about its output.
        seen: What all runs show, of which the labels are a choice. It is not stored.
    """

    labels: InputLabels = field(default_factory=InputLabels)
    seen: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def to_record(self) -> dict[str, Any]:
        """Return the execution as plain values of JSON, for :meth:`from_record`."""
        record = asdict(self)
        del record["seen"]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the execution that :meth:`to_record` describes."""
        labels = record["labels"]
        known = InputLabels(
            tuple(labels["outputs"]), tuple(Label(**label) for label in labels["labels"]), labels["reason"]
        )
        return replace(super().from_record(record), labels=known)


@cache
def load_executions(benchmark: str) -> dict[str, Execution]:
    """Return the packaged executions of a benchmark's programs, by problem id; empty if there are none."""
    return {
        problem_id: Execution.from_record(record)
        for problem_id, record in shipped.load(f"executions/{benchmark}.json.gz").items()
    }


@lru_cache(maxsize=512)
def loop_variables(code: str) -> dict[int, tuple[str, ...]]:
    """Return the line of each ``for`` statement -> source of its variables, one for each value that it unpacks."""
    return {
        node.lineno: tuple(map(ast.unparse, node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]))
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.For)
    }

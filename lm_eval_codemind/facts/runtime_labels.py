"""Labels of questions on runtime behaviour, one file a benchmark in ``runtime_labels/``.

What a label means: of all runs of the line (see :mod:`lm_eval_codemind.languages.python.tracing`) the one that began
last counts. The value is the variable's when that run ended, in its frame. The next line is that of the first statement
begun after the run began, in whatever frame of the program; what the test around it does is not looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.languages.python.tracing.recorder import units

THE_END = 0

# Why an item is not asked. A closed set.
REASONS: dict[str, str] = {
    "undefined": "the variable does not exist where the line ends",
    "no_literal": "the value has no Python literal, or a very long one",
    "unchanged": "the statement leaves the variable as it is",
    "unfinished": "the last run of the line does not end",
    "version": "the answer depends on the version of Python, or of a package",
    "hashing": "the answer depends on hashing",
    "too_long": "the run has too many steps to follow",
    "threads": "the program runs in several threads",
    "dependency": "the program needs a package that cannot be relied upon",
    "output": "what the test looks at has no literal, or it does not pass",
}


@dataclass(frozen=True)
class Label:
    """The right answers about one line and variable on one input.

    Attributes:
        line: Counted from 1.
        variable: Source of the expression asked about.
        times: Runs of the line; 0 if it is not executed.
        type_name: ``type(value).__name__`` after the last run; "" if not executed.
        value: The literal after the last run; None if not executed.
        next_line: The first line of the statement begun next; :data:`THE_END` where the program ends; None if the line
            is not executed.
        reason: A key of :data:`REASONS` if the item is excluded, else "".
    """

    line: int
    variable: str
    times: int = 0
    type_name: str = ""
    value: str | None = None
    next_line: int | None = None
    reason: str = ""

    @property
    def executed(self) -> bool:
        """Whether the line is executed at all."""
        return self.times > 0

    def to_json(self) -> list[Any]:
        """Return the label as a list of plain values, trailing defaults left out."""
        row = [self.line, self.variable, self.times, self.type_name, self.value, self.next_line, self.reason]
        defaults = [None, None, 0, "", None, None, ""]
        while len(row) > 2 and row[-1] == defaults[len(row) - 1]:
            row.pop()
        return row


@dataclass(frozen=True)
class InputLabels:
    """The right answers about one input of a program.

    Attributes:
        outputs: The values that the output question asks for, in order, as literals; None for a value without a
            literal, which is not asked about. For a script, the text that it prints.
        labels: Of the lines asked about.
        reason: A key of :data:`REASONS` if the input is excluded with all its items, else "".
    """

    outputs: tuple[str | None, ...]
    labels: tuple[Label, ...]
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the labels as plain values."""
        record: dict[str, Any] = {"outputs": list(self.outputs), "labels": [label.to_json() for label in self.labels]}
        if self.reason:
            record["reason"] = self.reason
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> InputLabels:
        """Return the labels that :meth:`to_json` wrote."""
        labels = tuple(Label(*row) for row in record["labels"])
        return cls(tuple(record["outputs"]), labels, record.get("reason", ""))


@dataclass(frozen=True)
class PublishedLabel:
    """REval's own label of one item.

    Attributes:
        line: Counted from 1.
        variable: Source of the expression asked about.
        executed: Whether the line is executed.
        values: Accepted values as ``repr`` and name of the type, with its module unless builtin; none for "Nil".
        next_lines: Accepted next lines; -1 for the end and for a line not executed.
    """

    line: int
    variable: str
    executed: bool
    values: tuple[tuple[str, str], ...]
    next_lines: tuple[int, ...]


# The input of a program that has one.
ONLY = "0"
# Program -> input -> labels. An input is named by its position among the program's.
Labels = dict[str, dict[str, InputLabels]]
PublishedLabels = dict[str, dict[str, tuple[PublishedLabel, ...]]]

UNRUNNABLE = "runtime_labels/reval_unrunnable.json"


@cache
def load_labels(name: str) -> Labels:
    """Return the shipped labels of ``reval``, ``cruxeval``, ``avatar`` or ``sample``."""
    return read_labels(shipped.load(f"runtime_labels/{name}.json.gz"))


@cache
def load_published() -> PublishedLabels:
    """Return the labels that REval's own reading of the runs gives, of all its items."""
    return {
        program: {
            number: tuple(
                PublishedLabel(line, variable, executed, tuple((text, kind) for text, kind in values), tuple(following))
                for line, variable, executed, values, following in rows
            )
            for number, rows in inputs.items()
        }
        for program, inputs in shipped.load("runtime_labels/reval_published.json.gz").items()
    }


def load_unrunnable() -> dict[str, list[str]]:
    """Return REval's inputs that do not run with the packages of today: program -> inputs."""
    return dict(shipped.load(UNRUNNABLE))


def read_labels(record: Mapping[str, Any]) -> Labels:
    """Return labels that were written as plain values."""
    return {
        program: {number: InputLabels.from_json(each) for number, each in inputs.items()}
        for program, inputs in record.items()
    }


def plain(labels: Labels) -> dict[str, Any]:
    """Return labels as plain values, for :func:`read_labels`."""
    return {
        program: {number: given.to_json() for number, given in inputs.items()} for program, inputs in labels.items()
    }


@lru_cache(maxsize=512)
def ends_of_lines(code: str) -> Mapping[int, int]:
    """Return, for the first line of each statement, the last line of it or, of a compound one, of its header."""
    found: dict[int, int] = {}
    for unit in units(ast.parse(code)):
        found[unit.line] = max(unit.end, found.get(unit.line, 0))
    return found

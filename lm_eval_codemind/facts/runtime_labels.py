"""Labels of questions on runtime behaviour: what they mean, and the shipped ones.

What a label means: of the runs of the line (see :mod:`lm_eval_codemind.languages.python.tracing`) the n-th to begin
counts. The value is the variable's when that run ended, in its frame. The next line is that of the first statement
begun after the run began, in whatever frame of the program; the test around it does not count.
``utils/prove_runtime.py`` executes the programs; users read what it found, one packaged file a benchmark.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from functools import cache, lru_cache
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.languages.python.tracing.recorder import units

THE_END = 0

# Why an input is not asked about. A closed set.
REASONS: dict[str, str] = {
    "version": "what happens depends on the version of Python, or of a package",
    "hashing": "what happens depends on hashing",
    "too_long": "the run has too many steps to follow",
    "threads": "the program runs in several threads",
    "dependency": "the program needs a package that cannot be relied upon",
    "output": "the test does not pass",
    "no_line": "no line is fit for a question",
}


@dataclass(frozen=True)
class Label:
    """The right answers about one line on one input.

    Attributes:
        line: Counted from 1.
        asked: The questions that are asked about it: some of ``c`` (coverage), ``s`` (state) and ``p`` (path).
        run: Which run of the line is meant, counted from 1; 0 if the line is not executed.
        runs: How many there are.
        next_line: The first line of the statement begun next; :data:`THE_END` where the program ends; None if the line
            is not executed.
        variable: Source of the expression asked about; "" where the state is not asked.
        type_name: ``type(value).__name__`` after the run.
        value: The literal after the run; None where the state is not asked.
    """

    line: int
    asked: str
    run: int = 0
    runs: int = 0
    next_line: int | None = None
    variable: str = ""
    type_name: str = ""
    value: str | None = None

    @property
    def executed(self) -> bool:
        """Whether the line is executed at all."""
        return self.runs > 0


@dataclass(frozen=True)
class InputLabels:
    """The right answers about one input of a program.

    Attributes:
        outputs: The values of what may be asked for as output, in order, as literals, None for those that are not
            asked; of a script the text it prints.
        labels: Of the lines asked about.
        reason: A key of :data:`REASONS` if the input is excluded, else "".
    """

    outputs: tuple[str | None, ...] = ()
    labels: tuple[Label, ...] = ()
    reason: str = ""


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


# Program -> input -> labels. An input is named by its position among the program's.
Labels = dict[str, dict[str, InputLabels]]
PublishedLabels = dict[str, dict[str, tuple[PublishedLabel, ...]]]

UNRUNNABLE = "runtime_labels/reval_unrunnable.json"


@cache
def load_labels(name: str) -> Labels:
    """Return the shipped labels of a benchmark; none where it has none."""
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
        program: {
            number: InputLabels(
                tuple(given["outputs"]), tuple(Label(*row) for row in given["labels"]), given.get("reason", "")
            )
            for number, given in inputs.items()
        }
        for program, inputs in record.items()
    }


def plain(labels: Labels) -> dict[str, Any]:
    """Return labels as plain values, for :func:`read_labels`."""
    return {
        program: {
            number: {**asdict(given), "labels": [list(astuple(label)) for label in given.labels]}
            for number, given in inputs.items()
        }
        for program, inputs in labels.items()
    }


@lru_cache(maxsize=512)
def ends_of_lines(code: str) -> Mapping[int, int]:
    """Return, for the first line of each statement, the last line of it or, of a compound one, of its header."""
    found: dict[int, int] = {}
    for unit in units(ast.parse(code)):
        found[unit.line] = max(unit.end, found.get(unit.line, 0))
    return found

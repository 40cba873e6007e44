"""Labels of questions about runtime behaviour: their definition, and the packaged labels.

A label is about the n-th run of a line, counted by start. A run is what a frame executes on that line without going
elsewhere: mostly one step, several where several statements share the line. A loop written on one line begins a new run
with every turn. Calls in between do not end a run. The value is the variable's value in the frame of that run when the
run ends. The next line is the line of the first statement that starts after the start of the run, in any frame of the
program; statements of the test do not count.
``utils/prove/prove_runtime.py`` executes the programs and writes one packaged file per benchmark.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.languages.python.units import units

THE_END = 0

# All reasons why an input may have no questions.
REASONS: dict[str, str] = {
    "version": "the run depends on the version of Python or of a package",
    "hashing": "the run depends on hashing",
    "too_long": "the run has too many steps to follow",
    "threads": "the program runs in several threads",
    "dependency": "the program needs a package that is not available everywhere",
    "output": "the test does not pass",
    "no_line": "no line is suitable for a question",
}


@dataclass(frozen=True)
class Label:
    """The right answers about one line on one input.

    Attributes:
        line: The line's number, counted from 1.
        asked: The questions about this line: some of ``c`` (coverage), ``s`` (state) and ``p`` (path).
        run: The number of the line's run that the questions are about, counted from 1; 0 if the line is not executed.
        runs: The number of runs of the line.
        next_line: The first line of the next statement; :data:`THE_END` if the program ends; None if the line is not
            executed.
        variable: Source of the expression in the state question; "" without such a question.
        type_name: ``type(value).__name__`` after the run.
        value: The literal after the run; None without a state question.
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
        """Whether the line is executed at least once."""
        return self.runs > 0


@dataclass(frozen=True)
class InputLabels:
    """The right answers about one input of a program.

    Attributes:
        outputs: The possible outputs, in order, as literals; None for a value that no question asks for. For a script
            the text that it prints.
        labels: The labels of the lines with questions.
        reason: A key of :data:`REASONS` if the input is excluded, else "".
    """

    outputs: tuple[str | None, ...] = ()
    labels: tuple[Label, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class PublishedLabel:
    """REval's own label of one question.

    Attributes:
        line: The line's number, counted from 1.
        variable: Source of the expression in the state question.
        executed: Whether the line is executed.
        values: Accepted values as ``repr`` and name of the type, with its module unless builtin; empty for "Nil".
        next_lines: Accepted next lines; -1 for the end and for a line that is not executed.
    """

    line: int
    variable: str
    executed: bool
    values: tuple[tuple[str, str], ...]
    next_lines: tuple[int, ...]


# Program -> input -> labels. The name of an input is its position among the program's inputs.
Labels = dict[str, dict[str, InputLabels]]
PublishedLabels = dict[str, dict[str, tuple[PublishedLabel, ...]]]

UNRUNNABLE = "runtime_labels/reval_unrunnable.json"


@cache
def load_labels(name: str) -> Labels:
    """Return the packaged labels of a benchmark; empty if it has no labels."""
    return {
        program: {
            number: InputLabels(tuple(entry["outputs"]), tuple(Label(*row) for row in entry["labels"]), entry["reason"])
            for number, entry in inputs.items()
        }
        for program, inputs in shipped.load(f"runtime_labels/{name}.json.gz").items()
    }


@cache
def load_published() -> PublishedLabels:
    """Return REval's own labels, for all of its questions."""
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
    """Return REval's inputs that do not run with current versions of their packages: program -> inputs."""
    return dict(shipped.load(UNRUNNABLE))


@lru_cache(maxsize=512)
def ends_of_lines(code: str) -> Mapping[int, int]:
    """Return first line -> last line of each statement; of a compound statement only the header counts."""
    ends: dict[int, int] = {}
    for unit in units(ast.parse(code)):
        ends[unit.line] = max(unit.end, ends.get(unit.line, 0))
    return ends

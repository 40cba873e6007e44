"""Fresh inputs of problems, with their outputs: generated from a seed and proven by execution.

``fresh_inputs/`` has one file per benchmark with the fresh inputs of seed 0, one per problem. Each input is stored as
its difference from the problem's own input.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import Problem, digest

SHIPPED_SEED = 0
EVALUATION_SEEDS = range(10)
"""The seeds that are for evaluation. Other seeds, for training, never draw an input that one of 1 to 9 draws."""
# Increase it when the same seed gives other inputs than before.
VERSION = 6

# All reasons why a problem may have no fresh input, in the order in which a changed input is checked.
REASONS: dict[str, str] = {
    "input": "the input has nothing to change, or every change of it is in the tests",
    "stated": "the test method states the output that it expects",
    "plain": "the published output is a truth value, empty or zero, an argument, or a constant of the program",
    "long": "the program runs for too many steps",
    "raises": "every changed input makes the program fail",
    "same": "every changed input gives the published output",
    "steps": "a changed input takes less than half or more than twice as many steps",
    "output": "the output of a changed input has another type, or is less than half or more than twice as long",
    "repeats": "the output of a changed input is empty or zero, an argument, or a constant of the program",
    "carried": "the published output, changed as the input is, is the output of a changed input",
    "shown": "the output of a changed input stands in the documentation or the tests",
    "unproven": "the output of a changed input is not the same in every run",
    "balance": "its published or its fresh output would be too frequent among one of the two",
}


@dataclass(frozen=True)
class Run:
    """The execution of a program on an input.

    Attributes:
        input: The input, in the form of ``problem.input``.
        output: A literal, or the printed text; None if there is no such output.
        steps: Number of executed statements, including those of the input (a call or a test method).
        lines: Line numbers of the distinct statements among them.
    """

    input: str
    output: str | None
    steps: int
    lines: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Fresh:
    """A problem's fresh inputs.

    Attributes:
        steps: Statements that the original input executes.
        runs: The fresh inputs with their proven outputs, the best first.
        reason: A key of :data:`REASONS` if there are no fresh inputs.
    """

    steps: int = 0
    runs: tuple[Run, ...] = ()
    reason: str = ""

    def to_json(self, problem: Problem) -> dict[str, Any]:
        """Return the fresh inputs as JSON values, each input as its difference from the problem's own input."""
        if self.reason:
            return {"reason": self.reason}
        runs = [[_difference(problem.input, run.input), run.output, run.steps] for run in self.runs]
        return {"digest": _digest(problem), "steps": self.steps, "runs": runs}

    @classmethod
    def from_json(cls, record: Mapping[str, Any], problem: Problem) -> Fresh:
        """Return the fresh inputs that :meth:`to_json` wrote.

        Raises:
            UserError: If the record belongs to another program or input. The message names the problem.
        """
        if "reason" in record:
            return cls(reason=record["reason"])
        if record["digest"] != _digest(problem):
            raise UserError(
                f"{problem.problem_id}: its fresh inputs were made for another program or input; rebuild the data with "
                f"`codemind data build --benchmark {problem.benchmark}`"
            )
        runs = tuple(Run(_changed(problem.input, change), output, steps) for change, output, steps in record["runs"])
        return cls(record["steps"], runs)


def _digest(problem: Problem) -> str:
    return digest(f"{problem.code}\0{problem.input}".encode())[:12]


def _difference(one: str, other: str) -> list[list[Any]]:
    """Return the replacements that change one text into another: start, end and the new text of each."""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return [[a, b, other[c:d]] for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]


def _changed(text: str, replacements: Iterable[Sequence[Any]]) -> str:
    for start, end, new in reversed(list(replacements)):
        text = text[:start] + new + text[end:]
    return text


def records_of(fresh: Mapping[str, Fresh], problems: Iterable[Problem]) -> dict[str, Any]:
    """Return fresh inputs as JSON values, by problem id."""
    return {problem.problem_id: fresh[problem.problem_id].to_json(problem) for problem in problems}


def from_records(records: Mapping[str, Any], problems: Iterable[Problem]) -> dict[str, Fresh]:
    """Return the fresh inputs that :func:`records_of` returned.

    Raises:
        UserError: If a record belongs to another program or input. The message names the problem.
        KeyError: If a problem has no record.
    """
    return {problem.problem_id: Fresh.from_json(records[problem.problem_id], problem) for problem in problems}


def load_records(benchmark: str) -> Mapping[str, Any]:
    """Return the packaged records of :data:`SHIPPED_SEED`; an empty mapping if the package has no file for them."""
    return shipped.load(f"fresh_inputs/{benchmark}.json.gz")

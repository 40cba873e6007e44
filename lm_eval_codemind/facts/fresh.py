"""Fresh inputs of problems, with their outputs: made from a seed and proven by execution.

A file per benchmark in ``fresh_inputs/`` holds those of seed 0, one per problem, as differences from the problem's own
input.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.problems import Problem, digest

SHIPPED_SEED = 0

# Why a problem has no fresh input. A closed set, in the order in which a changed input is examined.
REASONS: dict[str, str] = {
    "input": "the input has nothing to change, or every change of it is in the tests",
    "stated": "the test method states the output that it expects",
    "long": "the program runs for too many steps",
    "raises": "every changed input makes the program fail",
    "same": "every changed input gives the published output",
    "steps": "a changed input takes less than half or more than twice as many steps",
    "output": "the output of a changed input has another type, or is less than half or more than twice as long",
    "repeats": "the output of a changed input is an argument, or a constant of the program",
    "shown": "the output of a changed input stands in the documentation or the tests",
    "unproven": "the output of a changed input is not the same in every run",
}


@dataclass(frozen=True)
class Run:
    """What a program did on an input.

    Attributes:
        input: In the form of ``problem.input``.
        output: A literal, or what was printed; None if it gave nothing of the kind.
        steps: Statements executed, with those of the input: a call, or a test method.
        lines: Numbers of the different statements among them.
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
        reason: Where there are none, a key of :data:`REASONS`.
    """

    steps: int = 0
    runs: tuple[Run, ...] = ()
    reason: str = ""

    def to_json(self, problem: Problem) -> dict[str, Any]:
        """Return it as plain values; inputs as their differences from the problem's own."""
        if self.reason:
            return {"reason": self.reason}
        runs = [[_difference(problem.input, run.input), run.output, run.steps] for run in self.runs]
        return {"digest": _digest(problem), "steps": self.steps, "runs": runs}

    @classmethod
    def from_json(cls, record: Mapping[str, Any], problem: Problem) -> Fresh:
        """Return what :meth:`to_json` wrote.

        Raises:
            ValueError: naming the problem, if it is not the one whose inputs these are.
        """
        if "reason" in record:
            return cls(reason=record["reason"])
        if record["digest"] != _digest(problem):
            raise ValueError(f"{problem.problem_id}: its fresh inputs were made for another program or input")
        runs = tuple(Run(_changed(problem.input, change), output, steps) for change, output, steps in record["runs"])
        return cls(record["steps"], runs)


def _digest(problem: Problem) -> str:
    return digest(f"{problem.code}\0{problem.input}".encode())[:12]


def _difference(one: str, other: str) -> list[list[Any]]:
    """Return the replacements that make one text another: first character, last one, and what stands there instead."""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return [[a, b, other[c:d]] for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]


def _changed(text: str, replacements: Iterable[Sequence[Any]]) -> str:
    for start, end, new in reversed(list(replacements)):
        text = text[:start] + new + text[end:]
    return text


def records_of(found: Mapping[str, Fresh], problems: Iterable[Problem]) -> dict[str, Any]:
    """Return fresh inputs as plain values, by problem id."""
    return {problem.problem_id: found[problem.problem_id].to_json(problem) for problem in problems}


def from_records(records: Mapping[str, Any], problems: Iterable[Problem]) -> dict[str, Fresh]:
    """Return the fresh inputs that :func:`records_of` returned.

    Raises:
        ValueError: naming the problem, if it is not the one whose inputs these are.
        KeyError: if a problem has no record.
    """
    return {problem.problem_id: Fresh.from_json(records[problem.problem_id], problem) for problem in problems}


def load_records(benchmark: str) -> Mapping[str, Any]:
    """Return the packaged records of :data:`SHIPPED_SEED`; none if the package has none of this benchmark."""
    return shipped.load(f"fresh_inputs/{benchmark}.json.gz")


def save_records(benchmark: str, records: Mapping[str, Any]) -> None:
    """Write the packaged records of a benchmark."""
    shipped.save(f"fresh_inputs/{benchmark}.json.gz", records)


def describe(found: Mapping[str, Fresh]) -> Iterator[tuple[str, int]]:
    """Yield how many problems have a fresh input, and how many have none for each reason."""
    yield "fresh", sum(1 for each in found.values() if each.runs)
    for reason in REASONS:
        number = sum(1 for each in found.values() if each.reason == reason)
        if number:
            yield reason, number

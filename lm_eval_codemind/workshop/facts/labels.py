"""Labels: the value of a published label, and the application of packaged proofs to problems.

``proofs/`` has one JSON file per benchmark. It contains the category of each problem's label, the reason if the
problem is excluded, and the proven output if it differs from the published label.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.values import in_brackets
from lm_eval_codemind.problems import Case, Category, Problem, beyond_prompt, shown_cases


@dataclass(frozen=True)
class Proof:
    """The result of executing one problem.

    Attributes:
        category: See :data:`~lm_eval_codemind.problems.CATEGORIES`.
        reason: For excluded problems a key of :data:`~lm_eval_codemind.problems.EXCLUSION_REASONS`.
        output: The proven output if it differs from the published label; None otherwise.
        cases: For scripts: position in upstream's test suite -> the proven output if it differs from upstream's. None
            if no output can be proven; the case is then left out.
    """

    category: Category
    reason: str = ""
    output: str | None = None
    cases: Mapping[int, str | None] = field(default_factory=dict)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Proof:
        """Return the proof that ``utils/prove/ship.py`` wrote."""
        cases = {int(position): output for position, output in record.get("cases", {}).items()}
        return cls(**{**record, "cases": cases})


def load_proofs(benchmark: str) -> dict[str, Proof]:
    """Return the packaged proofs of a benchmark, by problem id; empty if there are none."""
    records = shipped.load(f"proofs/{benchmark}.json")
    return {problem_id: Proof.from_json(record) for problem_id, record in records.items()}


def plain_literal(value: Any) -> str:
    """Return a plain value as the text of a Python literal, the same for equal values.

    Sets are sorted, because the order in which Python prints them depends on hashing. Dicts keep their order, because
    it is part of the program's output.

    Raises:
        NotALiteralError: If it is another value, or ``nan`` or ``inf``.
    """
    if isinstance(value, (list, tuple, dict, set)):
        return in_brackets(value, plain_literal, order=sorted)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        text = repr(value)
        if text not in ("nan", "inf", "-inf"):
            return text
    raise NotALiteralError(f"not a plain value: {type(value).__name__}")


@lru_cache(maxsize=1024)
def observed_label(literal: str | None) -> str | None:
    """Return the label for an observed value; None if it is not a plain value.

    The value is parsed in the same way as an answer, so that the label is always correct as an answer.

    Args:
        literal: The value as the sandbox writes it; None if the sandbox cannot write it as a literal.
    """
    try:
        return None if literal is None else plain_literal(parse_literal(literal))
    except NotALiteralError:
        return None


def published_literal(label: str) -> str:
    """Return the published label of a function or method as a literal. Upstream writes some strings without quotes."""
    try:
        return plain_literal(ast.literal_eval(label.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return repr(label)


def prints_the_same(one: str, other: str) -> bool:
    """Whether two texts have the same lines. Trailing white space and trailing empty lines are ignored."""
    return printed_lines(one) == printed_lines(other)


def agrees(label: str, output: str) -> bool:
    """Whether a published label, which may lack the quotes of a string, equals a proven output."""
    if published_literal(label) == output:
        return True
    value = ast.literal_eval(output)
    return isinstance(value, str) and value.rstrip("\n") == label.rstrip("\n")


def apply_proof(problem: Problem, proof: Proof) -> Problem:
    """Return the problem with its proven output and its category.

    If the published input and output of a script are longer than
    :data:`~lm_eval_codemind.problems.SHOWN_CHARACTERS`, the first proven case that is short enough becomes its input
    and output. The published case stays first in the test suite. If the program with its input and output is longer
    than :data:`~lm_eval_codemind.problems.PROGRAM_CHARACTERS`, the problem is excluded.

    Raises:
        ValueError: If neither the proof nor upstream has an output.
    """
    if proof.category == "excluded":
        # Its test suite is correct, so the other tasks keep the problem.
        return dataclasses.replace(problem, category="excluded", reason=proof.reason, output=None)
    printed = kind_of(problem).printed
    output = proof.output
    if output is None:
        if problem.published_output is None:
            raise ValueError(f"{problem.problem_id}: no label is published and the proof names no output")
        label = problem.published_output
        output = label if printed else published_literal(label)
    cases = [
        Case(case.input, proof.cases.get(position, case.output) or "") for position, case in enumerate(problem.cases)
    ]
    proven_cases = [case for position, case in enumerate(cases) if proof.cases.get(position, "") is not None]
    if printed and not any(case.input == problem.input for case in proven_cases):
        proven_cases.insert(0, Case(problem.input, output))
    proven = dataclasses.replace(problem, category=proof.category, output=output, cases=tuple(proven_cases))
    readable = _readable(proven, problem.cases) if printed else proven
    if beyond_prompt(readable.code, readable.input, readable.output or ""):
        return dataclasses.replace(problem, category="excluded", reason="too_long", output=None)
    return readable


def _readable(proven: Problem, published: Sequence[Case]) -> Problem:
    """Return a script with its first case that is short enough for a prompt as its input and output."""
    assert proven.output is not None
    own = Case(proven.input, proven.output)
    examples = shown_cases((own, *proven.cases), 1)
    if examples in ((own,), ()):
        return proven
    label = next(case.output for case in published if case.input == examples[0].input)
    category = proven.category
    if category in ("confirmed", "corrected"):
        category = "confirmed" if prints_the_same(label, examples[0].output) else "corrected"
    return dataclasses.replace(
        proven, input=examples[0].input, output=examples[0].output, published_output=label, category=category
    )

"""Labels: how a published one reads as a value, and what the shipped proof makes of a problem.

The proof is a JSON file a benchmark in ``proofs/``. It holds, for every problem, the category of its label, for
excluded ones the reason, and the proven output wherever it is not what the published label says.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lm_eval_codemind.answers.lines import printed_lines
from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.facts import shipped
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Case, Category, Problem, beyond_prompt, shown_cases


@dataclass(frozen=True)
class Proof:
    """What execution has shown about one problem.

    Attributes:
        category: See :data:`~lm_eval_codemind.problems.CATEGORIES`.
        reason: For excluded problems a key of :data:`~lm_eval_codemind.problems.EXCLUSION_REASONS`.
        output: The proven output where it is not what the published label says; None otherwise.
        cases: For scripts: position in upstream's test suite -> the proven output where it is not upstream's, or None
            where no output can be proven and the case is left out.
    """

    category: Category
    reason: str = ""
    output: str | None = None
    cases: Mapping[int, str | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the proof as plain values, leaving out what has its default."""
        record: dict[str, Any] = {"category": self.category}
        if self.reason:
            record["reason"] = self.reason
        if self.output is not None:
            record["output"] = self.output
        if self.cases:
            record["cases"] = {str(position): output for position, output in sorted(self.cases.items())}
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Proof:
        """Return the proof that :meth:`to_json` wrote."""
        values = dict(record)
        values["cases"] = {int(position): output for position, output in record.get("cases", {}).items()}
        return cls(**values)


def load_proofs(benchmark: str) -> dict[str, Proof]:
    """Return the shipped proofs of a benchmark, by problem id; empty where none are shipped."""
    records = shipped.load(f"proofs/{benchmark}.json")
    return {problem_id: Proof.from_json(record) for problem_id, record in records.items()}


def plain_literal(value: Any) -> str | None:
    """Return a plain value as the text of a Python literal, the same for equal values; None for any other value.

    Sets and dicts may be printed in an order that depends on hashing: sets are sorted, dicts keep their order, which
    is part of what a program computes.
    """
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        text = repr(value)
        return None if text in ("nan", "inf", "-inf") else text
    if isinstance(value, dict):
        pairs = [(plain_literal(key), plain_literal(item)) for key, item in value.items()]
        if any(key is None or item is None for key, item in pairs):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    if isinstance(value, (list, tuple, set)):
        items = [plain_literal(item) for item in value]
        if any(item is None for item in items):
            return None
        texts = [item for item in items if item is not None]
        if isinstance(value, list):
            return "[" + ", ".join(texts) + "]"
        if isinstance(value, tuple):
            return "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"
        return "{" + ", ".join(sorted(texts)) + "}" if texts else "set()"
    return None


def observed_label(literal: str | None) -> str | None:
    """Return the label that an observed value gives; None if it is not a plain value.

    The value is read as an answer is, so that what is a label here is right as an answer.

    Args:
        literal: The value as the sandbox writes it; None where it has no such form.
    """
    try:
        return None if literal is None else plain_literal(parse_literal(literal))
    except NotALiteralError:
        return None


def published_literal(label: str) -> str:
    """Return a published label of a function or method as a literal: upstream writes strings with or without quotes."""
    text = label.strip()
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return repr(label)
    return plain_literal(value) or repr(label)


def prints_the_same(one: str, other: str) -> bool:
    """Whether two texts have the same lines, trailing white space and empty lines at the end aside."""
    return printed_lines(one) == printed_lines(other)


def agrees(label: str, output: str, printed: bool) -> bool:
    """Whether a published label says the same as a proven output.

    Args:
        label: The label as upstream publishes it. Strings may stand there without their quotes.
        output: The proven output: a literal, or what the program prints.
        printed: Which of the two it is.
    """
    if printed:
        return prints_the_same(label, output)
    if published_literal(label) == output:
        return True
    value = ast.literal_eval(output)
    return isinstance(value, str) and value.rstrip("\n") == label.rstrip("\n")


def apply_proof(problem: Problem, proof: Proof) -> Problem:
    """Return the problem with its proven output and its category.

    A script whose published input, with its output, is beyond what a prompt shows
    (:data:`~lm_eval_codemind.problems.SHOWN_CHARACTERS`) gets the first proven case that is not as its input and
    output; what was published stays in the test suite, in front. A program that, with its input and
    output, is beyond :data:`~lm_eval_codemind.problems.PROGRAM_CHARACTERS` even so is excluded.

    Raises:
        ValueError: If neither proof nor upstream tells the output.
    """
    if proof.category == "excluded":
        # Its test suite is not in doubt, so the other tasks keep it.
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
    kept = [case for position, case in enumerate(cases) if proof.cases.get(position, "") is not None]
    if printed and not any(case.input == problem.input for case in kept):
        kept.insert(0, Case(problem.input, output))
    proven = dataclasses.replace(problem, category=proof.category, output=output, cases=tuple(kept))
    asked = _readable(proven, problem.cases) if printed else proven
    if beyond_prompt(asked.code, asked.input, asked.output or ""):
        return dataclasses.replace(problem, category="excluded", reason="too_long", output=None)
    return asked


def _readable(proven: Problem, published: Sequence[Case]) -> Problem:
    """Return a script with the first of its cases that a prompt can show as input and output.

    Args:
        proven: The script with its proven cases.
        published: The cases as upstream publishes them.
    """
    assert proven.output is not None
    own = Case(proven.input, proven.output)
    shown = shown_cases((own, *proven.cases), 1)
    if shown in ((own,), ()):
        return proven
    label = next(case.output for case in published if case.input == shown[0].input)
    category = proven.category
    if category in ("confirmed", "corrected"):
        category = "confirmed" if prints_the_same(label, shown[0].output) else "corrected"
    return dataclasses.replace(
        proven, input=shown[0].input, output=shown[0].output, published_output=label, category=category
    )

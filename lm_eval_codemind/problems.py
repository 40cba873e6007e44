"""The record every benchmark is turned into, what a prompt shows of it, and its form on disk.

A record is one program, one input, its proven output and its tests. On disk, problems are JSON lines, one benchmark a
file, the same bytes for the same problems. What one family alone needs lies in side files: columns of the problems
(:data:`COLUMN_SIDES`), or records of a family's own. A new side file changes nothing about the problems' file and its
digest.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import jsonlines

from lm_eval_codemind.errors import UserError

Category = Literal["confirmed", "corrected", "repaired", "added", "excluded", "published"]

# How the proven output relates to the published label. A closed set: the errata group problems by it.
CATEGORIES: dict[Category, str] = {
    "confirmed": "execution gives the published label",
    "corrected": "execution gives another output, the same every time",
    "repaired": "the program ran only after restoring code that is in the source of the upstream benchmark",
    "added": "upstream publishes neither input nor label; we chose the input, and execution gives the label",
    "excluded": "no execution can prove an output",
    "published": "the label as upstream publishes it, unproven; for replication only",
}

# Why no execution can prove a label. A closed set: the errata group problems by it.
EXCLUSION_REASONS: dict[str, str] = {
    "time": "the output depends on the clock or the calendar",
    "state": "the output depends on files or data of an earlier run",
    "identity": "the output depends on an object's address, on hashing or on another source of randomness",
    "version": "the output depends on the version of Python",
    "no_output": "the program raises an exception or does not end",
    "other_output": "execution gives another output than the published one",
    "no_literal": "the output cannot be written as a Python literal",
    "dependency": "the program needs a package or data that is not available everywhere",
    "fails": "the program ends with an error or too late: it is wrong, or written for an older language version",
    "unproven": "the program was not executed yet, so its output is not proven",
    "too_long": "the program, with its input and output, is too long for a prompt",
    "untested": "upstream's tests pass whatever the program does",
}


TRANSFORM_SEED = 0
"""The seed of the C+ in the built data."""


@dataclass(frozen=True)
class Case:
    """One input of a program with the output it must give.

    Attributes:
        input: A call expression (functions), the source of a test method (methods) or the text of stdin (scripts).
        output: A Python literal (functions, methods) or the text of stdout (scripts).
    """

    input: str
    output: str


@dataclass(frozen=True)
class Complexity:
    """Measures of a program; :mod:`lm_eval_codemind.languages.python.complexity` defines them.

    Attributes:
        cc: Cyclomatic complexity.
        loc: Lines of code of its normal form.
        dep: Dependencies between its functions and methods.
        nc: Nested constructs.
        ll: Loop iterations on the problem's input; None where they were not measured.
        constructs: Tags such as ``for`` and ``nested_if``.
    """

    cc: int
    loc: int
    dep: int
    nc: int
    ll: int | None
    constructs: tuple[str, ...]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Complexity:
        """Return the measures that a row of the data set has as plain values."""
        return cls(**{**row, "constructs": tuple(row["constructs"])})


@dataclass(frozen=True)
class Problem:
    """One problem of a benchmark; the fields are, in this order, the columns of the data set.

    Attributes:
        problem_id: Upstream's name, such as ``HumanEval_0``, ``sample_0``,
            ``ClassEval_0@AccessGatewayFilter.filter`` or ``atcoder_ABC042_A``.
        benchmark: Name in the registry, such as ``humaneval``.
        kind: The kind of program, a name in its language; in Python ``function`` (call -> return value), ``method``
            (test method of a class -> return value) or ``script`` (stdin -> stdout).
        language: The program's language.
        code: The program C, complete: with the imports and helpers it needs, without its tests.
        entry_point: The function's name, ``Class.method`` for methods, the empty string for scripts.
        input: What C is run on; a form as in :class:`Case`.
        output: The proven output in the form of :class:`Case`; None where the problem is excluded.
        specification: What the program must do, in words, with its signature; examples removed. Empty where
            upstream has none.
        context: What surrounds the code a model is asked to write: for methods the rest of the class, for functions
            the imports and helpers that the specification relies on.
        tests: The test suite T as source: a module that defines ``check(candidate)`` or holds bare assertions
            (functions), ``unittest`` classes (methods). Empty for scripts, whose suite is ``cases``.
        cases: Further inputs with their outputs. For scripts this is the test suite T.
        hint_test: The test that the setting "with test" of specification reasoning adds. Empty where not applicable.
        misleading_test: The same test with an expected output that contradicts the specification.
        transformed: C+, the transformed program. Empty if there is none.
        transformations: The rules that made C+ of C, in the order of their application.
        complexity: Measures of C; None where it does not parse.
        transformed_complexity: Measures of C+; None where there is none.
        output_type: Class of the output's type, such as ``Int``; empty where there is no proven output.
        category: How the proven label relates to the published one; see :data:`CATEGORIES`.
        reason: A key of :data:`EXCLUSION_REASONS` for excluded problems, else the empty string.
        published_output: The label that upstream publishes for the input, verbatim; None where upstream has none.
        provenance: ``repository@revision:path`` of the upstream file the program comes from.
        upstream_questions: What upstream itself asks about the program beyond one input, as JSON; empty where that is
            nothing.
        witnesses: Further inputs on which an answer must do what the program does, see
            :mod:`lm_eval_codemind.data.facts.witnesses`. The output ``raise NAME`` says that the program raises that
            exception.
    """

    problem_id: str
    benchmark: str
    kind: str
    language: str
    code: str
    entry_point: str = ""
    input: str = ""
    output: str | None = None
    specification: str = ""
    context: str = ""
    tests: str = ""
    cases: tuple[Case, ...] = ()
    hint_test: str = ""
    misleading_test: str = ""
    transformed: str = ""
    transformations: tuple[str, ...] = ()
    complexity: Complexity | None = None
    transformed_complexity: Complexity | None = None
    output_type: str = ""
    category: Category = "confirmed"
    reason: str = ""
    published_output: str | None = None
    provenance: str = ""
    upstream_questions: str = ""
    witnesses: tuple[Case, ...] = ()

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise ValueError(f"{self.problem_id}: category is {self.category!r}; set one of {', '.join(CATEGORIES)}")
        if (self.category == "excluded") != (self.reason in EXCLUSION_REASONS):
            raise ValueError(f"{self.problem_id}: category {self.category!r} does not go with reason {self.reason!r}")

    def to_row(self) -> dict[str, Any]:
        """Return the record as a row of the data set: plain lists, dicts, strings and None."""
        # dataclasses.asdict looks into every value, which takes longer.
        row = {name: getattr(self, name) for name in _COLUMNS}
        for column in ("cases", "witnesses"):
            row[column] = tuple(dataclasses.asdict(case) for case in row[column])
        for column in ("complexity", "transformed_complexity"):
            row[column] = row[column] and dataclasses.asdict(row[column])
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the problem a row of the data set describes.

        Raises:
            TypeError: If the row has a column that the schema does not know or lacks a required one.
            ValueError: If a value lies outside its closed set.
        """
        values = dict(row)
        for column in ("cases", "witnesses"):
            values[column] = tuple(Case(**case) for case in values.get(column) or ())
        values["transformations"] = tuple(values.get("transformations") or ())
        for column in ("complexity", "transformed_complexity"):
            values[column] = Complexity.from_row(values[column]) if values.get(column) else None
        return cls(**values)


_COLUMNS = tuple(field.name for field in dataclasses.fields(Problem))


SHOWN_CHARACTERS = 2_000
"""The maximum characters of input and output in a prompt; upstream's test suites have cases of two million."""

PROGRAM_CHARACTERS = 12_000
"""The maximum length of a program in a prompt with its input and output; some of CodeNet's have tables of 90,000."""

TEST_CASES = 2
"""The maximum number of cases of a script's test suite that a prompt shows as its test, as far as they fit."""


def as_text(cases: Iterable[Case]) -> str:
    """Return cases as a prompt shows them: what is read and what is printed."""
    return "\n\n".join(f"Input:\n{case.input.strip()}\nOutput:\n{case.output.strip()}" for case in cases)


def beyond_prompt(code: str, input: str, output: str) -> bool:
    """Whether a program with its input and output is beyond what a prompt shows."""
    return len(code) + len(input) + len(output) > PROGRAM_CHARACTERS


def shown_cases(cases: Iterable[Case], count: int) -> tuple[Case, ...]:
    """Return the first cases that fit, input and output together, into what the others leave of SHOWN_CHARACTERS.

    The output counts also where it is not shown, since the model has to write it.

    Args:
        cases: The cases to choose from, in their order.
        count: How many to return; fewer if no more fit.
    """
    shown: list[Case] = []
    budget = SHOWN_CHARACTERS
    for case in cases:
        size = len(case.input) + len(case.output)
        if len(shown) < count and size <= budget:
            shown.append(case)
            budget -= size
    return tuple(shown)


# Side file -> the columns of the problems that it holds.
COLUMN_SIDES: Mapping[str, tuple[str, ...]] = {
    "hints": ("hint_test", "misleading_test"),
    "transformed": ("transformed", "transformations", "transformed_complexity"),
    "questions": ("upstream_questions",),
}
# Witnesses come with the package, not with the data.
_ASIDE = frozenset({"witnesses", *(column for columns in COLUMN_SIDES.values() for column in columns)})


def dump_problems(problems: Iterable[Problem]) -> bytes:
    """Return the problems as UTF-8 JSON lines, in the order given, keys in the order of the schema."""
    rows = (problem.to_row() for problem in problems)
    return _dumped({name: value for name, value in row.items() if name not in _ASIDE} for row in rows)


def dump_side(problems: Iterable[Problem], side: str) -> bytes:
    """Return what one of :data:`COLUMN_SIDES` holds, as JSON lines; problems that it has nothing for are left out."""
    rows = (problem.to_row() for problem in problems)
    return _dumped(
        {name: row[name] for name in ("problem_id", *COLUMN_SIDES[side])}
        for row in rows
        if any(row[c] for c in COLUMN_SIDES[side])
    )


def dump_records(records: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return records that belong to problems as JSON lines, each with its ``problem_id``."""
    return _dumped({"problem_id": problem_id, **record} for problem_id, record in records.items())


def load_records(path: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a file that :func:`dump_records` wrote, by problem id; none if there is no such file.

    Raises:
        UserError: If a line is not such a record. The message names the file, the line and how to fix it.
    """
    records = {}
    for number, row in _rows(path) if path.is_file() else ():
        if not isinstance(row, dict) or "problem_id" not in row:
            raise _damaged(path, number, "no problem_id")
        records[row.pop("problem_id")] = row
    return records


def load_problems(path: Path) -> list[Problem]:
    """Return the problems of a file that :func:`dump_problems` wrote, with the files that belong to it.

    Raises:
        UserError: If a line is not a problem. The message names the file and the line and says how to fix it.
    """
    aside: dict[str, dict[str, Any]] = {}
    for side in COLUMN_SIDES:
        file = side_path(path, side)
        if file.is_file():
            for number, row in _rows(file):
                if not isinstance(row, dict) or row.keys() != {"problem_id", *COLUMN_SIDES[side]}:
                    raise _damaged(file, number, "other columns than expected")
                aside.setdefault(row["problem_id"], {}).update(row)
    problems = []
    for number, row in _rows(path):
        try:
            problems.append(Problem.from_row({**row, **aside.get(row["problem_id"], {})}))
        except (ValueError, TypeError, KeyError) as error:
            raise _damaged(path, number, error) from error
    return problems


def side_path(path: Path, side: str) -> Path:
    """Return the path of a side file of a benchmark's file."""
    return path.with_name(f"{path.stem}.{side}{path.suffix}")


def digest(content: bytes) -> str:
    """Return the SHA-256 digest of a benchmark file's content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _dumped(rows: Iterable[Mapping[str, Any]]) -> bytes:
    content = io.BytesIO()
    with jsonlines.Writer(content, dumps=json.dumps) as writer:  # the library's own choice would not escape to ASCII
        writer.write_all(rows)
    return content.getvalue()


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        try:
            yield from enumerate(jsonlines.Reader(file), start=1)
        except jsonlines.InvalidLineError as error:
            raise _damaged(path, error.lineno, error.__cause__ or error) from error


def _damaged(path: Path, number: int, error: object) -> UserError:
    return UserError(f"{path}, line {number}: not a problem record ({error}); rebuild it with `codemind data build`")

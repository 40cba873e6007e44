"""Problems on disk: JSON lines, one benchmark a file, the same bytes for the same problems.

What one family alone needs lies in side files: columns of the problems (:data:`COLUMN_SIDES`), or records of a family's
own. A new side file changes nothing about the problems' file and its digest.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonlines

from lm_eval_codemind.problems.record import Problem

# Side file -> the columns of the problems that it holds.
COLUMN_SIDES: Mapping[str, tuple[str, ...]] = {
    "hints": ("hint_test", "misleading_test"),
    "transformed": ("transformed", "transformations", "transformed_complexity"),
    "questions": ("upstream_questions",),
}
_ASIDE = frozenset(column for columns in COLUMN_SIDES.values() for column in columns)


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
        ValueError: If a line is not such a record. The message names the file, the line and how to fix it.
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
        ValueError: If a line is not a problem. The message names the file and the line and says how to fix it.
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


def _damaged(path: Path, number: int, error: object) -> ValueError:
    return ValueError(f"{path}, line {number}: not a problem record ({error}); rebuild it with `codemind data build`")

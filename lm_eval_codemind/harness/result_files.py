"""The harness's result files (``--output_path``) and sample files (``--log_samples``): names and reading."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from lm_eval_codemind.errors import UserError

Row = TypeVar("Row")

_DATE = r"(?P<date>\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?)"
_NAME = re.compile(rf".*_{_DATE}\.json")
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_DATE}\.jsonl(\.gz)?")


def date_of(file: Path) -> str:
    """Return when a run ended, from the name of its result file: ``2026-01-31T12-00-00.000000``; empty if not in it."""
    match = _NAME.fullmatch(file.name)
    return match["date"] if match else ""


def result_files(path: Path) -> list[Path]:
    """Return the result files below a directory in order, or the one that the path is.

    Raises:
        UserError: If there is no such file or directory, or no result file in it. The message names the path.
    """
    if path.is_file():
        if path.suffix != ".json":
            raise UserError(f"{path}: not a result file; give the harness's results_….json or its directory")
        return [path.resolve()]
    if not path.is_dir():
        raise UserError(f"{path}: no such file or directory; give what was passed to --output_path")
    files = sorted(file.resolve() for file in path.rglob("*.json") if _NAME.fullmatch(file.name))
    if not files:
        raise UserError(f"{path}: no result file (results_….json) in it; run the harness with --output_path {path}")
    return files


def read_results(file: Path) -> dict[str, Any]:
    """Return the content of a result file.

    Raises:
        UserError: If the file is damaged. The message names it.
    """
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(raw, dict) or not isinstance(raw.get("results"), dict) or "configs" not in raw:
            raise UserError("it has no results and configs")
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file}: not a result file of the harness ({error}); run the evaluation again") from error
    return raw


def samples_file(file: Path, task: str) -> Path | None:
    """Return the file with the samples of a task in the run of a result file; None if they were not logged."""
    samples = file.with_name(f"samples_{task}_{date_of(file)}.jsonl")
    return samples if samples.is_file() else None


def results_beside(samples: Path) -> tuple[dict[str, Any], str] | None:
    """Return the results of the run of a file of samples, and the task; None if its result file is not beside it.

    Raises:
        UserError: If the result file is damaged. The message names it.
    """
    match = _SAMPLES.fullmatch(samples.name)
    if match is None:
        return None
    file = samples.with_name(f"results_{match['date']}.json")
    return (read_results(file), match["task"]) if file.is_file() else None


def run_files(file: Path) -> list[Path]:
    """Return a result file and the sample files of its run."""
    return [file, *sorted(file.parent.glob(f"samples_*_{date_of(file)}.jsonl"))]


def read_samples(samples: Path, convert: Callable[[Any], Row], without: Iterable[str] = ()) -> Iterator[Row]:
    """Yield each line of a sample file, converted from what JSON makes of it.

    Args:
        samples: The file.
        convert: Makes what is yielded of a line's JSON value.
        without: Names of filters whose lines are left out where the line itself shows its filter, as the harness writes
            it. In a text a quotation mark has a backslash before it, so no response looks like that.

    Raises:
        UserError: If a line is damaged. The message names the file and the line.
    """
    left_out = [f'"filter": {json.dumps(name)}, "metrics": ['.encode() for name in without]
    # Lines are longer than the usual buffer.
    with samples.open("rb", buffering=1 << 18) as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"}\n") and any(text in line for text in left_out):
                continue
            try:
                yield convert(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise UserError(
                    f"{samples}, line {number}: not a sample of the harness ({error!r}); the file is damaged: "
                    "take it from a backup or run the evaluation again"
                ) from error

"""The files of facts that this package ships: how they are found, read and written.

A file holds one JSON object, program or problem -> record. ``NAME.json`` has a record a line, so that version control
shows what changed. ``NAME.json.gz`` is for what is long.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

FOLDER = Path(str(files(__package__)))


@cache
def load(name: str) -> Mapping[str, Any]:
    """Return a file's records; none if no such file is shipped.

    Args:
        name: The file's path below this folder, such as ``recipes/humaneval.json``.

    Raises:
        ValueError: If the file cannot be read. The message names it.
    """
    file = FOLDER / name
    if not file.is_file():
        return {}
    content = file.read_bytes()
    try:
        records = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
    except (ValueError, OSError) as error:
        raise ValueError(f"{file}: not readable ({error}); install lm-eval-codemind again") from error
    if not isinstance(records, dict):
        raise ValueError(f"{file}: not a JSON object; install lm-eval-codemind again")
    return records


def save(name: str, records: Mapping[str, Any], levels: int = 1) -> Path:
    """Write a file of records and return its path; for the scripts that prove facts.

    Args:
        name: As for :func:`load`.
        records: Name -> record.
        levels: How many levels of names there are above the records; of no effect on a compressed file.
    """
    file = FOLDER / name
    if name.endswith(".gz"):
        text = json.dumps(records, ensure_ascii=False, separators=(",", ":"))
        content = gzip.compress(text.encode("utf-8"), mtime=0)
    else:
        content = f"{one_a_line(records, ' ' * (levels - 1), levels)}\n".encode()
    file.write_bytes(content)
    load.cache_clear()
    return file


def one_a_line(records: Mapping[str, Any], indent: str = "", levels: int = 1) -> str:
    """Return records as JSON, in their order, without a line feed at the end.

    Args:
        records: Name -> record; with more levels name -> records.
        indent: The text before each name; one blank more at each level below.
        levels: How many levels of names there are.
    """
    rows = (
        f"{indent}{json.dumps(name)}: "
        + (json.dumps(record) if levels == 1 else one_a_line(record, f"{indent} ", levels - 1))
        for name, record in records.items()
    )
    return "{\n" + ",\n".join(rows) + f"\n{indent[1:]}}}"

"""Reading and writing of this package's data files.

A file contains one JSON object: program or problem -> record. ``NAME.json`` has one record per line, so that version
control shows which records changed. ``NAME.json.gz`` is used for long data.
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
    """Return a file's records; an empty mapping if the package has no such file.

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
    """Write a file of records and return its path. The scripts in ``utils`` use it.

    Args:
        name: The file's path, as for :func:`load`.
        records: Name -> record.
        levels: The number of levels of names above the records. Ignored for a compressed file.
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
        indent: The text before each name; each lower level adds one blank.
        levels: The number of levels of names.
    """
    rows = (
        f"{indent}{json.dumps(name)}: "
        + (json.dumps(record) if levels == 1 else one_a_line(record, f"{indent} ", levels - 1))
        for name, record in records.items()
    )
    return "{\n" + ",\n".join(rows) + f"\n{indent[1:]}}}"

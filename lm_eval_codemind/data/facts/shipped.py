"""Reading of this package's data files, which ``utils/prove/ship.py`` writes.

A file contains one JSON object: program or problem -> record. ``NAME.json`` has one record per line, so that version
control shows which records changed. ``NAME.json.gz`` and ``NAME.json.xz`` are used for long data.
"""

import gzip
import json
import lzma
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError

FOLDER = Path(str(files(__package__)))
_DECOMPRESS = {".gz": gzip.decompress, ".xz": lzma.decompress}


@cache
def load(name: str, folder: Path | None = None) -> Mapping[str, Any]:
    """Return a file's records; an empty mapping if the package has no such file.

    Args:
        name: The file's path below the folder, such as ``recipes/humaneval.json``.
        folder: The folder of a study; this one by default.

    Raises:
        UserError: If the file cannot be read. The message names it.
    """
    file = (folder or FOLDER) / name
    if not file.is_file():
        return {}
    content = file.read_bytes()
    try:
        records = json.loads(_DECOMPRESS.get(file.suffix, bytes)(content))
    except (ValueError, OSError, lzma.LZMAError) as error:
        raise UserError(f"{file}: not readable ({error}); install lm-eval-codemind again") from error
    if not isinstance(records, dict):
        raise UserError(f"{file}: not a JSON object; install lm-eval-codemind again")
    return records

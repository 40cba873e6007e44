"""Writing of the data files in ``lm_eval_codemind/data/facts``, whose ``shipped.py`` reads them."""

import gzip
import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.workshop.facts.labels import Proof
from lm_eval_codemind.workshop.facts.recipes import Recipe


def save(name: str, records: Mapping[str, Any], levels: int = 1, folder: Path | None = None) -> Path:
    """Write a file of records and return its path.

    Args:
        name: The file's path below ``facts``, such as ``recipes/humaneval.json``.
        records: Name -> record.
        levels: The number of levels of names above the records. Ignored for a compressed file.
        folder: The folder of a study; that of the facts by default.
    """
    file = (folder or shipped.FOLDER) / name
    if name.endswith((".gz", ".xz")):
        text = json.dumps(records, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        content = gzip.compress(text, mtime=0) if name.endswith(".gz") else lzma.compress(text, preset=9)
    else:
        content = f"{one_a_line(records, ' ' * (levels - 1), levels)}\n".encode()
    file.write_bytes(content)
    shipped.load.cache_clear()
    return file


def record_of(fact: Proof | Recipe) -> dict[str, Any]:
    """Return a fact as a JSON object without its usual values."""
    record = {name: value for name, value in vars(fact).items() if value != getattr(type(fact), name, {})}
    if isinstance(fact, Recipe):
        record["steps"] = " ".join(f"{rule}:{site}" for rule, site in fact.steps)
    return record


def one_a_line(records: Mapping[str, Any], indent: str = "", levels: int = 1) -> str:
    """Return records as JSON, in their order, without a line feed at the end."""
    rows = (
        f"{indent}{json.dumps(name)}: "
        + (json.dumps(record) if levels == 1 else one_a_line(record, f"{indent} ", levels - 1))
        for name, record in records.items()
    )
    return "{\n" + ",\n".join(rows) + f"\n{indent[1:]}}}"

"""The form of what was proven and is shipped: JSON with a record a line, so that version control shows what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def one_a_line(records: Mapping[str, Any], indent: str = "", levels: int = 1) -> str:
    """Return records as JSON, in their order, without a line feed at the end.

    Args:
        records: Name -> record; with more levels name -> records.
        indent: What stands before each name; one blank more at each level below.
        levels: How many levels of names there are.
    """
    rows = (
        f"{indent}{json.dumps(name)}: "
        + (json.dumps(record) if levels == 1 else one_a_line(record, f"{indent} ", levels - 1))
        for name, record in records.items()
    )
    return "{\n" + ",\n".join(rows) + f"\n{indent[1:]}}}"

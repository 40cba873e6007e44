"""Write the tables and lists of a Markdown text as CSV: ``python utils/table_csv.py < TEXT > FILE``.

A list gives rows with an item and, after its first colon, a detail.
"""

from __future__ import annotations

import csv
import re
import sys

LIST = ["item", "detail"]
_BLOCK = re.compile(r"(?:^\|.*\n?)+|(?:^- .*\n?)+", re.MULTILINE)


def tables(text: str) -> list[list[list[str]]]:
    """Return the tables and lists of a Markdown text: each as rows of cells, of which the first has the headings."""
    return [_table(block) if block.startswith("|") else _list(block) for block in _BLOCK.findall(text)]


def _table(block: str) -> list[list[str]]:
    rows = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()
    ]
    return [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def _list(block: str) -> list[list[str]]:
    items = [line.removeprefix("- ").partition(": ") for line in block.splitlines()]
    return [LIST, *([item, detail] for item, _, detail in items)]


if __name__ == "__main__":
    csv.writer(sys.stdout, lineterminator="\n").writerows(row for table in tables(sys.stdin.read()) for row in table)

"""The data set of a task."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from datasets import Dataset
from datasets.table import Table


class Documents(Dataset):  # type: ignore[misc]
    """A data set that makes its rows once: the harness reads all of them for the requests and again for each filter.

    What :meth:`~datasets.Dataset.map` and the like make of it has other rows or another format, and reads as usual.
    """

    def __init__(self, rows: Table, fingerprint: str) -> None:
        super().__init__(rows, fingerprint=fingerprint)
        self._first, self._usual = self.data, self.format

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.to_list()
        return rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self.data is not self._first or self.format != self._usual:
            return iter(super().__iter__())
        return map(dict, self._rows)

"""The data set of a task."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from datasets import Dataset


class Documents(Dataset):  # type: ignore[misc]
    """A data set that makes its rows once: the harness reads all of them for the requests and again for each filter.

    What :meth:`~datasets.Dataset.map` and the like make of it has other rows or another format, and reads as usual.
    """

    def __init__(self, rows: Dataset) -> None:
        super().__init__(rows.data, rows.info)
        self._first, self._usual = rows.data, rows.format

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.to_list()
        return rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self.data is not self._first or self.format != self._usual:
            return iter(super().__iter__())
        return map(dict, self._rows)

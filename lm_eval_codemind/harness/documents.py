"""A task's documents as a data set of the harness.

Filters record digests of a task's responses in its results. The harness hands them documents, not the task, and two
tasks may have equal documents. So each document carries the dict that its task's results record: ``metadata.suite``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from datasets import Dataset

TEST_SPLIT = "test"
FEWSHOT_SPLIT = "fewshot"


class Document(dict[str, Any]):
    """A row of a data set that knows its task's ``metadata.suite``; None outside of the harness."""

    suite: dict[str, Any] | None = None


class Documents(Dataset):  # type: ignore[misc]
    """A data set whose rows are :class:`Document` with the same ``suite``."""

    suite: dict[str, Any] | None = None

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], suite: dict[str, Any] | None) -> Documents:
        """Return a data set of rows that all have the same columns."""
        plain = Dataset.from_list([dict(row) for row in rows])
        documents = cls(plain.data, info=plain.info, split=plain.split)
        documents.suite = suite
        return documents

    def __iter__(self) -> Iterator[Document]:
        for row in super().__iter__():
            yield self._document(row)

    def __getitem__(self, key: Any) -> Any:
        rows = super().__getitem__(key)
        return self._document(rows) if isinstance(key, int) else rows

    def _document(self, row: Mapping[str, Any]) -> Document:
        document = Document(row)
        document.suite = self.suite
        return document


def splits(
    documents: Iterable[Mapping[str, Any]],
    examples: Iterable[Mapping[str, Any]],
    suite: dict[str, Any] | None = None,
) -> dict[str, Dataset]:
    """Return the documents and the worked examples as the splits ``test`` and ``fewshot``.

    Both need the same columns; the ones that an example lacks are None in it.
    """
    test = Documents.of(documents, suite)
    fewshot = [{column: example.get(column) for column in test.column_names} for example in examples]
    return {TEST_SPLIT: test, FEWSHOT_SPLIT: Dataset.from_list(fewshot, features=test.features)}

"""The documents of a task as a data set of the harness.

A filter of the harness gets responses and documents, and must find the dict that the task's results record
(``metadata.suite``) to write digests into it. The harness does not say which task a filter works for. So every row
carries that dict. A row is a plain dict for everything else.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from datasets import Dataset

TEST_SPLIT = "test"
FEWSHOT_SPLIT = "fewshot"


class Document(dict[str, Any]):
    """A row of a data set, with what the results of its task record; None outside of the harness."""

    suite: dict[str, Any] | None = None


class Documents(Dataset):  # type: ignore[misc]
    """A data set whose rows are of the class :class:`Document`. A transform of the library gives plain dicts only."""

    suite: dict[str, Any] | None = None

    def __iter__(self) -> Iterator[Document]:
        return map(self._document, super().__iter__())

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
    """Return the documents and the few-shot examples as the splits ``test`` and ``fewshot``.

    Both need the same columns. Those that an example lacks are None in it.
    """
    test = Documents.from_list([dict(row) for row in documents])
    test.suite = suite
    fewshot = [{column: example.get(column) for column in test.column_names} for example in examples]
    return {TEST_SPLIT: test, FEWSHOT_SPLIT: Dataset.from_list(fewshot, features=test.features)}

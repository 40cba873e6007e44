"""One document of a task is one question. Its key is its only identifier."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from lm_eval_codemind.catalogue import twin_of
from lm_eval_codemind.problems import Problem


class Key(NamedTuple):
    """The unique key of a question.

    Attributes:
        benchmark: Name of the benchmark.
        problem_id: Name of the problem.
        setting: How the problem is posed, such as ``with_test``; empty if there is one way only.
        item: Which of several questions about the problem it is, such as ``input 2, line 17``; empty if there is one.
    """

    benchmark: str
    problem_id: str
    setting: str = ""
    item: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Key:
        """Return the key of a document or of a recorded row.

        Raises:
            KeyError: If it has no benchmark or no problem_id.
        """
        setting, item = (str(row.get(column) or "") for column in ("setting", "item"))
        return cls(str(row["benchmark"]), str(row["problem_id"]), setting, item)

    def recorded(self) -> Key:
        """Return the key under which responses are recorded.

        The published form of a benchmark holds the same problems under the same names, so a response to the one is
        found for the other.
        """
        return self._replace(benchmark=twin_of(self.benchmark))

    def within_task(self) -> str:
        """Return the part of the key that is unique within a task, such as ``HumanEval_0/with_test``."""
        return "/".join(part for part in (self.problem_id, self.setting, self.item) if part)


@dataclass(frozen=True)
class Question:
    """A problem, how it is posed, and what a family adds; as a row of a data set it is the document of a task.

    Attributes:
        key: What tells it from the others.
        kind: The kind of program, a name in its language.
        language: The program's language.
        fields: The family's own columns, plain values.
        prompt: What the model is shown.
        target: A complete response that gets full marks.
    """

    key: Key
    kind: str
    language: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""
    target: str = ""

    def __getitem__(self, column: str) -> Any:
        return self.fields[column]

    @classmethod
    def about(
        cls, problem: Problem, setting: str, fields: Mapping[str, Any], item: str = "", columns: Sequence[str] = ()
    ) -> Question:
        """Return a question about a problem.

        Args:
            problem: The problem.
            setting: How it is posed.
            fields: The family's own columns.
            item: Which of several questions it is; empty if it is the only one.
            columns: Columns of the problem that come before the fields.
        """
        if columns:
            row = problem.to_row()
            fields = {**{column: row[column] for column in columns}, **fields}
        return cls(Key(problem.benchmark, problem.problem_id, setting, item), problem.kind, problem.language, fields)

    def document(self) -> dict[str, Any]:
        """Return the question as a row of the data set."""
        return {
            **self.key._asdict(),
            "kind": self.kind,
            "language": self.language,
            **self.fields,
            "prompt": self.prompt,
            "target": self.target,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Question:
        """Return the question that a row of the data set holds."""
        fields = {name: value for name, value in document.items() if name not in _OWN}
        return cls(
            Key.of(document),
            str(document["kind"]),
            str(document["language"]),
            fields,
            str(document.get("prompt") or ""),
            str(document.get("target") or ""),
        )


_OWN = frozenset({*Key._fields, "kind", "language", "prompt", "target"})


def digest(texts: Sequence[str]) -> str:
    """Return the digest of the responses to one question, or of its prompts, in order: 16 digits of a SHA-256."""
    return hashlib.sha256(json.dumps(list(texts), ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def seal(digests: Iterable[tuple[Key, str]]) -> str:
    """Return the digests of a task's questions as one text: ``KEY=DIGEST`` for each, separated by spaces."""
    return " ".join(f"{quote(key.within_task(), safe='/@.,:+-_')}={digest}" for key, digest in digests)


def sealed(text: str) -> dict[str, str]:
    """Return the digests that :func:`seal` wrote, by the part of the key that tells questions of a task apart."""
    return {unquote(key): digest for key, _, digest in (entry.rpartition("=") for entry in text.split())}

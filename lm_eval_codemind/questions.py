"""One document of a task is one question, and its key is its only identifier. A response to it holds an answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import quote, unquote

from lm_eval_codemind.data.catalogue import twin_of
from lm_eval_codemind.languages import Unfinished
from lm_eval_codemind.problems import Problem

if TYPE_CHECKING:
    from lm_eval_codemind.sandbox import CaseOutcome, Outcome


Fields = TypeVar("Fields")


PLACE = "drawn"
"""The column that documents of a short form have: the place in the order of the draw, and the share that was drawn."""


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
        setting, item = row.get("setting"), row.get("item")
        return cls(str(row["benchmark"]), str(row["problem_id"]), str(setting or ""), str(item or ""))

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
        problem: The problem, if the question brings it along; None if it is a problem of built data.
    """

    key: Key
    kind: str
    language: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""
    target: str = ""
    problem: Problem | None = None

    def __getitem__(self, column: str) -> Any:
        return self.fields[column]

    def typed(self, fields: type[Fields]) -> Fields:
        """Return the family's own columns as their type, a TypedDict: a type checker knows their names and values."""
        return cast(Fields, self.fields)

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


# Of an outcome: what is logged with an answer.
_LOGGED = (
    *("status", "failed_test", "exception_type", "exception_message", "tests_run"),
    *("cpu_seconds", "wall_seconds", "tamper_proof", "isolation"),
)


@dataclass
class Answer:
    """The answer in a response: a text, a program or what else a family asks for.

    The harness logs what ``str`` makes of it, after the scores were computed: a JSON object, which
    :meth:`from_json` reads back.

    Attributes:
        text: The text or the code that counts; None if the response holds none.
        details: What the family adds to it, as plain values of JSON.
        reading: How the response was read: ``read``; ``no_answer`` if it holds none;
            ``malformed`` if what it holds does not have the form that was asked for; ``unfinished`` if its thinking
            never ends.
        outcome: The outcome of its execution, as plain values; None if it was not executed, or not yet.
        program: The part of the answer to execute, unchanged: a whole program, or an input. It is not logged.
        witnesses: The outcome of its execution on the problem's witnesses, after the suite passed; None otherwise.
        observations: What was observed when it was executed; not logged.
        pending: Its execution while that is going on, until :meth:`wait`; None if there is none.
        further: Its execution on the witnesses while that is going on; its result is None if the suite does not pass.
        skipped: Whether the question is to be left out of the scores: no response was recorded.
    """

    text: str | None
    details: dict[str, Any] = field(default_factory=dict)
    reading: str = ""
    outcome: Mapping[str, Any] | None = None
    program: str | None = field(default=None, compare=False)
    witnesses: Mapping[str, Any] | None = None
    observations: tuple[CaseOutcome, ...] = field(default=(), compare=False)
    pending: Future[Outcome] | None = field(default=None, compare=False)
    further: Future[Outcome | None] | None = field(default=None, compare=False)
    skipped: bool = False

    def __post_init__(self) -> None:
        self.reading = self.reading or ("no_answer" if self.text is None else "read")

    @classmethod
    def of_program(cls, program: str | Unfinished | None) -> Answer:
        """Return the answer that holds a program. A program that breaks off is kept, and never executed."""
        from lm_eval_codemind.sandbox import Outcome, Status

        if isinstance(program, Unfinished):
            return cls(program.source, outcome=_described(Outcome(Status.UNFINISHED)))
        return cls(program, program=program)

    def wait(self) -> None:
        """Wait until the answer was executed, if it is being executed, and keep what came out."""
        if self.pending is not None:
            outcome = self.pending.result()
            self.outcome, self.observations = _described(outcome), outcome.observations
            self.pending = None
        if self.further is not None:
            further = self.further.result()
            self.witnesses = None if further is None else _described(further)
            self.further = None

    @property
    def passed_suite(self) -> bool:
        """Whether it was executed and passed the suite."""
        return self.outcome is not None and self.outcome.get("status") == "passed"

    @property
    def passed(self) -> bool:
        """Whether it passed the suite, and no witness shows that it is wrong."""
        return self.passed_suite and self.decisive is self.outcome

    @property
    def decisive(self) -> Mapping[str, Any] | None:
        """The outcome that decides: that of the suite, unless the answer fails a witness.

        What takes too long or too much memory on a witness is not wrong for that alone.
        """
        failed = self.witnesses is not None and self.witnesses.get("status") in ("failed", "error")
        return self.witnesses if failed else self.outcome

    @property
    def tamper_proof(self) -> bool:
        """Whether the program could not manipulate its verdict. Also true if no program was executed."""
        outcomes = (self.outcome, self.witnesses)
        return all(outcome is None or bool(outcome.get("tamper_proof", True)) for outcome in outcomes)

    def to_json(self) -> str:
        """Return the answer as a JSON object on one line."""
        record = {"answer": self.text, "reading": self.reading, **self.details}
        further = {"outcome": self.outcome, "witnesses": self.witnesses, "skipped": self.skipped}
        record |= {name: value for name, value in further.items() if value}
        return json.dumps(record, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """Return the answer that :meth:`to_json` wrote.

        Raises:
            ValueError: If the text is something else.
        """
        record = json.loads(text)
        if not isinstance(record, dict) or "answer" not in record:
            raise ValueError("no answer of this suite")
        names = [name for name in ("reading", "outcome", "witnesses", "skipped") if name in record]
        answer = cls(record.pop("answer"), record, **{name: record.pop(name) for name in names})
        outcomes = (answer.outcome, answer.witnesses)
        if not isinstance(answer.text, str | None) or not all(isinstance(one, dict | None) for one in outcomes):
            raise ValueError("no answer of this suite")
        return answer

    __str__ = to_json

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes of a run get what was logged; an execution that is still going on cannot travel.
        return Answer.from_json, (self.to_json(),)


def _described(outcome: Outcome) -> dict[str, Any]:
    described = outcome.to_dict()
    return {name: described[name] for name in _LOGGED}


def digest(texts: Sequence[str]) -> str:
    """Return the digest of the responses to one question, or of its prompts, in order: 16 digits of a SHA-256."""
    return hashlib.sha256(json.dumps(list(texts), ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def seal(digests: Iterable[tuple[Key, str]]) -> str:
    """Return the digests of a task's questions as one text: ``KEY=DIGEST`` for each, separated by spaces."""
    return " ".join(f"{quote(key.within_task(), safe='/@.,:+-_')}={digest}" for key, digest in digests)


def sealed(text: str) -> dict[str, str]:
    """Return the digests that :func:`seal` wrote, by the part of the key that tells questions of a task apart."""
    return {unquote(key): digest for key, _, digest in (entry.rpartition("=") for entry in text.split())}
